#pragma once

// How the process ends before its time, by Ctrl-C, a termination, a hang-up, a deadline that
// computation does not keep (see base/work_budget.h), a lack of memory or an exception that
// nothing catches: one line, an exit code, no half-written file (see WriteFileAtomically).

#include <signal.h>

#include <initializer_list>
#include <utility>
#include <vector>

#include "schedlens/error.h"

namespace schedlens {

/// What a lack of memory says, after the program's name.
inline constexpr const char* kOutOfMemory =
    "out of memory; use a shorter window, one cluster (--selector) or a smaller capture";

/// From now on a lack of memory ends the process at once, and so does an exception that nothing
/// catches, before main or in a thread's own start: exit code 1, no core dump. Needs no memory
/// itself.
void EndInOneLine();

/// Opens /dev/null for each of the descriptors 0 to 2 that is closed, so that no file gets its
/// number, and what is meant for standard output or standard error goes into none. Reading and
/// writing there fail, as they would without it.
void OpenClosedDescriptors();

/// Ends the process at once on SIGINT, SIGTERM and SIGHUP (under nohup it goes on) with exit code
/// 130, and with 124 when it is overdue.
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
