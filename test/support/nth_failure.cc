// Preloaded into a program, makes the n-th call of one kind fail, once:
//   NTH_FAILURE_CALL  malloc, open, write, read, fsync, rename or connect
//   NTH_FAILURE_N     which one, from 1
//   NTH_FAILURE_FILE  made when it has failed, so that a test knows when there are no more
// Standard error is never touched, so that the program can say what went wrong.

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>

// The allocator's own entries, which need no look-up of the next library's.
extern "C" void* __libc_malloc(size_t);
extern "C" void* __libc_calloc(size_t, size_t);
extern "C" void* __libc_realloc(void*, size_t);
extern "C" void* __libc_memalign(size_t, size_t);

namespace {

struct Plan {
  char call[16] = "";
  long n = 0;
};

std::atomic<bool> ready{false};
std::atomic<long> calls{0};
Plan plan;

void ReadPlan() {
  const char* call = getenv("NTH_FAILURE_CALL");
  const char* n = getenv("NTH_FAILURE_N");
  if (call == nullptr || n == nullptr) return;
  strncpy(plan.call, call, sizeof(plan.call) - 1);
  plan.n = strtol(n, nullptr, 10);
  ready = true;
}

void Tell() {
  const char* file = getenv("NTH_FAILURE_FILE");
  if (file == nullptr) return;
  const long fd = syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (fd >= 0) syscall(SYS_close, fd);
}

/// Whether this call is the one; then with `error` in errno.
bool Fails(const char* call, int error) {
  if (!ready.load(std::memory_order_relaxed) || strcmp(call, plan.call) != 0) return false;
  if (calls.fetch_add(1) + 1 != plan.n) return false;
  Tell();
  errno = error;
  return true;
}

template <class F>
F Next(F, const char* name) {
  return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}

mode_t ModeOf(int flags, va_list arguments) {
  const bool creates = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  return creates ? va_arg(arguments, mode_t) : 0;
}

}  // namespace

extern "C" {

using Main = int(int, char**, char**);

// Runs when all libraries have begun and none of the program's own code has: from here on calls
// are counted.
int __libc_start_main(Main* main, int argc, char** argv, void (*init)(), void (*fini)(),
                      void (*rtld_fini)(), void* stack_end) {
  ReadPlan();
  static const auto next = Next(&__libc_start_main, "__libc_start_main");
  return next(main, argc, argv, init, fini, rtld_fini, stack_end);
}

void* malloc(size_t size) { return Fails("malloc", ENOMEM) ? nullptr : __libc_malloc(size); }
void* calloc(size_t count, size_t size) {
  return Fails("malloc", ENOMEM) ? nullptr : __libc_calloc(count, size);
}
void* realloc(void* old, size_t size) {
  return Fails("malloc", ENOMEM) ? nullptr : __libc_realloc(old, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  return Fails("malloc", ENOMEM) ? nullptr : __libc_memalign(alignment, size);
}

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = ModeOf(flags, arguments);
  va_end(arguments);
  if (Fails("open", EMFILE)) return -1;
  static const auto next = Next(&open, "open");
  return next(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = ModeOf(flags, arguments);
  va_end(arguments);
  if (Fails("open", EMFILE)) return -1;
  static const auto next = Next(&open64, "open64");
  return next(path, flags, mode);
}

FILE* fopen(const char* path, const char* mode) {
  if (Fails("open", EMFILE)) return nullptr;
  static const auto next = Next(&fopen, "fopen");
  return next(path, mode);
}

FILE* fopen64(const char* path, const char* mode) {
  if (Fails("open", EMFILE)) return nullptr;
  static const auto next = Next(&fopen64, "fopen64");
  return next(path, mode);
}

DIR* opendir(const char* path) {
  if (Fails("open", EMFILE)) return nullptr;
  static const auto next = Next(&opendir, "opendir");
  return next(path);
}

ssize_t write(int fd, const void* bytes, size_t size) {
  if (fd != STDERR_FILENO && Fails("write", ENOSPC)) return -1;
  static const auto next = Next(&write, "write");
  return next(fd, bytes, size);
}

ssize_t writev(int fd, const iovec* parts, int count) {
  if (fd != STDERR_FILENO && Fails("write", ENOSPC)) return -1;
  static const auto next = Next(&writev, "writev");
  return next(fd, parts, count);
}

ssize_t read(int fd, void* bytes, size_t size) {
  if (Fails("read", EIO)) return -1;
  static const auto next = Next(&read, "read");
  return next(fd, bytes, size);
}

int fsync(int fd) {
  if (Fails("fsync", EIO)) return -1;
  static const auto next = Next(&fsync, "fsync");
  return next(fd);
}

int rename(const char* from, const char* to) {
  if (Fails("rename", EACCES)) return -1;
  static const auto next = Next(&rename, "rename");
  return next(from, to);
}

// A file without a name gets one this way.
int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  if (Fails("rename", EACCES)) return -1;
  static const auto next = Next(&linkat, "linkat");
  return next(from_folder, from, to_folder, to, flags);
}

int connect(int fd, const sockaddr* address, socklen_t size) {
  if (Fails("connect", ECONNREFUSED)) return -1;
  static const auto next = Next(&connect, "connect");
  return next(fd, address, size);
}

}  // extern "C"
