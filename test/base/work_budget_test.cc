#include "base/work_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <thread>

#include "schedlens/error.h"

namespace schedlens {
namespace {

using Clock = std::chrono::steady_clock;

/// What ends a loop that asks, and after how many seconds; nothing within ten of them.
std::pair<ErrorKind, double> EndOfAskingLoop() {
  const auto start = Clock::now();
  const auto passed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  try {
    while (passed() < 10) CheckBudget();
  } catch (const Error& error) {
    return {error.kind(), passed()};
  }
  return {ErrorKind::kFailed, passed()};
}

class WorkBudget : public testing::Test {
 protected:
  ~WorkBudget() override {
    SetDeadline(kNoDeadline);
    Interrupt(false);
    OnOverdue(nullptr);
  }
};

TEST_F(WorkBudget, WithoutADeadlineNothingEnds) {
  SetDeadline(kNoDeadline);
  EXPECT_NO_THROW(CheckBudget());
  EXPECT_EQ(SecondsLeft(), kNoDeadline);
  EXPECT_EQ(DeadlineSeconds(), kNoDeadline);
}

TEST_F(WorkBudget, TheDeadlineEndsWhatAsks) {
  SetDeadline(0.05);
  EXPECT_EQ(DeadlineSeconds(), 0.05);
  EXPECT_LE(SecondsLeft(), 0.05);
  const auto [kind, seconds] = EndOfAskingLoop();
  EXPECT_EQ(kind, ErrorKind::kTimeout);
  EXPECT_GE(seconds, 0.04);
  EXPECT_EQ(SecondsLeft(), 0);
  EXPECT_THROW(CheckBudget(), Error) << "and all that asks later";
}

TEST_F(WorkBudget, TheLineSaysTheLimitAndTheWayOut) {
  SetDeadline(0.001);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  try {
    CheckBudget();
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("not done within 0.001 s: raise --timeout"));
  }
}

TEST_F(WorkBudget, ANewDeadlineForgetsTheOldOne) {
  SetDeadline(0.001);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  SetDeadline(3600);
  EXPECT_NO_THROW(CheckBudget());
  EXPECT_GT(SecondsLeft(), 3000);
}

TEST_F(WorkBudget, ADeadlineInAThousandYearsIsOne) {
  SetDeadline(3e10);
  EXPECT_NO_THROW(CheckBudget());
  EXPECT_GT(SecondsLeft(), 9e8);
}

TEST_F(WorkBudget, EveryThreadIsTold) {
  SetDeadline(0.02);
  std::pair<ErrorKind, double> other;
  std::thread thread([&] { other = EndOfAskingLoop(); });
  EXPECT_EQ(EndOfAskingLoop().first, ErrorKind::kTimeout);
  thread.join();
  EXPECT_EQ(other.first, ErrorKind::kTimeout);
}

TEST_F(WorkBudget, AnInterruptionIsNoTimeout) {
  Interrupt(true);
  EXPECT_TRUE(Interrupted());
  EXPECT_EQ(EndOfAskingLoop().first, ErrorKind::kInterrupted);
  SetDeadline(3600);
  EXPECT_EQ(EndOfAskingLoop().first, ErrorKind::kInterrupted) << "a deadline takes nothing back";
  Interrupt(false);
  EXPECT_NO_THROW(CheckBudget());
}

TEST_F(WorkBudget, WhatNeverAsksIsEndedAllTheSame) {
  const auto deaf = [] {
    OnOverdue([](const char* line) {
      const ssize_t written = write(STDERR_FILENO, line, std::strlen(line));
      _exit(written > 0 ? 124 : 1);
    });
    SetDeadline(0.02, 0.02);
    for (volatile bool on = true; on;) {
    }
  };
  EXPECT_EXIT(deaf(), testing::ExitedWithCode(124), "not done within 0.02 s");
}

TEST_F(WorkBudget, ABlockedAlarmIsUnblocked) {
  sigset_t alarm;
  sigemptyset(&alarm);
  sigaddset(&alarm, SIGALRM);
  pthread_sigmask(SIG_BLOCK, &alarm, nullptr);
  SetDeadline(0.01);
  EXPECT_EQ(EndOfAskingLoop().first, ErrorKind::kTimeout);
}

TEST_F(WorkBudget, MemoryIsGrantedAsFarAsTheMachineHasIt) {
  EXPECT_NO_THROW(AskMemory(1 << 20, "a map"));
  try {
    AskMemory(1e18, "a map of everything");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kFailed);
    EXPECT_THAT(error.what(), testing::HasSubstr("a map of everything: takes 9.31e+08 GiB"));
  }
}

}  // namespace
}  // namespace schedlens
