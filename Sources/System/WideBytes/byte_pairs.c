#include "wide.h"

typedef _Bool Lanes __attribute__((ext_vector_type(32)));

/// Four pairs, each byte in all lanes.
struct Quad {
  Bytes first[4], second[4], mask[4];
};

INLINE void spread(const struct BytePair *pairs, struct Quad *quad) {
  for (int pair = 0; pair < 4; pair++) {
    quad->first[pair] = (Bytes){} + pairs[pair].first;
    quad->second[pair] = (Bytes){} + pairs[pair].second;
    quad->mask[pair] = (Bytes){} + pairs[pair].mask;
  }
}

INLINE uint32_t marks(const uint8_t *block, const struct Quad *quad) {
  Bytes these, next;
  memcpy(&these, block, sizeof these);
  memcpy(&next, block + 1, sizeof next);
  SignedBytes found = {};
  for (int pair = 0; pair < 4; pair++)
    found |= (these == quad->first[pair]) & ((next & quad->mask[pair]) == quad->second[pair]);
  Lanes lanes = __builtin_convertvector(found, Lanes);
  uint32_t bits;
  memcpy(&bits, &lanes, sizeof bits);
  return bits;
}

INLINE int is_ascii(const uint8_t *bytes) {
  uint64_t words[2];
  memcpy(words, bytes, sizeof words);
  return ((words[0] | words[1]) & 0x8080808080808080) == 0;
}

FOR_EACH_PROCESSOR size_t find_block(
    const uint8_t *bytes, size_t from, size_t end, const struct BytePair *pairs, size_t count) {
  for (size_t four = 0; four < count; four += 4) {
    struct Quad quad;
    spread(pairs + four, &quad);
    size_t block = from;
    while (block < end && !is_ascii(bytes + block) && !marks(bytes + block, &quad)) block += sizeof(Bytes);
    end = block;
  }
  return end;
}

FOR_EACH_PROCESSOR uint32_t mark_pairs(const uint8_t *block, const struct BytePair *pairs, size_t count) {
  uint32_t found = 0;
  for (size_t four = 0; four < count; four += 4) {
    struct Quad quad;
    spread(pairs + four, &quad);
    found |= marks(block, &quad);
  }
  return found;
}
