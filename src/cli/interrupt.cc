#include "cli/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <utility>

#include "model/work_budget.h"
#include "source/kubeconfig/exec_credential.h"

namespace schedlens {
namespace {

std::atomic<const char*> removed{nullptr};
std::atomic<const char*> restoring{nullptr};
std::atomic<const InterruptEnd*> ending{nullptr};
std::atomic<int> noted_signal{0};

void Write(int fd, const char* text) {
  if (text == nullptr) return;
  [[maybe_unused]] const ssize_t written = write(fd, text, std::strlen(text));
}

/// Only what a signal handler may do: kill, unlink, write and _exit.
[[noreturn]] void EndAtOnce(const char* line, ErrorKind kind) {
  KillExecPlugin();
  if (const char* path = removed) unlink(path);
  Write(STDOUT_FILENO, restoring);
  for (const char* text : {"schedlens: ", line, "\n"}) Write(STDERR_FILENO, text);
  _exit(static_cast<int>(kind));
}

void EndInterrupted(int /*signal*/) {
  const InterruptEnd* end = ending;
  if (end == nullptr) EndAtOnce("interrupted", ErrorKind::kInterrupted);
  EndAtOnce(end->line.c_str(), end->kind);
}

void EndOverdue(const char* line) { EndAtOnce(line, ErrorKind::kTimeout); }

void NoteOrEnd(int signal) {
  int none = 0;
  if (!noted_signal.compare_exchange_strong(none, signal)) EndInterrupted(signal);
}

}  // namespace

void HandleInterrupts() {
  OnOverdue(EndOverdue);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler == SIG_IGN && signal == SIGHUP) continue;  // nohup
    struct sigaction action = {};
    action.sa_handler = EndInterrupted;
    sigaction(signal, &action, nullptr);
  }
}

void EndInterruptsAs(const InterruptEnd* end) { ending = end; }

void RestoreOnInterrupt(const char* text) { restoring = text; }

RemovedOnInterrupt::RemovedOnInterrupt(std::string path) : path_(std::move(path)) {
  removed = path_.c_str();
}

RemovedOnInterrupt::~RemovedOnInterrupt() { removed = nullptr; }

NotesSignals::NotesSignals(std::initializer_list<int> signals) {
  noted_signal = 0;
  for (const int signal : signals) {
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler == SIG_IGN && signal == SIGHUP) continue;  // nohup
    struct sigaction action = {};
    action.sa_handler = NoteOrEnd;
    sigaction(signal, &action, nullptr);
    before_.emplace_back(signal, before);
  }
}

NotesSignals::~NotesSignals() {
  for (const auto& [signal, before] : before_) sigaction(signal, &before, nullptr);
}

int NotesSignals::noted() { return noted_signal; }

}  // namespace schedlens
