#include "WideBytes.h"

size_t count_plain_rest(const uint8_t *text, size_t count) {
  size_t done = 0;
  while (done < count && text[done] >= 0x20 && text[done] < 0x80 && text[done] != '"' && text[done] != '\\') done++;
  return done;
}
