#include <stdlib.h>

#include "wide.h"

/// The text. In registers: no function that is called gets its address.
struct Text {
  const uint8_t *next, *end, *readable_end;
  /// The last block of 16 bytes that may be loaded.
  const uint8_t *last_block;
  /// Whether a bracket is its last byte: then what is before it can be read without looking for the end.
  _Bool is_closed;
};

INLINE struct JSONReading stop(const uint8_t *start, const uint8_t *next, const char *expected) {
  return (struct JSONReading){(size_t)(next - start), expected};
}

/// The next byte; at the end 0, which is valid nowhere.
INLINE uint8_t byte_at(const uint8_t *next, const uint8_t *end) { return next < end ? *next : 0; }

static __attribute__((noinline)) const uint8_t *skip_space(const uint8_t *next, const uint8_t *end) {
  while (next < end && (*next == ' ' || *next == '\t' || *next == '\n' || *next == '\r')) next++;
  return next;
}

/// The next byte, if it is `likely`; else the first that is no white space.
INLINE uint8_t byte_after_space(struct Text *text, uint8_t likely) {
  const uint8_t byte = text->is_closed ? *text->next : byte_at(text->next, text->end);
  if (byte == likely || byte > ' ') return byte;
  text->next = skip_space(text->next, text->end);
  return byte_at(text->next, text->end);
}

// Numbers and words

INLINE _Bool is_digit(uint8_t byte) { return (uint8_t)(byte - '0') < 10; }

INLINE const uint8_t *skip_digits(const uint8_t *next, const uint8_t *end) {
  while (is_digit(byte_at(next, end))) next++;
  return next;
}

static struct JSONReading read_word(const uint8_t *start, const uint8_t *end, const char *word) {
  const size_t count = strlen(word);
  const _Bool is_word = (size_t)(end - start) >= count && memcmp(start, word, count) == 0;
  return stop(start, start + (is_word ? count : 0), is_word ? NULL : "a value");
}

/// `-12.5e+3`: an optional sign, digits without a leading zero, a fraction, an exponent.
static __attribute__((noinline, cold)) struct JSONReading read_plain(const uint8_t *start, const uint8_t *end) {
  const uint8_t *next = start;
  switch (byte_at(next, end)) {
    case 't': return read_word(start, end, "true");
    case 'f': return read_word(start, end, "false");
    case 'n': return read_word(start, end, "null");
    case '-': next++;
  }
  const uint8_t *digits = next;
  next = skip_digits(digits, end);
  if (next == digits) return stop(start, next, "a value");
  if (*digits == '0' && next > digits + 1) return stop(start, digits + 1, "a number without a leading zero");
  if (byte_at(next, end) == '.') {
    digits = next + 1;
    next = skip_digits(digits, end);
    if (next == digits) return stop(start, next, "digits");
  }
  if ((byte_at(next, end) | 0x20) == 'e') {
    digits = next + 1;
    if (byte_at(digits, end) == '+' || byte_at(digits, end) == '-') digits++;
    next = skip_digits(digits, end);
    if (next == digits) return stop(start, next, "digits");
  }
  return stop(start, next, NULL);
}

/// Whether the next byte is a digit that nothing of a number follows: a badge, a flag.
INLINE _Bool is_short_number(const struct Text *text) {
  if (!text->is_closed || !is_digit(text->next[0])) return 0;
  const uint8_t after = text->next[1];
  return after == ',' || after == '}';
}

// Strings

static struct JSONReading read_escape(const uint8_t *start, const uint8_t *end) {
  const uint8_t *next = start + 1;
  const uint8_t letter = byte_at(next, end);
  if (letter == 'u') {
    for (int digit = 0; digit < 4; digit++) {
      next++;
      const uint8_t byte = byte_at(next, end);
      if (!is_digit(byte) && (uint8_t)((byte | 0x20) - 'a') >= 6) return stop(start, next, "4 hex digits");
    }
    return stop(start, next + 1, NULL);
  }
  const _Bool is_escape = letter != 0 && strchr("\"\\/bfnrt", letter) != NULL;
  return stop(start, is_escape ? next + 1 : next, is_escape ? NULL : "an escape");
}

/// Reads an escape or a character of several bytes.
static __attribute__((noinline)) struct JSONReading read_unusual(const uint8_t *start, const uint8_t *end) {
  if (start == end) return stop(start, start, "a closing quote");
  if (*start == '\\') return read_escape(start, end);
  if (*start < 0x20) return stop(start, start, "an escaped control character");
  const size_t length = count_character(start, (size_t)(end - start));
  return stop(start, start + length, length > 0 ? NULL : "UTF-8");
}

/// The bytes of a block of 16 that are no plain characters of a JSON string, the first one in the lowest bit: quotes,
/// backslashes, control characters and bytes from 0x80.
INLINE uint16_t mark_unusual(const uint8_t *text) {
  typedef int8_t Block __attribute__((vector_size(16)));
  typedef _Bool Places __attribute__((ext_vector_type(16)));
  Block block;
  memcpy(&block, text, sizeof block);
  // As signed numbers, bytes from 0x80 are below the control characters.
  const Places places = __builtin_convertvector((block == '"') | (block == '\\') | (block < 0x20), Places);
  uint16_t marks;
  memcpy(&marks, &places, sizeof marks);
  return marks;
}

/// `mark_unusual` for the last bytes that may be loaded.
static __attribute__((noinline, cold)) size_t count_plain(const uint8_t *text, size_t count) {
  size_t done = 0;
  while (done < count && text[done] >= 0x20 && text[done] < 0x80 && text[done] != '"' && text[done] != '\\') done++;
  return done;
}

/// Reads a string from its opening quote on; returns what was expected instead.
INLINE const char *read_string(struct Text *text) {
  text->next++;
  while (1) {
    while (1) {
      // The block may have bytes after the text.
      if (text->next > text->last_block) {
        text->next += count_plain(text->next, (size_t)(text->readable_end - text->next));
        break;
      }
      const uint16_t marks = mark_unusual(text->next);
      if (marks) {
        text->next += __builtin_ctz(marks);
        break;
      }
      text->next += 16;
      if (text->next >= text->end) break;
    }
    if (__builtin_expect(byte_at(text->next, text->end) == '"', 1)) break;
    if (text->next > text->end) text->next = text->end;
    const struct JSONReading unusual = read_unusual(text->next, text->end);
    text->next += unusual.count;
    if (unusual.expected) return unusual.expected;
  }
  text->next++;
  return NULL;
}

// Objects and arrays

/// Words of levels, each of 63: more than payloads have.
struct OuterLevels {
  uint64_t *words;
  size_t count;
};

static __attribute__((noinline, cold)) void save_levels(struct OuterLevels *outer, uint64_t levels) {
  // Before the first word, and when there are 1, 2, 4 and so on, the memory is full.
  if ((outer->count & (outer->count - 1)) == 0) {
    outer->words = realloc(outer->words, sizeof levels * (outer->count > 0 ? 2 * outer->count : 1));
    // As Swift does.
    if (!outer->words) abort();
  }
  outer->words[outer->count++] = levels;
}

INLINE struct JSONReading read_value(
    const uint8_t *start, struct Text text, _Bool is_whole, struct OuterLevels *outer) {
  // The objects (0) and arrays (1) around the next byte, the innermost in the lowest bit, and a 1 before the outermost.
  uint64_t levels = 1;
  const char *expected;
value:;
  const uint8_t first = byte_after_space(&text, '"');
  if (first == '"') {
    if ((expected = read_string(&text))) return stop(start, text.next, expected);
  } else if (first == '{' || first == '[') {
    text.next++;
    // `}` and `]` are two after `{` and `[`.
    if (byte_after_space(&text, '"') != first + 2) {
      if (levels >> 63) {
        save_levels(outer, levels);
        levels = 1;
      }
      levels = levels << 1 | (first == '[');
      if (first == '[') goto value;
      goto name;
    }
    text.next++;
  } else if (is_short_number(&text)) {
    text.next++;
  } else {
    const struct JSONReading plain = read_plain(text.next, text.end);
    text.next += plain.count;
    if (plain.expected) return stop(start, text.next, plain.expected);
  }
separator:
  if (levels == 1) {
    if (is_whole && text.next != text.end) text.next = skip_space(text.next, text.end);
    return stop(start, text.next, is_whole && text.next != text.end ? "the end of the value" : NULL);
  }
  const uint8_t separator = text.next == text.end ? 0 : byte_after_space(&text, ',');
  if (separator == ',') {
    text.next++;
    if (levels & 1) goto value;
    goto name;
  }
  if (separator == (levels & 1 ? ']' : '}')) {
    text.next++;
    levels >>= 1;
    if (levels == 1 && outer->count > 0) levels = outer->words[--outer->count];
    goto separator;
  }
  return stop(start, text.next, levels & 1 ? "a comma or ]" : "a comma or }");
name:
  if (byte_after_space(&text, '"') != '"') return stop(start, text.next, "a key in quotes");
  if ((expected = read_string(&text))) return stop(start, text.next, expected);
  if (byte_after_space(&text, ':') != ':') return stop(start, text.next, "a colon after the key");
  text.next++;
  goto value;
}

FOR_EACH_PROCESSOR struct JSONReading read_json(
    const uint8_t *start, size_t count, size_t readable, _Bool is_whole) {
  struct OuterLevels outer = {};
  struct Text text = {start, start + count, start + readable, readable < 16 ? NULL : start + readable - 16, 0};
  struct JSONReading reading;
  if (is_whole && count > 0 && (text.end[-1] == '}' || text.end[-1] == ']')) {
    text.is_closed = 1;
    reading = read_value(start, text, 1, &outer);
  } else {
    reading = read_value(start, text, is_whole, &outer);
  }
  if (outer.words) free(outer.words);
  return reading;
}
