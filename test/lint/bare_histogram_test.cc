#include <gmock/gmock.h>

#include "lint/linted.h"
#include "messages/catalog.h"

namespace schedlens {
namespace {

using test::ExpectLinted;
using test::IdsOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kQuantileOfBare[] =
    "histogram_quantile(0.99, rate(scheduler_scheduling_attempt_duration_seconds[5m])) > 1.024";

TEST(BareHistogramTest, IsFixedWhereOneSeriesIsMeant) {
  ExpectLinted({
      {"histogram_quantile(0.99, sum by (le, result) "
       "(rate(scheduler_scheduling_attempt_duration_seconds{job=\"s\"}[5m])))",
       {"bare-histogram"},
       "histogram_quantile(0.99, sum by (le, result) "
       "(rate(scheduler_scheduling_attempt_duration_seconds_bucket{job=\"s\"}[5m])))"},
      {"rate(scheduler_scheduling_algorithm_duration_seconds_sum[5m]) / "
       "rate(scheduler_scheduling_algorithm_duration_seconds[5m])",
       {"bare-histogram"},
       "rate(scheduler_scheduling_algorithm_duration_seconds_sum[5m]) / "
       "rate(scheduler_scheduling_algorithm_duration_seconds_count[5m])"},
      // The buckets are then judged as such: taken without a rate.
      {"histogram_quantile(0.99, sum by (le) (scheduler_scheduling_algorithm_duration_seconds))",
       {"bare-histogram", "missing-rate"},
       "histogram_quantile(0.99, sum by (le) "
       "(rate(scheduler_scheduling_algorithm_duration_seconds_bucket[5m])))"},
      {"scheduler_scheduling_attempt_duration_seconds > 1", {"bare-histogram"}, nullptr},
      {"scheduler_scheduling_attempt_duration_seconds{quantile=\"0.99\"} > 1",
       {"bare-histogram"},
       nullptr},
      {"sum(rate(scheduler_scheduling_attempt_duration_seconds[5m])) > 5",
       {"bare-histogram"},
       nullptr},
      {"absent(scheduler_scheduling_attempt_duration_seconds)", {"bare-histogram"}, nullptr},
      // The successor's bare name finds nothing either.
      {"scheduler_e2e_scheduling_duration_seconds{quantile=\"0.99\"} > 1",
       {"bare-histogram", "metric-removed"},
       nullptr},
      {"histogram_quantile(0.99, rate(scheduler_e2e_scheduling_duration_seconds[5m])) > 1.024",
       {"native-histogram", "metric-removed"},
       "histogram_quantile(0.99, rate(scheduler_scheduling_attempt_duration_seconds[5m])) > 1.024"},
      // Once an expression.
      {"scheduler_pod_scheduling_attempts > 1 or scheduler_pod_scheduling_attempts < 0",
       {"bare-histogram"},
       nullptr},
      // A summary has series of its name, and other metrics are none of ours.
      {"scheduler_scheduling_duration_seconds > 1", {"metric-may-be-gone"}, nullptr, std::nullopt},
      {"http_request_duration_seconds > 1", {}, nullptr},
  });
}

TEST(BareHistogramTest, IsRightWhereItIsReadAsANativeOne) {
  ExpectLinted({
      {kQuantileOfBare, {"native-histogram"}, nullptr},
      {"histogram_avg(sum(rate(scheduler_scheduling_attempt_duration_seconds[5m]))) > 1",
       {"native-histogram"},
       nullptr},
      {"histogram_fraction(0, 1, rate(scheduler_scheduling_algorithm_duration_seconds[5m])) < 0.9",
       {"native-histogram"},
       nullptr},
      // One rule for servers of both kinds.
      {"histogram_quantile(0.99, rate(scheduler_scheduling_algorithm_duration_seconds[5m])) or "
       "histogram_quantile(0.99, rate(scheduler_scheduling_algorithm_duration_seconds_bucket[5m]))",
       {},
       nullptr},
  });
}

// A heatmap, or a rule that records a histogram for others to read.
TEST(BareHistogramTest, MayBeKeptForOthers) {
  ExpectLinted({{"sum by (job) (rate(scheduler_scheduling_algorithm_duration_seconds[5m]))",
                 {"native-histogram"},
                 nullptr},
                {"scheduler_scheduling_algorithm_duration_seconds", {"bare-histogram"}, nullptr}},
               true);
}

TEST(BareHistogramTest, IsNoNewsWhereTheServerKeepsIt) {
  LintOptions options;
  options.release = 30;
  options.native = {"scheduler_scheduling_attempt_duration_seconds"};
  EXPECT_THAT(IdsOf(Lint({{"g", "r", true, kQuantileOfBare, 1}}, options)), IsEmpty());
}

TEST(BareHistogramTest, SaysWhatToWrite) {
  const LintReport report = Lint(
      {{"g", "r", true, "scheduler_scheduling_algorithm_duration_seconds{quantile=\"0.99\"} > 1"}},
      {});
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(InEnglish(report.findings[0].fix),
            "histogram_quantile(0.99, sum by (le) "
            "(rate(scheduler_scheduling_algorithm_duration_seconds_bucket[5m])))");
  const LintReport unclear =
      Lint({{"g", "r", true, "scheduler_scheduling_algorithm_duration_seconds > 1"}}, {});
  ASSERT_EQ(unclear.findings.size(), 1u);
  EXPECT_THAT(InEnglish(unclear.findings[0].fix),
              HasSubstr("scheduler_scheduling_algorithm_duration_seconds_count for how many"));
}

}  // namespace
}  // namespace schedlens
