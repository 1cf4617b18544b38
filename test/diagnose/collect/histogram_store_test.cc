#include <gtest/gtest.h>

#include "diagnose/collect/facts.h"
#include "diagnose/recorder.h"

namespace schedlens {
namespace {

using test::Recorder;

TEST(IncreasesOfTest, CountersAreIncreasesBetweenTheScrapesOfTheWindow) {
  Recorder r;
  r.Add("process_cpu_seconds_total", {}, 5);
  r.Run({});
  r.Scrape(10'000);
  r.Add("process_cpu_seconds_total", {}, 2);
  r.Scrape(15'000);
  const auto increases = IncreasesOf(FactsOf(r), "process", {10'000, 15'000});
  ASSERT_EQ(increases.size(), 1u);
  EXPECT_DOUBLE_EQ(increases[0].increase, 2);
}

}  // namespace
}  // namespace schedlens
