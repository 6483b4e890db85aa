#include "KeepsakeChecksums.h"

#include <string.h>

// XXH64 is four chains of multiplications, so a processor with one multiplier spends its time there. A vector holds the
// chains of two blocks, and four vectors fill the time that each multiplication takes.

#if defined(__x86_64__)

enum { stripe_size = 32, lanes_per_block = 4, blocks_per_vector = 2 };
enum { vector_count = keepsake_most_checksums / blocks_per_vector };

typedef uint64_t Vector __attribute__((vector_size(blocks_per_vector * stripe_size)));

static const uint64_t prime1 = 0x9E3779B185EBCA87;
static const uint64_t prime2 = 0xC2B2AE3D27D4EB4F;
static const uint64_t prime3 = 0x165667B19E3779F9;
static const uint64_t prime4 = 0x85EBCA77C2B2AE63;

#define ROTATED(value, count) ((value) << (count) | (value) >> (64 - (count)))

/// The checksum of a block of `block_size` bytes whose stripes have left `lanes`.
static uint64_t checksum(const uint64_t *lanes, size_t block_size) {
  uint64_t hash = ROTATED(lanes[0], 1) + ROTATED(lanes[1], 7) + ROTATED(lanes[2], 12) + ROTATED(lanes[3], 18);
  for (int lane = 0; lane < lanes_per_block; lane++) {
    uint64_t last = lanes[lane] * prime2;
    hash = (hash ^ ROTATED(last, 31) * prime1) * prime1 + prime4;
  }
  hash += block_size;
  hash = (hash ^ hash >> 33) * prime2;
  hash = (hash ^ hash >> 29) * prime3;
  return hash ^ hash >> 32;
}

size_t keepsake_checksum_count(void) {
  return __builtin_cpu_supports("avx512dq") ? keepsake_most_checksums : 0;
}

__attribute__((target("avx512f,avx512dq")))
KeepsakeChecksums keepsake_checksums(const void *bytes, size_t block_size, size_t count) {
  const uint8_t *blocks[keepsake_most_checksums];
  for (size_t block = 0; block < keepsake_most_checksums; block++) {
    // Where there is no block, the first one stands in.
    blocks[block] = (const uint8_t *)bytes + (block < count ? block : 0) * block_size;
  }
  Vector vectors[vector_count];
  for (int i = 0; i < vector_count; i++) {
    vectors[i] = (Vector){prime1 + prime2, prime2, 0, -prime1, prime1 + prime2, prime2, 0, -prime1};
  }
  for (size_t offset = 0; offset < block_size; offset += stripe_size) {
#pragma clang loop unroll(full)
    for (int i = 0; i < vector_count; i++) {
      Vector stripes;
      memcpy(&stripes, blocks[2 * i] + offset, stripe_size);
      memcpy((uint8_t *)&stripes + stripe_size, blocks[2 * i + 1] + offset, stripe_size);
      vectors[i] += stripes * prime2;
      vectors[i] = ROTATED(vectors[i], 31) * prime1;
    }
  }
  uint64_t lanes[keepsake_most_checksums * lanes_per_block];
  memcpy(lanes, vectors, sizeof lanes);
  KeepsakeChecksums checksums;
  for (int block = 0; block < keepsake_most_checksums; block++) {
    checksums.of[block] = checksum(lanes + block * lanes_per_block, block_size);
  }
  return checksums;
}

#else

size_t keepsake_checksum_count(void) { return 0; }

KeepsakeChecksums keepsake_checksums(const void *bytes, size_t block_size, size_t count) {
  return (KeepsakeChecksums){{0}};
}

#endif
