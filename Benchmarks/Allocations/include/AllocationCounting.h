#ifndef KEEPSAKE_ALLOCATION_COUNTING_H
#define KEEPSAKE_ALLOCATION_COUNTING_H

#include <stdbool.h>
#include <stdint.h>

/// Whether the allocations of this process are counted: on Linux with glibc, where no sanitizer has taken their place.
bool keepsake_counts_allocations(void);

/// The number of allocations that this process has made so far, those of all libraries included; 0 if not counted.
uint64_t keepsake_allocation_count(void);

#endif
