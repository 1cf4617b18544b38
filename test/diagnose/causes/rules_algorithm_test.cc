#include <gtest/gtest.h>

#include "diagnose/causes/findings.h"
#include "diagnose/incident.h"

namespace schedlens {
namespace {

using test::Attempt;

std::optional<CauseCandidate> JudgeRule(const WindowEvidence& c, std::string_view id) {
  for (const CauseRule& rule : Rules()) {
    if (rule.id == id) return rule.judge(c);
  }
  ADD_FAILURE() << "no rule " << id;
  return std::nullopt;
}

TEST(AlgorithmRulesTest, WaitingIsProvenByMoreTimeThanTheProcessComputed) {
  const auto judge = [](double cpu) {
    test::Recorder r;
    test::RecordIncident(
        &r, [](int i) { return i % 10 ? test::Quick(i) : Attempt{.unmeasured = 1}; }, 50,
        [&](test::Recorder& rec) { rec.Add("process_cpu_seconds_total", {}, cpu); });
    return JudgeRule(test::Judge(r).c, "algorithm.extender");
  };
  EXPECT_FALSE(judge(0.1)->tie);
  EXPECT_TRUE(judge(20)->tie) << "the processor could have taken it";
}

TEST(AlgorithmRulesTest, MoreFailedAttemptsDoNotMakeFilterASuspect) {
  const auto r = test::Judge(
      [](int i) { return i % 4 ? Attempt{.result = "unschedulable"} : test::Quick(i); });
  const auto filter = JudgeRule(r.c, "algorithm.filter");
  EXPECT_TRUE(!filter || filter->growth < 0.05 * r.c.Growth(kube::Stage::kFilter));
}

TEST(AlgorithmRulesTest, WithoutTheExtensionPointsNoDifferenceAccusesAnExtender) {
  test::Recorder r;
  test::RecordIncident(&r, [](int i) { return i % 10 ? test::Quick(i) : Attempt{.filter = 2}; });
  std::vector<Series> kept = r.series();
  std::erase_if(kept, [](const Series& series) {
    return series.labels.Get("__name__").find("extension_point") != std::string_view::npos;
  });
  test::SelectorSource source(std::move(kept));
  const Facts facts = Collect(source, QuerySet::Embedded(), "", {-1, test::kIncident.end});
  const Histograms histograms = GroupAll(facts);
  const WindowEvidence c =
      MakeWindowEvidence(facts, histograms, Measure(facts, histograms, test::kIncident),
                         Measure(facts, histograms, test::kQuiet), std::nullopt);
  EXPECT_GT(c.Growth(kube::Stage::kAlgorithm), 100);
  EXPECT_FALSE(JudgeRule(c, "algorithm.extender"));
}

}  // namespace
}  // namespace schedlens
