// How many distinct tokens a dump of 38-byte tuples has, by the shortest program: load all of them, sort, count.
// `distinct DUMP`
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TUPLE = 38, TOKEN = 32 };

static int compare(const void *one, const void *other) { return memcmp(one, other, TOKEN); }

int main(int count, char **words) {
  FILE *file = count == 2 ? fopen(words[1], "rb") : NULL;
  if (!file) return fputs("usage: distinct DUMP\n", stderr), 64;
  fseek(file, 0, SEEK_END);
  size_t tuples = ftell(file) / TUPLE, distinct = 0;
  rewind(file);
  uint8_t(*tokens)[TOKEN] = malloc(tuples * TOKEN + 1), tuple[TUPLE];
  if (!tokens) return 1;
  for (size_t i = 0; i < tuples && fread(tuple, TUPLE, 1, file); i++) memcpy(tokens[i], tuple + 6, TOKEN);
  qsort(tokens, tuples, TOKEN, compare);
  for (size_t i = 0; i < tuples; i++) distinct += i == 0 || compare(tokens[i], tokens[i - 1]) != 0;
  printf("%zu\n", distinct);
  return 0;
}
