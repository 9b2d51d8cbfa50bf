#include "WideBytes.h"

typedef uint8_t Block __attribute__((vector_size(16)));
typedef _Bool Places __attribute__((ext_vector_type(16)));

static uint8_t *escape(uint8_t byte, uint8_t *target) {
  static const char controls[] = "\nn\rr\tt\"\"\\\\", digits[] = "0123456789abcdef";
  for (const char *control = controls; *control; control += 2) {
    if (byte != (uint8_t)*control) continue;
    target[0] = '\\';
    target[1] = (uint8_t)control[1];
    return target + 2;
  }
  memcpy(target, "\\u00", 4);
  target[4] = (uint8_t)digits[byte >> 4];
  target[5] = (uint8_t)digits[byte & 15];
  return target + 6;
}

uint8_t *escape_json(const uint8_t *source, size_t count, uint8_t *target) {
  const uint8_t *end = source + count;
  while (source < end) {
    if (end - source >= (ptrdiff_t)sizeof(Block)) {
      Block block;
      memcpy(&block, source, sizeof block);
      // What is after the first escape is overwritten.
      memcpy(target, &block, sizeof block);
      const Places places =
          __builtin_convertvector((block < 0x20) | (block == '"') | (block == '\\') | (block == 0x7f), Places);
      uint16_t marks;
      memcpy(&marks, &places, sizeof marks);
      const int plain = marks ? __builtin_ctz(marks) : (int)sizeof block;
      source += plain;
      target += plain;
      if (!marks) continue;
    }
    const uint8_t byte = *source++;
    if (byte < 0x20 || byte == '"' || byte == '\\' || byte == 0x7f)
      target = escape(byte, target);
    else
      *target++ = byte;
  }
  return target;
}
