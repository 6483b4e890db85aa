#ifndef KEEPSAKE_STACK_H
#define KEEPSAKE_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __linux__
// The calls for extended attributes of files, which no module of the system has.
#include <sys/xattr.h>
#endif

// Where stacks are, and calls on another stack (Docs/Design.md §4, "The stack"). What Swift cannot say: the address of a
// frame, values of a thread, memory for a stack, and the one instruction that makes it the current one.

/// The addresses of a stack, from `lowest` up to but not including `end`. Both are 0 where nothing is known.
typedef struct {
  uintptr_t lowest;
  uintptr_t end;
} KeepsakeStackBounds;

/// A new stack, or the error number of the call that failed, and then no bounds.
typedef struct {
  KeepsakeStackBounds bounds;
  int error;
} KeepsakeNewStack;

/// The address of the frame of the caller. It is the true one also where an address sanitizer keeps variables elsewhere.
__attribute__((always_inline)) static inline uintptr_t keepsake_current_frame(void) {
  return (uintptr_t)__builtin_frame_address(0);
}

/// Begins to fetch the memory at `address` into the cache. Nothing happens where there is none.
__attribute__((always_inline)) static inline void keepsake_prefetch(uintptr_t address) {
  __builtin_prefetch((const void *)address);
}

/// A number that no other thread has at the same time, and never 0.
uintptr_t keepsake_thread(void);

/// The stack of this thread that `address` is in: the one that `keepsake_call_on_stack` went to last, or the thread's own.
/// Nothing is known where the system does not tell, and of a stack that other code has made, such as a coroutine's.
KeepsakeStackBounds keepsake_stack_around(uintptr_t address);

/// Whether there is a `keepsake_call_on_stack` for this processor.
bool keepsake_can_call_on_stack(void);

/// Memory for a stack that takes `size` bytes of the address space, a power of two of at least 1 MB. Any two stacks of one
/// size are the same or do not overlap, also one that is gone by now. Below it an access ends the program.
KeepsakeNewStack keepsake_make_stack(size_t size);

/// Gives the memory of a stack back that `keepsake_make_stack` made. Nothing may run on it.
void keepsake_free_stack(KeepsakeStackBounds stack);

/// Calls `function` with `argument` on `stack`, which nothing else uses, and returns when it does. It is a call like any
/// other, on the same thread; only the stack pointer is another one. So it must be left by returning.
void keepsake_call_on_stack(KeepsakeStackBounds stack, void *argument, void (*function)(void *));

#endif
