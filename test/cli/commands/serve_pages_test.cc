// What `serve` shows of its reports.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "cli/commands/serve.h"
#include "cli/process.h"
#include "cli/serving.h"
#include "support/fake_server.h"

namespace schedlens {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kSlow = "Slow-20261127T100000Z-0123456789abcdef";

TEST(ServePages, TheListHasTheNewestFirstAndWhatFailed) {
  const TempDir dir;
  EXPECT_THAT(ReportsPage(dir.path(), {}).body, HasSubstr("No report yet"));
  EXPECT_THAT(ReportsPage(dir / "gone", {.lang = "zh"}).body, HasSubstr("还没有报告"));
  const std::string slow = dir.Write(kSlow + std::string(".html"),
                                     "<html><title>Proven: a &lt;webhook&gt; is slow</title>");
  dir.Write(kSlow + std::string(".json"), "{}");
  const std::string failed = dir.Write("Down-20261127T090000Z-fedcba9876543210.txt",
                                       "no report: <it> did not end in 300 s\n");
  dir.Write("state.json", "{}");
  dir.Write("notes.html", "<title>mine</title>");
  fs::last_write_time(failed, fs::last_write_time(slow) - std::chrono::hours(1));
  const WebReply page = ReportsPage(dir.path(), {});
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.type, "text/html; charset=utf-8");
  const std::size_t first = page.body.find("\">Proven: a &lt;webhook&gt; is slow</a>");
  const std::size_t second = page.body.find("\">no report: &lt;it&gt; did not end in 300 s");
  EXPECT_LT(first, second);
  EXPECT_NE(second, std::string::npos);
  EXPECT_THAT(page.body, HasSubstr("href=\"reports/" + std::string(kSlow) + ".html\""));
  EXPECT_THAT(page.body, HasSubstr("Slow, 2026-11-27 10:00:00 UTC"));
  EXPECT_THAT(ReportsPage(dir.path(), {.zone = ReadZone("+02:00")}).body,
              HasSubstr("Slow, 2026-11-27 12:00:00 UTC+02:00"));
  EXPECT_THAT(page.body, Not(HasSubstr("mine")));
  EXPECT_THAT(page.body, Not(HasSubstr(".json")));
}

TEST(ServePages, AReportIsItsFileAndNothingElseOfTheDisk) {
  const TempDir dir;
  dir.Write(kSlow + std::string(".html"), "page");
  dir.Write(kSlow + std::string(".json"), "{}");
  dir.Write("state.json", "secret");
  fs::create_directories(dir / "queue");
  dir.Write(std::string("queue/") + kSlow + ".json", "secret");
  EXPECT_EQ(ReportFile(dir.path(), kSlow + std::string(".html")).body, "page");
  EXPECT_EQ(ReportFile(dir.path(), kSlow + std::string(".html")).type, "text/html; charset=utf-8");
  EXPECT_EQ(ReportFile(dir.path(), kSlow + std::string(".json")).type,
            "application/json; charset=utf-8");
  for (const std::string& name :
       {std::string("state.json"), std::string(kSlow) + ".txt", std::string(kSlow),
        std::string("queue/") + kSlow + ".json", std::string("../") + kSlow + ".html",
        (dir / kSlow) + ".html", std::string(), std::string("."),
        std::string("state.json\0-0123456789abcdef.json", 33),
        std::string(5000, 'a') + "-0123456789abcdef.html"}) {
    EXPECT_EQ(ReportFile(dir.path(), name).status, 404) << name;
  }
}

TEST(ServePages, TheMessageLinksToThePage) {
  std::vector<std::string> said;
  test::FakeServer chat([&](const test::FakeRequest& request) {
    said.push_back(request.body);
    return test::Http(200, "");
  });
  test::FakeServer prometheus([](const test::FakeRequest&) {
    return test::Http(
        200, R"({"status":"success","data":{"resultType":"vector","result":[],"groups":[]}})");
  });
  const TempDir dir;
  test::Serving serving(
      prometheus.url(), dir.path(),
      {"--notify", chat.url(), "--web.external-url", "https://reports.example/s"});
  const auto ask = [&](const std::string& path) {
    return test::Exchange(serving.port(),
                          "GET " + path + " HTTP/1.1\r\nHost: reports.example\r\n\r\n");
  };
  EXPECT_THAT(ask("/"), HasSubstr("No report yet"));
  const std::string webhook = test::WebhookOf("a");
  std::string request = test::PostText("/", webhook);
  request.replace(request.find("localhost"), 9, "reports.example");
  EXPECT_EQ(test::StatusOf(test::Exchange(serving.port(), request)), 200);
  EXPECT_THAT(serving.NextLine(), HasSubstr(".html: "));
  while (serving.Metric("schedlens_groups{state=\"running\"}") != "0") std::this_thread::yield();
  const std::string name = ReadAlertGroup(webhook).report + ".html";
  ASSERT_EQ(said.size(), 1u);
  EXPECT_THAT(said.front(), HasSubstr("https://reports.example/s/reports/" + name));
  EXPECT_THAT(ask("/"), HasSubstr("reports/" + name));
  EXPECT_THAT(ask("/reports/" + name), HasSubstr("<!DOCTYPE html>"));
  EXPECT_EQ(serving.End(SIGTERM), 0);
}

}  // namespace
}  // namespace schedlens
