// --timeout and signals end computation, whatever it is at: one line, an exit code of its own,
// nothing half-written.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <chrono>
#include <thread>

#include "cli/process.h"

namespace schedlens {
namespace {

using testing::MatchesRegex;
using Words = std::vector<std::string>;

const std::string kData = SCHEDLENS_SOURCE_DIR "/test/data/";
const std::string kCapture = kData + "captures/extender-bind-slow-A.om.gz";
const std::string kHugeCounts = kData + "hostile/counts_beyond_2_53.om.gz";
const char* const kLine =
    "(schedlens: note: [^\n]*\n)?schedlens: not done within [0-9.]+ s: raise --timeout[^\n]*\n";

double SecondsOf(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

TEST(TimeoutOfCommands, EndsEachWithOneLineAndWithoutAFile) {
  const TempDir dir;
  const std::string out = dir / "out";
  const std::vector<Words> rows = {
      {"diagnose", "--capture", kCapture, "--export-html", out, "--export-json", out + ".json"},
      {"quantile", "scheduler_e2e_scheduling_duration_seconds", "--capture", kCapture},
      {"query", "rate(scheduler_e2e_scheduling_duration_seconds_bucket[5m])", "--capture", kCapture,
       "--window", "1h", "--step", "1s"},
      {"doctor", "--capture", kCapture},
      {"capture", "--capture", kCapture, "--out", out},
      {"whatif", "--capture", kCapture, "--set", "bind.extender=0"},
      {"simulate", "bind.extender", "-o", out, "--truth", out + ".csv"},
  };
  for (Words words : rows) {
    words.insert(words.end(), {"--timeout", "1ms"});
    const Finished finished = RunBinary(words);
    EXPECT_EQ(finished.code, 124) << words[0] << finished.err;
    EXPECT_EQ(finished.out, "") << words[0];
    EXPECT_THAT(finished.err, MatchesRegex(kLine)) << words[0];
    EXPECT_EQ(dir.Entries(), 0U) << words[0];
  }
}

TEST(TimeoutOfCommands, IsADurationAboveZero) {
  for (const char* text : {"soon", "0s", "-1s", ""}) {
    const Finished finished = RunBinary({"doctor", "--capture", kCapture, "--timeout", text});
    EXPECT_EQ(finished.code, 2) << text;
    EXPECT_THAT(finished.err, testing::HasSubstr("expected a duration such as 30s or 2m")) << text;
  }
  EXPECT_EQ(RunBinary({"doctor", "--capture", kCapture, "--timeout", "100y"}).code, 0);
}

TEST(TimeoutOfCommands, EndsTheWaitForInputThatNeverComes) {
  const TempDir dir;
  const std::string pipe = dir / "input";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const int fd = open(pipe.c_str(), O_RDWR);  // a writer that says nothing
  const pid_t child = Start({SCHEDLENS_BINARY, "report", "-", "--timeout", "50ms"}, pipe,
                            dir / "out", dir / "err", {"SCHEDLENS_CONFIG=/dev/null"});
  const Finished finished = Wait(child, dir / "out", dir / "err");
  close(fd);
  EXPECT_EQ(finished.code, 124);
  EXPECT_THAT(finished.err, MatchesRegex(kLine));
}

/// More attempts than any machine plays in the time of a test.
const char* const kEndless =
    "name: endless\nduration: 2h\ncluster: {nodes: [{count: 2000}]}\nworkload: {rate: 2500}\n";

TEST(TimeoutOfCommands, SignalsEndALongSimulation) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const TempDir dir, written;
    const std::string scenario = dir.Write("endless.yaml", kEndless);
    const pid_t child = Start({SCHEDLENS_BINARY, "simulate", scenario, "-o", written / "metrics.om",
                               "--max-memory", "64Gi"},
                              "", dir / "out", dir / "err", {"SCHEDLENS_CONFIG=/dev/null"});
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    EXPECT_EQ(waitpid(child, nullptr, WNOHANG), 0) << "it still computes: " << ReadAll(dir / "err");
    Finished finished;
    const double seconds = SecondsOf([&] {
      kill(child, signal);
      finished = Wait(child, dir / "out", dir / "err");
    });
    EXPECT_EQ(finished.code, 130);
    EXPECT_THAT(finished.err, testing::EndsWith("schedlens: interrupted\n"));
    EXPECT_EQ(written.Entries(), 0U);
    EXPECT_LT(seconds, 5) << "0.2 on a quiet machine";
  }
}

TEST(TimeoutOfCommands, CountsThatNoDoubleTellsApartTakeNoTime) {
  for (Words words : {Words{"diagnose", "--no-cross-check"}, Words{"diagnose"}, Words{"doctor"}}) {
    words.insert(words.end(), {"--capture", kHugeCounts, "--timeout", "60s"});
    Finished finished;
    EXPECT_LT(SecondsOf([&] { finished = RunBinary(words); }), 20) << words.back();
    EXPECT_NE(finished.code, 124) << finished.err;
  }
}

}  // namespace
}  // namespace schedlens
