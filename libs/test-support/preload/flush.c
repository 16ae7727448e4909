/* Loaded into a process with LD_PRELOAD: a disk whose flushes take FLUSH_DELAY_MS longer, or fail while the file
 * FLUSH_FAILS_IF exists. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static int flush(const char *name, int file) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  const char *delay = getenv("FLUSH_DELAY_MS");
  const char *fault = getenv("FLUSH_FAILS_IF");
  if (delay != NULL) usleep(1000 * atoi(delay));
  if (fault != NULL && access(fault, F_OK) == 0) {
    errno = EIO;
    return -1;
  }
  return real(file);
}

int fsync(int file) { return flush("fsync", file); }
int fdatasync(int file) { return flush("fdatasync", file); }
