#include "model/passed_over.h"

#include <gtest/gtest.h>

namespace schedlens {
namespace {

constexpr TimeMs kThisYear = 1795314346716;

TEST(PassedOverTimes, NothingHasNoExtent) {
  EXPECT_EQ(PassedOverTimes().Extent(true, 0), std::nullopt);
}

TEST(PassedOverTimes, SpansTheTimesInTheUnitOfTheText) {
  PassedOverTimes seconds;
  seconds.Add(kThisYear + 5000);
  seconds.Add(kThisYear);
  EXPECT_EQ(seconds.Extent(true, 0), (TimeRange{kThisYear, kThisYear + 5000}));
  PassedOverTimes milliseconds;
  milliseconds.Add(kThisYear * 1000);
  milliseconds.Add((kThisYear + 5000) * 1000);
  EXPECT_EQ(milliseconds.Extent(false, 0), (TimeRange{kThisYear, kThisYear + 5000}));
  EXPECT_EQ(milliseconds.Late(false), 0U);
  EXPECT_EQ(milliseconds.Late(true), 2U);
}

TEST(PassedOverTimes, LateOnesAreNotKept) {
  PassedOverTimes times;
  times.Add(kThisYear);
  times.Add(kLatestTime + 1);
  EXPECT_EQ(times.samples(), 2U);
  EXPECT_EQ(times.Late(true), 1U);
  EXPECT_EQ(times.Extent(true, 0), (TimeRange{kThisYear, kThisYear}));
}

TEST(PassedOverTimes, SamplesWithoutTimeAreOfTheDefaultTime) {
  PassedOverTimes times;
  times.AddWithoutTime();
  EXPECT_EQ(times.samples(), 1U);
  EXPECT_EQ(times.Extent(true, 7), (TimeRange{7, 7}));
}

}  // namespace
}  // namespace schedlens
