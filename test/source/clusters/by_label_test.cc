#include "source/clusters/by_label.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "messages/catalog.h"
#include "schedlens/error.h"
#include "source/capture/capture_source.h"

namespace schedlens {
namespace {

constexpr const char* kCount = "scheduler_scheduling_attempt_duration_seconds_count";

/// A counter of one process: `rate` a second from the start on.
Series Counting(const std::string& cluster, const std::string& pod, double rate) {
  Series series;
  series.labels = Labels({{"__name__", kCount},
                          {"cluster", cluster},
                          {"job", "kube-scheduler"},
                          {"pod", pod},
                          {"result", "scheduled"}});
  for (TimeMs t = 0; t <= 600'000; t += 15'000) {
    series.samples.push_back({t, rate * static_cast<double>(t) / 1000});
  }
  return series;
}

class CountingSource : public Source {
 public:
  explicit CountingSource(std::vector<Series> series)
      : local_(NewLocalSource(std::move(series), {})) {}
  Answer Ask(const Query& query) override {
    ++asked;
    return local_->Ask(query);
  }
  SourceInfo Describe() override { return local_->Describe(); }
  int asked = 0;

 private:
  std::unique_ptr<Source> local_;
};

LabelPlan Plan() {
  LabelPlan plan;
  plan.label = "cluster";
  plan.range = {0, 600'000};
  plan.window = TimeRange{120'000, 490'000};
  return plan;
}

TEST(ByLabelTest, EachValueHasTheSumOfItsProcesses) {
  CountingSource source(
      {Counting("b", "one", 2), Counting("a", "one", 1), Counting("a", "two", 4)});
  const auto slices = SplitByLabel(source, QuerySet::Embedded(), Plan());
  ASSERT_EQ(slices.size(), 2u);
  EXPECT_EQ(slices[0].value, "a");
  EXPECT_EQ(slices[1].value, "b");
  const Answer answer =
      slices[0].source->Ask({fmt::format("{}[10m]", kCount), 600'000, 600'000, 0});
  ASSERT_EQ(answer.series.size(), 1u);
  EXPECT_EQ(answer.series[0].labels, Labels({{"__name__", kCount},
                                             {"cluster", "a"},
                                             {"job", "kube-scheduler"},
                                             {"result", "scheduled"}}));
  for (const Sample& sample : answer.series[0].samples) {
    const TimeMs scraped = sample.t / 15'000 * 15'000;
    EXPECT_EQ(sample.v, 5 * static_cast<double>(scraped) / 1000) << sample.t;
  }
  // Columns meet the window's edges.
  for (const TimeMs edge : {120'000, 490'000}) {
    EXPECT_TRUE(std::any_of(answer.series[0].samples.begin(), answer.series[0].samples.end(),
                            [&](const Sample& sample) { return sample.t == edge; }))
        << edge;
  }
}

TEST(ByLabelTest, AWindowOfAnyLengthHasColumns) {
  for (const TimeMs length : {420'493, 420'001, 300'007}) {  // no number divides them
    CountingSource source({Counting("a", "one", 1)});
    LabelPlan plan = Plan();
    plan.window = TimeRange{490'000 - length, 490'000};
    const auto slices = SplitByLabel(source, QuerySet::Embedded(), plan);
    const Answer answer =
        slices.at(0).source->Ask({fmt::format("{}[10m]", kCount), 600'000, 600'000, 0});
    std::vector<TimeMs> inside;
    for (const Sample& sample : answer.series.at(0).samples) {
      if (sample.t >= plan.window->start && sample.t <= plan.window->end) {
        inside.push_back(sample.t);
      }
    }
    EXPECT_GE(inside.size(), 20u) << length;
    EXPECT_LT(inside.front() - plan.window->start, 30) << length;
    EXPECT_EQ(inside.back(), plan.window->end) << length;
  }
}

TEST(ByLabelTest, TheNumberOfQuestionsDoesNotDependOnTheNumberOfValues) {
  int asked[2] = {};
  for (const int values : {2, 200}) {
    std::vector<Series> series;
    for (int i = 0; i < values; ++i) series.push_back(Counting(fmt::format("c{:03}", i), "p", 1));
    CountingSource source(std::move(series));
    EXPECT_EQ(SplitByLabel(source, QuerySet::Embedded(), Plan()).size(),
              static_cast<std::size_t>(values));
    asked[values == 200] = source.asked;
  }
  EXPECT_EQ(asked[0], asked[1]);
  EXPECT_LT(asked[1], 40);
}

TEST(ByLabelTest, TheServersOwnValueOfAnExpression) {
  CountingSource source({Counting("a", "one", 1), Counting("b", "one", 3)});
  LabelPlan plan = Plan();
  const std::string expression = fmt::format("sum by (cluster) (rate({}[1m]))", kCount);
  plan.expressions = {expression};
  const auto slices = SplitByLabel(source, QuerySet::Embedded(), plan);
  const Answer answer = slices[1].source->Ask({expression, 490'000, 490'000, 0});
  ASSERT_EQ(answer.series.size(), 1u);
  EXPECT_NEAR(answer.series[0].samples.at(0).v, 3, 1e-12);
}

TEST(ByLabelTest, AProcessThatRestartsBesideAnotherIsSaid) {
  Series restarting = Counting("a", "two", 1000);
  for (Sample& sample : restarting.samples) {
    if (sample.t >= 300'000) sample.v -= 300'000;
  }
  CountingSource source({Counting("a", "one", 1), restarting});
  const auto slices = SplitByLabel(source, QuerySet::Embedded(), Plan());
  const auto warnings = InEnglish(slices.at(0).source->Describe().warnings);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("restarted in 1 of"), std::string::npos) << warnings[0];
  const Answer answer =
      slices[0].source->Ask({fmt::format("increase({}[10m])", kCount), 600'000, 600'000, 0});
  EXPECT_LT(answer.series.at(0).samples.at(0).v, 610'000);
}

TEST(ByLabelTest, ALabelThatNobodyHas) {
  CountingSource source({Counting("", "one", 1)});
  EXPECT_THROW(SplitByLabel(source, QuerySet::Embedded(), Plan()), Error);
  CountingSource empty({});
  EXPECT_TRUE(SplitByLabel(empty, QuerySet::Embedded(), Plan()).empty());
}

}  // namespace
}  // namespace schedlens
