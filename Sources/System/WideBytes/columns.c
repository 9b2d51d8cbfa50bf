#include "wide.h"

typedef uint32_t Words __attribute__((vector_size(32)));
typedef uint64_t LongWords __attribute__((vector_size(32)));
typedef uint16_t Lengths __attribute__((vector_size(16)));

enum { ROWS = 8, LENGTH_OFFSET = 4, TOKEN = PLAIN_TUPLE - TUPLE_HEADER };

/// Big-endian words that are `stride` bytes apart.
INLINE void load_words(const uint8_t *first, size_t stride, Words *words) {
  for (int row = 0; row < ROWS; row++) {
    uint32_t word;
    memcpy(&word, first + row * stride, sizeof word);
    (*words)[row] = word;
  }
  const Bytes bytes = (Bytes)*words;
  *words = (Words)__builtin_shufflevector(bytes, bytes, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12, 19, 18, 17,
                                          16, 23, 22, 21, 20, 27, 26, 25, 24, 31, 30, 29, 28);
}

/// Lengths as they are in memory.
INLINE void load_lengths(const uint8_t *tuples, Lengths *lengths) {
  for (int row = 0; row < ROWS; row++) {
    uint16_t length;
    memcpy(&length, tuples + row * PLAIN_TUPLE + LENGTH_OFFSET, sizeof length);
    (*lengths)[row] = length;
  }
}

/// The least words of the tokens, by place: eight zero bytes in a row have a whole word, wherever they begin.
INLINE void load_least(const uint8_t *tuples, Words *least) {
  *least = ~(Words){};
  for (int row = 0; row < ROWS; row++) {
    Words token;
    memcpy(&token, tuples + row * PLAIN_TUPLE + TUPLE_HEADER, sizeof token);
    *least = __builtin_elementwise_min(*least, token);
  }
}

FOR_EACH_PROCESSOR size_t count_plain_tuples(
    const uint8_t *tuples, size_t count, struct TimeBounds plausible, struct TimeBounds *found) {
  const uint16_t length = __builtin_bswap16(TOKEN);
  const Words earliest = (Words){} + plausible.earliest, latest = (Words){} + plausible.latest;
  Words lowest = ~(Words){}, highest = {};
  size_t done = 0;
  for (; count - done >= ROWS; done += ROWS, tuples += ROWS * PLAIN_TUPLE) {
    Words times, least;
    Lengths lengths;
    load_words(tuples, PLAIN_TUPLE, &times);
    load_least(tuples, &least);
    load_lengths(tuples + PLAIN_TUPLE, &lengths);
    const Words inside = __builtin_elementwise_min(__builtin_elementwise_max(times, earliest), latest);
    const Words doubt = (inside ^ times) | (Words)(least == 0);
    if (__builtin_reduce_or((LongWords)doubt) | __builtin_reduce_or((Lengths)(lengths != length))) break;
    lowest = __builtin_elementwise_min(lowest, times);
    highest = __builtin_elementwise_max(highest, times);
  }
  *found = (struct TimeBounds){__builtin_reduce_min(lowest), __builtin_reduce_max(highest)};
  return done;
}

FOR_EACH_PROCESSOR size_t count_times(const uint8_t *times, size_t stride, size_t count, const struct TimeBins *in) {
  const struct TimeBins bins = *in;
  const LongWords reciprocal = (LongWords){} + bins.reciprocal;
  size_t done = 0;
  for (; count - done >= ROWS; done += ROWS, times += ROWS * stride) {
    Words quarters;
    load_words(times, stride, &quarters);
    quarters >>= 2;
    const LongWords even = ((LongWords)quarters & UINT32_MAX) * reciprocal >> bins.bits;
    const LongWords odd = ((LongWords)quarters >> 32) * reciprocal >> bins.bits;
    const Words numbers = (Words)(even | odd << 32);
    const Words pages = numbers >> bins.page_bits, places = numbers - (pages << bins.page_bits);
    for (int row = 0; row < ROWS; row++) bins.counts[bins.pages[pages[row]] + places[row]]++;
  }
  return done;
}
