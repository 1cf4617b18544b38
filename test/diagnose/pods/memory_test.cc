#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diagnose/pods/ledger.h"

namespace schedlens {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

constexpr TimeMs kEach = 15'000;

/// A process's gauge from its start: so much at first, and more each scrape.
struct Life {
  double first = 0, more = 0;
  int scrapes = 40;
};

/// One scheduler whose processes follow each other.
Facts With(const std::vector<Life>& lives, const std::string& metric) {
  Facts facts;
  const Labels labels(
      {{"__name__", metric}, {"instance", "cp-1:10259"}, {"job", "kube-scheduler"}});
  Series series;
  series.labels = labels;
  Target target{Labels({{"instance", "cp-1:10259"}, {"job", "kube-scheduler"}}), {}, {}, {}};
  TimeMs at = 1'000'000'000'000;
  for (const Life& life : lives) {
    target.starts.push_back(at - 1000);
    for (int i = 0; i < life.scrapes; ++i, at += kEach) {
      series.samples.push_back({at, life.first + life.more * i});
      target.scrapes.push_back(at);
    }
  }
  facts.targets.push_back(target);
  facts.answers["process"].push_back(series);
  return facts;
}

std::vector<CauseBehind> Died(const std::vector<Life>& lives,
                              const std::string& metric = "process_resident_memory_bytes") {
  return WhyProcessesDied(With(lives, metric));
}

TEST(WhyProcessesDiedTest, OneThatGrewToItsEnd) {
  const auto died = Died({{200e6, 20e6, 40}, {200e6, 0}});
  ASSERT_THAT(died, SizeIs(1));
  EXPECT_EQ(died[0].id, "scheduler.memory");
  EXPECT_EQ(died[0].object, "cp-1:10259");
  EXPECT_EQ(died[0].confidence, Confidence::kPossible) << "once may be chance";
  EXPECT_THAT(died[0].evidence, SizeIs(1)) << "the next one does not grow";
}

TEST(WhyProcessesDiedTest, TwoAtOneLevelAndTheTimeThatIsLeft) {
  const auto died = Died({{200e6, 20e6, 41}, {200e6, 40e6, 21}, {200e6, 20e6, 21}});
  ASSERT_THAT(died, SizeIs(1));
  EXPECT_EQ(died[0].confidence, Confidence::kLikely);
  ASSERT_THAT(died[0].evidence, SizeIs(2));
  const Message& left = died[0].evidence[1].text;
  ASSERT_EQ(left.id, "evidence.memory.left");
  EXPECT_NEAR(left.args[0].value.number, 0.6, 1e-9) << "600 of 1,000 MB";
  EXPECT_NEAR(left.args[1].value.number, 300, 15) << "400 MB at 20 MB a scrape of 15 s";
  EXPECT_EQ(Died({{200e6, 20e6, 41}, {200e6, 80e6, 41}, {200e6, 0}})[0].confidence,
            Confidence::kPossible)
      << "at other levels";
}

TEST(WhyProcessesDiedTest, GoroutinesToo) {
  const auto died = Died({{200, 50}, {200, 0}}, "go_goroutines");
  ASSERT_THAT(died, SizeIs(1));
  EXPECT_EQ(died[0].evidence[0].text.id, "evidence.goroutines");
}

TEST(WhyProcessesDiedTest, NothingWhereItDidNotGrowToItsEnd) {
  EXPECT_THAT(Died({{200e6, 20e6}}), IsEmpty()) << "it never ended";
  EXPECT_THAT(Died({{200e6, 0}, {200e6, 0}}), IsEmpty()) << "it ended, and never grew";
  EXPECT_THAT(Died({{200e6, 1e6}, {200e6, 0}}), IsEmpty()) << "a little";
  EXPECT_THAT(Died({{200e6, 20e6, 5}, {200e6, 0}}), IsEmpty()) << "too short to tell";
  Facts facts = With({{200e6, 20e6}, {200e6, 0}}, "process_resident_memory_bytes");
  auto& samples = facts.answers["process"][0].samples;
  for (std::size_t i = 10; i < 40; ++i) samples[i].v = 380e6;
  EXPECT_THAT(WhyProcessesDied(facts), IsEmpty()) << "its caches filled, and then it stayed";
  for (std::size_t i = 0; i < 40; ++i) samples[i].v = 200e6 + 20e6 * static_cast<double>(i);
  samples[39].v = 300e6;
  EXPECT_THAT(WhyProcessesDied(facts), IsEmpty()) << "it was freed before the end";
}

}  // namespace
}  // namespace schedlens
