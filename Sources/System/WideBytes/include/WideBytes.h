#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

/// The same for one field.
void write_hex(const uint8_t *source, size_t length, uint8_t letter_step, uint8_t *target);

/// Two bytes to look for; of the second, only the bits in `mask` count.
struct BytePair {
  uint8_t first, second, mask;
};

/// The index of the first block of 32 bytes, from `from` on and before `end`, in which a pair begins or whose first 16 bytes
/// are ASCII; `end` or more without one. Blocks follow each other, and one byte after the last is read, too.
/// `count` is a multiple of 4.
size_t find_block(const uint8_t *bytes, size_t from, size_t end, const struct BytePair *pairs, size_t count);

/// The bytes of a block at which a pair begins, the first byte in the lowest bit.
uint32_t mark_pairs(const uint8_t *block, const struct BytePair *pairs, size_t count);

/// Bytes from one sample to the next.
enum { SAMPLE_STEP = 24 };

/// Eight bytes of a text that is looked for, and their offset in it.
struct Sample {
  uint64_t bytes;
  size_t offset;
};

/// The slot of eight bytes among 32, by a multiplier that was looked for until all samples had different slots.
static inline size_t sample_slot(uint64_t bytes) { return bytes * 0x7651 >> 59; }

/// An index, and the offset in the text of the bytes there.
struct FoundSample {
  size_t index, offset;
};

/// The first of the samples at `index` and after it that is in its slot; the end or more without one. None has a byte from
/// 0x80.
struct FoundSample find_sample(const uint8_t *bytes, size_t index, size_t end, const struct Sample *slots);

/// Seconds since 1970, both included.
struct TimeBounds {
  uint32_t earliest, latest;
};

/// Bytes of a feedback tuple with a token of 32 bytes, and of those before the token.
enum { PLAIN_TUPLE = 38, TUPLE_HEADER = 6 };

/// Counts feedback tuples with tokens of 32 bytes, in blocks of eight, up to the first block with a tuple that is not plain:
/// with a plausible time, the same length after it, and no eight zero bytes in a row. `found` gets the bounds of their times.
/// The header after the last of the `count` tuples is read, too.
size_t count_plain_tuples(
    const uint8_t *tuples, size_t count, struct TimeBounds plausible, struct TimeBounds *found);

/// A histogram: a time is in bin `(time / 4 * reciprocal) >> bits`.
struct TimeBins {
  uint32_t reciprocal, bits, page_bits;
  /// The index in `counts` of the first bin of each page, which has `1 << page_bits` bins.
  const int32_t *pages;
  intptr_t *counts;
};

/// Counts big-endian times, `stride` bytes apart, in blocks of eight; returns how many. All their pages must have counts.
size_t count_times(const uint8_t *times, size_t stride, size_t count, const struct TimeBins *bins);

/// Copies text with quotes, backslashes, control characters and DEL as escapes of JSON; returns the end of the copy. The target
/// has room for six times the text.
uint8_t *escape_json(const uint8_t *source, size_t count, uint8_t *target);

/// Writes text as a field of CSV, in quotes if it has the delimiter, a quote or a line end; returns the end of the field. The
/// target has room for twice the text and 17 bytes, which are overwritten. `readable` bytes may be loaded, as many as the text
/// has, or more.
uint8_t *write_field(const uint8_t *text, size_t count, size_t readable, uint8_t delimiter, uint8_t *target);

/// Bytes of the well-formed UTF-8 character at the beginning of the text; 0 if there is none.
size_t count_character(const uint8_t *text, size_t count);

/// How many bytes were read, up to the first wrong one if there is any, and the token that was expected there; else null.
struct JSONReading {
  size_t count;
  const char *expected;
};

/// Reads a value of JSON, by the grammar of RFC 8259, of any depth; of the whole text, only white space may be around it.
/// `readable` bytes may be loaded, which are as many as the text has, or more.
struct JSONReading read_json(const uint8_t *text, size_t count, size_t readable, _Bool is_whole);
