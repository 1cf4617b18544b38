#include <gtest/gtest.h>

#include "diagnose/episodes/episodes.h"
#include "diagnose/incident.h"
#include "messages/catalog.h"

namespace schedlens {
namespace {

using test::Attempt;
using test::kIncident;
using test::kQuiet;
using test::kScrape;
using test::Quick;

constexpr TimeRange kAll = {0, 350'000};

Attempt OneInTenSlow(int i) { return i % 10 ? Quick(i) : Attempt{.bind = 2}; }

/// Twenty attempts between two scrapes up to the end, slow ones within `slow`.
test::Recorder Record(TimeMs end, const TimeRange& slow) {
  test::Recorder r;
  r.Run(Quick(0));
  int number = 0;
  for (TimeMs t = 0; t <= end; t += kScrape) {
    const bool bad = t > slow.start && t <= slow.end;
    for (int i = 0; i < 20; ++i, ++number) r.Run(bad ? OneInTenSlow(number) : Quick(number));
    r.Scrape(t);
  }
  return r;
}

/// A WindowRequest of which only what matters is written down.
struct Request {
  std::optional<TimeRange> asked = {};
  bool exact = false;
  std::optional<TimeRange> baseline = {};
  bool want_baseline = true;
  std::vector<TimeRange> above_threshold = {};
};

ChosenWindows Choose(const Facts& facts, const Request& r) {
  return ChooseWindows(facts, GroupAll(facts),
                       {r.asked, r.exact, r.baseline, r.want_baseline, r.above_threshold});
}

ChosenWindows Choose(const test::Recorder& r, const Request& request) {
  return Choose(FactsOf(r), request);
}

ChosenWindows InIncident(const Request& request) {
  static const test::Recorder recorder = Record(kAll.end, kIncident);
  return Choose(recorder, request);
}

ChosenWindows InQuiet(const Request& request) {
  static const test::Recorder recorder = Record(kAll.end, {});
  return Choose(recorder, request);
}

std::vector<std::string> Ids(const std::vector<Message>& messages) {
  std::vector<std::string> ids;
  for (const Message& message : messages) ids.push_back(message.id);
  return ids;
}

TEST(ChooseWindowsTest, EdgesMoveOutwardsToScrapesAndThatIsSaid) {
  const struct {
    TimeRange asked, window;
    std::vector<std::string> notes;
  } cases[] = {
      {{101'000, 209'999}, {100'000, 210'000}, {"window.moved"}},
      {{100'000, 209'999}, {100'000, 210'000}, {"window.end_moved"}},
      {{101'000, 210'000}, {100'000, 210'000}, {"window.start_moved"}},
      {{100'000, 210'000}, {100'000, 210'000}, {}},
      {{340'500, 360'000}, {340'000, 350'000}, {"window.moved"}},  // no scrape after its end
      {{352'000, 360'000}, {350'000, 350'000}, {"window.empty"}},
  };
  for (const auto& c : cases) {
    const ChosenWindows chosen = InQuiet({.asked = c.asked});
    EXPECT_EQ(chosen.window, c.window) << c.asked.start;
    EXPECT_EQ(Ids(chosen.notes), c.notes) << c.asked.start;
    EXPECT_FALSE(chosen.found);
  }
}

Facts FactsOfBoth(const test::Recorder& a, const test::Recorder& b) {
  std::vector<Series> both = a.series();
  for (const Series& series : b.series()) both.push_back(series);
  test::SelectorSource source(std::move(both));
  return Collect(source, QuerySet::Embedded(), "", {-1, kAll.end});
}

TEST(ChooseWindowsTest, TheEndWaitsUntilEveryTargetWasScrapedAgain) {
  const test::Recorder r = Record(kAll.end, {});
  test::Recorder other;
  other.instance = "10.0.0.2:10259";
  other.Run(Quick(0));
  for (TimeMs t = 3000; t < kAll.end; t += kScrape) {
    other.Run(Quick(1));
    other.Scrape(t);
  }
  const Facts facts = FactsOfBoth(r, other);
  ASSERT_EQ(facts.targets.size(), 2U);
  const ChosenWindows chosen = Choose(facts, {.asked = TimeRange{101'000, 205'000}});
  EXPECT_EQ(chosen.window, (TimeRange{100'000, 208'000}));
}

TEST(ChooseWindowsTest, ATargetThatAppearsLaterDoesNotMoveTheEnd) {
  const test::Recorder r = Record(kAll.end, {});
  test::Recorder later;
  later.instance = "10.0.0.2:10259";
  later.Run(Quick(0));
  for (TimeMs t = 300'000; t <= kAll.end; t += kScrape) {
    later.Run(Quick(1));
    later.Scrape(t);
  }
  const Facts facts = FactsOfBoth(r, later);
  ASSERT_EQ(facts.targets.size(), 2U);
  const TimeRange asked = {100'000, 200'000};
  EXPECT_EQ(Choose(facts, {.asked = asked}).window, asked);
}

TEST(ChooseWindowsTest, WithoutARangeTheIncidentIsSearched) {
  const ChosenWindows chosen = InIncident({});
  EXPECT_TRUE(chosen.found);
  EXPECT_EQ(chosen.window, kIncident);
  EXPECT_EQ(chosen.baseline, kQuiet);
  EXPECT_EQ(chosen.episodes.size(), 1U);
  EXPECT_EQ(chosen.calm.size(), 2U);
}

TEST(ChooseWindowsTest, AQuietRecordingIsTheWindowAndHasNoBaseline) {
  const ChosenWindows chosen = InQuiet({});
  EXPECT_FALSE(chosen.found);
  EXPECT_EQ(chosen.window, kAll);
  EXPECT_FALSE(chosen.baseline);
}

TEST(ChooseWindowsTest, EveryRangeIsSearchedUnlessToldOtherwise) {
  const struct {
    const char* name;
    Request request;
    TimeRange window;
  } cases[] = {
      {"a range", {.asked = kAll}, kIncident},
      {"exact", {.asked = kAll, .exact = true}, kAll},
      {"with a baseline", {.asked = kAll, .baseline = kQuiet}, kAll},
      {"exact without a range", {.exact = true}, kAll},
  };
  for (const auto& c : cases) {
    const ChosenWindows chosen = InIncident(c.request);
    EXPECT_EQ(chosen.window, c.window) << c.name;
    EXPECT_EQ(chosen.found, c.window == kIncident) << c.name;
    EXPECT_EQ(chosen.episodes.size(), 1U) << c.name;
  }
}

TEST(ChooseWindowsTest, ScrapesTooFarApartToTellMinutesApartAreNoted) {
  const auto notes = [](TimeMs apart, bool exact) {
    test::Recorder r;
    r.Run(Quick(0));
    for (TimeMs t = 0; t <= 20 * apart; t += apart) {
      for (int i = 0; i < 20; ++i) r.Run(Quick(i));
      r.Scrape(t);
    }
    return Ids(Choose(r, {.exact = exact}).notes);
  };
  EXPECT_EQ(notes(60'000, false), std::vector<std::string>{"window.coarse"});
  EXPECT_EQ(notes(60'000, true), std::vector<std::string>());
  EXPECT_EQ(notes(30'000, false), std::vector<std::string>());
}

TEST(ChooseWindowsTest, OnlyTheRangeThatWasGivenIsSearched) {
  const ChosenWindows chosen = InIncident({.asked = TimeRange{0, 90'000}});
  EXPECT_FALSE(chosen.found);
  EXPECT_EQ(chosen.window, (TimeRange{0, 90'000}));
}

TEST(ChooseWindowsTest, TheLongestTimeAboveTheThresholdIsTheWindow) {
  const std::vector<TimeRange> above = {{20'000, 40'000}, {101'000, 199'000}, {220'000, 230'000}};
  const ChosenWindows chosen = InQuiet({.above_threshold = above});
  EXPECT_TRUE(chosen.found);
  EXPECT_EQ(chosen.window, (TimeRange{100'000, 200'000}));
  EXPECT_EQ(InQuiet({.exact = true, .above_threshold = above}).window, kAll);
  ASSERT_TRUE(chosen.baseline) << "no range was asked for";
  EXPECT_TRUE(chosen.baseline->end <= 100'000 || chosen.baseline->start >= 200'000);
}

TEST(ChooseWindowsTest, AnEpisodeTellsWhenTheTimeAboveTheThresholdReallyBegan) {
  const ChosenWindows chosen =
      InIncident({.above_threshold = {{140'000, 310'000}}});  // the rate looks back, and lags
  EXPECT_EQ(chosen.window, kIncident);
}

TEST(ChooseWindowsTest, ABaselineIsNeverTakenFromTheRestOfTheIncident) {
  // The window is the first minute of the incident: what follows it is no quiet time.
  const ChosenWindows starts =
      Choose(Record(kAll.end, {0, kIncident.end}), {.asked = TimeRange{0, 60'000}});
  ASSERT_TRUE(starts.baseline);
  EXPECT_EQ(*starts.baseline, (TimeRange{kIncident.end, kAll.end}));
  // And the last minute of it: nor is what came before.
  const ChosenWindows ends = InIncident({.asked = TimeRange{190'000, kIncident.end}});
  EXPECT_EQ(ends.baseline, kQuiet);
}

TEST(ChooseWindowsTest, ABaselineIsNeverTakenFromTimeAboveTheThreshold) {
  const ChosenWindows chosen =
      InQuiet({.asked = TimeRange{100'000, 150'000},
               .above_threshold = {{60'000, 120'000}, {300'000, 350'000}}});
  ASSERT_TRUE(chosen.baseline);
  EXPECT_EQ(*chosen.baseline, (TimeRange{120'000, 300'000}));
  EXPECT_FALSE(chosen.reported);
}

TEST(ChooseWindowsTest, AnIncidentAllOverLeavesNoBaseline) {
  EXPECT_FALSE(InQuiet({.asked = TimeRange{0, 60'000}, .above_threshold = {kAll}}).baseline);
}

TEST(ChooseWindowsTest, AGivenBaselineIsKeptAndNoneIsNone) {
  const TimeRange inside = {110'000, 140'000};
  EXPECT_EQ(InIncident({.asked = kIncident, .baseline = inside}).baseline, inside);
  EXPECT_FALSE(InIncident({.asked = kIncident, .want_baseline = false}).baseline);
}

TEST(ChooseWindowsTest, AWindowThatReachesIntoAnIncidentIsCutToIt) {
  const auto window = [](const TimeRange& asked, bool exact = false) {
    const ChosenWindows chosen = InIncident({.asked = asked, .exact = exact});
    return chosen.reported ? std::optional(chosen.window) : std::nullopt;
  };
  EXPECT_EQ(window({20'000, 180'000}), (TimeRange{100'000, 180'000}));
  EXPECT_EQ(window({110'000, 180'000}), (TimeRange{110'000, 180'000}));
  EXPECT_EQ(window({20'000, 180'000}, true), (TimeRange{20'000, 180'000})) << "exact is exact";
  EXPECT_FALSE(window({20'000, 150'000})) << "50 s are too little to judge";
  EXPECT_FALSE(window({260'000, 350'000}));
  const ChosenWindows little = InIncident({.asked = TimeRange{20'000, 150'000}});
  ASSERT_EQ(little.also_seen.size(), 1U) << "but it is told";
  EXPECT_EQ(little.also_seen[0].when, (TimeRange{100'000, 150'000}));
  EXPECT_GT(little.also_seen[0].attempts, 0);
}

TEST(ChooseWindowsTest, AGivenWindowIsJudgedByTheScrapesThatLieMostlyInIt) {
  constexpr TimeMs kOnset = 200'000;
  test::Recorder recorder;
  recorder.Run(Quick(0));
  for (TimeMs t = 0; t <= kOnset + 100'000; t += kScrape) {
    for (int i = 0; i < 20; ++i) recorder.Run(t > kOnset ? Attempt{.bind = 2} : Quick(i));
    recorder.Scrape(t);
  }
  const auto reaching = [&](TimeMs on) {
    return Choose(recorder, {.asked = TimeRange{100'000, kOnset + on}, .exact = true});
  };
  const ChosenWindows before = reaching(kScrape * 4 / 10);
  EXPECT_EQ(before.window.end, kOnset + kScrape);
  EXPECT_TRUE(before.episodes.empty());
  EXPECT_EQ(reaching(kScrape * 6 / 10).episodes.size(), 1U);
}

/// Four attempts a second; no scrape between 150 and 240 s, after which all that was due is bound
/// at once, by a process that started at 233 s or by the one that was there.
test::Recorder WithHole(bool restarts) {
  test::Recorder r;
  r.Set("process_start_time_seconds", {}, -100);
  r.Run(Quick(0));
  for (TimeMs t = 0; t <= 400'000; t += kScrape) {
    if (t == 235'000 && restarts) r.Restart(233'000);
    const bool away = t > 150'000 && t < 240'000;
    for (int i = 0; i < (away ? 0 : t == 240'000 ? 360 : 20); ++i) r.Run(Quick(i));
    if (!away) r.Scrape(t);
  }
  return r;
}

TEST(ChooseWindowsTest, AHoleInWhichAProcessStartsEndsWithTheScrapeAfterIt) {
  const ChosenWindows chosen = Choose(WithHole(true), {});
  EXPECT_TRUE(chosen.found);
  EXPECT_EQ(chosen.window, (TimeRange{150'000, 240'000}));
  ASSERT_TRUE(chosen.reported);
  EXPECT_EQ(chosen.episodes[*chosen.reported].why.at(0).kind, HurtKind::kNobody);
  EXPECT_TRUE(Choose(WithHole(false), {}).episodes.empty()) << "nobody waited for it";
}

TEST(ChooseWindowsTest, AnEndWithinAHoleMovesToTheNearScrapeAfterItAlone) {
  const struct {
    TimeMs asked, end;
  } cases[] = {{155'000, 150'000}, {200'000, 150'000}, {234'000, 150'000},
               {236'000, 240'000}, {240'000, 240'000}, {241'000, 245'000}};
  for (const bool restarts : {false, true}) {
    const Facts facts = FactsOf(WithHole(restarts));
    for (const auto& c : cases) {
      const TimeRange asked{100'000, c.asked};
      EXPECT_EQ(Choose(facts, {.asked = asked, .exact = true}).window.end, c.end) << c.asked;
    }
  }
}

TEST(ChooseWindowsTest, OfSeveralEpisodesTheOneThatIsAskedForOrTheWorst) {
  test::Recorder r;
  r.Run(Quick(0));
  int number = 0;
  for (TimeMs t = 0; t <= 600'000; t += kScrape) {
    const bool first = t > 100'000 && t <= 200'000, second = t > 350'000 && t <= 500'000;
    for (int i = 0; i < 20; ++i, ++number) {
      const bool slow = (first && number % 10 == 0) || (second && number % 4 == 0);
      r.Run(slow ? Attempt{.bind = 2} : Quick(number));
    }
    r.Scrape(t);
  }
  const TimeRange one{100'000, 200'000}, other{350'000, 500'000};
  EXPECT_EQ(Choose(r, {}).episodes.size(), 2U);
  EXPECT_EQ(Choose(r, {}).window, other) << "the worst";
  EXPECT_EQ(Choose(r, {.above_threshold = {{150'000, 260'000}}}).window, one) << "the alert's";
  const WindowRequest at{.at = 210'000};
  const Facts facts = FactsOf(r);
  EXPECT_EQ(ChooseWindows(facts, GroupAll(facts), at).window, one) << "the nearest";
  const std::vector<TimeRange> both = {{110'000, 190'000}, {340'000, 480'000}};
  EXPECT_EQ(Choose(r, {.above_threshold = both}).window, other) << "above longest";
  WindowRequest above_at{.at = 150'000};
  above_at.above_threshold = both;
  EXPECT_EQ(ChooseWindows(facts, GroupAll(facts), above_at).window, one) << "above at that time";
  // A longer alert about nothing does not hide the one with an episode.
  EXPECT_EQ(Choose(r, {.above_threshold = {{110'000, 160'000}, {210'000, 340'000}}}).window, one);
}

// A rate looks back: the first value over the threshold comes after the onset, its range begins
// before it. What lies before the episode is quiet all the same.
TEST(ChooseWindowsTest, TheRangeOfTheFirstValueAboveDoesNotHideTheQuietTimeBeforeTheOnset) {
  const TimeRange above{kIncident.start + 20'000 - 300'000, kAll.end};
  const ChosenWindows chosen = InIncident({.above_threshold = {above}});
  EXPECT_EQ(chosen.window, kIncident);
  ASSERT_TRUE(chosen.baseline);
  EXPECT_EQ(chosen.baseline->end, kIncident.start);
  // Without an episode nothing says where in the range it began.
  const ChosenWindows quiet =
      InQuiet({.asked = TimeRange{100'000, 200'000}, .above_threshold = {{-100'000, kAll.end}}});
  EXPECT_FALSE(quiet.baseline);
}

}  // namespace
}  // namespace schedlens
