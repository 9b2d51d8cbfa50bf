#include <stddef.h>
#include <stdint.h>

/// Fields of `length` bytes, `stride` bytes apart, and the rows of `row_length` bytes that their digits go to.
struct HexColumn {
  const uint8_t *source;
  uint8_t *target;
  size_t length, stride, row_length, count;
  /// The distance in ASCII from the character after `9` to the digit for 10.
  uint8_t letter_step;
};

/// Writes the hex digits of a column, two for each byte.
void write_hex_digits(const struct HexColumn *column);
