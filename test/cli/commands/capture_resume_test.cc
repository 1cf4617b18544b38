#include "cli/commands/capture_resume.h"

#include <gtest/gtest.h>

#include <atomic>

#include "cli/process.h"
#include "cli/run_main.h"
#include "support/fake_server.h"

namespace schedlens {
namespace {

std::string TextOf(const SourceOptions& options) {
  SourceInfo info;
  info.name = "http://prometheus:9090";
  return AskedText(options, info, "Slow", "now-1h");
}

SourceOptions With(std::vector<std::string> headers, const std::string& url = "http://p:9090") {
  SourceOptions options;
  options.prometheus = url;
  options.headers = std::move(headers);
  return options;
}

TEST(AskedText, HeadersAreToldApartByNameAndTenantsByValue) {
  const std::string plain = TextOf(With({}));
  EXPECT_NE(TextOf(With({"X-Team: a"})), plain);
  EXPECT_NE(TextOf(With({"X-Team: a"})), TextOf(With({"X-Group: a"})));
  EXPECT_EQ(TextOf(With({"A: 1", "b: 2"})), TextOf(With({"B: 2", "a: 1"})));
  EXPECT_NE(TextOf(With({"x-scope-orgid: a"})), TextOf(With({"x-scope-orgid: b"})));
  EXPECT_NE(TextOf(With({}, "http://me@p:9090")), plain);
}

TEST(AskedText, HoldsNoValueOfAHeaderAndNoUser) {
  const std::string text =
      TextOf(With({"Authorization: Bearer 1234", "X-Pin:4711"}, "http://me:geheim@p:9090"));
  for (const char* hidden : {"1234", "4711", "Bearer", "me:", "geheim"}) {
    EXPECT_EQ(text.find(hidden), std::string::npos) << text;
  }
  EXPECT_EQ(text, TextOf(With({"authorization: Basic 5", "x-pin: 1"}, "http://you@p:9090")));
}

TEST(AskedText, WhoAsksIsWholeWithoutSecrets) {
  EXPECT_FALSE(LeavesOutWhoAsks(With({})));
  EXPECT_FALSE(LeavesOutWhoAsks(With({"X-Scope-OrgID: a"})));
  EXPECT_TRUE(LeavesOutWhoAsks(With({"X-Team: a"})));
  EXPECT_TRUE(LeavesOutWhoAsks(With({}, "http://me:x@p:9090")));
  SourceOptions configured = With({});
  configured.http_config_file = "http.yml";
  EXPECT_TRUE(LeavesOutWhoAsks(configured));
}

/// A server with other data for each value of X-Team, which answers so many questions for samples.
class Teams {
 public:
  void LetThrough(int answers) {
    left_ = answers;
    asked_ = 0;
  }
  int asked() const { return asked_; }
  std::vector<std::string> Capture(const std::string& team, const std::string& out) const {
    return {"capture",   "--prometheus", server_.url(), "--header",      "X-Team: " + team,
            "--start",   "1700000000",   "--end",       "1700000060",    "--selector",
            "job=\"a\"", "--out",        out,           "--concurrency", "1"};
  }

 private:
  test::FakeReply Answer(const test::FakeRequest& request) {
    const std::string asked = request.target + request.body;
    if (asked.find("query=%7B__name__%3D~") == std::string::npos) {
      return test::Http(200, R"({"status":"success","data":{"resultType":"vector","result":[]}})");
    }
    ++asked_;
    if (left_-- <= 0) return test::Http(500, "down");
    return test::Http(200, R"({"status":"success","data":{"resultType":"matrix","result":[)"
                           R"({"metric":{"__name__":"scheduler_x_total"},"values":[)"
                           R"([1700000030,")" +
                               request.headers.at("x-team") + R"("]]}]}})");
  }

  std::atomic<int> left_{0}, asked_{0};
  test::FakeServer server_{[this](const test::FakeRequest& request) { return Answer(request); }};
};

TEST(CaptureResume, GoesOnForTheSameUserAndBeginsAnewForAnother) {
  const TempDir dir;
  Teams server;
  server.LetThrough(1000);
  ASSERT_EQ(RunMain(server.Capture("7", dir / "whole.om")).code, 0);
  const int questions = server.asked();
  ASSERT_GT(questions, 3);
  for (const bool same : {true, false}) {
    server.LetThrough(2);
    ASSERT_EQ(RunMain(server.Capture("7", dir / "c.om")).code, 1);
    server.LetThrough(1000);
    const Ran ran = RunMain(server.Capture(same ? "7" : "8", dir / "c.om"));
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(
        ran.err.find("the server's data changed; restarting the capture") == std::string::npos,
        same)
        << ran.err;
    // One question is asked to see whether the data are the same.
    EXPECT_EQ(server.asked(), same ? questions - 2 + 1 : questions + 1);
    const std::string text = ReadAll(dir / "c.om");
    EXPECT_NE(text.find(same ? " 7 1700000030" : " 8 1700000030"), std::string::npos) << text;
    EXPECT_EQ(text.find(same ? " 8 1700000030" : " 7 1700000030"), std::string::npos) << text;
    std::filesystem::remove(dir / "c.om");
  }
}

}  // namespace
}  // namespace schedlens
