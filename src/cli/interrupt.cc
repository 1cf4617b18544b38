#include "cli/interrupt.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

#include "base/url.h"
#include "base/work_budget.h"
#include "source/http/kubeconfig.h"

namespace schedlens {
namespace {

std::atomic<const char*> restoring{nullptr};
std::atomic<const InterruptEnd*> ending{nullptr};
std::atomic<int> noted_signal{0};

/// Whether it is written or not, the process ends.
void Say(int fd, const char* text) {
  [[maybe_unused]] const ssize_t written = write(fd, text, std::strlen(text));
}

/// Only what a signal handler may do.
[[noreturn]] void EndWith(const char* line, ErrorKind kind) {
  for (const char* text : {"schedlens: ", line, "\n"}) Say(STDERR_FILENO, text);
  _exit(static_cast<int>(kind));
}

[[noreturn]] void EndInHandler(const char* line, ErrorKind kind) {
  KillExecPlugin();
  if (const char* text = restoring) Say(STDOUT_FILENO, text);
  EndWith(line, kind);
}

void EndInterrupted(int /*signal*/) {
  const InterruptEnd* end = ending;
  if (end == nullptr) EndInHandler("interrupted", ErrorKind::kInterrupted);
  EndInHandler(end->line.c_str(), end->kind);
}

void NoteOrEnd(int signal) {
  int none = 0;
  if (!noted_signal.compare_exchange_strong(none, signal)) EndInterrupted(signal);
}

/// What was done at each signal before; under nohup a hang-up stays ignored.
std::vector<std::pair<int, struct sigaction>> Handle(std::initializer_list<int> signals,
                                                     void (*handler)(int)) {
  std::vector<std::pair<int, struct sigaction>> all;
  for (const int signal : signals) {
    struct sigaction before = {}, action = {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler == SIG_IGN && signal == SIGHUP) continue;
    action.sa_handler = handler;
    sigaction(signal, &action, nullptr);
    all.emplace_back(signal, before);
  }
  return all;
}

[[noreturn]] void Terminated() {
  if (!std::current_exception()) std::abort();
  try {
    throw;
  } catch (const std::bad_alloc&) {
    EndWith(kOutOfMemory, ErrorKind::kFailed);
  } catch (const std::exception& error) {
    EndWith(MaskKnownSecrets(error.what()).c_str(), ErrorKind::kFailed);
  } catch (...) {
    EndWith("ended by an exception of unknown kind", ErrorKind::kFailed);
  }
}

}  // namespace

void EndInOneLine() {
  std::set_new_handler([] { EndWith(kOutOfMemory, ErrorKind::kFailed); });
  std::set_terminate(Terminated);
}

void OpenClosedDescriptors() {
  for (int wanted = 0; wanted <= 2; ++wanted) {
    if (fcntl(wanted, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lower ones are open, so this one is the lowest that is free.
    const int opened = open("/dev/null", wanted == 0 ? O_WRONLY : O_RDONLY);
    if (opened >= 0 && opened != wanted) close(opened);
  }
}

void HandleInterrupts() {
  OnOverdue([](const char* line) { EndInHandler(line, ErrorKind::kTimeout); });
  Handle({SIGINT, SIGTERM, SIGHUP}, EndInterrupted);
  Handle({SIGXFSZ}, SIG_IGN);  // a file that may not grow is an error of its write
}

void EndInterruptsAs(const InterruptEnd* end) { ending = end; }

void RestoreOnInterrupt(const char* text) { restoring = text; }

NotesSignals::NotesSignals(std::initializer_list<int> signals) {
  noted_signal = 0;
  before_ = Handle(signals, NoteOrEnd);
}

NotesSignals::~NotesSignals() {
  for (const auto& [signal, before] : before_) sigaction(signal, &before, nullptr);
}

int NotesSignals::noted() { return noted_signal; }

}  // namespace schedlens
