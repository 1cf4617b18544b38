#include <gtest/gtest.h>

#include <vector>

#include "source/clusters/by_label.h"

namespace schedlens {
namespace {

/// Answers the one question with these start times.
class Starts : public Source {
 public:
  explicit Starts(std::vector<std::pair<Labels, double>> starts) {
    for (auto& [labels, start] : starts) series_.push_back({labels, {{0, start}}, {}});
  }
  Answer Ask(const Query& query) override {
    EXPECT_EQ(query.promql, "last_over_time(process_start_time_seconds{job=\"s\"}[1m])");
    Answer answer;
    answer.series = series_;
    return answer;
  }
  SourceInfo Describe() override { return {}; }

 private:
  std::vector<Series> series_;
};

std::optional<OneReplica> Find(std::vector<std::pair<Labels, double>> starts) {
  Starts source(std::move(starts));
  return FindOneReplica(source, "job=\"s\"", {0, 60'000});
}

Labels Process(const std::string& instance, const std::string& replica) {
  return Labels({{"cluster", "a"}, {"instance", instance}, {"replica", replica}});
}

TEST(FindOneReplicaTest, TheLabelThatOnlyTellsTheScrapersApart) {
  const auto found = Find({{Process("1", "x"), 10},
                           {Process("1", "y"), 10},
                           {Process("2", "x"), 20},
                           {Process("2", "y"), 20}});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->label, "replica");
  EXPECT_EQ(found->value, "x");
  EXPECT_EQ(found->processes, 2u);
}

TEST(FindOneReplicaTest, TheScraperThatSawEveryProcess) {
  const auto found =
      Find({{Process("1", "x"), 10}, {Process("1", "y"), 10}, {Process("2", "y"), 20}});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->value, "y");
}

TEST(FindOneReplicaTest, NothingWhereNoneSawThemAll) {
  EXPECT_FALSE(Find({{Process("1", "x"), 10},
                     {Process("1", "y"), 10},
                     {Process("2", "y"), 20},
                     {Process("3", "x"), 30}}));
}

TEST(FindOneReplicaTest, OtherStartsAreOtherProcesses) {
  EXPECT_FALSE(Find({{Process("1", "x"), 10}, {Process("1", "y"), 11}}));
  EXPECT_FALSE(Find({{Process("1", "x"), 10}, {Process("2", "x"), 10}}));
  EXPECT_FALSE(Find({}));
}

}  // namespace
}  // namespace schedlens
