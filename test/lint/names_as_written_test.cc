#include <gmock/gmock.h>

#include "lint/lint.h"
#include "messages/catalog.h"

namespace schedlens {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> Sentences(const std::string& expr) {
  LintOptions options;
  options.release = 30;
  std::vector<std::string> sentences;
  for (const LintFinding& finding : Lint({{"g", "r", true, expr, 1}}, options).findings) {
    sentences.push_back(finding.id + ": " + InEnglish(finding.message));
  }
  return sentences;
}

// The metric is gone and fixed to its successor; the other remarks are on the rule as it was read.
TEST(NamesAsWrittenTest, EveryRemarkIsOnTheRuleAsItStands) {
  const std::vector<std::string> said = Sentences(
      "histogram_quantile(0.99, sum by (le) (scheduler_e2e_scheduling_duration_seconds_bucket)) > "
      "9");
  EXPECT_THAT(said, testing::ElementsAre(
                        HasSubstr("metric-removed: scheduler_e2e_scheduling_duration_seconds"),
                        HasSubstr("missing-rate: scheduler_e2e_scheduling_duration_seconds_bucket"),
                        HasSubstr("mixed-results: scheduler_e2e_scheduling_duration_seconds"),
                        HasSubstr("of scheduler_e2e_scheduling_duration_seconds")));
  EXPECT_THAT(said, Each(Not(HasSubstr("scheduling_attempt"))));
}

TEST(NamesAsWrittenTest, ASlipAndABareNameAreNamedAsTyped) {
  EXPECT_THAT(Sentences("rate(scheduler_pending_pod[5m]) > 1"),
              testing::ElementsAre(HasSubstr("scheduler_pending_pod in"),
                                   HasSubstr("scheduler_pending_pod is a gauge"),
                                   HasSubstr("whether scheduler_pending_pod is to be shown")));
  EXPECT_THAT(
      Sentences("histogram_quantile(0.9, sum by (le) (scheduler_scheduling_algorithm_duration_"
                "seconds))"),
      testing::ElementsAre(HasSubstr("bare-histogram"),
                           HasSubstr("scheduler_scheduling_algorithm_duration_seconds without")));
}

// Both names stand in the rule: either is one that the reader finds there.
TEST(NamesAsWrittenTest, NamesOfTheRuleItselfStay) {
  EXPECT_THAT(Sentences("rate(scheduler_scheduling_attempt_duration_seconds_count[5s]) - "
                        "rate(scheduler_e2e_scheduling_duration_seconds_count[5m])"),
              testing::Contains(HasSubstr(
                  "short-window: scheduler_scheduling_attempt_duration_seconds_count[5s]")));
}

}  // namespace
}  // namespace schedlens
