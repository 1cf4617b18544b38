#include <gtest/gtest.h>

#include "base/text.h"
#include "cli/options/source.h"
#include "report/format.h"

namespace schedlens {
namespace {

constexpr TimeMs kTen = 1795255200000;  // 2026-11-21T10:00:00Z
constexpr TimeMs kNow = kTen + 4'000'123;

TEST(TypedTime, IsReadAsPeopleHaveIt) {
  const struct {
    const char* text;
    TimeMs time;
  } cases[] = {
      {"2026-11-21T10:00:00Z", kTen},
      {"2026-11-21T12:00:00+02:00", kTen},
      {"2026-11-21T10:00:00", kTen},
      {"2026-11-21 10:00:00", kTen},
      {" 2026-11-21 10:00:00 UTC ", kTen},
      {"2026-11-21 18:00:00 UTC+08:00", kTen},
      {"2026-11-21 06:30 UTC-03:30", kTen},
      {"2026-11-21T10:00:00.250", kTen + 250},
      {"2026-11-21 10:00", kTen},
      {"2026-11-21T10:00Z", kTen},
      {"2026-11-21", kTen - 10 * 3'600'000},
      {"1795255200", kTen},
      {"1795255200.5", kTen + 500},
      {"1795255200000", kTen},
      {"1795255200123", kTen + 123},
      {"now", kNow},
      {"now-1h", kNow - 3'600'000},
      {"-1h", kNow - 3'600'000},
      {"-90s", kNow - 90'000},
      {"now/h", kTen + 3'600'000},
      {"now-1h/h", kTen},
      {"now/d", kTen - 10 * 3'600'000},
  };
  for (const auto& one : cases) EXPECT_EQ(TimeAsTyped(one.text, kNow), one.time) << one.text;
}

TEST(TypedTime, ATimeOfDayIsTheLastOne) {
  EXPECT_EQ(TimeAsTyped("10:00", kNow), kTen);
  EXPECT_EQ(TimeAsTyped("10:00:30", kNow), kTen + 30'000);
  EXPECT_EQ(TimeAsTyped("14:00", kNow), kTen - 20 * 3'600'000);  // yesterday's
}

TEST(TypedTime, ATimeOfDayIsOfItsOwnZonesDay) {
  const Zone shanghai = {"+08:00", 480}, new_york = {"-05:00", -300};
  for (const Zone& zone : {Zone{}, shanghai, new_york}) {
    for (const char* text :
         {"10:00Z", "10:00 UTC", "10:00:00Z", "18:00 UTC+08:00", "05:00:00 UTC-05:00"}) {
      EXPECT_EQ(TimeAsTyped(text, kNow, false, zone), kTen) << text << " in " << zone.name;
    }
    EXPECT_EQ(RangeAsTyped("18:00 to 18:04:30 UTC+08:00", kNow, zone),
              (TimeRange{kTen, kTen + 270'000}));
  }
  // 03:00 in UTC: morning in one, the evening before in the other.
  const TimeMs night = kTen + 17 * 3'600'000;
  EXPECT_EQ(TimeAsTyped("02:25Z", night, false, new_york), night - 35 * 60'000);
  EXPECT_EQ(TimeAsTyped("10:30", night, false, shanghai), night - 30 * 60'000);
  EXPECT_EQ(TimeAsTyped("11:30", night, false, shanghai), night - 23 * 3'600'000 - 30 * 60'000);
  EXPECT_EQ(TimeAsTyped("21:30", night, false, new_york), night - 30 * 60'000);
}

TEST(TypedTime, YesterdayIsBehindTheChangeOfClocks) {
  const Zone berlin = ReadZone("Europe/Berlin");
  const auto at = [](const char* text) { return TimeAsTyped(text, 0); };
  const TimeMs noon = *at("2026-10-25T12:00:00Z");
  EXPECT_EQ(TimeAsTyped("14:00", noon, false, berlin), at("2026-10-24T12:00:00Z"));
  EXPECT_EQ(TimeAsTyped("13:00", noon, false, berlin), at("2026-10-25T12:00:00Z"));
  EXPECT_EQ(TimeAsTyped("01:00", noon, false, berlin), at("2026-10-24T23:00:00Z"));
  EXPECT_EQ(RangeAsTyped("2026-10-24 23:30 to 23:10", noon, berlin),
            (TimeRange{*at("2026-10-24T21:30:00Z"), *at("2026-10-25T22:10:00Z")}));
}

TEST(TypedTime, IsInTheZoneUnlessItNamesOne) {
  const Zone shanghai = {"+08:00", 8 * 60};
  const auto typed = [&](const char* text) { return TimeAsTyped(text, kNow, false, shanghai); };
  for (const char* text : {"2026-11-21 18:00", "2026-11-21T18:00:00", "18:00",
                           "2026-11-21T10:00:00Z", "2026-11-21 10:00 UTC", "1795255200"}) {
    EXPECT_EQ(typed(text), kTen) << text;
  }
  EXPECT_EQ(typed("2026-11-21T11:00:00+01:00"), kTen);
  EXPECT_EQ(typed("2026-11-21 17:00 UTC+07:00"), kTen);
  EXPECT_EQ(RangeAsTyped("2026-11-21 18:00:00 to 18:05:00", kNow, shanghai),
            (TimeRange{kTen, kTen + 300'000}));
}

TEST(TypedTime, NothingElseIs) {
  for (const char* text : {"",
                           " ",
                           "UTC",
                           "-",
                           "-x",
                           "--1h",
                           "yesterday",
                           "25:00",
                           "1:00",
                           "2026-11",
                           "2026-11-31",
                           "2026-11-21 25:00",
                           "2026-11-21 10:00 CET",
                           "2026-11-21 10:00 UTC+99:00",
                           "now UTC+08:00",
                           "UTC+08:00",
                           "now/y",
                           "now/",
                           "now-1h/hh",
                           "1h",
                           "1e12",
                           "17952552001234567",
                           "Z",
                           ":00Z"}) {
    EXPECT_FALSE(TimeAsTyped(text, kNow).has_value()) << text;
  }
}

TEST(TypedTime, ARangeIsReadAsItIsPrinted) {
  const TimeRange day{kTen, kTen + 270'000};
  EXPECT_EQ(RangeAsTyped(RangeText(day, "to"), kNow), day) << RangeText(day, "to");
  EXPECT_EQ(RangeAsTyped(RangeText(day, "至"), kNow), day) << RangeText(day, "至");
  const TimeRange midnight{kTen + 13 * 3'600'000, kTen + 15 * 3'600'000};
  EXPECT_EQ(RangeAsTyped(RangeText(midnight, "to"), kNow), midnight) << RangeText(midnight, "to");
  for (const Zone& zone : {Zone{"+08:00", 480}, Zone{"-11:30", -690}}) {
    for (const TimeRange& range : {day, midnight}) {
      EXPECT_EQ(RangeAsTyped(RangeText(range, "to", zone), kNow), range)
          << RangeText(range, "to", zone);
      for (const Zone& printed : {Zone{}, Zone{"+05:45", 345}}) {
        const std::string text = RangeText(range, "to", printed);
        EXPECT_EQ(RangeAsTyped(text, kNow, zone), range) << text << " read in " << zone.name;
      }
    }
  }
  // Over the end of summer time.
  EXPECT_EQ(RangeAsTyped("2026-10-25 02:30:00 UTC+02:00 to 02:10:00 UTC+01:00 (40m)", kNow),
            RangeAsTyped("2026-10-25T00:30:00Z/2026-10-25T01:10:00Z", kNow));
  EXPECT_EQ(RangeAsTyped("2026-11-21T10:00:00Z/2026-11-21T10:04:30Z", kNow), day);
  EXPECT_EQ(RangeAsTyped("1795255200/1795255470", kNow), day);
  EXPECT_EQ(RangeAsTyped("2026-11-21 10:00/10:04:30", kNow), day);
  for (const char* text :
       {"", "/", "5m", "2026-11-21 10:00 to", "x/y", "1/x", "2026-11-21T10:00:00Z/"}) {
    EXPECT_FALSE(RangeAsTyped(text, kNow).has_value()) << text;
  }
}

}  // namespace
}  // namespace schedlens
