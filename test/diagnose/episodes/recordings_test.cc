#include <gtest/gtest.h>

#include <cmath>

#include "base/exposition.h"
#include "diagnose/episodes/episodes.h"
#include "diagnose/recorder.h"

namespace schedlens {
namespace {

EpisodeSearch SearchRecording(const std::string& name) {
  test::SelectorSource source(
      ReadExposition(std::string(SCHEDLENS_TEST_DATA) + "/captures/" + name + ".om.gz", {}).series);
  const TimeRange all = *source.Describe().extent;
  const Facts facts = Collect(source, QuerySet::Embedded(), "", {all.start - 1, all.end});
  return FindEpisodes(CountColumns(facts, GroupAll(facts), ScrapedRange(facts)));
}

TEST(RecordedEpisodesTest, AHealthySchedulerHasNone) {
  const EpisodeSearch found = SearchRecording("healthy-A");
  EXPECT_TRUE(found.episodes.empty());
  EXPECT_FALSE(found.calm.empty());
}

TEST(RecordedEpisodesTest, AnIncidentIsOneFromItsOnsetToItsEnd) {
  const struct {
    const char* name;
    double start, end;  // the truth's, in Unix seconds
  } cases[] = {{"client-throttled-A", 1795223369.643, 1795223729.743},
               {"apiserver-bind-slow-A", 1795223365.035, 1795223725.135}};
  for (const auto& c : cases) {
    const EpisodeSearch found = SearchRecording(c.name);
    ASSERT_EQ(found.episodes.size(), 1U) << c.name;
    const TimeRange when = found.episodes[0].when;
    EXPECT_NEAR(static_cast<double>(when.start) / 1000, c.start, 45) << c.name;
    EXPECT_NEAR(static_cast<double>(when.end) / 1000, c.end, 75) << c.name << ": a queue drains";
    EXPECT_FALSE(found.episodes[0].standing) << c.name;
  }
}

}  // namespace
}  // namespace schedlens
