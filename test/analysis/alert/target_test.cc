#include "analysis/alert/target.h"

#include <gtest/gtest.h>

namespace schedlens {
namespace {

std::vector<std::string> Of(const std::string& matchers, const Labels& firing = {}) {
  return TargetSelectors(promql::ParseAlertExpression("histogram_quantile(0.99, sum by (le) (rate("
                                                      "scheduler_x_bucket{" +
                                                      matchers + "}[5m]))) > 1"),
                         firing);
}

TEST(AlertTarget, MatchersOfTargetsAreKeptThoseOfMeasurementsAreNot) {
  EXPECT_EQ(Of("job=\"a\", result=\"scheduled\", le!=\"+Inf\""),
            (std::vector<std::string>{"job=\"a\""}));
  EXPECT_EQ(Of("job=~\"a|b\",namespace!=\"x\""),
            (std::vector<std::string>{"job=~\"a|b\",namespace!=\"x\""}));
  EXPECT_TRUE(Of("").empty());
  EXPECT_TRUE(Of("result=\"scheduled\"").empty());
}

TEST(AlertTarget, AFiringNarrowsByItsTarget) {
  const Labels firing({{"alertname", "Slow"}, {"cluster", "a\"b"}, {"job", "s"}});
  EXPECT_EQ(Of("job=\"s\"", firing),
            (std::vector<std::string>{"job=\"s\",cluster=\"a\\\"b\"", "job=\"s\""}));
  EXPECT_EQ(Of("", firing), (std::vector<std::string>{"cluster=\"a\\\"b\",job=\"s\""}));
}

}  // namespace
}  // namespace schedlens
