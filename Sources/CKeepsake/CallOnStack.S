// void keepsake_switch_stack(void *argument, void (*function)(void *), void *top)
//
// Calls `function` with `argument` on the stack that begins at `top`, a multiple of 16. The frame pointer keeps the
// caller's stack: this function returns by it, and unwinders and debuggers find the way back by it, as they do through
// any function with a frame.

#if defined(__APPLE__)
#define SYMBOL _keepsake_switch_stack
#else
#define SYMBOL keepsake_switch_stack
#endif

#if defined(__x86_64__) || defined(__aarch64__)

  .text
  .globl SYMBOL
#if defined(__APPLE__)
  .private_extern SYMBOL
#else
  .hidden SYMBOL
  .type SYMBOL, %function
#endif
  .p2align 4
SYMBOL:
  .cfi_startproc

#if defined(__x86_64__)

  endbr64
  pushq %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  movq %rsp, %rbp
  .cfi_def_cfa_register %rbp
  movq %rdx, %rsp
  callq *%rsi
  movq %rbp, %rsp
  popq %rbp
  .cfi_def_cfa %rsp, 8
  retq

#else

#if defined(__arm64e__)
  pacibsp                      // The return address is signed, and so is the pointer to the function.
#else
  hint #34                     // bti c, where there is one
#endif
  stp x29, x30, [sp, #-16]!
  .cfi_def_cfa_offset 16
  .cfi_offset x30, -8
  .cfi_offset x29, -16
  mov x29, sp
  .cfi_def_cfa x29, 16
  mov sp, x2
#if defined(__arm64e__)
  blraaz x1
#else
  blr x1
#endif
  mov sp, x29
  .cfi_def_cfa sp, 16
  ldp x29, x30, [sp], #16
  .cfi_def_cfa_offset 0
  .cfi_restore x30
  .cfi_restore x29
#if defined(__arm64e__)
  retab
#else
  ret
#endif

#endif

  .cfi_endproc
#if !defined(__APPLE__)
  .size SYMBOL, . - SYMBOL
#endif

#endif

#if defined(__APPLE__)
  .subsections_via_symbols
#elif defined(__ELF__)
  // This file needs no executable stack.
  .section .note.GNU-stack, "", %progbits
#endif
