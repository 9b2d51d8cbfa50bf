#include "wide.h"

typedef uint8_t Block __attribute__((vector_size(16)));
typedef uint64_t Halves __attribute__((vector_size(16)));
typedef _Bool Places __attribute__((ext_vector_type(16)));

/// Copies a block of 16 bytes, of which those in `kept` count, with `count` of them. 15 more are read, too.
INLINE uint8_t *double_in_block(
    const uint8_t *source, unsigned kept, size_t count, uint8_t *target) {
  Block block;
  memcpy(&block, source, sizeof block);
  memcpy(target, &block, sizeof block);
  const Places places = __builtin_convertvector(block == '"', Places);
  uint16_t marks;
  memcpy(&marks, &places, sizeof marks);
  for (unsigned left = marks & kept; left; left &= left - 1) {
    // What begins with the quote follows it once more.
    const int place = __builtin_ctz(left);
    target++;
    memcpy(target + place, source + place, sizeof block);
  }
  return target + count;
}

INLINE uint8_t *double_quotes(const uint8_t *source, size_t count, size_t readable, uint8_t *target) {
  uint8_t rest[3 * sizeof(Block)];
  for (; count >= sizeof(Block); source += sizeof(Block), count -= sizeof(Block), readable -= sizeof(Block)) {
    if (readable < 2 * sizeof(Block)) break;
    target = double_in_block(source, UINT16_MAX, sizeof(Block), target);
  }
  if (readable < 2 * sizeof(Block)) {
    memset(rest, 0, sizeof rest);
    source = memcpy(rest, source, count);
    if (count > sizeof(Block)) {
      target = double_in_block(source, UINT16_MAX, sizeof(Block), target);
      source += sizeof(Block);
      count -= sizeof(Block);
    }
  }
  return double_in_block(source, (1u << count) - 1, count, target);
}

INLINE _Bool needs_quotes(const uint8_t *text, size_t count, uint8_t delimiter) {
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

FOR_EACH_PROCESSOR uint8_t *write_field(
    const uint8_t *text, size_t count, size_t readable, uint8_t delimiter, uint8_t *target) {
  if (!needs_quotes(text, count, delimiter)) return (uint8_t *)memcpy(target, text, count) + count;
  *target = '"';
  target = double_quotes(text, count, readable, target + 1);
  *target = '"';
  return target + 1;
}
