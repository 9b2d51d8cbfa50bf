#include "WideBytes.h"

size_t count_character(const uint8_t *text, size_t count) {
  if (count == 0) return 0;
  const uint8_t lead = text[0];
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const size_t length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (count < length) return 0;
  // The range of the second byte excludes overlong forms, surrogates and characters above U+10FFFF (RFC 3629, section 4).
  const uint8_t first = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  const uint8_t last = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  if (text[1] < first || text[1] > last) return 0;
  for (size_t index = 2; index < length; index++)
    if ((text[index] & 0xc0) != 0x80) return 0;
  return length;
}
