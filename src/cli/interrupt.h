#ifndef SCHEDLENS_CLI_INTERRUPT_H_
#define SCHEDLENS_CLI_INTERRUPT_H_

// What Ctrl-C, a termination and a hang-up do: one line, an exit code (130), nothing left behind.
// The same at a deadline that computation does not keep (see model/work_budget.h), with exit code
// 124.

#include <signal.h>

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "schedlens/error.h"

namespace schedlens {

/// Ends the process at once on SIGINT, SIGTERM and SIGHUP (under nohup it goes on), and when it is
/// overdue. Whatever it does then, no file is half-written (see WriteFileAtomically).
void HandleInterrupts();

/// How an interrupt ends the process.
struct InterruptEnd {
  ErrorKind kind = ErrorKind::kInterrupted;
  std::string line;  ///< on standard error, after the program's name
};

/// From now on, in place of exit code 130 and `schedlens: interrupted`. Null: as at first. It must
/// outlive its use.
void EndInterruptsAs(const InterruptEnd* end);

/// What an interrupt, a hang-up or a termination writes on standard output before it ends the
/// process: the text that gives a terminal back as it was. Null: nothing. It must outlive its use.
void RestoreOnInterrupt(const char* text);

/// While it lives, an interrupt removes this file before it ends the process. One at a time.
class RemovedOnInterrupt {
 public:
  explicit RemovedOnInterrupt(std::string path);
  ~RemovedOnInterrupt();
  RemovedOnInterrupt(const RemovedOnInterrupt&) = delete;
  RemovedOnInterrupt& operator=(const RemovedOnInterrupt&) = delete;

 private:
  const std::string path_;
};

/// While it lives, the first of these signals is noted instead of ending the process; a second one
/// ends it at once with exit code 130. One at a time.
class NotesSignals {
 public:
  explicit NotesSignals(std::initializer_list<int> signals);
  ~NotesSignals();
  NotesSignals(const NotesSignals&) = delete;
  NotesSignals& operator=(const NotesSignals&) = delete;

  /// The one that came; 0 before.
  static int noted();

 private:
  std::vector<std::pair<int, struct sigaction>> before_;
};

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_INTERRUPT_H_
