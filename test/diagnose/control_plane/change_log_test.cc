#include <gtest/gtest.h>

#include "diagnose/control_plane/changes.h"
#include "diagnose/control_plane/found_changes.h"

namespace schedlens {
namespace {

using testing_support::At;

ClusterChange Changed(const char* object, double earliest, double latest) {
  ClusterChange change;
  change.what = Message("change.node.added");
  change.object = object;
  change.earliest = At(earliest);
  change.latest = At(latest);
  return change;
}

TEST(ChangeLogTest, KeepsWhatMayHaveHappenedCloseToTheOnset) {
  struct {
    double earliest, latest;
    int interval;
    bool kept, after;
  } const rows[] = {
      {290, 300, 10, true, false},  {160, 170, 10, true, false}, {150, 169, 10, false, false},
      {310, 320, 10, true, false},  {311, 320, 10, true, true},  {420, 430, 10, true, true},
      {421, 430, 10, false, false}, {480, 490, 60, true, true},  {100, 110, 60, true, false},
      {100, 109, 60, false, false}, {0, 600, 10, true, false}};
  for (const auto& row : rows) {
    ChangeLog log(At(300), 10'000);
    log.Note(Changed("n", row.earliest, row.latest), 1000 * row.interval);
    const auto changes = log.Changes();
    ASSERT_EQ(changes.size(), row.kept ? 1U : 0U) << row.earliest << " " << row.latest;
    EXPECT_EQ(row.kept && changes[0].after_onset, row.after) << row.earliest;
  }
}

TEST(ChangeLogTest, WhatCameAfterTheOnsetIsListedApart) {
  ChangeLog log(At(300), 10'000);
  log.Note(Changed("n", 315, 316), 10'000);
  log.Note(Changed("n", 200, 210), 10'000);
  log.Note(Changed("m", 330, 331), 10'000);
  const auto changes = log.Changes();
  ASSERT_EQ(changes.size(), 3U) << "the nearer one after it does not hide the one before";
  EXPECT_FALSE(changes[0].after_onset);
  EXPECT_EQ(changes[0].distance_seconds, -95);
  EXPECT_EQ(changes[1].distance_seconds, 15.5);
  EXPECT_EQ(changes[2].object, "m");
}

TEST(ChangeLogTest, TakesTheMiddleUnlessATimeIsGiven) {
  ChangeLog log(At(300), 10'000);
  log.Note(Changed("middle", 280, 290), 10'000);
  ClusterChange given = Changed("given", 280, 290);
  given.at = At(281);
  log.Note(given, 10'000);
  ASSERT_EQ(log.Changes().size(), 2U);
  EXPECT_EQ(log.Changes()[0].distance_seconds, -15);
  EXPECT_EQ(log.Changes()[1].distance_seconds, -19);
}

TEST(ChangeLogTest, KeepsTheNearerOfTwoOfOneObject) {
  ChangeLog log(At(300), 10'000);
  log.Note(Changed("n", 200, 210), 10'000);
  log.Note(Changed("n", 280, 290), 10'000);
  log.Note(Changed("n", 240, 250), 10'000);
  ASSERT_EQ(log.Changes().size(), 1U);
  EXPECT_EQ(log.Changes()[0].distance_seconds, -15);
}

TEST(ScrapeIntervalTest, IsTheMiddleGap) {
  EXPECT_EQ(ScrapeInterval({}), 0);
  EXPECT_EQ(ScrapeInterval({5}), 0);
  EXPECT_EQ(ScrapeInterval({0, 10, 20, 90, 100}), 10);
}

}  // namespace
}  // namespace schedlens
