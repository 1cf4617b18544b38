#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "promql/alert_expression.h"
#include "schedlens/error.h"

namespace schedlens::promql {
namespace {

using ::testing::ElementsAre;

TEST(AlternativesTest, AnExpressionWithoutAChoiceStaysAsItIs) {
  for (const char* expr : {"scheduler_a>1", "scheduler_a > 1 or vector(0)",
                           "up == 0 or scheduler_a", "scheduler_a  and scheduler_b"}) {
    EXPECT_THAT(Alternatives(expr), ElementsAre(expr));
  }
}

TEST(AlternativesTest, EachSideOfAChoiceStandsAlone) {
  EXPECT_THAT(Alternatives("scheduler_a > 1 or scheduler_b > 2"),
              ElementsAre("scheduler_a > 1", "scheduler_b > 2"));
  EXPECT_THAT(Alternatives("histogram_quantile(0.9, sum by (le) (rate(scheduler_a_bucket[5m])) or "
                           "sum by (le) (rate(scheduler_b_bucket[5m]))) > 1"),
              ElementsAre("histogram_quantile(0.9, sum by (le) (rate(scheduler_a_bucket[5m]))) > 1",
                          "histogram_quantile(0.9, sum by (le) (rate(scheduler_b_bucket[5m]))) > "
                          "1"));
  EXPECT_THAT(Alternatives("scheduler_a or scheduler_b or scheduler_c"),
              ElementsAre("scheduler_a", "scheduler_b", "scheduler_c"));
}

TEST(AlternativesTest, WhatDoesNotParseIsRefused) { EXPECT_THROW(Alternatives("a or"), Error); }

}  // namespace
}  // namespace schedlens::promql
