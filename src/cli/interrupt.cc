#include "cli/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <utility>

#include "schedlens/error.h"

namespace schedlens {
namespace {

std::atomic<const char*> removed{nullptr};

/// Only what a signal handler may do: unlink, write and _exit.
void EndInterrupted(int /*signal*/) {
  if (const char* path = removed) unlink(path);
  constexpr char kMessage[] = "schedlens: interrupted\n";
  const ssize_t ignored = write(STDERR_FILENO, kMessage, sizeof(kMessage) - 1);
  (void)ignored;
  _exit(static_cast<int>(ErrorKind::kInterrupted));
}

}  // namespace

void HandleInterrupts() {
  struct sigaction action = {};
  action.sa_handler = EndInterrupted;
  sigaction(SIGINT, &action, nullptr);
}

RemovedOnInterrupt::RemovedOnInterrupt(std::string path) : path_(std::move(path)) {
  removed = path_.c_str();
}

RemovedOnInterrupt::~RemovedOnInterrupt() { removed = nullptr; }

}  // namespace schedlens
