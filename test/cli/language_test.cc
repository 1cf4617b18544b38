// Reports in Chinese of everything this repository can diagnose: no English sentence is left,
// and the typography is its own.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <sstream>

#include "cli/run_main.h"
#include "report/english.h"
#include "report/typography.h"

namespace schedlens {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

/// Diagnoses once, and renders what was saved in every format that has a language.
void ExpectNoEnglish(const std::string& name, std::vector<std::string> source) {
  source.insert(source.begin(), "diagnose");
  source.insert(source.end(), {"-o", "json"});
  const Ran saved = RunMain(source);
  ASSERT_EQ(saved.code, 0) << name << saved.err;
  const Ran brief = RunMain({"report", "-", "--width", "80", "--lang", "zh"}, saved.out);
  EXPECT_THAT(EnglishRuns(brief.out), IsEmpty()) << name << " on one screen";
  EXPECT_THAT(TypographyFaults(ProseOf(brief.out)), IsEmpty()) << name << " on one screen";
  EXPECT_LE(std::count(brief.out.begin(), brief.out.end(), '\n'), 30) << name;
  for (const std::string format : {"text", "markdown", "html"}) {
    const Ran report = RunMain({"report", "-", "--full", "-o", format, "--lang", "zh"}, saved.out);
    ASSERT_EQ(report.code, 0) << name << report.err;
    EXPECT_THAT(EnglishRuns(report.out), IsEmpty()) << name << " as " << format;
    EXPECT_THAT(TypographyFaults(ProseOf(report.out)), IsEmpty()) << name << " as " << format;
    EXPECT_NE(report.out.find("时间花在哪里"), std::string::npos) << name;
  }
}

TEST(Language, EveryScenarioReadsAsChinese) {
  std::istringstream list(RunMain({"simulate", "--list"}).out);
  int scenarios = 0;
  for (std::string line; std::getline(list, line); ++scenarios) {
    const std::string name = line.substr(0, line.find(' '));
    ExpectNoEnglish(name, {"--scenario", name});
  }
  EXPECT_GE(scenarios, 28);
}

TEST(Language, EveryExampleIncidentReadsAsChinese) {
  const std::string alert =
      "histogram_quantile(0.99, sum(rate(scheduler_e2e_scheduling_duration_seconds_bucket[5m])) "
      "by (le)) > 3";
  int incidents = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(SCHEDLENS_SOURCE_DIR "/examples/incidents")) {
    ++incidents;
    const bool recorded = exists(entry.path() / "metrics.om.gz");
    ExpectNoEnglish(
        entry.path().filename(),
        {recorded ? "--capture" : "--scenario",
         entry.path() / (recorded ? "metrics.om.gz" : "scenario.yaml"), "--alert", alert});
  }
  EXPECT_GE(incidents, 5);
}

/// A command's text in Chinese: no English sentence, and its own typography.
std::string InChinese(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--lang", "zh"});
  const Ran ran = RunMain(arguments);
  EXPECT_EQ(ran.code, 0) << ran.err;
  // YAML and the evidence's queries have their own words.
  const std::string text = std::regex_replace(ran.out.substr(0, ran.out.find("\n# ")),
                                              std::regex("\n +依据：[^\n]*[{(][^\n]*"), "");
  EXPECT_THAT(EnglishRuns(text), IsEmpty()) << text;
  EXPECT_THAT(TypographyFaults(ProseOf(text)), IsEmpty()) << text;
  return text;
}

constexpr const char* kExtender =
    SCHEDLENS_SOURCE_DIR "/examples/incidents/extender-bind-slow/metrics.om.gz";
constexpr const char* kE2e = "scheduler_e2e_scheduling_duration_seconds";
constexpr const char* kAlgorithm = "scheduler_scheduling_algorithm_duration_seconds";

TEST(Language, Quantile) {
  const std::string alert =
      std::string("histogram_quantile(0.99, sum by (le) (rate(") + kE2e + "_bucket[5m]))) > 3";
  const std::string text =
      InChinese({"quantile", alert, "--capture", kExtender, "--all-semantics"});
  EXPECT_THAT(text, HasSubstr("真实值位于"));
  EXPECT_THAT(text, HasSubstr("> 3s"));
}

TEST(Language, Compare) {
  const std::string text = InChinese({"compare", kAlgorithm, kE2e, "--capture", kExtender});
  EXPECT_THAT(text, HasSubstr("结论："));
}

TEST(Language, Explain) {
  EXPECT_THAT(RunMain({"explain", "--lang", "zh"}).out, HasSubstr("用语："));
  std::istringstream words(RunMain({"explain"}).out);
  bool metrics = false;
  for (std::string line; std::getline(words, line);) {
    if (!line.starts_with("  ")) metrics = line == "metrics:";
    // What a metric counts is told in English.
    if (line.starts_with("  ") && !metrics)
      InChinese({"explain", line.substr(2, line.find(" ", 2) - 2)});
  }
}

TEST(Language, WhatIf) {
  InChinese({"whatif", "--capture", kExtender, "--set", "bind.extender=0", "--seeds", "1"});
  InChinese({"whatif", "--capture", kExtender, "--headroom", "rate", "--target", "p99=20s",
             "--seeds", "1"});
}

TEST(Language, Lint) {
  const std::string text =
      InChinese({"lint", "--fail-on", "never", "--expr",
                 "histogram_quantile(0.99, "
                 "rate(scheduler_e2e_scheduling_duration_seconds_bucket[1m])) > 30"});
  EXPECT_THAT(text, HasSubstr("已检查 1 条规则，"));
}

TEST(Language, Doctor) {
  const std::string text = InChinese({"doctor", "--capture", kExtender});
  EXPECT_THAT(text, HasSubstr("正常"));
  EXPECT_THAT(text, HasSubstr("可以工作"));
}

}  // namespace
}  // namespace schedlens
