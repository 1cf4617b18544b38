#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>

#include <chrono>
#include <sstream>

#include "cli/commands/serve.h"
#include "cli/interrupt.h"
#include "cli/process.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A shell script in place of the program, and the lines that it wrote.
class Scripted {
 public:
  explicit Scripted(const std::string& script) {
    reporter_.program = dir_.Write("program", "#!/bin/sh\n" + script);
    chmod(reporter_.program.c_str(), 0700);
    reporter_.words = {"serve", "--selector", "", "two words\n"};
    reporter_.seconds = 60;
    reporter_.interrupted = [] { return false; };
    reporter_.log = [this](const std::string& line) { lines_.push_back(line); };
  }
  Reporter& reporter() { return reporter_; }
  ReporterEnd Run() { return RunReporter(reporter_, "queue/a.json"); }
  const std::vector<std::string>& lines() const { return lines_; }
  const TempDir& dir() const { return dir_; }

 private:
  TempDir dir_;
  Reporter reporter_;
  std::vector<std::string> lines_;
};

TEST(ServeChild, GetsItsWordsWhereNobodyElseReadsThem) {
  Scripted one("cat >\"$(dirname \"$0\")/words\"; echo \"$#: $1\" >&2\n");
  const ReporterEnd end = one.Run();
  EXPECT_EQ(end.code, 0);
  EXPECT_THAT(one.lines(), ElementsAre("1: queue/a.json"));
  std::istringstream sent(ReadAll(one.dir() / "words"));
  EXPECT_EQ(ReadWords(sent), one.reporter().words);
}

TEST(ServeChild, TakesItsInputBehindTheWordsAndGivesWhatItPrints) {
  Scripted one("cat >\"$(dirname \"$0\")/words\"; head -c 300000 /dev/zero | tr '\\0' x\n");
  one.reporter().input = "groups: []\n";
  std::string out;
  one.reporter().out = &out;
  EXPECT_EQ(one.Run().code, 0);
  EXPECT_EQ(out, std::string(300'000, 'x'));
  std::istringstream sent(ReadAll(one.dir() / "words"));
  EXPECT_EQ(ReadWords(sent), one.reporter().words);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(sent), {}), "groups: []\n");
}

TEST(ServeChild, ItsLastLineSaysWhyItFailed) {
  Scripted one("echo 'schedlens: first' >&2; echo 'schedlens: why' >&2; exit 4\n");
  const ReporterEnd end = one.Run();
  EXPECT_EQ(end.code, 4);
  EXPECT_EQ(end.why, "why");
  EXPECT_FALSE(end.broken);
  EXPECT_THAT(one.lines(), ElementsAre("first"));
}

TEST(ServeChild, ASignalOrALimitIsToldApart) {
  const std::string memory = "echo 'schedlens: " + std::string(kOutOfMemory) + "' >&2; exit 1\n";
  const std::pair<std::string, std::string> rows[] = {
      {"kill -SEGV $$\n", "ended by signal 11 (Segmentation fault)"},
      {"kill -KILL $$\n", "ended by signal 9 (Killed)"},
      {"kill -XCPU $$\n", "took more than 60 s of CPU"},
      {memory, "out of memory"},
  };
  for (const auto& [script, why] : rows) {
    Scripted one(script);
    const ReporterEnd end = one.Run();
    EXPECT_TRUE(end.broken) << script;
    EXPECT_NE(end.code, 0);
    EXPECT_THAT(end.why, HasSubstr(why));
  }
}

TEST(ServeChild, WhatDoesNotEndIsEndedWithAllThatItStarted) {
  Scripted one("trap '' TERM; sleep 1000 & echo $! >\"$(dirname \"$0\")/started\"; wait; wait\n");
  one.reporter().seconds = 0.5;
  const ReporterEnd end = one.Run();
  EXPECT_TRUE(end.broken);
  EXPECT_EQ(end.why, "the diagnosis did not end in 0.5 s");
  const std::string started = ReadAll(one.dir() / "started");
  ASSERT_FALSE(started.empty());
  std::string state;  // gone, or dead and not yet waited for
  for (int i = 0; i < 500; ++i) {
    const std::string stat = ReadAll("/proc/" + started.substr(0, started.size() - 1) + "/stat");
    state = stat.empty() ? "" : stat.substr(stat.rfind(')') + 2, 1);
    if (state.empty() || state == "Z") break;
    poll(nullptr, 0, 10);
  }
  EXPECT_TRUE(state.empty() || state == "Z") << state;
}

TEST(ServeChild, AnInterruptStopsIt) {
  Scripted one("sleep 1000\n");
  one.reporter().interrupted = [] { return true; };
  const ReporterEnd end = one.Run();
  EXPECT_TRUE(end.stopped);
}

TEST(ServeChild, AProgramThatIsNotThereIsAnError) {
  Scripted one("");
  one.reporter().program = "/no/such/program";
  try {
    one.Run();
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("No such file"));
  }
}

TEST(ServeChild, LimitsHoldInTheProcessThatSetsThem) {
  EXPECT_EXIT(
      {
        EndInOneLine();
        LimitThisProcess(60, 64 << 20);
        const std::string large(std::size_t{1} << 30, 'x');
        _exit(large.size() > 1 ? 0 : 2);
      },
      testing::ExitedWithCode(1), "out of memory");
}

}  // namespace
}  // namespace schedlens
