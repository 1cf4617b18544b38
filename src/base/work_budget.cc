#include "base/work_budget.h"

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "base/text.h"

namespace schedlens {

namespace internal {
std::atomic<bool> over_budget{false};
}  // namespace internal

namespace {

using Clock = std::chrono::steady_clock;

std::atomic<bool> deadline_passed{false}, is_interrupted{false};
std::atomic<double> deadline_seconds{kNoDeadline};
std::atomic<Clock::time_point> deadline{Clock::time_point::max()};
std::atomic<void (*)(const char*)> end_overdue{nullptr};
/// Made ready for the signal handler; changes only while the timer stands still.
std::array<char, 200> overdue_line{};

/// The first one tells, the next one ends what did not listen.
void OnAlarm(int /*signal*/) {
  internal::over_budget = true;
  if (!deadline_passed.exchange(true)) return;
  if (const auto end = end_overdue.load()) end(overdue_line.data());
}

timeval TimevalOf(double seconds) {
  constexpr double kLeast = 1e-6, kMost = 1e9;  // 0 would be never
  const double whole = std::floor(seconds = std::clamp(seconds, kLeast, kMost));
  return {static_cast<time_t>(whole), static_cast<suseconds_t>((seconds - whole) * 1e6)};
}

}  // namespace

void internal::ThrowOverBudget() {
  if (is_interrupted) throw Error(ErrorKind::kInterrupted, "interrupted");
  throw Error(ErrorKind::kTimeout, overdue_line.data());
}

void SetDeadline(double seconds, double grace) {
  itimerval timer = {};
  setitimer(ITIMER_REAL, &timer, nullptr);
  deadline_passed = false;
  internal::over_budget = is_interrupted.load();
  deadline_seconds = seconds;
  deadline = Clock::time_point::max();
  if (std::isinf(seconds)) return;
  const auto line = fmt::format_to_n(overdue_line.data(), overdue_line.size() - 1,
                                     "not done within {:g} s: raise --timeout, or ask for less, "
                                     "such as a shorter --window",
                                     seconds);
  *line.out = '\0';
  timer = {TimevalOf(grace), TimevalOf(seconds)};
  deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                std::chrono::duration<double>(std::min(seconds, 1e9)));
  struct sigaction action = {};
  action.sa_handler = OnAlarm;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, nullptr);
  sigset_t alarm;
  sigemptyset(&alarm);
  sigaddset(&alarm, SIGALRM);
  pthread_sigmask(SIG_UNBLOCK, &alarm, nullptr);  // a parent may have left it blocked
  setitimer(ITIMER_REAL, &timer, nullptr);
}

double DeadlineSeconds() { return deadline_seconds; }

double SecondsLeft() {
  const Clock::time_point end = deadline;
  if (end == Clock::time_point::max()) return kNoDeadline;
  return std::max(0.0, std::chrono::duration<double>(end - Clock::now()).count());
}

void OnOverdue(void (*end)(const char* line)) { end_overdue = end; }

void Interrupt(bool interrupted) {
  is_interrupted = interrupted;
  internal::over_budget = interrupted || deadline_passed;
}

bool Interrupted() { return is_interrupted; }

void AskMemory(double bytes, std::string_view what) {
  static const double all =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (bytes <= all) return;
  constexpr double kGi = 1 << 30;
  Raise(ErrorKind::kFailed,
        "{}: takes {:.3g} GiB of memory, and the machine has "
        "{:.3g} GiB: ask for less",
        what, bytes / kGi, all / kGi);
}

}  // namespace schedlens
