#pragma once

// What a run may cost: a deadline, an interruption, memory. For the whole process; every loop whose
// length comes from data asks.

#include <atomic>
#include <limits>
#include <string_view>

namespace schedlens {

inline constexpr double kNoDeadline = std::numeric_limits<double>::infinity();

/// From now on so many seconds, whatever was set before; `kNoDeadline` ends a deadline. When they
/// are over CheckBudget throws, and `grace` seconds later what OnOverdue names is called. By
/// SIGALRM: the process must have no other use of it.
void SetDeadline(double seconds, double grace = 0.15);
/// What SetDeadline was given last; kNoDeadline before.
double DeadlineSeconds();
/// Until the deadline; 0 after it.
double SecondsLeft();

/// Gets the line of the Error that nobody threw in time. Called inside a signal handler: it may do
/// only what is allowed there, and should end the process. Null: a deadline is only asked for.
void OnOverdue(void (*end)(const char* line));

/// Makes CheckBudget throw, or takes that back: for who notes signals and ends what runs by them.
void Interrupt(bool interrupted);
bool Interrupted();

namespace internal {
extern std::atomic<bool> over_budget;
[[noreturn]] void ThrowOverBudget();
}  // namespace internal

/// Throws Error(kTimeout) after the deadline, Error(kInterrupted) after Interrupt(true). Costs a
/// load; from any thread.
inline void CheckBudget() {
  if (internal::over_budget.load(std::memory_order_relaxed)) internal::ThrowOverBudget();
}

/// Before memory is taken whose size comes from data: throws Error(kFailed) for more than the
/// machine has, which the system may promise all the same. `what` needs it.
void AskMemory(double bytes, std::string_view what);

}  // namespace schedlens
