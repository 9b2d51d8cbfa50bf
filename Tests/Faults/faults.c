// A library for LD_PRELOAD that makes one call of libc fail or misbehave, for scripts/check-faults.
//
//   FAULT_KIND    write, read, open, sync, move, make, truncate, map, clock or memory: the calls that are counted
//   FAULT_AT      the number of the call that fails, from 1
//   FAULT_ACTION  an error number, or: short, interrupt, signal, shrink, grow, back
//   FAULT_STAYS   1: all later calls of that kind fail, too, as on a full disk
//   FAULT_FD      counts only calls with that descriptor
//   FAULT_SIGNAL  the number of the signal
//   FAULT_LOG     a file: at the fault, gets the name of the function and of the file; at exit, the counts of all kinds
//   FAULT_ASKS    two hexadecimal addresses in the program: the function between them asks for memory that it may not get
//
// Of the program, only that function's memory is refused, as Swift ends a process that has none; of libraries, what is large.
// Not caught: calls inside of libc (stdio, getrandom, the resolver), the dynamic linker, and system calls without libc.
// mkstemp, mkdtemp, fopen and opendir call open inside of libc, and are caught by their own names.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { WRITE, READ, OPEN, SYNC, MOVE, MAKE, TRUNCATE, MAP, CLOCK, MEMORY, KINDS };
static const char *const names[KINDS] = {"write", "read", "open", "sync", "move", "make", "truncate", "map", "clock", "memory"};
enum { NONE, FAIL, SHORT, INTERRUPT, SIGNAL, SHRINK, GROW, BACK };

static atomic_long counts[KINDS];
static int kind = -1, action = NONE, code, stays, onlyDescriptor = -1, signalNumber, ready;
static long at;
static char *program, *asksFrom, *asksTo;
static char logPath[4096];

static void note(const char *text, const char *path) {
  if (!logPath[0]) return;
  int saved = errno;
  long fd = syscall(SYS_openat, AT_FDCWD, logPath, O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (fd >= 0) {
    char line[8192];
    int length = snprintf(line, sizeof line, "%s %s\n", text, path ? path : "");
    syscall(SYS_write, (int)fd, line, (size_t)(length < (int)sizeof line ? length : (int)sizeof line - 1));
    syscall(SYS_close, (int)fd);
  }
  errno = saved;
}

// Where the program is loaded, which is the first object; addresses in it are relative to that.
static int firstObject(struct dl_phdr_info *object, size_t size, void *start) {
  (void)size;
  *(char **)start = (char *)object->dlpi_addr;
  return 1;
}

__attribute__((constructor)) static void begin(void) {
  const char *value = getenv("FAULT_KIND");
  for (int i = 0; value && i < KINDS; i++)
    if (!strcmp(value, names[i])) kind = i;
  at = (value = getenv("FAULT_AT")) ? atol(value) : 0;
  stays = (value = getenv("FAULT_STAYS")) && *value == '1';
  if ((value = getenv("FAULT_FD"))) onlyDescriptor = atoi(value);
  signalNumber = (value = getenv("FAULT_SIGNAL")) ? atoi(value) : SIGTERM;
  if ((value = getenv("FAULT_LOG"))) snprintf(logPath, sizeof logPath, "%s", value);
  static const char *const actions[] = {"none", "fail", "short", "interrupt", "signal", "shrink", "grow", "back"};
  if ((value = getenv("FAULT_ACTION"))) {
    for (int i = 0; i < 8; i++)
      if (!strcmp(value, actions[i])) action = i;
    if (*value >= '0' && *value <= '9') action = FAIL, code = atoi(value);
  }
  unsigned long from, to;
  if ((value = getenv("FAULT_ASKS")) && sscanf(value, "%lx %lx", &from, &to) == 2) {
    dl_iterate_phdr(firstObject, &program);
    asksFrom = program + from, asksTo = program + to;
  }
  unsetenv("LD_PRELOAD");  // child processes are not the subject
  ready = 1;
}

__attribute__((destructor)) static void end(void) {
  char line[512];
  int length = 0;
  for (int i = 0; i < KINDS; i++)
    length += snprintf(line + length, sizeof line - (size_t)length, "%s=%ld ", names[i], (long)counts[i]);
  note("counts", line);
}

// The path of an open file.
static const char *pathOf(int fd, char *buffer) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  long length = syscall(SYS_readlink, link, buffer, 4095);
  buffer[length < 0 ? 0 : length] = 0;
  return buffer;
}

// What this call does: NONE, FAIL with errno set, SHORT, or BACK. Signals and changes of the file happen here.
static int fault(int of, int fd, const char *function, const char *path) {
  if (!ready || (fd >= 0 && onlyDescriptor >= 0 && fd != onlyDescriptor) || (of == WRITE && fd == 2)) return NONE;
  // libdispatch counts its threads by /proc/NUMBER/stat about once a second, and ends the process if it cannot.
  if (of == OPEN && path && !strncmp(path, "/proc/", 6) && path[6] >= '0' && path[6] <= '9') return NONE;
  long number = atomic_fetch_add(&counts[of], 1) + 1;
  if (of != kind || action == NONE || (number != at && !(stays && number > at))) return NONE;
  char buffer[4096];
  if (number == at) note(function, path ? path : fd >= 0 ? pathOf(fd, buffer) : "");
  struct stat status;
  switch (action) {
    case FAIL: errno = code; return FAIL;
    case INTERRUPT: errno = EINTR; return FAIL;
    case SIGNAL: {
      kill(getpid(), signalNumber);
      // Another thread handles it: let it end the process here, unless the command goes on and cleans up.
      struct timespec patience = {0, 30 * 1000 * 1000};
      syscall(SYS_nanosleep, &patience, NULL);
      return NONE;
    }
    case SHRINK:
    case GROW:
      if (fd < 0 || fstat(fd, &status) || !S_ISREG(status.st_mode)) return NONE;
      syscall(SYS_truncate, pathOf(fd, buffer), action == GROW ? status.st_size + 1000 : status.st_size / 2);
      return NONE;
    default: return action;
  }
}

#define REAL(name) \
  static __typeof__(name) *real; \
  if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

#define TRANSFER(name, of, Buffer, ...) \
  { \
    REAL(name); \
    int found = fault(of, fd, #name, NULL); \
    if (found == FAIL) return -1; \
    if (found == SHORT && count > 1) count /= 2; \
    return real(__VA_ARGS__); \
  }

ssize_t write(int fd, const void *bytes, size_t count) TRANSFER(write, WRITE, const void *, fd, bytes, count)
ssize_t read(int fd, void *bytes, size_t count) TRANSFER(read, READ, void *, fd, bytes, count)
ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset) TRANSFER(pwrite, WRITE, const void *, fd, bytes, count, offset)
ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset) TRANSFER(pwrite64, WRITE, const void *, fd, bytes, count, offset)
ssize_t pread(int fd, void *bytes, size_t count, off_t offset) TRANSFER(pread, READ, void *, fd, bytes, count, offset)
ssize_t pread64(int fd, void *bytes, size_t count, off64_t offset) TRANSFER(pread64, READ, void *, fd, bytes, count, offset)

ssize_t writev(int fd, const struct iovec *parts, int count) {
  REAL(writev);
  int found = fault(WRITE, fd, "writev", NULL);
  if (found == FAIL) return -1;
  return real(fd, parts, found == SHORT && count > 1 ? count / 2 : count);
}

#define OPENING(name) \
  int name(const char *path, int flags, ...) { \
    REAL(name); \
    va_list more; \
    va_start(more, flags); \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? (mode_t)va_arg(more, int) : 0; \
    va_end(more); \
    return fault(OPEN, -1, #name, path) == FAIL ? -1 : real(path, flags, mode); \
  }
OPENING(open)
OPENING(open64)

int openat(int directory, const char *path, int flags, ...) {
  REAL(openat);
  va_list more;
  va_start(more, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? (mode_t)va_arg(more, int) : 0;
  va_end(more);
  return fault(OPEN, -1, "openat", path) == FAIL ? -1 : real(directory, path, flags, mode);
}

#define CALL(type, failed, name, of, fd, path, parameters, ...) \
  type name parameters { \
    REAL(name); \
    return fault(of, fd, #name, path) == FAIL ? failed : real(__VA_ARGS__); \
  }
CALL(int, -1, mkstemp, OPEN, -1, path, (char *path), path)
CALL(int, -1, mkstemp64, OPEN, -1, path, (char *path), path)
CALL(FILE *, NULL, fopen, OPEN, -1, path, (const char *path, const char *mode), path, mode)
CALL(FILE *, NULL, fopen64, OPEN, -1, path, (const char *path, const char *mode), path, mode)
CALL(DIR *, NULL, opendir, OPEN, -1, path, (const char *path), path)
CALL(char *, NULL, mkdtemp, MAKE, -1, path, (char *path), path)
CALL(int, -1, mkdir, MAKE, -1, path, (const char *path, mode_t mode), path, mode)
CALL(int, -1, rmdir, MAKE, -1, path, (const char *path), path)
CALL(int, -1, fsync, SYNC, fd, NULL, (int fd), fd)
CALL(int, -1, fdatasync, SYNC, fd, NULL, (int fd), fd)
CALL(int, -1, rename, MOVE, -1, from, (const char *from, const char *to), from, to)
CALL(int, -1, renameat, MOVE, -1, from, (int one, const char *from, int other, const char *to), one, from, other, to)
CALL(int, -1, link, MOVE, -1, from, (const char *from, const char *to), from, to)
CALL(int, -1, unlink, MOVE, -1, path, (const char *path), path)
CALL(int, -1, ftruncate, TRUNCATE, fd, NULL, (int fd, off_t length), fd, length)
CALL(int, -1, ftruncate64, TRUNCATE, fd, NULL, (int fd, off64_t length), fd, length)

#define MAPPING(name, Offset) \
  void *name(void *address, size_t length, int protection, int flags, int fd, Offset offset) { \
    REAL(name); \
    if (fd >= 0 && fault(MAP, fd, #name, NULL) == FAIL) return MAP_FAILED; \
    return real(address, length, protection, flags, fd, offset); \
  }
MAPPING(mmap, off_t)
MAPPING(mmap64, off64_t)

// From the chosen call on, the wall clock is a day earlier.
static int isBack(void) {
  static atomic_int back;
  if (fault(CLOCK, -1, "clock_gettime", NULL) == BACK) back = 1;
  return back;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  REAL(clock_gettime);
  int result = real(clock, now);
  if (result == 0 && clock == CLOCK_REALTIME && isBack()) now->tv_sec -= 86400;
  return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  REAL(gettimeofday);
  int result = real(now, zone);
  if (result == 0 && isBack()) now->tv_sec -= 86400;
  return result;
}

time_t time(time_t *stored) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (stored) *stored = now.tv_sec;
  return now.tv_sec;
}

enum { LARGE = 16384 };

// Whether this memory is refused to `caller`.
static int isRefused(size_t size, void *caller, const char *function) {
  if (!ready || !asksFrom) return 0;
  char *address = caller;
  if (address < asksFrom || address >= asksTo) {
    Dl_info object;
    if (size < LARGE || !dladdr(caller, &object) || object.dli_fbase == program) return 0;
  }
  return fault(MEMORY, -1, function, NULL) == FAIL;
}

// dlsym allocates: the functions are asked for by the names that glibc has for them.
extern void *__libc_malloc(size_t size), *__libc_calloc(size_t count, size_t size), *__libc_realloc(void *old, size_t size);

void *malloc(size_t size) {
  return isRefused(size, __builtin_return_address(0), "malloc") ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  size_t all;
  if (__builtin_mul_overflow(count, size, &all)) all = SIZE_MAX;
  return isRefused(all, __builtin_return_address(0), "calloc") ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
  return isRefused(size, __builtin_return_address(0), "realloc") ? NULL : __libc_realloc(old, size);
}
