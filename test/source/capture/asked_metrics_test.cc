#include <gtest/gtest.h>

#include "source/capture/recording.h"

namespace schedlens {
namespace {

TEST(AskedMetrics, WantsWhatSomeSelectorAccepts) {
  const AskedMetrics asked({"sum(rate(a_total{job=\"x\"}[5m])) / b",
                            "{__name__=~\"c_(sum|count)\"}", "{__name__=~\"d|(?i)E\"}",
                            "{__name__=~\"f.+\",__name__!=\"f2\"}"});
  for (const char* name : {"a_total", "b", "c_sum", "c_count", "d", "e", "E", "f1"}) {
    EXPECT_TRUE(asked.Wants(name)) << name;
  }
  for (const char* name : {"", "a", "x", "D", "c_bucket", "cc_sum", "f2", "f"}) {
    EXPECT_FALSE(asked.Wants(name)) << name;
  }
}

TEST(AskedMetrics, ASelectorWithoutNameWantsEverything) {
  EXPECT_TRUE(AskedMetrics({"a", "count({job=\"x\"})"}).Wants("z"));
}

TEST(AskedMetrics, WhatDoesNotParseOrSelectsNothingWantsNothing) {
  const AskedMetrics asked({"sum(", "1 + time()"});
  EXPECT_FALSE(asked.Wants("a"));
  EXPECT_TRUE(asked.IsWithin(AskedMetrics({})));
}

TEST(AskedMetrics, IsWithinWhatSaysTheSameOfTheName) {
  const AskedMetrics all({"a", "b", "{__name__=~\"c.+\"}"});
  EXPECT_TRUE(AskedMetrics({"rate(a{x=\"1\"}[1m]) + {__name__=~\"c.+\",y=\"2\"}"}).IsWithin(all));
  EXPECT_TRUE(AskedMetrics({"{__name__=~\"a|b\"}"}).IsWithin(all));
  for (const char* other :
       {"a + z", "{__name__=~\"a+\"}", "{x=\"1\"}", "{__name__!=\"a\",y=\"2\"}"}) {
    EXPECT_FALSE(AskedMetrics({other}).IsWithin(all)) << other;
    EXPECT_TRUE(AskedMetrics({other}).IsWithin(AskedMetrics({"{x=\"1\"}"}))) << other;
  }
}

}  // namespace
}  // namespace schedlens
