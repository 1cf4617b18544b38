#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diagnose/collect/units.h"
#include "diagnose/recorder.h"
#include "diagnose/store_source.h"

namespace schedlens {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::SizeIs;

/// Two clusters, and what is asked of them.
class TwoClusters : public Source {
 public:
  Answer Ask(const Query& query) override {
    asked.push_back(query.promql);
    return store_.Ask(query);
  }
  SourceInfo Describe() override { return store_.Describe(); }
  std::vector<std::string> asked;

 private:
  static std::vector<Series> Recorded() {
    test::Recorder r;
    for (TimeMs t = 0; t <= 60'000; t += 10'000) {
      r.Run({});
      r.Scrape(t);
    }
    std::vector<Series> all;
    for (const char* cluster : {"eu", "us"}) {
      for (Series series : r.series()) {
        series.labels = series.labels.With("cluster", cluster);
        all.push_back(std::move(series));
      }
    }
    return all;
  }
  testing_support::StoreSource store_{Recorded()};
};

TEST(HeldFactsTest, OneSchedulersFactsAreThoseOfItsSelectorAndNoSampleIsAskedForTwice) {
  const std::string us = "job=~\"kube-scheduler\",cluster=\"us\"";
  const QuerySet queries = QuerySet::Embedded();
  const TimeRange range{-1, 60'000};
  TwoClusters source;
  const Facts direct = Collect(source, queries, us, range);
  const Facts all = Collect(source, queries, "", range);
  source.asked.clear();
  const HeldSeries series(all);
  HeldFacts held(source, all, series, queries, us);
  const Facts facts = Collect(held, queries, us, range);
  EXPECT_THAT(source.asked, Each(HasSubstr("count by"))) << "the release alone";

  ASSERT_THAT(facts.targets, SizeIs(1));
  EXPECT_EQ(facts.targets[0].id, direct.targets[0].id);
  EXPECT_EQ(facts.targets[0].scrapes, direct.targets[0].scrapes);
  ASSERT_EQ(facts.answers.size(), direct.answers.size());
  for (const auto& [question, answer] : direct.answers) {
    ASSERT_EQ(facts.Of(question).size(), answer.size()) << question;
    for (std::size_t i = 0; i < answer.size(); ++i) {
      EXPECT_EQ(facts.Of(question)[i].labels, answer[i].labels) << question;
      EXPECT_EQ(facts.Of(question)[i].samples, answer[i].samples) << question;
    }
  }
}

TEST(HeldFactsTest, WhatIsNoQuestionIsAskedOfTheSource) {
  TwoClusters source;
  const QuerySet queries = QuerySet::Embedded();
  const Facts all = Collect(source, queries, "", {-1, 60'000});
  source.asked.clear();
  const HeldSeries series(all);
  HeldFacts held(source, all, series, queries, "cluster=\"us\"");
  const Query other{"up", 60'000, 60'000, 0};
  const Query later{"scheduler_pending_pods{cluster=\"us\"}[1m1ms]", 70'000, 70'000, 0};
  held.AskAll({other, later});
  held.Ask(other);
  EXPECT_EQ(source.asked, (std::vector<std::string>{"up", later.promql, "up"}));
}

}  // namespace
}  // namespace schedlens
