#ifndef KEEPSAKE_CHECKSUMS_H
#define KEEPSAKE_CHECKSUMS_H

#include <stddef.h>
#include <stdint.h>

// The checksums of several blocks at once (Docs/Format.md §8.2), on processors that multiply vectors of 64-bit integers.
// Swift has such vectors, but no means to use them only on the processors that have them.

enum { keepsake_most_checksums = 8 };

/// The four lanes of the checksums of consecutive blocks, after the last stripe of each.
typedef struct {
  uint64_t of[keepsake_most_checksums * 4];
} KeepsakeLanes;

/// How many blocks `keepsake_lanes` accepts at once; 0 if this processor cannot do that.
size_t keepsake_checksum_count(void);

/// The lanes of the `count` blocks that begin at `bytes`, at least one and at most `keepsake_checksum_count()`. Each has
/// `block_size` bytes, a multiple of 32. What the result holds beyond them is undefined.
KeepsakeLanes keepsake_lanes(const void *bytes, size_t block_size, size_t count);

/// A lane of the block `index`, less than `keepsake_most_checksums`.
__attribute__((always_inline)) static inline uint64_t keepsake_lane(KeepsakeLanes lanes, size_t index, size_t lane) {
  return lanes.of[index % keepsake_most_checksums * 4 + lane % 4];
}

#endif
