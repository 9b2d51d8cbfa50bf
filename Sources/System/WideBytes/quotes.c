#include "WideBytes.h"

typedef uint8_t Block __attribute__((vector_size(16)));
typedef uint64_t Halves __attribute__((vector_size(16)));
typedef _Bool Places __attribute__((ext_vector_type(16)));

/// Copies up to 16 bytes, after which 15 may be read.
static inline __attribute__((always_inline)) uint8_t *double_in_block(
    const uint8_t *source, size_t count, uint8_t *target) {
  Block block;
  memcpy(&block, source, sizeof block);
  memcpy(target, &block, sizeof block);
  const Places places = __builtin_convertvector(block == '"', Places);
  uint16_t marks;
  memcpy(&marks, &places, sizeof marks);
  for (unsigned left = marks; left; left &= left - 1) {
    // What begins with the quote follows it once more.
    const int place = __builtin_ctz(left);
    target++;
    memcpy(target + place, source + place, sizeof block);
  }
  return target + count;
}

static uint8_t *double_quotes(const uint8_t *source, size_t count, uint8_t *target) {
  for (; count >= 2 * sizeof(Block); source += sizeof(Block), count -= sizeof(Block))
    target = double_in_block(source, sizeof(Block), target);
  uint8_t rest[3 * sizeof(Block)] = {};
  memcpy(rest, source, count);
  const size_t first = count < sizeof(Block) ? count : sizeof(Block);
  target = double_in_block(rest, first, target);
  return count > first ? double_in_block(rest + first, count - first, target) : target;
}
static _Bool needs_quotes(const uint8_t *text, size_t count, uint8_t delimiter) {
  for (; count >= sizeof(Block); text += sizeof(Block), count -= sizeof(Block)) {
    Block block;
    memcpy(&block, text, sizeof block);
    const Halves marks = (Halves)((block == delimiter) | (block == '"') | (block == '\n') | (block == '\r'));
    if (marks[0] | marks[1]) return 1;
  }
  for (; count > 0; text++, count--)
    if (*text == delimiter || *text == '"' || *text == '\n' || *text == '\r') return 1;
  return 0;
}

uint8_t *write_field(const uint8_t *text, size_t count, uint8_t delimiter, uint8_t *target) {
  if (!needs_quotes(text, count, delimiter)) return (uint8_t *)memcpy(target, text, count) + count;
  *target = '"';
  target = double_quotes(text, count, target + 1);
  *target = '"';
  return target + 1;
}
