#include "report/doctor.h"

#include <gtest/gtest.h>

namespace schedlens {
namespace {

DoctorReport TwoChecks() {
  return {.checks = {{.health = Health::kOk,
                      .subject = "source",
                      .text = Message("doctor.access"),
                      .fix = {},
                      .evidence = Verbatim("up")},
                     {.health = Health::kProblem,
                      .subject = "metric",
                      .text = Verbatim("no buckets"),
                      .fix = Message("doctor.keep", {{"metric", arg::Metric("x_bucket")}}),
                      .evidence = Verbatim("up")}},
          .diagnosable = false};
}

TEST(DoctorTextTest, TheSameEvidenceIsShownOnce) {
  EXPECT_EQ(DoctorText(TwoChecks()),
            "ok       source     it answers without credentials\n"
            "                    evidence: up\n"
            "problem  metric     no buckets\n"
            "                    -> keep x_bucket when relabelling\n"
            "\n`schedlens diagnose` will not work with this source.\n");
}

TEST(DoctorTextTest, LongEvidenceIsCutAndJsonHasAllOfIt) {
  DoctorReport report = TwoChecks();
  report.checks[0].evidence = Verbatim(std::string(200, 'x'));
  EXPECT_NE(DoctorText(report).find(std::string(140, 'x') + "...\n"), std::string::npos);
  EXPECT_NE(DoctorJson(report).find(std::string(200, 'x')), std::string::npos);
}

TEST(DoctorJsonTest, HasItsSchemaFirst) {
  EXPECT_EQ(DoctorJson({}), R"({
  "schema": "schedlens.doctor/1",
  "diagnosable": false,
  "checks": []
}
)");
}

TEST(DoctorJsonTest, SentencesHaveTheirDetailsBeside) {
  DoctorReport report = TwoChecks();
  report.checks.erase(report.checks.begin());
  EXPECT_EQ(DoctorJson(report), R"({
  "schema": "schedlens.doctor/1",
  "diagnosable": false,
  "checks": [
    {
      "health": "problem",
      "subject": "metric",
      "text": "no buckets",
      "text_detail": {
        "id": "verbatim",
        "args": {
          "text": {
            "text": "no buckets"
          }
        },
        "text": "no buckets"
      },
      "fix": "keep x_bucket when relabelling",
      "fix_detail": {
        "id": "doctor.keep",
        "args": {
          "metric": {
            "metric": "x_bucket"
          }
        },
        "text": "keep x_bucket when relabelling"
      },
      "evidence": "up",
      "evidence_detail": {
        "id": "verbatim",
        "args": {
          "text": {
            "text": "up"
          }
        },
        "text": "up"
      }
    }
  ]
}
)");
}

}  // namespace
}  // namespace schedlens
