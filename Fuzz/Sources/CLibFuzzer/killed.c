// The files of SQLite, whose changes may end at any of them. What was written before is there for the next connection, and so is
// the journal of a transaction that did not end.
#include "CLibFuzzer.h"
#include <sqlite3.h>

struct file {
  sqlite3_file base;
  // The system's file follows.
};

static sqlite3_vfs *system_files;
static int left, is_limited, is_over;

// Counts a change; false if it must not happen.
static int may_change(void) {
  if (is_limited && left-- <= 0) is_over = 1;
  return !is_over;
}

static sqlite3_file *real(sqlite3_file *file) { return (sqlite3_file *)((struct file *)file + 1); }

static int close_file(sqlite3_file *file) { return real(file)->pMethods->xClose(real(file)); }
static int read_file(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  return real(file)->pMethods->xRead(real(file), bytes, count, offset);
}
static int write_file(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  return may_change() ? real(file)->pMethods->xWrite(real(file), bytes, count, offset) : SQLITE_IOERR_WRITE;
}
static int truncate_file(sqlite3_file *file, sqlite3_int64 size) {
  return may_change() ? real(file)->pMethods->xTruncate(real(file), size) : SQLITE_IOERR_TRUNCATE;
}
static int sync_file(sqlite3_file *file, int flags) {
  (void)file, (void)flags;
  return is_over ? SQLITE_IOERR_FSYNC : SQLITE_OK;
}
static int size_of_file(sqlite3_file *file, sqlite3_int64 *size) { return real(file)->pMethods->xFileSize(real(file), size); }
static int lock_file(sqlite3_file *file, int level) { return real(file)->pMethods->xLock(real(file), level); }
static int unlock_file(sqlite3_file *file, int level) { return real(file)->pMethods->xUnlock(real(file), level); }
static int check_lock(sqlite3_file *file, int *result) { return real(file)->pMethods->xCheckReservedLock(real(file), result); }
static int control_file(sqlite3_file *file, int what, void *argument) {
  return real(file)->pMethods->xFileControl(real(file), what, argument);
}
static int sector_of_file(sqlite3_file *file) { return real(file)->pMethods->xSectorSize(real(file)); }
static int device_of_file(sqlite3_file *file) { return real(file)->pMethods->xDeviceCharacteristics(real(file)); }

// Version 1, without shared memory and maps.
static const sqlite3_io_methods methods = {
  .iVersion = 1, .xClose = close_file, .xRead = read_file, .xWrite = write_file, .xTruncate = truncate_file, .xSync = sync_file,
  .xFileSize = size_of_file, .xLock = lock_file, .xUnlock = unlock_file, .xCheckReservedLock = check_lock,
  .xFileControl = control_file, .xSectorSize = sector_of_file, .xDeviceCharacteristics = device_of_file};

static int open_file(sqlite3_vfs *files, const char *name, sqlite3_file *file, int flags, int *result) {
  (void)files;
  file->pMethods = NULL;
  if (flags & SQLITE_OPEN_CREATE && !may_change()) return SQLITE_CANTOPEN;
  int code = system_files->xOpen(system_files, name, real(file), flags, result);
  if (real(file)->pMethods) file->pMethods = &methods;
  return code;
}

static int delete_file(sqlite3_vfs *files, const char *name, int is_synced) {
  (void)files, (void)is_synced;
  return may_change() ? system_files->xDelete(system_files, name, 0) : SQLITE_IOERR_DELETE;
}

void limit_changes(int most) {
  static sqlite3_vfs files;
  if (!system_files) {
    system_files = sqlite3_vfs_find(NULL);
    files = *system_files;
    files.zName = "killed";
    files.szOsFile += sizeof(struct file);
    files.xOpen = open_file;
    files.xDelete = delete_file;
    sqlite3_vfs_register(&files, 1);
  }
  left = most;
  is_limited = most > 0;
  is_over = 0;
}

int are_changes_over(void) { return is_over; }
