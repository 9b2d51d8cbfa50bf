#include "wide.h"

enum { GROUP = 8 };

INLINE const struct Sample *sample_at(const uint8_t *bytes, const struct Sample *slots) {
  uint64_t sample;
  memcpy(&sample, bytes, sizeof sample);
  if (sample & 0x8080808080808080) return NULL;
  const struct Sample *slot = slots + sample_slot(sample);
  return slot->bytes == sample ? slot : NULL;
}

struct FoundSample find_sample(const uint8_t *bytes, size_t index, size_t end, const struct Sample *slots) {
  for (; index + GROUP * SAMPLE_STEP <= end; index += GROUP * SAMPLE_STEP) {
#pragma clang loop unroll(full)
    for (size_t sample = 0; sample < GROUP; sample++) {
      const struct Sample *found = sample_at(bytes + index + sample * SAMPLE_STEP, slots);
      if (found) return (struct FoundSample){index + sample * SAMPLE_STEP, found->offset};
    }
  }
  for (; index + sizeof(uint64_t) <= end; index += SAMPLE_STEP) {
    const struct Sample *found = sample_at(bytes + index, slots);
    if (found) return (struct FoundSample){index, found->offset};
  }
  return (struct FoundSample){end, 0};
}
