#include "cli/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <utility>

#include "schedlens/error.h"

namespace schedlens {
namespace {

std::atomic<const char*> removed{nullptr};
std::atomic<const char*> restoring{nullptr};
std::atomic<int> noted_signal{0};

void WriteRestoring() {
  const char* text = restoring;
  if (text == nullptr) return;
  const ssize_t ignored = write(STDOUT_FILENO, text, std::strlen(text));
  (void)ignored;
}

/// Only what a signal handler may do: unlink, write and _exit.
void EndInterrupted(int /*signal*/) {
  if (const char* path = removed) unlink(path);
  WriteRestoring();
  constexpr char kMessage[] = "schedlens: interrupted\n";
  const ssize_t ignored = write(STDERR_FILENO, kMessage, sizeof(kMessage) - 1);
  (void)ignored;
  _exit(static_cast<int>(ErrorKind::kInterrupted));
}

void NoteOrEnd(int signal) {
  int none = 0;
  if (!noted_signal.compare_exchange_strong(none, signal)) EndInterrupted(signal);
}

}  // namespace

void HandleInterrupts() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler == SIG_IGN && signal == SIGHUP) continue;  // nohup
    struct sigaction action = {};
    action.sa_handler = EndInterrupted;
    sigaction(signal, &action, nullptr);
  }
}

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
