// Runs a command, and writes what it took: seconds of wall-clock time, seconds of all cores, the peak of its resident
// memory in KiB.
// A small program does this because the peak of a process is never less than that of the one it was started by.
// `measure RESULT CORES COMMAND…`: CORES is how many cores the command may use, of the first on.
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void use_cores(int count) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  for (int core = 0; core < count; core++) CPU_SET(core, &cores);
  sched_setaffinity(0, sizeof cores, &cores);
}

int main(int count, char **words) {
  if (count < 4) return fputs("usage: measure RESULT CORES COMMAND...\n", stderr), 64;
  struct timespec begin, end;
  struct rusage usage;
  int status;
  use_cores(atoi(words[2]));
  clock_gettime(CLOCK_MONOTONIC, &begin);
  pid_t child = vfork();
  if (child == 0) {
    execvp(words[3], words + 3);
    _exit(127);
  }
  if (child < 0 || wait4(child, &status, 0, &usage) < 0) return 1;
  clock_gettime(CLOCK_MONOTONIC, &end);
  FILE *result = fopen(words[1], "w");
  if (!result) return 1;
  double seconds = end.tv_sec - begin.tv_sec + (end.tv_nsec - begin.tv_nsec) / 1e9;
  double busy = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
  fprintf(result, "%.6f %.6f %ld\n", seconds, busy, usage.ru_maxrss);
  fclose(result);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
