#include "model/sample_times.h"

#include <gtest/gtest.h>

namespace schedlens {
namespace {

TEST(MergeTimesTest, KeepsTheUnionAscending) {
  const struct {
    std::vector<TimeMs> before;
    std::vector<Sample> samples;
    std::vector<TimeMs> after;
  } rows[] = {
      {{}, {}, {}},
      {{}, {{5, 1}, {10, 1}}, {5, 10}},
      {{5, 10}, {{5, 2}, {10, 2}}, {5, 10}},
      {{5, 10}, {{7, 1}}, {5, 7, 10}},
      {{5, 10}, {{20, 1}, {1, 1}, {20, 3}}, {1, 5, 10, 20}},
  };
  for (const auto& row : rows) {
    std::vector<TimeMs> times = row.before;
    MergeTimes(row.samples, &times);
    EXPECT_EQ(times, row.after);
  }
}

}  // namespace
}  // namespace schedlens
