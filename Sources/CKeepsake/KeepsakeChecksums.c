#include "KeepsakeChecksums.h"

#include <string.h>

// XXH64 is four chains of multiplications, so a processor with one multiplier spends its time there. A vector holds the
// chains of two blocks, and four vectors fill the time that each multiplication takes.

#if defined(__x86_64__)

enum { stripe_size = 32, blocks_per_vector = 2 };
enum { vector_count = keepsake_most_checksums / blocks_per_vector };

typedef uint64_t Vector __attribute__((vector_size(blocks_per_vector * stripe_size)));

static const uint64_t prime1 = 0x9E3779B185EBCA87;
static const uint64_t prime2 = 0xC2B2AE3D27D4EB4F;

size_t keepsake_checksum_count(void) {
  return __builtin_cpu_supports("avx512dq") ? keepsake_most_checksums : 0;
}

__attribute__((target("avx512f,avx512dq")))
KeepsakeLanes keepsake_lanes(const void *bytes, size_t block_size, size_t count) {
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
      vectors[i] = (vectors[i] << 31 | vectors[i] >> 33) * prime1;
    }
  }
  KeepsakeLanes lanes;
  memcpy(&lanes, vectors, sizeof lanes);
  return lanes;
}

#else

size_t keepsake_checksum_count(void) { return 0; }

KeepsakeLanes keepsake_lanes(const void *bytes, size_t block_size, size_t count) {
  return (KeepsakeLanes){{0}};
}

#endif
