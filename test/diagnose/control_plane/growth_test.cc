#include <gtest/gtest.h>

#include "diagnose/control_plane/changes.h"

namespace schedlens {
namespace {

TEST(HasGrownTest, NeedsHalfAsMuchAgainAndMoreThanChance) {
  struct Row {
    Counted counted;
    std::size_t tried;
    bool grown;
  };
  const Row rows[] = {
      {{200, 100, 1, 1}, 1, true},    {{200, 100, 2, 1}, 1, false},  // twice the time
      {{149, 100, 1, 1}, 1, false},                                  // less than half as much again
      {{1490, 1000, 1, 1}, 1, false}, {{6, 3, 1, 1}, 1, false},      // chance
      {{7, 0, 1, 1}, 1, true},                                       // (1/2)^7 < 1 %
      {{7, 0, 1, 1}, 2, false},                                      // of two things
      {{6, 0, 1, 1}, 1, false},       {{0, 0, 1, 1}, 1, false},
      {{200, 100, 0, 1}, 1, false},  // no time
  };
  for (const Row& row : rows) {
    EXPECT_EQ(HasGrown(row.counted, row.tried), row.grown)
        << row.counted.now << " " << row.counted.before << " " << row.tried;
  }
}

}  // namespace
}  // namespace schedlens
