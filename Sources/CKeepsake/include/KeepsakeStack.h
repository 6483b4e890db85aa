#ifndef KEEPSAKE_STACK_H
#define KEEPSAKE_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __linux__
// Calls for extended attributes of files, which no module of the system has.
#include <sys/xattr.h>
#endif

// The bounds of stacks, and calls on another stack (Docs/Design.md §4, "The stack"), for which Swift has no means: the
// address of a frame, values of a thread, memory for a stack, and the instruction that makes it the current one.

/// The addresses of a stack, from `lowest` up to but not including `end`. Both are 0 if they are unknown.
typedef struct {
  uintptr_t lowest;
  uintptr_t end;
} KeepsakeStackBounds;

/// A new stack, or the error number of the call that failed, without bounds.
typedef struct {
  KeepsakeStackBounds bounds;
  int error;
} KeepsakeNewStack;

/// The address of the caller's frame. It is the true one even if an address sanitizer keeps variables elsewhere.
__attribute__((always_inline)) static inline uintptr_t keepsake_current_frame(void) {
  return (uintptr_t)__builtin_frame_address(0);
}

/// Begins to fetch the memory at `address` into the cache. Does nothing if there is no memory.
__attribute__((always_inline)) static inline void keepsake_prefetch(uintptr_t address) {
  __builtin_prefetch((const void *)address);
}

/// A number that no other thread has at the same time. It is never 0.
uintptr_t keepsake_thread(void);

/// The stack of this thread that contains `address`: the one that `keepsake_call_on_stack` entered last, or the
/// thread's own. Unknown if the system does not tell, or if other code made the stack, such as that of a coroutine.
KeepsakeStackBounds keepsake_stack_around(uintptr_t address);

/// Whether `keepsake_call_on_stack` works on this processor.
bool keepsake_can_call_on_stack(void);

/// Makes a stack with `size` bytes of address space, a power of two of at least 1 MB. Two stacks of the same size are
/// identical or do not overlap, even if one is gone by now. An access below the stack ends the program.
KeepsakeNewStack keepsake_make_stack(size_t size);

/// Frees the memory of a stack that `keepsake_make_stack` made. Nothing may run on it.
void keepsake_free_stack(KeepsakeStackBounds stack);

/// Calls `function` with `argument` on `stack`, which nothing else uses, and returns when `function` does. The call is
/// like any other, on the same thread, except for the stack pointer. So `function` must end by returning.
void keepsake_call_on_stack(KeepsakeStackBounds stack, void *argument, void (*function)(void *));

#endif
