#include <gtest/gtest.h>

#include <random>

#include "base/text.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

TEST(Duration, ReadsAndPrintsPrometheusDurations) {
  const struct {
    std::string_view text;
    std::int64_t ms;
    std::string canonical;
  } cases[] = {
      {"0", 0, "0s"},
      {"0s", 0, "0s"},
      {"5m", 300000, "5m"},
      {"90s", 90000, "1m30s"},
      {"1h30m", 5400000, "1h30m"},
      {"250ms", 250, "250ms"},
      {"1d", 86400000, "1d"},
      {"7d", 604800000, "1w"},
      {"90d", 7776000000, "90d"},
      {"1y", 31536000000, "1y"},
      {"1y2w3d4h5m6s7ms", 33019506007, "382d4h5m6s7ms"},
      {"1s500ms", 1500, "1s500ms"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(ParseDuration(c.text), c.ms) << c.text;
    EXPECT_EQ(FormatDuration(c.ms), c.canonical);
    EXPECT_EQ(ParseDuration(FormatDuration(c.ms)), c.ms);
  }
  EXPECT_EQ(FormatDuration(-300000), "-5m");
}

TEST(Duration, RefusesWhatPrometheusRefuses) {
  for (const std::string_view text : {"", "5", "m", "5 m", "-5m", "1.5h", "1m1h", "1m2m", "5M",
                                      "1us", "300y", "99999999999999999999s", "1h "}) {
    EXPECT_FALSE(ParseDuration(text).has_value()) << text;
  }
}

TEST(Time, ReadsEveryForm) {
  const TimeMs now = 1795223360353;
  const struct {
    std::string_view text;
    TimeMs t;
  } cases[] = {
      {"1970-01-01T00:00:00Z", 0},
      {"2026-11-21T01:09:20.353Z", 1795223360353},
      {"2026-11-21T02:09:20.353+01:00", 1795223360353},
      {"2026-11-20T19:39:20.353-05:30", 1795223360353},
      {"2000-02-29T00:00:00Z", 951782400000},
      {"1969-12-31T23:59:59.9996Z", 0},
      {"1795223360.353", 1795223360353},
      {"1795223360", 1795223360000},
      {"1.0005", 1001},
      {"-1.5", -1500},
      {"now", now},
      {"now-1h", now - 3600000},
      {"now+5m", now + 300000},
  };
  for (const auto& c : cases) EXPECT_EQ(ParseTime(c.text, now), c.t) << c.text;
}

TEST(Time, RefusesMalformedTimes) {
  for (const std::string_view text :
       {"", "yesterday", "now-", "now-x", "now1h", "2026-02-30T00:00:00Z", "2026-13-01T00:00:00Z",
        "2026-11-21", "2026-11-21T01:09:20", "2026-11-21T24:00:00Z", "2026-11-21T01:09:20.Z", "1.",
        "--1", "1e9", "99999999999999999", "2026-11-21T01:09:20+25:00", "1795223360s"}) {
    EXPECT_FALSE(ParseTime(text, 0).has_value()) << text;
  }
}

TEST(Time, PrintsUtcAndReadsBack) {
  EXPECT_EQ(FormatTime(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(FormatTime(1795223360353), "2026-11-21T01:09:20.353Z");
  EXPECT_EQ(FormatTime(-1), "1969-12-31T23:59:59.999Z");
  std::mt19937_64 random(1);
  std::uniform_int_distribution<TimeMs> any(-62135596800000, 253402300799999);
  for (int i = 0; i < 5000; ++i) {
    const TimeMs t = any(random);
    EXPECT_EQ(ParseTime(FormatTime(t), 0), t) << FormatTime(t);
  }
}

TimeMs At(const char* text) { return *ParseTime(text, 0); }

TEST(TimeZoneTest, UtcAsItStands) {
  const TimeMs time = At("2026-11-21T10:00:00Z");
  for (const char* text : {"UTC", "Z", ""}) {
    const Zone zone = ReadZone(text);
    EXPECT_EQ(ZoneText(zone, time), "UTC");
    EXPECT_EQ(FormatTime(time, zone), "2026-11-21T10:00:00Z");
    EXPECT_EQ(OffsetMinutes(zone, time), 0);
  }
}

TEST(TimeZoneTest, Offsets) {
  const TimeMs time = At("2026-11-21T23:59:59.250Z");
  EXPECT_EQ(FormatTime(time, ReadZone("+02:00")), "2026-11-22T01:59:59.250+02:00");
  EXPECT_EQ(FormatTime(time, ReadZone("-0330")), "2026-11-21T20:29:59.250-03:30");
  EXPECT_EQ(ZoneText(ReadZone("+8"), time), "UTC+08:00");
  EXPECT_EQ(ZoneText(ReadZone("UTC-05:00"), time), "UTC-05:00");
}

TEST(TimeZoneTest, NamesFollowTheirSummerTime) {
  const Zone berlin = ReadZone("Europe/Berlin");
  EXPECT_EQ(FormatTime(At("2026-11-21T10:00:00Z"), berlin), "2026-11-21T11:00:00+01:00");
  EXPECT_EQ(FormatTime(At("2026-07-21T10:00:00Z"), berlin), "2026-07-21T12:00:00+02:00");
  EXPECT_EQ(ZoneText(berlin, At("2026-07-21T10:00:00Z")), "UTC+02:00");
  const Zone shanghai = ReadZone("Asia/Shanghai");
  EXPECT_EQ(FormatTime(At("2026-11-21T20:00:00Z"), shanghai), "2026-11-22T04:00:00+08:00");
  // What is written with its zone reads as the same time.
  EXPECT_EQ(At(FormatTime(At("2026-11-21T20:00:00Z"), shanghai).c_str()),
            At("2026-11-21T20:00:00Z"));
}

TEST(TimeZoneTest, WhatIsNoZoneIsRefused) {
  for (const char* text : {"Europe/Berln", "../../etc/passwd", "/etc/localtime", "CET-1", "+25:00",
                           "+1:2", "zone.tab", "Europe", "+", "02:00"}) {
    EXPECT_THROW(ReadZone(text), Error) << text;
  }
}

}  // namespace
}  // namespace schedlens
