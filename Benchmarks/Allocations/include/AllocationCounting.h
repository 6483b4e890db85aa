#ifndef KEEPSAKE_ALLOCATION_COUNTING_H
#define KEEPSAKE_ALLOCATION_COUNTING_H

#include <stdbool.h>
#include <stdint.h>

/// Whether the allocations of this process are counted: on Linux with glibc, unless a sanitizer replaces them.
bool keepsake_counts_allocations(void);

/// The number of allocations of this process so far, including those of all libraries; 0 if they are not counted.
uint64_t keepsake_allocation_count(void);

#endif
