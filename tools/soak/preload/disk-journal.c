/*
 * Preloaded with LD_PRELOAD: reports what a process writes to the files in one folder, and what it flushes, to a
 * descriptor, in the order in which it happens. From that, src/disk.ts makes what a power cut could leave.
 *
 * A write is reported before it is done, and a flush after it. If the process is killed between the two, the report of
 * a write may be too many and the report of a flush may be missing: both only make the power cut worse.
 *
 * A record: kind (1 byte), path in the folder (47 bytes, '.' for the folder itself), two numbers (8 bytes each), then
 * the bytes of a write.
 *
 * DISK_JOURNAL_FOLDER      the folder
 * DISK_JOURNAL_DESCRIPTOR  where the records go
 * DISK_JOURNAL_UNFLUSHED   plants a fault: files whose names end like this are not flushed, and the process is told that
 *                          they were; '' for all files. Missing: every flush is done
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define MAX_DESCRIPTORS 4096
#define NAME_SIZE 47

struct record {
  char kind; /* o open, d make a folder, w write, s short: the last write wrote less, or nothing changed, t truncate,
                f flush, u unlink */
  char name[NAME_SIZE];
  int64_t offset; /* or the size after a truncation, or how much was written */
  int64_t length;
};

static int journal = -1;
static char folder[4096];
static size_t folder_length;
static const char *unflushed;
static char names[MAX_DESCRIPTORS][NAME_SIZE];

/* The function of the C library that a function here stands for. */
#define REAL(function) \
  static __typeof__(function) *real; \
  if (!real) real = (__typeof__(function) *)dlsym(RTLD_NEXT, #function)

__attribute__((constructor)) static void start(void) {
  const char *path = getenv("DISK_JOURNAL_FOLDER"), *descriptor = getenv("DISK_JOURNAL_DESCRIPTOR");
  if (!path || !descriptor || strlen(path) >= sizeof folder) return;
  strcpy(folder, path);
  folder_length = strlen(folder);
  journal = atoi(descriptor);
  unflushed = getenv("DISK_JOURNAL_UNFLUSHED");
}

static int ends_with(const char *name, const char *end) {
  size_t length = strlen(name), end_length = strlen(end);
  return length >= end_length && strcmp(name + length - end_length, end) == 0;
}

/* The path of a file in the folder, or NULL. The index of the log is rebuilt at each start, so it doesn't count. */
static const char *name_in_folder(const char *path) {
  if (journal < 0 || strncmp(path, folder, folder_length) != 0) return NULL;
  if (path[folder_length] == '\0') return ".";
  const char *name = path + folder_length + 1;
  if (path[folder_length] != '/' || strlen(name) >= NAME_SIZE) return NULL;
  return ends_with(name, "-shm") ? NULL : name;
}

static const char *name_of(int descriptor) {
  return descriptor >= 0 && descriptor < MAX_DESCRIPTORS && names[descriptor][0] ? names[descriptor] : NULL;
}

static void report(char kind, const char *name, int64_t offset, const void *bytes, int64_t length) {
  struct record record = {.kind = kind, .offset = offset, .length = length};
  strcpy(record.name, name);
  struct iovec parts[] = {{&record, sizeof record}, {(void *)bytes, bytes ? (size_t)length : 0}};
  REAL(writev);
  size_t left = sizeof record + parts[1].iov_len;
  for (int part = 0; left > 0;) {
    ssize_t written = real(journal, parts + part, 2 - part);
    if (written < 0) abort();
    left -= (size_t)written;
    while (part < 2 && (size_t)written >= parts[part].iov_len) written -= (ssize_t)parts[part++].iov_len;
    if (part < 2) {
      parts[part].iov_base = (char *)parts[part].iov_base + written;
      parts[part].iov_len -= (size_t)written;
    }
  }
}

static int opened(int descriptor, const char *path) {
  const char *name = descriptor >= 0 && descriptor < MAX_DESCRIPTORS ? name_in_folder(path) : NULL;
  if (name) {
    struct stat found;
    strcpy(names[descriptor], name);
    if (fstat(descriptor, &found) != 0 || !S_ISDIR(found.st_mode)) report('o', name, 0, NULL, 0);
  }
  return descriptor;
}

#define OPEN(function) \
  int function(const char *path, int flags, ...) { \
    REAL(function); \
    va_list rest; \
    va_start(rest, flags); \
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0; \
    va_end(rest); \
    return opened(real(path, flags, mode), path); \
  }
OPEN(open)
OPEN(open64)

int close(int descriptor) {
  REAL(close);
  if (name_of(descriptor)) names[descriptor][0] = '\0';
  return real(descriptor);
}

/* What a write that was reported has really written. */
static ssize_t wrote(const char *name, ssize_t written, size_t length) {
  if (name && written != (ssize_t)length) report('s', name, written < 0 ? 0 : written, NULL, 0);
  return written;
}

#define PWRITE(function, offset_type) \
  ssize_t function(int descriptor, const void *bytes, size_t length, offset_type offset) { \
    REAL(function); \
    const char *name = name_of(descriptor); \
    if (name) report('w', name, offset, bytes, (int64_t)length); \
    return wrote(name, real(descriptor, bytes, length, offset), length); \
  }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

ssize_t write(int descriptor, const void *bytes, size_t length) {
  REAL(write);
  const char *name = name_of(descriptor);
  if (name) report('w', name, lseek(descriptor, 0, SEEK_CUR), bytes, (int64_t)length);
  return wrote(name, real(descriptor, bytes, length), length);
}

#define TRUNCATE(function, size_type) \
  int function(int descriptor, size_type size) { \
    REAL(function); \
    const char *name = name_of(descriptor); \
    if (name) report('t', name, size, NULL, 0); \
    int result = real(descriptor, size); \
    if (name && result != 0) report('s', name, 0, NULL, 0); \
    return result; \
  }
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

#define FLUSH(function) \
  int function(int descriptor) { \
    REAL(function); \
    const char *name = name_of(descriptor); \
    if (name && unflushed && ends_with(name, unflushed)) return 0; \
    int result = real(descriptor); \
    if (name && result == 0) report('f', name, 0, NULL, 0); \
    return result; \
  }
FLUSH(fsync)
FLUSH(fdatasync)

int unlink(const char *path) {
  REAL(unlink);
  int result = real(path);
  const char *name = name_in_folder(path);
  if (name && result == 0) report('u', name, 0, NULL, 0);
  return result;
}

int mkdir(const char *path, mode_t mode) {
  REAL(mkdir);
  int result = real(path, mode);
  const char *name = name_in_folder(path);
  if (name && result == 0) report('d', name, 0, NULL, 0);
  return result;
}
