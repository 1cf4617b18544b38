#include "model/time_zone.h"

#include <gtest/gtest.h>

#include "model/text.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

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
