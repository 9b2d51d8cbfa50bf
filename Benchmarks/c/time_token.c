// What a C programmer would write for one purpose: a dump of 38-byte tuples as time,token CSV. It checks the length of each
// token, and nothing else. `time_token DUMP`
#include <fcntl.h>
#include <immintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TUPLE = 38, ROW = 20 + 1 + 64 + 1, TUPLES = 8192, DAYS = 49710 };

static char days[DAYS][16], minutes[1440][8], seconds[60][4];

static void fill_tables(void) {
  for (int day = 0; day < DAYS; day++) {
    time_t time = (time_t)day * 86400;
    struct tm date;
    strftime(days[day], sizeof days[day], "%Y-%m-%dT", gmtime_r(&time, &date));
  }
  for (int minute = 0; minute < 1440; minute++) sprintf(minutes[minute], "%02d:%02d:", minute / 60, minute % 60);
  for (int second = 0; second < 60; second++) snprintf(seconds[second], 4, "%02dZ", second);
}

static void write_hex(char *to, const uint8_t *from) {
  const __m256i digits = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)"0123456789abcdef"));
  const __m256i low = _mm256_set1_epi8(15);
  for (int half = 0; half < 32; half += 16) {
    // Each byte in two: the high digit first.
    __m256i wide = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(from + half)));
    __m256i split = _mm256_and_si256(_mm256_or_si256(_mm256_srli_epi16(wide, 4), _mm256_slli_epi16(wide, 8)), low);
    _mm256_storeu_si256((__m256i *)(to + 2 * half), _mm256_shuffle_epi8(digits, split));
  }
}

static void write_row(char *to, const uint8_t *tuple) {
  uint32_t time;
  memcpy(&time, tuple, 4);
  time = __builtin_bswap32(time);
  uint32_t day = time / 86400, second = time % 86400;
  memcpy(to, days[day], 16);
  memcpy(to + 11, minutes[second / 60], 8);
  memcpy(to + 17, seconds[second % 60], 4);
  to[20] = ',';
  write_hex(to + 21, tuple + 6);
  to[85] = '\n';
}

int main(int count, char **words) {
  static uint8_t input[TUPLE * TUPLES];
  static char output[ROW * TUPLES + 64];
  int file = count == 2 ? open(words[1], O_RDONLY) : -1;
  if (file < 0) return fputs("usage: time_token DUMP\n", stderr), 64;
  fill_tables();
  if (write(1, "time,token\n", 11) < 0) return 1;
  size_t have = 0;
  for (ssize_t got; (got = read(file, input + have, sizeof input - have)) > 0;) {
    have += got;
    size_t tuples = have / TUPLE;
    for (size_t i = 0; i < tuples; i++) {
      const uint8_t *tuple = input + i * TUPLE;
      if (tuple[4] != 0 || tuple[5] != 32) return fputs("not a token of 32 bytes\n", stderr), 1;
      write_row(output + i * ROW, tuple);
    }
    if (write(1, output, tuples * ROW) < 0) return 1;
    have -= tuples * TUPLE;
    memmove(input, input + tuples * TUPLE, have);
  }
  return have != 0;
}
