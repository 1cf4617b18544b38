#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/options/source.h"
#include "cli/parse.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

TimeOptions ParseTimes(const std::vector<std::string>& arguments) {
  TimeOptions options;
  ParseWith(Together({TimeOptionTable(&options), JudgedTimeOptions(&options)}), arguments);
  return options;
}

TEST(TimeOptions, StartAndEndAreTheWindow) {
  const TimeOptions options =
      ParseTimes({"--start", "2026-11-21T10:00:00Z", "--end", "1795255500.25"});
  EXPECT_EQ(WindowOf(options, 0), (TimeRange{1795255200000, 1795255500250}));
  // As Grafana's addresses have them.
  const TimeOptions dashboard = ParseTimes({"--from", "1795255200000", "--to", "1795255500250"});
  EXPECT_EQ(WindowOf(dashboard, 0), WindowOf(options, 0));
}

TEST(TimeOptions, AWindowEndsAtTheGivenMoment) {
  EXPECT_EQ(WindowOf(ParseTimes({"--window", "5m", "--at", "1000"}), 7),
            (TimeRange{700000, 1000000}));
  EXPECT_EQ(WindowOf(ParseTimes({"--window", "5m"}), 600000), (TimeRange{300000, 600000}));
}

TEST(TimeOptions, AStartAloneLastsUntilTheEndOfWhatThereIs) {
  EXPECT_EQ(WindowOf(ParseTimes({"--start", "10"}), 20'000), (TimeRange{10'000, 20'000}));
}

TEST(TimeOptions, SinceEndsWithWhatThereIs) {
  EXPECT_EQ(WindowOf(ParseTimes({"--since", "10s"}), 70'000), (TimeRange{60'000, 70'000}));
  EXPECT_EQ(WindowOf(ParseTimes({"--since", "10s", "--at", "50"}), 0), (TimeRange{40'000, 50'000}));
  EXPECT_EQ(WindowOf(ParseTimes({"--since", "10s", "--end", "50"}), 0),
            (TimeRange{40'000, 50'000}));
}

TEST(TimeOptions, AWindowMayBeARangeAsPrinted) {
  EXPECT_EQ(WindowOf(ParseTimes({"--window", "2026-11-21 10:00:00 to 10:05:00 UTC (5m)"}), 0),
            (TimeRange{1795255200000, 1795255500000}));
}

TEST(TimeOptions, AValueMayBeginWithAMinus) {
  const TimeMs after = *ParseTimes({"--at", "-1h"}).at;
  EXPECT_LE(after, Now() - 3600000);
  const TimeMs joined = *ParseTimes({"--start=-1h"}).start;
  EXPECT_LE(joined, Now() - 3600000);
}

TEST(TimeOptions, NothingGivenIsNoWindow) {
  EXPECT_EQ(WindowOf(ParseTimes({}), 5), std::nullopt);
  EXPECT_EQ(WindowOf(ParseTimes({"--at", "1000"}), 5), std::nullopt);
}

TEST(TimeOptions, LifetimeIsNoStretchOfTime) {
  const TimeOptions options = ParseTimes({"--window", "lifetime"});
  EXPECT_TRUE(options.lifetime);
  EXPECT_EQ(WindowOf(options, 5), std::nullopt);
}

TEST(TimeOptions, RelativeTimesCountBackFromNow) {
  const TimeMs before = Now();
  const TimeOptions options = ParseTimes({"--at", "now-1h"});
  EXPECT_GE(*options.at, before - 3600000);
  EXPECT_LE(*options.at, Now() - 3600000);
}

TEST(TimeOptions, OfARecordingTheLastSampleIsNow) {
  constexpr TimeMs kHour = 3'600'000;
  const TimeRange extent{0, 100 * kHour};
  const auto on = [&](const std::vector<std::string>& typed) {
    return TimesOn(ParseTimes(typed), extent);
  };
  EXPECT_EQ(on({"--at", "now-1h"}).at, 99 * kHour);
  EXPECT_EQ(on({"--at", "-90m"}).at, extent.end - kHour * 3 / 2);
  EXPECT_EQ(WindowOf(on({"--start", "-2h"}), extent.end), (TimeRange{98 * kHour, extent.end}));
  EXPECT_EQ(WindowOf(on({"--from", "now-3h", "--to", "now-1h"}), 5),
            (TimeRange{97 * kHour, 99 * kHour}));
  EXPECT_EQ(WindowOf(on({"--window", "now-3h/now-2h"}), 5), (TimeRange{97 * kHour, 98 * kHour}));
  EXPECT_EQ(on({"--baseline", "now-3h/now-2h"}).baseline_range,
            (TimeRange{97 * kHour, 98 * kHour}));
  // What is no part of now stays, and a server has no last sample.
  EXPECT_EQ(on({"--at", "1000"}).at, 1'000'000);
  EXPECT_EQ(on({"--baseline", "10/20"}).baseline_range, (TimeRange{10000, 20000}));
  const TimeOptions given = ParseTimes({"--at", "now-1h"});
  EXPECT_EQ(TimesOn(given, std::nullopt).at, given.at);
}

TEST(TimeOptions, AServerHasNothingOfTheFuture) {
  constexpr TimeMs kHour = 3'600'000;
  const auto ahead = [](TimeMs by) { return std::to_string((Now() + by) / 1000); };
  const std::string soon = ahead(kHour), later = ahead(2 * kHour), past = ahead(-kHour);
  for (const std::vector<std::string>& typed : {std::vector<std::string>{"--start", soon},
                                                {"--start", soon, "--end", later},
                                                {"--window", soon + "/" + later},
                                                {"--at", soon},
                                                {"--at", soon, "--window", "59m"},
                                                {"--since", "5m", "--end", soon}}) {
    try {
      TimesOn(ParseTimes(typed), std::nullopt);
      ADD_FAILURE() << testing::PrintToString(typed);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      EXPECT_NE(std::string(error.what()).find(" lies in the future: it is "), std::string::npos);
    }
    TimesOn(ParseTimes(typed), TimeRange{0, kHour});  // a recording is where it is
  }
  for (const std::vector<std::string>& typed : {std::vector<std::string>{"--start", past},
                                                {"--start", past, "--end", soon},
                                                {"--at", soon, "--window", "61m"},
                                                {"--at", ahead(60'000)},
                                                {"--at", "now"},
                                                {}}) {
    EXPECT_NO_THROW(TimesOn(ParseTimes(typed), std::nullopt)) << testing::PrintToString(typed);
  }
}

// As Grafana does: `now-1d/d` is the beginning of yesterday as `from`, its end as `to`.
TEST(TimeOptions, AnEndIsRoundedUp) {
  constexpr TimeMs kDay = 24 * 3'600'000, kLast = kDay - 1;
  const TimeRange extent{0, 100 * kDay + 5};
  const TimeRange yesterday{99 * kDay, 99 * kDay + kLast};
  const auto on = [&](const std::vector<std::string>& typed) {
    return TimesOn(ParseTimes(typed), extent);
  };
  EXPECT_EQ(WindowOf(on({"--from", "now-1d/d", "--to", "now-1d/d"}), 5), yesterday);
  EXPECT_EQ(WindowOf(on({"--window", "now-1d/d to now-1d/d"}), 5), yesterday);
  EXPECT_EQ(on({"--at", "now-1d/d"}).at, yesterday.start);
}

TEST(TimeOptions, ContradictionsAreUsageErrors) {
  const std::vector<std::vector<std::string>> rows = {
      {"--end", "10"},
      {"--start", "10"},
      {"--start", "10", "--end", "10"},
      {"--start", "11", "--end", "10"},
      {"--since", "5m", "--start", "10"},
      {"--since", "5m", "--window", "5m"},
      {"--start", "10", "--end", "20", "--at", "20"},
      {"--start", "10", "--end", "20", "--window", "5m"},
      {"--start", "10", "--end", "20", "--window", "lifetime"},
      {"--start", "10", "--end", "20", "--window", "30/40"},
      {"--window", "30/40", "--start", "10", "--end", "20"},
      {"--window", "30/40", "--end", "20"},
  };
  for (const auto& row : rows) {
    EXPECT_THROW(WindowOf(ParseTimes(row), 0), Error) << testing::PrintToString(row);
  }
}

TEST(TimeOptions, MalformedValuesAreUsageErrors) {
  const std::vector<std::vector<std::string>> rows = {
      {"--at", "yesterday"}, {"--start", ""},       {"--window", "5"},
      {"--window", "0s"},    {"--window", "-5m"},   {"--baseline", "some"},
      {"--since", "x"},      {"--baseline", "1/x"}, {"--baseline", "20/10"}};
  for (const auto& row : rows) {
    try {
      ParseTimes(row);
      ADD_FAILURE() << testing::PrintToString(row);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    }
  }
}

TEST(TimeOptions, BaselineIsFoundGivenOrOff) {
  EXPECT_EQ(ParseTimes({}).baseline, BaselineChoice::kAuto);
  EXPECT_EQ(ParseTimes({"--baseline", "auto"}).baseline, BaselineChoice::kAuto);
  EXPECT_EQ(ParseTimes({"--baseline", "off"}).baseline, BaselineChoice::kOff);
  const TimeOptions given = ParseTimes({"--baseline", "10/20"});
  EXPECT_EQ(given.baseline, BaselineChoice::kGiven);
  EXPECT_EQ(given.baseline_range, (TimeRange{10000, 20000}));
}

}  // namespace
}  // namespace schedlens
