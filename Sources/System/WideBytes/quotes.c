#include "wide.h"

typedef uint8_t Block __attribute__((vector_size(16)));
typedef _Bool Places __attribute__((ext_vector_type(16)));

uint8_t *double_quotes(const uint8_t *source, size_t count, uint8_t *target) {
  const uint8_t *end = source + count;
  while (end - source >= (ptrdiff_t)sizeof(Block)) {
    Block block;
    memcpy(&block, source, sizeof block);
    // What is after the first quote is overwritten.
    memcpy(target, &block, sizeof block);
    const Places places = __builtin_convertvector(block == '"', Places);
    uint16_t marks;
    memcpy(&marks, &places, sizeof marks);
    const int plain = marks ? __builtin_ctz(marks) : (int)sizeof block;
    source += plain;
    target += plain;
    if (marks) {
      memset(target, '"', 2);
      source++;
      target += 2;
    }
  }
  for (; source < end; source++) {
    target[0] = *source;
    target[1] = '"';
    target += 1 + (*source == '"');
  }
  return target;
}
