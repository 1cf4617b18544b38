#include "source/capture/where_samples_are.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <utility>

#include "schedlens/error.h"
#include "source/capture/local_source.h"

namespace schedlens {
namespace {

constexpr TimeMs kHour = 3'600'000;

/// Samples of one series, and how often it was asked for them.
class Counted : public Source {
 public:
  explicit Counted(std::vector<TimeMs> times) {
    Series series;
    series.labels = Labels({{"__name__", "scheduler_x"}, {"job", "a"}});
    for (const TimeMs t : times) series.samples.push_back({t, 1});
    // Another name with the same labels: functions that drop names have no answer.
    Series twin = series;
    twin.labels = twin.labels.With("__name__", "scheduler_y");
    inner_ = NewLocalSource({series, twin}, {});
  }
  Answer Ask(const Query& query) override {
    ++asked;
    if (fails) throw Error(*fails, "too much");
    return inner_->Ask(query);
  }
  SourceInfo Describe() override { return {}; }
  int asked = 0;
  std::optional<ErrorKind> fails;

 private:
  std::unique_ptr<Source> inner_;
};

LongRange Hours(std::int64_t hours) { return {{0, hours * kHour}, kHour}; }

WhereSamplesAre Find(Counted& source, const LongRange& range) {
  return FindSamples(source, {"__name__=\"scheduler_other\"", "__name__=~\"scheduler_.*\""}, range,
                     {});
}

bool Covers(const WhereSamplesAre& found, std::int64_t piece) {
  for (const PieceRun& run : found.runs) {
    if (run.first <= piece && piece < run.end) return true;
  }
  return false;
}

TEST(WhereSamplesAre, ADayIsNotAskedAbout) {
  Counted source({});
  EXPECT_EQ(Find(source, Hours(24)).Pieces(), 24);
  EXPECT_EQ(Find(source, {{0, 10}, kHour}).Pieces(), 1);
  EXPECT_EQ(Find(source, {{10, 10}, kHour}).Pieces(), 0);
  EXPECT_EQ(source.asked, 0);
}

TEST(WhereSamplesAre, AStraySampleDecadesBeforeCostsAHandfulOfQuestions) {
  const std::int64_t years = 57 * 8766;
  Counted source({1, years * kHour - 5, years * kHour});
  const WhereSamplesAre found = Find(source, Hours(years));
  EXPECT_EQ(found.Pieces(), 2);
  EXPECT_TRUE(Covers(found, 0));
  EXPECT_TRUE(Covers(found, years - 1));
  EXPECT_LE(source.asked, 7);
}

TEST(WhereSamplesAre, NothingAnywhereIsOneQuestion) {
  Counted source({});
  EXPECT_TRUE(Find(source, Hours(8766)).runs.empty());
  EXPECT_EQ(source.asked, 1);
}

TEST(WhereSamplesAre, WhatIsFullIsNotLookedAtCloser) {
  std::vector<TimeMs> times;
  for (TimeMs t = 60'000; t <= 8766 * kHour; t += kHour / 2) times.push_back(t);
  Counted source(times);
  const WhereSamplesAre found = Find(source, Hours(8766));
  EXPECT_EQ(found.Pieces(), 8766);
  EXPECT_EQ(found.runs.size(), 1u);
  EXPECT_EQ(source.asked, 1);
}

TEST(WhereSamplesAre, EverySampleIsCoveredWhereverTheyLie) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    const std::int64_t hours = 25 + static_cast<std::int64_t>(random() % 20000);
    std::vector<TimeMs> times;
    // On edges of pieces too: a sample at an edge is of the piece that it ends.
    for (unsigned i = 0; i <= seed % 20; ++i) {
      const auto piece = static_cast<std::int64_t>(random()) % hours;
      times.push_back(piece * kHour + (i % 2 == 0 ? kHour : 1 + random() % kHour));
    }
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
    Counted source(times);
    const WhereSamplesAre found = Find(source, Hours(hours));
    for (const TimeMs t : times) EXPECT_TRUE(Covers(found, (t - 1) / kHour)) << seed << " " << t;
    for (std::size_t i = 1; i < found.runs.size(); ++i) {
      EXPECT_LT(found.runs[i - 1].end, found.runs[i].first);
    }
    EXPECT_LE(source.asked, 16);
  }
}

TEST(WhereSamplesAre, AQuestionThatIsTooMuchMeansEverywhere) {
  Counted source({kHour});
  source.fails = ErrorKind::kFailed;
  const WhereSamplesAre found = Find(source, Hours(100));
  EXPECT_EQ(found.Pieces(), 100);
  EXPECT_EQ(found.trouble, "too much");
  source.fails = ErrorKind::kAuth;
  EXPECT_THROW(Find(source, Hours(100)), Error);
}

}  // namespace
}  // namespace schedlens
