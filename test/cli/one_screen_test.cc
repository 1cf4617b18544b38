// The default text of everything that this repository can diagnose, by the real binary at 80
// columns: one screen of 30 lines, none wider than the terminal.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "cli/process.h"
#include "report/format.h"

namespace schedlens {
namespace {

constexpr int kColumns = 80;
constexpr std::size_t kLines = 30;

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// A command, a query or a name in backquotes that fits on no line stays whole, on a line of its
/// own with the mark that ends its sentence, or behind its name.
bool IsWholeCommand(const std::string& line) {
  const std::size_t open = line.find('`');
  if (open == std::string::npos || DisplayWidth(line.substr(0, open)) > 10) return false;
  const std::size_t close = line.find('`', open + 1);
  return close != std::string::npos && DisplayWidth(line.substr(close + 1)) <= 2;
}

std::string TooMuchIn(const std::string& text) {
  const std::vector<std::string> lines = Lines(text);
  std::string wrong;
  if (lines.size() > kLines) wrong = std::to_string(lines.size()) + " lines\n";
  for (const std::string& line : lines) {
    if (DisplayWidth(line) > kColumns && !IsWholeCommand(line)) {
      wrong += std::to_string(DisplayWidth(line)) + " columns: " + line + "\n";
    }
  }
  return wrong;
}

const std::vector<std::string> kTerminal = {"COLUMNS=80", "LC_ALL=C.UTF-8", "NO_COLOR=1"};

void ExpectOneScreen(const Finished& ran, const std::string& what) {
  EXPECT_EQ(ran.code, 0) << what << ran.err;
  EXPECT_GE(Lines(ran.out).size(), 10u) << what << ran.err << ran.out;
  EXPECT_EQ(TooMuchIn(ran.out), "") << what;
  // Whatever has a cause says what to do about it, right after the verdict.
  const bool quiet = ran.out.starts_with("No incident") || ran.out.starts_with("没有故障");
  if (quiet || ran.out.find("\n1. ") == std::string::npos) return;
  const std::string second = ran.out.substr(std::min(ran.out.find("\n\n"), ran.out.size()));
  EXPECT_TRUE(second.starts_with("\n\nDo now    ") || second.starts_with("\n\n现在      "))
      << what << ran.out;
}

TEST(OneScreen, TheMeasureCountsLinesAndColumns) {
  const std::string wide = std::string(kColumns, 'x');
  EXPECT_EQ(TooMuchIn(wide + "\n"), "");
  EXPECT_NE(TooMuchIn(wide + "x\n"), "");
  std::string chinese;
  for (int i = 0; i < kColumns / 2; ++i) chinese += "诊";
  EXPECT_EQ(TooMuchIn(chinese), "");
  EXPECT_EQ(TooMuchIn(chinese + "。"), "82 columns: " + chinese + "。\n");
  EXPECT_EQ(TooMuchIn("   `" + wide + "`.\n"), "");
  EXPECT_NE(TooMuchIn("First of all `" + wide + "`.\n"), "");
  std::string long_text;
  for (std::size_t i = 0; i <= kLines; ++i) long_text += "\n";
  EXPECT_EQ(TooMuchIn(long_text), "31 lines\n");
}

TEST(OneScreen, EveryScenario) {
  int scenarios = 0;
  for (const std::string& line : Lines(RunBinary({"simulate", "--list"}).out)) {
    const std::string name = line.substr(0, line.find(' '));
    ++scenarios;
    for (const char* lang : {"en", "zh"}) {
      ExpectOneScreen(RunBinary({"diagnose", "--scenario", name, "--lang", lang}, "", kTerminal),
                      name + " " + lang);
    }
  }
  EXPECT_GE(scenarios, 28);
}

/// As their own commands diagnose them, and without any option.
TEST(OneScreen, EveryExampleIncident) {
  int commands = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(SCHEDLENS_SOURCE_DIR "/examples/incidents")) {
    const std::string folder = entry.path();
    std::vector<std::string> lines = Lines(ReadAll(folder + "/command.txt"));
    std::erase_if(lines, [](const auto& line) { return !line.starts_with("schedlens diagnose "); });
    ASSERT_FALSE(lines.empty()) << folder;
    const bool recorded = exists(entry.path() / "metrics.om.gz");
    lines.push_back(recorded ? "schedlens diagnose --capture metrics.om.gz"
                             : "schedlens diagnose --scenario scenario.yaml");
    for (const std::string& line : lines) {
      ++commands;
      for (const char* lang : {"en", "zh"}) {
        std::vector<std::string> environment = kTerminal;
        environment.insert(environment.end(),
                           {"SCHEDLENS_URL=", "PROMETHEUS_URL=", "SCHEDLENS_CONFIG=/dev/null"});
        ExpectOneScreen(RunProgram({"bash", "-c",
                                    "cd '" + folder + "'; schedlens() { '" + SCHEDLENS_BINARY +
                                        "' \"$@\"; }; " + line + " --lang " + lang},
                                   "", environment),
                        line + " " + lang);
      }
    }
  }
  EXPECT_GE(commands, 10);
}

}  // namespace
}  // namespace schedlens
