#include <fmt/format.h>
#include <gtest/gtest.h>

#include "report/commands.h"

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
          .control_plane = {},
          .configurations = {},
          .diagnosable = false};
}

TEST(DoctorTextTest, TheSameEvidenceIsShownOnce) {
  EXPECT_EQ(DoctorText(Messages("en"), TwoChecks()),
            "ok       source     it answers without credentials\n"
            "                    evidence: up\n"
            "problem  metric     no buckets\n"
            "                    -> keep x_bucket when relabelling\n"
            "\n`schedlens diagnose` will not work with this source.\n");
}

TEST(DoctorTextTest, LongEvidenceIsCutAndJsonHasAllOfIt) {
  DoctorReport report = TwoChecks();
  report.checks[0].evidence = Verbatim(std::string(200, 'x'));
  EXPECT_NE(DoctorText(Messages("en"), report).find(std::string(140, 'x') + "...\n"),
            std::string::npos);
  EXPECT_NE(DoctorJson(report).find(std::string(200, 'x')), std::string::npos);
}

TEST(DoctorTextTest, InChinese) {
  EXPECT_EQ(DoctorText(Messages("zh"), TwoChecks()),
            "正常     source     无需凭据即可访问\n"
            "                    依据：up\n"
            "问题     metric     no buckets\n"
            "                    -> relabel 时保留 x_bucket\n"
            "\n用这个数据源，`schedlens diagnose` 无法工作。\n");
}

DoctorReport WithoutEtcd() {
  DoctorReport report;
  report.diagnosable = true;
  report.checks = {{.health = Health::kNote,
                    .subject = "kube-controller-manager",
                    .text = Verbatim("not there"),
                    .fix = Verbatim("scrape it"),
                    .evidence = Verbatim("up")}};
  report.control_plane = {{"kube-apiserver", {"apiserver"}, 3, {{"x_seconds", true}}},
                          {"etcd", {}, 0, {}}};
  report.configurations = {{"prometheus", {"etcd"}, "scrape_configs:\n  - job_name: etcd\n"}};
  return report;
}

TEST(DoctorTextTest, WhatToPasteComesLastAndIsNotIndented) {
  EXPECT_EQ(DoctorText(Messages("en"), WithoutEtcd()),
            "note     kube-controller-manager not there\n"
            "                                 -> scrape it\n"
            "                                 evidence: up\n"
            "\n`schedlens diagnose` will work with this source.\n"
            "\n# prometheus: etcd\n"
            "scrape_configs:\n  - job_name: etcd\n");
}

TEST(DoctorJsonTest, ControlPlaneAndConfigurations) {
  DoctorReport report = WithoutEtcd();
  report.checks.clear();
  EXPECT_EQ(DoctorJson(report), R"({
  "schema": "schedlens.doctor/1",
  "diagnosable": true,
  "checks": [],
  "neighbours": [
    {
      "component": "kube-apiserver",
      "jobs": [
        "apiserver"
      ],
      "instances": 3,
      "missing": [
        {
          "metric": "x_seconds",
          "expected": true
        }
      ]
    },
    {
      "component": "etcd",
      "jobs": [],
      "instances": 0,
      "missing": []
    }
  ],
  "scrape_configurations": [
    {
      "tool": "prometheus",
      "components": [
        "etcd"
      ],
      "yaml": "scrape_configs:\n  - job_name: etcd\n"
    }
  ]
}
)");
}

TEST(DoctorJsonTest, HasItsSchemaFirst) {
  EXPECT_EQ(DoctorJson({}), R"({
  "schema": "schedlens.doctor/1",
  "diagnosable": false,
  "checks": [],
  "neighbours": [],
  "scrape_configurations": []
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
  ],
  "neighbours": [],
  "scrape_configurations": []
}
)");
}

TEST(DoctorTextTest, OfManyAlikeTheFirstAreListed) {
  DoctorReport report;
  for (int i = 0; i < 3000; ++i) {
    report.checks.push_back(
        {Health::kOk, "scheduler", Verbatim(fmt::format("{} is one", i)), {}, {}});
  }
  const std::string text = DoctorText(Messages("en"), report);
  EXPECT_NE(text.find("19 is one\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("20 is one\n"), std::string::npos) << text;
  EXPECT_NE(text.find("2,980 more like these: `-o json` lists all.\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace schedlens
