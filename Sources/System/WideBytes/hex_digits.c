#include "wide.h"

// Most output is tokens of 32 bytes.

INLINE void write_digits(const Bytes *nibbles, uint8_t step, uint8_t *target) {
  Bytes letters = (Bytes)((SignedBytes)*nibbles > 9);
  Bytes digits = *nibbles + '0' + (letters & step);
  memcpy(target, &digits, sizeof digits);
}

INLINE void write_32(const uint8_t *source, uint8_t step, uint8_t *target) {
  Bytes bytes;
  memcpy(&bytes, source, sizeof bytes);
  Bytes high = bytes >> 4, low = bytes & 15;
  Bytes first = __builtin_shufflevector(high, low, 0, 32, 1, 33, 2, 34, 3, 35, 4, 36, 5, 37, 6, 38, 7, 39, 8, 40, 9, 41,
                                        10, 42, 11, 43, 12, 44, 13, 45, 14, 46, 15, 47);
  Bytes second = __builtin_shufflevector(high, low, 16, 48, 17, 49, 18, 50, 19, 51, 20, 52, 21, 53, 22, 54, 23, 55, 24,
                                         56, 25, 57, 26, 58, 27, 59, 28, 60, 29, 61, 30, 62, 31, 63);
  write_digits(&first, step, target);
  write_digits(&second, step, target + 32);
}

INLINE uint8_t digit(uint8_t nibble, uint8_t step) { return '0' + nibble + (nibble > 9 ? step : 0); }

INLINE void write_all(const uint8_t *source, size_t length, uint8_t step, uint8_t *target) {
  size_t done = 0;
  for (; length - done >= 32; done += 32) write_32(source + done, step, target + 2 * done);
  for (; done < length; done++) {
    target[2 * done] = digit(source[done] >> 4, step);
    target[2 * done + 1] = digit(source[done] & 15, step);
  }
}

FOR_EACH_PROCESSOR void write_hex(const uint8_t *source, size_t length, uint8_t letter_step, uint8_t *target) {
  write_all(source, length, letter_step, target);
}

FOR_EACH_PROCESSOR void write_hex_digits(const struct HexColumn *column) {
  const struct HexColumn c = *column;
  const uint8_t *source = c.source;
  uint8_t *target = c.target;
  if (c.length == 32) {
    for (size_t field = 0; field < c.count; field++, source += c.stride, target += c.row_length)
      write_32(source, c.letter_step, target);
    return;
  }
  for (size_t field = 0; field < c.count; field++, source += c.stride, target += c.row_length)
    write_all(source, c.length, c.letter_step, target);
}
