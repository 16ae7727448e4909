/* Loaded into a process with LD_PRELOAD: each flush takes FLUSH_DELAY_MS longer, as on a slower disk. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

static int delayed(const char *name, int file) {
  int (*flush)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  const char *delay = getenv("FLUSH_DELAY_MS");
  if (delay != NULL) usleep(1000 * atoi(delay));
  return flush(file);
}

int fsync(int file) { return delayed("fsync", file); }
int fdatasync(int file) { return delayed("fdatasync", file); }
