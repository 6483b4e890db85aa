// Counts the allocations of the whole process, so that no profiler is needed.
//
// The functions below have the names of those of the C library. The dynamic linker searches the executable first, so
// the Swift runtime and Foundation, which are shared libraries, call these, too. They forward every call to the other
// names that glibc exports for the same functions.
#include "AllocationCounting.h"

#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif

#if defined(__linux__) && defined(__GLIBC__) && !defined(HAS_SANITIZER)

#include <errno.h>
#include <stdatomic.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static _Atomic(uint64_t) allocations;

// A load and a store instead of an atomic addition, which would cost as much as a third of a small allocation and so
// disturb the times. If two threads allocate at the same instant, one count may be lost; the suite uses one thread.
static inline void count_allocation(void) {
  uint64_t count = atomic_load_explicit(&allocations, memory_order_relaxed);
  atomic_store_explicit(&allocations, count + 1, memory_order_relaxed);
}

void *malloc(size_t size) {
  count_allocation();
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  count_allocation();
  return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
  count_allocation();
  return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  count_allocation();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
  count_allocation();
  void *allocated = __libc_memalign(alignment, size);
  if (allocated == NULL) return ENOMEM;
  *memory = allocated;
  return 0;
}

bool keepsake_counts_allocations(void) { return true; }

uint64_t keepsake_allocation_count(void) {
  return atomic_load_explicit(&allocations, memory_order_relaxed);
}

#else

bool keepsake_counts_allocations(void) { return false; }

uint64_t keepsake_allocation_count(void) { return 0; }

#endif
