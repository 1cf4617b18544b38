#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diagnose/collect/facts.h"
#include "diagnose/recorder.h"
#include "messages/catalog.h"

namespace schedlens {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

/// A scheduler with this many attempts a second, scraped every 10 s from `phase` on, its series
/// with `more` labels.
std::vector<Series> Scraped(int a_second, TimeMs phase, const std::vector<Labels::View>& more,
                            double start = -100) {
  test::Recorder r;
  r.Set("process_start_time_seconds", {}, start);
  for (int second = 0; second < 120; ++second) {
    for (int i = 0; i < a_second; ++i) r.Run({});
    if ((second * 1000 - phase) % 10'000 == 0) r.Scrape(second * 1000);
  }
  std::vector<Series> all = r.series();
  for (Series& series : all) {
    for (const auto& [name, value] : more) series.labels = series.labels.With(name, value);
  }
  return all;
}

/// The same without the start of the process.
std::vector<Series> WithoutStart(std::vector<Series> all) {
  std::erase_if(all, [](const Series& series) {
    return series.labels.Get(kMetricName) == "process_start_time_seconds";
  });
  return all;
}

Facts Together(std::vector<Series> a, const std::vector<Series>& b) {
  a.insert(a.end(), b.begin(), b.end());
  test::SelectorSource source(std::move(a));
  return Collect(source, QuerySet::Embedded(), "", {-1, 120'000});
}

TEST(DuplicatesTest, OneProcessInTwoReplicasOfPrometheusCountsOnce) {
  const Facts alone = Together(Scraped(5, 0, {}), {});
  const Facts facts = Together(Scraped(5, 0, {{"prometheus_replica", "a"}}),
                               Scraped(5, 4000, {{"prometheus_replica", "b"}}));
  ASSERT_THAT(facts.targets, SizeIs(1));
  EXPECT_EQ(facts.targets[0].scrapes, alone.targets[0].scrapes);
  EXPECT_EQ(facts.Of("attempt").size(), alone.Of("attempt").size());
  EXPECT_EQ(facts.Of("process").size(), alone.Of("process").size());
  ASSERT_THAT(facts.warnings, SizeIs(1));
  EXPECT_EQ(InEnglish(facts.warnings[0]),
            "{instance=\"10.0.0.1:10259\",job=\"kube-scheduler\",prometheus_replica=\"b\"} is the "
            "same process as {instance=\"10.0.0.1:10259\",job=\"kube-scheduler\","
            "prometheus_replica=\"a\"}, scraped a second time: its samples are left out");
}

TEST(DuplicatesTest, OneProcessInTwoJobsCountsOnceAlsoWithoutItsStart) {
  const auto twice = [](const std::vector<Series>& first, const std::vector<Series>& second) {
    return Together(WithoutStart(first), WithoutStart(second)).targets;
  };
  EXPECT_THAT(twice(Scraped(5, 0, {}), Scraped(5, 7000, {{"job", "pods"}})), SizeIs(1));
  EXPECT_THAT(twice(Scraped(5, 0, {}), Scraped(5, 0, {{"job", "pods"}})), SizeIs(1));
}

TEST(DuplicatesTest, BucketsAloneTellItToo) {
  const auto buckets = [](std::vector<Series> all) {
    std::erase_if(all, [](const Series& series) {
      const std::string_view name = series.labels.Get(kMetricName);
      return name.ends_with("_count") || name.ends_with("_sum");
    });
    return all;
  };
  EXPECT_THAT(Together(buckets(Scraped(5, 0, {{"prometheus_replica", "a"}})),
                       buckets(Scraped(5, 4000, {{"prometheus_replica", "b"}})))
                  .targets,
              SizeIs(1));
}

TEST(DuplicatesTest, TwoProcessesAreTwo) {
  struct Case {
    const char* what;
    std::vector<Series> second;
  };
  const Case cases[] = {
      {"other counts", Scraped(6, 4000, {{"job", "pods"}})},
      {"another start", Scraped(5, 4000, {{"job", "pods"}}, -99)},
      {"another cluster, alike by chance", Scraped(5, 4000, {{"cluster", "b"}})},
      {"another instance of the job", Scraped(5, 4000, {{"instance", "10.0.0.2:10259"}})},
  };
  for (const Case& one : cases) {
    const Facts facts = Together(Scraped(5, 0, {{"cluster", "a"}}), one.second);
    EXPECT_THAT(facts.targets, SizeIs(2)) << one.what;
    EXPECT_THAT(facts.warnings, IsEmpty()) << one.what;
  }
}

TEST(DuplicatesTest, StandbysThatDidNothingAreNotOneProcess) {
  const Facts facts = Together(WithoutStart(Scraped(5, 0, {})), {});
  Facts idle = facts;
  idle.targets.push_back(facts.targets[0]);
  idle.targets[1].id = facts.targets[0].id.With("instance", "10.0.0.2:10259");
  idle.targets[1].processes = {idle.targets[1].id};
  DropDuplicates(&idle);
  EXPECT_THAT(idle.targets, SizeIs(2));
}

TEST(DuplicatesTest, AProcessThatChangedItsJobIsNoDuplicateOfItself) {
  std::vector<Series> before = Scraped(5, 0, {}), after = Scraped(5, 0, {{"job", "pods"}});
  for (Series& series : before)
    std::erase_if(series.samples, [](const Sample& s) { return s.t > 60'000; });
  for (Series& series : after)
    std::erase_if(series.samples, [](const Sample& s) { return s.t <= 60'000; });
  EXPECT_THAT(Together(before, after).targets, SizeIs(2));
}

}  // namespace
}  // namespace schedlens
