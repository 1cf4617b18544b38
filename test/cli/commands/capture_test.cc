#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/exposition.h"
#include "cli/command.h"
#include "cli/process.h"
#include "cli/replayed_server.h"
#include "cli/run_main.h"
#include "support/fake_server.h"

namespace schedlens {
namespace {

const std::string kCapture = std::string(SCHEDLENS_TEST_DATA) + "/captures/healthy-A.om.gz";

TEST(CaptureCommand, ARecordingOfARecordingDiagnosesToTheSameBytes) {
  const TempDir dir;
  const Ran ran = RunMain({"capture", "--capture", kCapture, "--out", dir / "a.om"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const Ran again = RunMain({"capture", "--capture", dir / "a.om", "--out", dir / "b.om"});
  ASSERT_EQ(again.code, 0) << again.err;
  const Exposition a = ReadExposition(dir / "a.om", std::nullopt);
  const Exposition b = ReadExposition(dir / "b.om", std::nullopt);
  ASSERT_EQ(a.series.size(), b.series.size());
  for (std::size_t i = 0; i < a.series.size(); ++i) {
    EXPECT_EQ(a.series[i].labels, b.series[i].labels);
    EXPECT_EQ(a.series[i].samples, b.series[i].samples);
  }
  EXPECT_TRUE(a.comments.at(0).starts_with("recorded by schedlens "));
  EXPECT_NE(ran.err.find("series, "), std::string::npos);
}

/// The findings of a diagnosis, with their confidence and share, without names.
std::string FindingsOf(const std::string& capture) {
  const Ran ran = RunMain({"diagnose", "--capture", capture, "-o", "json"});
  const auto report = nlohmann::json::parse(ran.out);
  std::string text = std::to_string(ran.code);
  for (const auto& finding : report.at("findings")) {
    text += "\n" + finding.at("id").get<std::string>() + " " + finding.at("confidence").dump();
  }
  return text + "\n" + report.at("quantiles").dump();
}

TEST(CaptureCommand, ARedactedRecordingNamesNoNameAndFindsTheSame) {
  const std::string captures = SCHEDLENS_TEST_DATA "/captures/";
  for (const std::string& plain :
       {captures + "restart-and-two-replicas-A.om.gz", captures + "extender-bind-slow-A.om.gz",
        std::string(SCHEDLENS_SOURCE_DIR "/examples/incidents/webhook-on-binding/metrics.om.gz")}) {
    const TempDir dir;
    const Ran ran = RunMain({"capture", "--capture", plain, "--out", dir / "a.om", "--redact"});
    ASSERT_EQ(ran.code, 0) << ran.err;
    const std::string text = ReadAll(dir / "a.om");
    for (const char* leaked : {"kube-scheduler-0", "127.0.0.1", "-A.om", "policy.example", "cart",
                               "node-0", "examples"}) {
      EXPECT_EQ(text.find(leaked), std::string::npos) << leaked;
    }
    EXPECT_NE(text.find("names are replaced by codes"), std::string::npos);
    EXPECT_EQ(FindingsOf(dir / "a.om"), FindingsOf(plain)) << plain;
  }
}

TEST(CaptureCommand, NothingIsWrittenWithoutAScheduler) {
  const TempDir dir;
  const std::string file = dir.Write("x.om", "node_load1 1 1000\n# EOF\n");
  const Ran ran = RunMain({"capture", "--capture", file, "--out", dir / "out.om"});
  EXPECT_EQ(ran.code, 5) << ran.err;
  EXPECT_EQ(dir.Entries(), 1u);
}

TEST(CaptureCommand, ScrapesASchedulerItself) {
  std::atomic<int> count{0};
  test::FakeServer server([&](const test::FakeRequest& request) {
    if (request.target != "/metrics") return test::Http(404, "");
    return test::Http(
        200, "# TYPE scheduler_x counter\nscheduler_x_total " + std::to_string(++count) + "\n",
        "Content-Type: text/plain\r\n");
  });
  const TempDir dir;
  const Ran ran = RunMain({"capture", "--scrape", server.url() + "/metrics", "--for", "200ms",
                           "--every", "100ms", "--out", dir / "a.om"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const Exposition got = ReadExposition(dir / "a.om", std::nullopt);
  ASSERT_EQ(got.series.size(), 2u);
  EXPECT_EQ(got.series[0].samples.size(), 3u);
  EXPECT_EQ(got.series[0].samples.back().v, 3);
}

TEST(CaptureCommand, RulesComeFromAnExplorePagesDataSource) {
  const TempDir dir;
  test::ReplayedServer server(
      dir.Write("s.yaml", test::kPassingIncident),
      [](test::ReplayedServer&, const test::FakeRequest& request) {
        const std::string proxy = "/api/datasources/proxy/uid/p1/api/v1/";
        if (!request.target.starts_with(proxy)) return test::Http(404, "not here");
        if (!request.target.ends_with("/rules")) return test::FakeReply{};
        return test::Http(200, R"({"status":"success","data":{"groups":[{"name":"g","rules":[
            {"type":"alerting","name":"Slow","query":"up == 0","duration":0,"labels":{}}]}]}})");
      });
  const std::string page =
      "/explore?left=%7B%22datasource%22:%22p1%22,%22queries%22:%5B%7B%22expr%22:%22up%22%7D%5D%7D";
  const Ran ran = RunMain({"capture", "--prometheus", server.url() + page, "--alert", "Slow",
                           "--start", "now-2m", "--end", "now", "--out", dir / "a.om"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ReadAll(dir / "a.om").find("alert: Slow: up == 0"), std::string::npos);
}

TEST(CaptureCommand, UsageErrors) {
  EXPECT_EQ(RunMain({"capture", "--capture", kCapture}).code, 2);
  EXPECT_EQ(RunMain({"capture", "--capture", kCapture, "--scrape", "http://h", "--out", "-"}).code,
            2);
  EXPECT_EQ(RunMain({"capture", "--scrape", "http://h", "--for", "x", "--out", "-"}).code, 2);
}

TEST(CaptureCommand, ANameThatEndsInGzIsPackedAndAnAlertWithoutSamplesIsSaid) {
  const TempDir dir;
  const Ran ran =
      RunMain({"capture", "--capture", kCapture, "--alert", "Slow", "--out", dir / "a.om.gz"});
  ASSERT_EQ(ran.code, 0);
  EXPECT_NE(ran.err.find("no sample of ALERTS for Slow"), std::string::npos) << ran.err;
  EXPECT_TRUE(ReadAll(dir / "a.om.gz").starts_with("\x1f\x8b"));
  EXPECT_FALSE(ReadExposition(dir / "a.om.gz", std::nullopt).series.empty());
}

TEST(CaptureCommand, WhatIsRefusedBeforeTheFirstQuestionLeavesNoFile) {
  const TempDir dir;
  test::FakeServer server([](const test::FakeRequest&) {
    return test::Http(200, R"({"status":"success","data":{"resultType":"vector","result":[]}})");
  });
  const Ran ran =
      RunMain({"capture", "--prometheus", server.url(), "--selector", "job=\"a\"", "--start",
               "2000-01-01T00:00:00Z", "--end", "2026-01-01T00:00:00Z", "--out", dir / "a.om"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_NE(ran.err.find("is more than 20000 questions; shorten --window"), std::string::npos)
      << ran.err;
  EXPECT_EQ(dir.Entries(), 0u);
}

}  // namespace
}  // namespace schedlens
