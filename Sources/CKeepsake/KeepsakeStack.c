#define _GNU_SOURCE

#include "KeepsakeStack.h"

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>

static bool contains(KeepsakeStackBounds stack, uintptr_t address) {
  return stack.lowest < address && address < stack.end;
}

// Values of the thread, not the process: the child of a fork has those of the thread that forked, whose stack it is on.

/// The thread's own stack, once it was looked up. For the first thread, the C library reads a file of the kernel, which
/// takes longer than reading a small archive.
static _Thread_local KeepsakeStackBounds own;
/// The stack that `keepsake_call_on_stack` entered last and has not left.
static _Thread_local KeepsakeStackBounds innermost;

uintptr_t keepsake_thread(void) { return (uintptr_t)&own; }

static KeepsakeStackBounds find_own_stack(void) {
  KeepsakeStackBounds stack = {0, 0};
#if defined(__APPLE__)
  uintptr_t end = (uintptr_t)pthread_get_stackaddr_np(pthread_self());
  size_t size = pthread_get_stacksize_np(pthread_self());
  if (size < end) stack = (KeepsakeStackBounds){end - size, end};
#elif defined(__linux__)
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return stack;
  void *lowest = NULL;
  size_t size = 0;
  uintptr_t end;
  if (pthread_attr_getstack(&attributes, &lowest, &size) == 0 &&
      !__builtin_add_overflow((uintptr_t)lowest, size, &end)) {
    stack = (KeepsakeStackBounds){(uintptr_t)lowest, end};
  }
  pthread_attr_destroy(&attributes);
#endif
  return stack;
}

KeepsakeStackBounds keepsake_stack_around(uintptr_t address) {
  if (contains(innermost, address)) return innermost;
  if (own.end == 0) own = find_own_stack();
  return contains(own, address) ? own : (KeepsakeStackBounds){0, 0};
}

// MARK: Memory

/// The inaccessible part at the low end. A multiple of the page size on all systems, and larger than most frames.
static const size_t guard_size = 64 << 10;

#if defined(__linux__)
static const int mapping = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK;
#else
static const int mapping = MAP_PRIVATE | MAP_ANON | MAP_NORESERVE;
#endif

KeepsakeNewStack keepsake_make_stack(size_t size) {
  KeepsakeNewStack stack = {{0, 0}, 0};
  // Twice the size in address space, without memory, contains a multiple of the size. The rest is given back at once.
  void *reserved = mmap(NULL, size * 2, PROT_NONE, mapping, -1, 0);
  if (reserved == MAP_FAILED) {
    stack.error = errno;
    return stack;
  }
  uintptr_t begin = (uintptr_t)reserved;
  uintptr_t start = (begin + size - 1) & ~((uintptr_t)size - 1);
  size_t before = start - begin;
  if (before > 0) munmap(reserved, before);
  if (before < size) munmap((void *)(start + size), size - before);
  if (mprotect((void *)(start + guard_size), size - guard_size, PROT_READ | PROT_WRITE) != 0) {
    stack.error = errno;
    munmap((void *)start, size);
    return stack;
  }
#if defined(MADV_HUGEPAGE)
  // Code that recurses so deep uses much of it: 32 faults instead of 16,000. Without huge pages, nothing changes.
  madvise((void *)start, size, MADV_HUGEPAGE);
#endif
  stack.bounds = (KeepsakeStackBounds){start + guard_size, start + size};
  return stack;
}

void keepsake_free_stack(KeepsakeStackBounds stack) {
  if (stack.end == 0) return;
  munmap((void *)(stack.lowest - guard_size), stack.end - stack.lowest + guard_size);
}

// MARK: Calls

#if defined(__x86_64__) || defined(__aarch64__)

/// Defined in CallOnStack.S.
void keepsake_switch_stack(void *argument, void (*function)(void *), void *top);

bool keepsake_can_call_on_stack(void) { return true; }

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ADDRESS_SANITIZER
#endif
#endif

#if defined(ADDRESS_SANITIZER)

// The address sanitizer has to know the current stack, before and after each change. These functions are not
// instrumented, so none of their variables are in the memory that it exchanges.

void __sanitizer_start_switch_fiber(void **fake_stack, const void *lowest, size_t size);
void __sanitizer_finish_switch_fiber(void *fake_stack, const void **old_lowest, size_t *old_size);

typedef struct {
  void *argument;
  void (*function)(void *);
} Call;

__attribute__((no_sanitize("address"))) static void call(void *pointer) {
  Call *call = pointer;
  const void *old_lowest = NULL;
  size_t old_size = 0;
  __sanitizer_finish_switch_fiber(NULL, &old_lowest, &old_size);
  call->function(call->argument);
  __sanitizer_start_switch_fiber(NULL, old_lowest, old_size);
}

__attribute__((no_sanitize("address"))) static void switch_stack(
    KeepsakeStackBounds stack, void *argument, void (*function)(void *)) {
  Call job = {argument, function};
  void *fake_stack = NULL;
  __sanitizer_start_switch_fiber(&fake_stack, (void *)stack.lowest, stack.end - stack.lowest);
  keepsake_switch_stack(&job, call, (void *)stack.end);
  __sanitizer_finish_switch_fiber(fake_stack, NULL, NULL);
}

#else

static void switch_stack(KeepsakeStackBounds stack, void *argument, void (*function)(void *)) {
  keepsake_switch_stack(argument, function, (void *)stack.end);
}

#endif

void keepsake_call_on_stack(KeepsakeStackBounds stack, void *argument, void (*function)(void *)) {
  KeepsakeStackBounds outer = innermost;
  innermost = stack;
  switch_stack(stack, argument, function);
  innermost = outer;
}

#else

bool keepsake_can_call_on_stack(void) { return false; }

void keepsake_call_on_stack(KeepsakeStackBounds stack, void *argument, void (*function)(void *)) {
  // Never called: see keepsake_can_call_on_stack.
  function(argument);
}

#endif
