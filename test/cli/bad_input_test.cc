// What people really give: every kind of bad input meets the real binary. One clear line, the right
// exit code, nothing half-written, no crash.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>

#include "cli/process.h"

namespace schedlens {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const char* const kHealthy = SCHEDLENS_SOURCE_DIR "/examples/incidents/healthy/metrics.om.gz";

/// The commands that read a capture, with what else they need.
const std::vector<std::vector<std::string>>& Readers() {
  static const std::vector<std::vector<std::string>> all = {
      {"diagnose"},
      {"query", "up", "--at", "1795223400"},
      {"quantile", "scheduler_e2e_scheduling_duration_seconds"},
      {"compare", "scheduler_scheduling_algorithm_duration_seconds",
       "scheduler_e2e_scheduling_duration_seconds"},
      {"whatif", "--set", "bind.extender=0"},
  };
  return all;
}

void ExpectOneLine(const Finished& finished, int code, const std::string& words) {
  EXPECT_EQ(finished.signal, 0);
  EXPECT_EQ(finished.code, code) << finished.err;
  EXPECT_EQ(finished.out, "");
  EXPECT_THAT(finished.err, StartsWith("schedlens: "));
  EXPECT_THAT(finished.err, HasSubstr(words));
  EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
}

/// Runs every reader on the file; each must fail with 1 and these words, and export nothing.
void ExpectUnreadable(const std::string& file, const std::string& words,
                      const std::string& in = "") {
  for (std::vector<std::string> command : Readers()) {
    const TempDir exports;
    command.insert(command.end(), {"--capture", file});
    if (command.front() == "diagnose") {
      command.insert(command.end(), {"--export-json", exports / "d.json"});
    }
    SCOPED_TRACE(command.front());
    ExpectOneLine(RunBinary(command, in), 1, words);
    EXPECT_EQ(exports.Entries(), 0U);
  }
}

std::string Unzipped(const std::string& path) {
  std::string text;
  gzFile in = gzopen(path.c_str(), "rb");
  std::vector<char> block(1 << 20);
  for (int n; (n = gzread(in, block.data(), static_cast<unsigned>(block.size()))) > 0;) {
    text.append(block.data(), static_cast<std::size_t>(n));
  }
  gzclose(in);
  return text;
}

/// The healthy recording with every line changed, or dropped when nothing is left of it.
std::string Changed(const std::function<std::string(std::string)>& change) {
  std::istringstream in(Unzipped(kHealthy));
  std::string text;
  for (std::string line; std::getline(in, line);) {
    const std::string changed = change(line);
    if (!changed.empty()) text += changed + "\n";
  }
  return text;
}

/// Whether the output holds the words (which is long: only its head is printed on failure).
testing::AssertionResult Says(const Finished& finished, const std::string& words) {
  if (finished.out.find(words) != std::string::npos) return testing::AssertionSuccess() << words;
  return testing::AssertionFailure() << words << " is not in: " << finished.out.substr(0, 300);
}

Finished Diagnose(const std::string& file) {
  return RunBinary({"diagnose", "--capture", file, "-o", "json"});
}

TEST(BadInput, AMissingFile) { ExpectUnreadable("/nonexistent/m.om", "/nonexistent/m.om"); }

TEST(BadInput, AnEmptyFile) {
  const TempDir dir;
  ExpectUnreadable(dir.Write("empty.om", ""), "empty");
}

TEST(BadInput, EmptyStandardInput) { ExpectUnreadable("-", "empty"); }

TEST(BadInput, ADirectory) {
  const TempDir dir;
  ExpectUnreadable(dir.path(), "irectory");
}

TEST(BadInput, ATruncatedGzip) {
  const TempDir dir;
  const std::string whole = ReadAll(kHealthy);
  ExpectUnreadable(dir.Write("cut.gz", whole.substr(0, whole.size() / 2)), "truncated");
}

TEST(BadInput, BinaryJunk) {
  const TempDir dir;
  std::string junk;
  for (unsigned i = 0; i < 100000; ++i) junk += static_cast<char>((i * 2654435761U) >> 13);
  ExpectUnreadable(dir.Write("junk", junk), "line 1");
}

TEST(BadInput, OneMalformedLineGivesLineAndColumn) {
  const TempDir dir;
  const std::string file = dir.Write("m.om", "# TYPE up gauge\nup{job=\"a} 1 1\n# EOF\n");
  ExpectUnreadable(file, "line 2");
}

TEST(BadInput, TenMegabytesOnOneLine) {
  const TempDir dir;
  ExpectUnreadable(dir.Write("long.om", "up{job=\"" + std::string(10 << 20, 'a')), "line 1");
  // A label value of that size is no error where it ends.
  const std::string fine = "up{job=\"" + std::string(10 << 20, 'a') + "\"} 1 1\n# EOF\n";
  EXPECT_EQ(RunBinary({"diagnose", "--capture", dir.Write("value.om", fine)}).code, 5);
}

TEST(BadInput, ACaptureWithoutSchedulerMetrics) {
  const TempDir dir;
  const std::string file =
      dir.Write("other.om", "# TYPE up gauge\nup{job=\"x\"} 1 1000\nup{job=\"x\"} 1 1005\n# EOF\n");
  const Finished finished = Diagnose(file);
  EXPECT_EQ(finished.code, 5);
  EXPECT_TRUE(Says(finished, "\"verdict\": \"insufficient-data\""));
}

TEST(BadInput, AWindowOutsideTheData) {
  const Finished finished =
      RunBinary({"diagnose", "--capture", kHealthy, "--start", "2020-01-01T00:00:00Z", "--end",
                 "2020-01-01T01:00:00Z", "-o", "json"});
  EXPECT_EQ(finished.code, 5) << finished.err;
  EXPECT_TRUE(Says(finished, "\"verdict\": \"insufficient-data\""));
}

TEST(BadInput, TimestampsGoingBackwardsAreReadAndSaid) {
  const TempDir dir;
  std::istringstream in(Unzipped(kHealthy));
  std::string text, held;
  // Each pair of samples of one series swapped.
  for (std::string line; std::getline(in, line);) {
    const bool sample = line.front() != '#';
    if (!sample && !held.empty()) text += held + "\n";
    if (!sample) held.clear();
    if (sample && held.empty() && line.rfind("scheduler_e2e", 0) == 0) {
      held = line;
      continue;
    }
    text += line + "\n";
    if (!held.empty()) text += held + "\n";
    held.clear();
  }
  const Finished finished = Diagnose(dir.Write("backwards.om", text));
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_TRUE(Says(finished, "\"verdict\": \"no-incident\""));
  EXPECT_TRUE(Says(finished, "backwards"));
}

/// The line with its value replaced.
std::string WithValue(const std::string& line, const std::string& value) {
  const std::size_t time = line.rfind(' ');
  const std::size_t old = line.rfind(' ', time - 1);
  return line.substr(0, old + 1) + value + line.substr(time);
}

TEST(BadInput, DuplicateSamplesAreDroppedAndSaid) {
  const TempDir dir;
  const std::string text = Changed([](const std::string& line) {
    return line.rfind("scheduler_e2e", 0) == 0 ? line + "\n" + WithValue(line, "7") : line;
  });
  const Finished finished = Diagnose(dir.Write("twice.om", text));
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_TRUE(Says(finished, "\"verdict\": \"no-incident\""));
  EXPECT_TRUE(Says(finished, "repeat a timestamp of their series with another value"));
}

TEST(BadInput, NotANumberAndInfinityNeitherCrashNorBecomeANumber) {
  const TempDir dir;
  for (const char* value : {"NaN", "+Inf"}) {
    const std::string text = Changed([&](const std::string& line) {
      return line.rfind("scheduler_e2e_scheduling_duration_seconds_sum", 0) == 0
                 ? WithValue(line, value)
                 : line;
    });
    const Finished finished = Diagnose(dir.Write("odd.om", text));
    EXPECT_EQ(finished.signal, 0);
    EXPECT_THAT(finished.code, testing::AnyOf(0, 5)) << finished.err;
    for (const char* word : {": nan", ": NaN", ": inf", ": Infinity", ": -inf"}) {
      EXPECT_FALSE(Says(finished, word)) << word;
    }
  }
}

TEST(BadInput, LeMissingOrNoNumberIsSaid) {
  const TempDir dir;
  const std::string text = Changed([](std::string line) {
    const std::size_t at = line.find("le=\"0.512\"");
    if (line.rfind("scheduler_e2e", 0) == 0 && at != std::string::npos) {
      line.replace(at, 10, "le=\"half\"");
    }
    return line;
  });
  const Finished finished = Diagnose(dir.Write("le.om", text));
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_TRUE(Says(finished, "half"));
}

TEST(BadInput, ACounterResetInsideTheWindowIsSaid) {
  const TempDir dir;
  // From the middle on every counter of the process starts anew.
  const std::string text = Changed([](const std::string& line) {
    if (line.front() == '#') return line;
    const std::size_t time = line.rfind(' ');
    const std::size_t old = line.rfind(' ', time - 1);
    if (std::stod(line.substr(time + 1)) < 1795223500) return line;
    const double value = std::strtod(line.c_str() + old + 1, nullptr);
    return line.rfind("process_start_time_seconds", 0) == 0
               ? WithValue(line, "1795223498")
               : WithValue(line, std::to_string(value / 2));
  });
  const Finished finished = Diagnose(dir.Write("reset.om", text));
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_TRUE(Says(finished, "restarted at 2026-11-21T01:11:38Z"));
}

TEST(BadInput, CommandLines) {
  struct Row {
    std::vector<std::string> arguments;
    const char* words;
  };
  const Row rows[] = {
      {{"diagnose", "--capture", kHealthy, "--strat", "5"}, "did you mean --start?"},
      {{"diagnos"}, "did you mean diagnose?"},
      {{"diagnose"}, "--capture"},
      {{"diagnose", "--capture", kHealthy, "--start", "yesterday"}, "yesterday"},
      {{"diagnose", "--capture", kHealthy, "--end", "1795223500"}, "--start"},
      {{"diagnose", "--capture", kHealthy, "--alert", "rate(x[$__rate_interval]) > 1"},
       "$__rate_interval"},
      {{"diagnose", "--capture", kHealthy, "--start", "9", "--end", "8"}, "not before"},
      {{"diagnose", "--capture", kHealthy, "--window", "5"}, "--window 5"},
      {{"diagnose", "--capture", kHealthy, "--semantics", "1.8"}, "1.8"},
      {{"diagnose", "--capture", kHealthy, "--alert", "sum("}, "sum("},
      {{"diagnose", "--capture", kHealthy, "--queries", "/nonexistent"}, "/nonexistent"},
      {{"diagnose", "--capture", kHealthy, "-o", "pdf"}, "pdf"},
      {{"diagnose", "--capture", kHealthy, "--prometheus", "http://x"}, "excludes"},
      {{"report"}, "saved diagnosis"},
      {{"query", "sum(", "--capture", kHealthy}, "sum("},
      {{"query", "--capture", kHealthy}, "query needs EXPR"},
      {{"whatif", "--capture", kHealthy}, "required"},
      {{"whatif", "--set", "bind.extendr=0", "--capture", kHealthy}, "bind.extender"},
      {{"whatif", "--headroom", "rate", "--capture", kHealthy}, "--target p99=1s"},
      {{"whatif", "--headroom", "pods", "--capture", kHealthy}, "rate"},
      {{"whatif", "--headroom", "rate", "--target", "1s", "--capture", kHealthy}, "like p99=1s"},
      {{"whatif", "--set", "qps=9", "--target", "p99=1s", "--capture", kHealthy}, "--headroom"},
      {{"whatif", "--set", "nodes=0", "--capture", kHealthy}, "1 to 100000 nodes"},
      {{"whatif", "--set", "client.qps=much", "--capture", kHealthy}, "no number"},
      {{"whatif", "--set", "rate=1e300", "--capture", kHealthy}, "pods a second"},
      {{"whatif", "--set", "rate=9999", "--capture", kHealthy}, "attempts would be replayed"},
      {{"whatif", "--set", "nodes=5", "--seeds", "0", "--capture", kHealthy}, "--seeds"},
      {{"whatif", "--set", "config=" + std::string(kHealthy), "--capture", kHealthy}, "healthy"},
      {{"simulate", "bind.extendr"}, "bind.extender"},
      {{"diagnose", "--capture", kHealthy, "--export-json", "a", "--export-json", "b"},
       "--export-json is given more than once"},
      {{"lint", "x.yaml", "--mended", "-"}, "it writes a file"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(testing::PrintToString(row.arguments));
    ExpectOneLine(RunBinary(row.arguments), 2, row.words);
  }
}

TEST(BadInput, AReportThatCannotBeWritten) {
  const Finished finished =
      RunBinary({"diagnose", "--capture", kHealthy, "--export-json", "/nonexistent/d.json"});
  EXPECT_EQ(finished.code, 1);
  EXPECT_THAT(finished.err, HasSubstr("/nonexistent/d.json"));
  EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
}

TEST(BadInput, AFullDisk) {
  const TempDir dir;
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"explain"},
        {"diagnose", "--capture", kHealthy, "-o", "json"},
        {"capture", "--capture", kHealthy, "--out", "-"}}) {
    SCOPED_TRACE(testing::PrintToString(arguments));
    std::vector<std::string> command = arguments;
    command.insert(command.begin(), SCHEDLENS_BINARY);
    const pid_t child =
        Start(command, "", "/dev/full", dir / "err", {"SCHEDLENS_CONFIG=/dev/null"});
    const Finished finished = Wait(child, "/dev/null", dir / "err");
    EXPECT_EQ(finished.code, 1);
    EXPECT_EQ(finished.err, "schedlens: cannot write to standard output\n");
  }
}

TEST(BadInput, ASavedDiagnosisThatIsNone) {
  const TempDir dir;
  for (const char* text : {"", "{", "[]", "{\"schema\":\"other/1\"}", "\xff\xfe"}) {
    SCOPED_TRACE(text);
    const Finished finished = RunBinary({"report", dir.Write("d.json", text)});
    ExpectOneLine(finished, 1, "d.json");
  }
}

TEST(BadInput, AMomentOutsideOfTheDataIsNotAnsweredByAnother) {
  ExpectOneLine(RunBinary({"diagnose", "--capture", kHealthy, "--at", "2020-01-01T00:00:00Z"}), 5,
                "--at 2020-01-01T00:00:00Z lies outside the data, which spans ");
}

TEST(BadInput, WhatIsNestedDeeplyIsRefused) {
  const TempDir dir;
  const std::string lists = dir.Write("lists.json", std::string(58000, '['));
  std::string objects;
  for (int i = 0; i < 58000; ++i) objects += "{\"items\":";
  const std::string file = dir.Write("objects.json", objects + "1" + std::string(58000, '}'));
  for (const std::string& deep : {lists, file}) {
    ExpectOneLine(RunBinary({"report", deep}), 1, "nested too deeply");
    ExpectOneLine(RunBinary({"simulate", "healthy", "--nodes", deep}), 1, "nested too deeply");
    ExpectOneLine(RunBinary({"diagnose", "--capture", kHealthy, "--webhook", deep}), 1, deep);
    EXPECT_NE(RunBinary({"lint", deep}).code, -1);
    EXPECT_NE(RunBinary({"--show-config"}, "", {"SCHEDLENS_CONFIG=" + deep}).code, -1);
  }
  std::string sum = "a";
  for (int i = 0; i < 20000; ++i) sum += "+b";
  ExpectOneLine(RunBinary({"query", sum, "--capture", kHealthy}), 2, "more than 2000 operators");
}

}  // namespace
}  // namespace schedlens
