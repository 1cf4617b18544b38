#include "lint/checks.h"
#include "lint/linted.h"
#include "promql/parser.h"

namespace schedlens::lint {
namespace {

using test::ExpectLinted;

// Whatever stands for a variable, it comes back as it was written.
TEST(VariablesTest, AreBackWhereTheyWere) {
  for (const char* query :
       {"rate(x{cluster=\"$cluster\", job=~\"${job:regex}\", a='[[b]]'}[$__rate_interval])",
        "rate(x[[[interval]]]) + rate(x[$interval:$step]) + rate(x[${n}m])",
        "sum by ($label, le) (rate(${metric}_bucket[${__interval}] offset $shift))",
        "topk($n, x) > $threshold", "histogram_quantile($q, sum by (le) (rate(x[$__range])))",
        "x{$filters, a=\"b\"} # $comment", "$metric > ${limit} * 2", "clamp_max(x, 3)",
        "rate(x[$__interval]) / rate(x[${__interval}]) / rate(x[[[__interval]]])"}) {
    const PlacedVariables placed = PlaceVariables(query, false);
    EXPECT_NO_THROW(promql::Parse(placed.expr)) << placed.expr;
    EXPECT_EQ(WithVariables(placed.expr, placed), query);
  }
  EXPECT_NO_THROW(promql::Parse(PlaceVariables("clamp_max(x, $most)", true).expr));
}

TEST(VariablesTest, PanelsAreJudgedWithThem) {
  ExpectLinted(
      {
          {"histogram_quantile(0.99, sum by (le, result) (rate("
           "scheduler_scheduling_attempt_duration_seconds_bucket{cluster=\"$cluster\", "
           "job=~\"${job:regex}\"}[$__rate_interval])))",
           {},
           nullptr},
          {"rate(scheduler_e2e_scheduling_duration_seconds_sum{result=\"$result\"}[$interval])",
           {"metric-removed"},
           "rate(scheduler_scheduling_attempt_duration_seconds_sum{result=\"$result\"}"
           "[$interval])"},
          {"sum(rate(scheduler_schedule_attempts_total[$__interval])) by ($by)",
           {"interval-in-rate"},
           "sum(rate(scheduler_schedule_attempts_total[$__rate_interval])) by ($by)"},
          {"sum(increase(scheduler_schedule_attempts_total[$__interval]))", {}, nullptr},
          {"histogram_quantile($q, sum by ($by) "
           "(rate(scheduler_scheduling_algorithm_duration_seconds_bucket[[[range]]]))) > $limit",
           {},
           nullptr},
          {"histogram_quantile(0.9, sum by (le) "
           "(scheduler_scheduling_algorithm_duration_seconds_bucket{instance=~\"$instance\"}))",
           {"missing-rate"},
           "histogram_quantile(0.9, sum by (le) "
           "(rate(scheduler_scheduling_algorithm_duration_seconds_bucket{instance=~\"$instance\"}"
           "[$__rate_interval])))"},
          // Of other languages, and whole only with its variables.
          {"{app=\"x\"} |= \"scheduler\"", {}, nullptr},
          {"$function(scheduler_pending_pods $operator 3", {}, nullptr},
          {"sum(scheduler_pending_pods", {"syntax"}, nullptr},
      },
      true);
}

}  // namespace
}  // namespace schedlens::lint
