#include "report/doctor.h"

#include <gtest/gtest.h>

namespace schedlens {
namespace {

DoctorReport TwoChecks() {
  return {.checks = {{.health = Health::kOk,
                      .subject = "source",
                      .text = "it answers",
                      .fix = {},
                      .evidence = "up"},
                     {.health = Health::kProblem,
                      .subject = "metric",
                      .text = "no buckets",
                      .fix = "scrape them",
                      .evidence = "up"}},
          .diagnosable = false};
}

TEST(DoctorTextTest, TheSameEvidenceIsShownOnce) {
  EXPECT_EQ(DoctorText(TwoChecks()),
            "ok       source     it answers\n"
            "                    evidence: up\n"
            "problem  metric     no buckets\n"
            "                    -> scrape them\n"
            "\n`schedlens diagnose` will not work with this source.\n");
}

TEST(DoctorTextTest, LongEvidenceIsCutAndJsonHasAllOfIt) {
  DoctorReport report = TwoChecks();
  report.checks[0].evidence = std::string(200, 'x');
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

}  // namespace
}  // namespace schedlens
