#include "diagnose/pipeline/verdict.h"

#include <gtest/gtest.h>

#include "diagnose/pipeline/gather.h"

namespace schedlens {
namespace {

/// Attempts with a p99 between `low` and twice that.
Measurement Window(double low) {
  Measurement m;
  m.breakdown.e2e = {1000, 10};
  m.cells.attempt.emplace_back().bounds = {0.1, 1};
  m.tails.push_back({"scheduled", 1000, 0.01, low, 2 * low});
  return m;
}

WindowEvidence Evidence(double low = 0.008, bool hurts = false) {
  WindowEvidence c;
  c.now = Window(low);
  c.baseline = Window(0.008);
  c.hurts = hurts;
  return c;
}

AlertVerdict Alert(double shown, std::optional<Decided> decided) {
  AlertVerdict alert;
  alert.threshold = 1;
  alert.shown = shown;
  alert.decided = decided;
  return alert;
}

TEST(JudgeVerdictTest, ADecidedAlertDecides) {
  const WindowEvidence quiet = Evidence(), slow = Evidence(1.024, true);
  EXPECT_EQ(JudgeVerdict(quiet, Alert(2, Decided::kAbove)), Verdict::kIncident);
  EXPECT_EQ(JudgeVerdict(slow, Alert(2, Decided::kAbove)), Verdict::kIncident);
  EXPECT_EQ(JudgeVerdict(quiet, Alert(2, Decided::kBelow)), Verdict::kArtifact);
  EXPECT_EQ(JudgeVerdict(slow, Alert(2, Decided::kBelow)), Verdict::kArtifact);
  EXPECT_EQ(JudgeVerdict(quiet, Alert(0.5, Decided::kBelow)), Verdict::kNoIncident);
  EXPECT_EQ(JudgeVerdict(slow, Alert(0.5, Decided::kBelow)), Verdict::kNoIncident)
      << "slower it is, but not what the alert is about";
  AlertVerdict disk = Alert(0.5, Decided::kBelow);
  disk.metric = "etcd_disk_wal_fsync_duration_seconds";
  EXPECT_EQ(JudgeVerdict(slow, disk), Verdict::kIncident) << "the disk is fast, attempts are not";
}

TEST(JudgeVerdictTest, WithoutADecisionAnEpisodeIsAnIncident) {
  for (const AlertVerdict& alert : {AlertVerdict(), Alert(0.5, Decided::kUndecidable)}) {
    EXPECT_EQ(JudgeVerdict(Evidence(1.024, true), alert), Verdict::kIncident);
    EXPECT_EQ(JudgeVerdict(Evidence(0.256), alert), Verdict::kNoIncident)
        << "whatever causes there are: nobody is hurt";
  }
}

TEST(JudgeVerdictTest, WhatNobodyCanTellIsUndecidable) {
  EXPECT_EQ(JudgeVerdict(Evidence(), Alert(1.2, Decided::kUndecidable)), Verdict::kUndecidable);
  EXPECT_EQ(JudgeVerdict(Evidence(), Alert(1.2, {})), Verdict::kUndecidable);

  WindowEvidence blind = Evidence();
  blind.now.cells.attempt.clear();
  EXPECT_EQ(JudgeVerdict(blind, {}), Verdict::kUndecidable);

  WindowEvidence few = Evidence(1.024);
  few.baseline.reset();
  few.now.tails.front().count = 1;
  few.now.breakdown.e2e = {1, 1};
  EXPECT_EQ(JudgeVerdict(few, {}), Verdict::kUndecidable)
      << "one attempt, slow, and nothing to compare it with";
}

TEST(JudgeVerdictTest, QuietIsNoIncident) {
  EXPECT_EQ(JudgeVerdict(Evidence(), {}), Verdict::kNoIncident);
  EXPECT_EQ(JudgeVerdict(Evidence(), Alert(0.5, Decided::kUndecidable)), Verdict::kNoIncident);
  EXPECT_EQ(JudgeVerdict(Evidence(1.024), {}), Verdict::kNoIncident)
      << "as slow as in the baseline";
}

TEST(JudgeVerdictTest, WithoutAttemptsTheDataIsInsufficient) {
  WindowEvidence none = Evidence();
  none.now.breakdown.e2e = {};
  EXPECT_EQ(JudgeVerdict(none, Alert(2, Decided::kAbove)), Verdict::kInsufficientData);
}

}  // namespace
}  // namespace schedlens
