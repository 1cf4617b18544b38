// Reports in Chinese of everything this repository can diagnose: no English sentence is left.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "cli/run_main.h"
#include "report/english.h"

namespace schedlens {
namespace {

using testing::IsEmpty;

/// Diagnoses once, and renders what was saved in every format that has a language.
void ExpectNoEnglish(const std::string& name, std::vector<std::string> source) {
  source.insert(source.begin(), "diagnose");
  source.insert(source.end(), {"-o", "json"});
  const Ran saved = RunMain(source);
  ASSERT_EQ(saved.code, 0) << name << saved.err;
  const Ran brief = RunMain({"report", "-", "--width", "80", "--lang", "zh"}, saved.out);
  EXPECT_THAT(EnglishRuns(brief.out), IsEmpty()) << name << " on one screen";
  EXPECT_LE(std::count(brief.out.begin(), brief.out.end(), '\n'), 30) << name;
  for (const std::string format : {"text", "markdown", "html"}) {
    const Ran report = RunMain({"report", "-", "--full", "-o", format, "--lang", "zh"}, saved.out);
    ASSERT_EQ(report.code, 0) << name << report.err;
    EXPECT_THAT(EnglishRuns(report.out), IsEmpty()) << name << " as " << format;
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

}  // namespace
}  // namespace schedlens
