/* Loaded into the server before the C library: what would write beneath FAILING_DISK_FOLDER fails with the error number that
 * stands in the file FAILING_DISK_CONTROL, as text; 0: nothing fails; below 0: only what brings a file to the disk does. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static const char* control;
static const char* folder;

__attribute__((constructor)) static void begin(void) {
  folder = getenv("FAILING_DISK_FOLDER");
  const char* path = getenv("FAILING_DISK_CONTROL");
  int (*open_file)(const char*, int, ...) = dlsym(RTLD_NEXT, "open");
  const int fd = path ? open_file(path, O_RDONLY) : -1;
  if (fd < 0) return;
  void* page = mmap(NULL, 8, PROT_READ, MAP_SHARED, fd, 0);
  if (page != MAP_FAILED) control = page;
  close(fd);
}

static int told(void) {
  return control && folder ? atoi((const char*)control) : 0;
}

static int failing(void) {
  const int error = told();
  return error > 0 ? error : 0;
}

static int beneath(const char* path) {
  return path && strncmp(path, folder, strlen(folder)) == 0;
}

static int fails_path(const char* path) {
  const int error = failing();
  if (!error || !beneath(path)) return 0;
  errno = error;
  return 1;
}

static int fails_with(int error, int fd) {
  if (!error) return 0;
  char name[64], path[PATH_MAX];
  snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
  const ssize_t length = readlink(name, path, sizeof path - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  if (!beneath(path)) return 0;
  errno = error;
  return 1;
}

static int fails_fd(int fd) {
  return fails_with(failing(), fd);
}

static int fails_sync(int fd) {
  return fails_with(abs(told()), fd);
}

#define NEXT(name) static __typeof__(&name) next; if (!next) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
#define BY_FD(result, name, parameters, arguments) \
  result name parameters { NEXT(name); return fails_fd(fd) ? -1 : next arguments; }
#define BY_PATH(result, name, parameters, arguments) \
  result name parameters { NEXT(name); return fails_path(path) ? -1 : next arguments; }

BY_FD(ssize_t, write, (int fd, const void* data, size_t size), (fd, data, size))
BY_FD(ssize_t, pwrite, (int fd, const void* data, size_t size, off_t at), (fd, data, size, at))
BY_FD(ssize_t, pwrite64, (int fd, const void* data, size_t size, off64_t at), (fd, data, size, at))
BY_FD(ssize_t, writev, (int fd, const struct iovec* parts, int count), (fd, parts, count))
BY_FD(ssize_t, pwritev, (int fd, const struct iovec* parts, int count, off_t at), (fd, parts, count, at))
BY_FD(ssize_t, pwritev64, (int fd, const struct iovec* parts, int count, off64_t at), (fd, parts, count, at))
#define BY_SYNC(name) \
  int name(int fd) { NEXT(name); return fails_sync(fd) ? -1 : next(fd); }
BY_SYNC(fsync)
BY_SYNC(fdatasync)
BY_PATH(int, mkdir, (const char* path, mode_t mode), (path, mode))
BY_PATH(int, rename, (const char* path, const char* to), (path, to))

#define OPENS(name)                                                        \
  int name(const char* path, int flags, ...) {                             \
    NEXT(name);                                                            \
    va_list list;                                                          \
    va_start(list, flags);                                                 \
    const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0; \
    va_end(list);                                                          \
    if ((flags & O_CREAT) && access(path, F_OK) != 0 && fails_path(path)) return -1; \
    return next(path, flags, mode);                                        \
  }
OPENS(open)
OPENS(open64)
