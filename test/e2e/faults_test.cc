// Servers and networks that fail, each in its own way: the right answer, or one clear line and the
// documented exit code. Hangs are in timeout_test.cc, random sequences in fault_sequences_test.cc.

#include <gtest/gtest.h>

#include <regex>

#include "base/url.h"
#include "cli/process.h"
#include "e2e/recorded.h"

namespace schedlens::test {
namespace {

using schedlens::Finished;
using schedlens::RunBinary;

/// A real Prometheus over a real recording, shared by all tests of this file.
class Faults : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!Installed("prometheus") || !Installed("promtool")) return;
    work_ = new TempDir;
    Exposition capture = ReadCapture("healthy-A");
    extent_ = ExtentOf(capture);
    server_ = StartOver(capture, work_->path()).release();
  }
  static void TearDownTestSuite() {
    delete server_;
    delete work_;
  }
  void SetUp() override {
    if (server_ == nullptr) GTEST_SKIP() << "no Prometheus here";
  }

  static FakeReply Pass(const FakeRequest& request) {
    FakeReply reply{.bytes = Forward(PortOf(server_->url()), request)};
    reply.close = true;
    return reply;
  }

  static Finished Doctor(const std::string& url, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"doctor",
                                          "--prometheus",
                                          url,
                                          "--start",
                                          std::to_string(extent_.end / 1000 - 300),
                                          "--end",
                                          std::to_string(extent_.end / 1000)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunBinary(arguments);
  }

  /// What the doctor says, without the line that names the server.
  static std::string Findings(const Finished& finished) {
    return finished.out.substr(std::min(finished.out.find('\n'), finished.out.size()));
  }

  static inline TempDir* work_ = nullptr;
  static inline Server* server_ = nullptr;
  static inline TimeRange extent_;
};

void ExpectOneLine(const Finished& finished, int code, const std::string& says) {
  EXPECT_EQ(finished.code, code) << finished.err;
  EXPECT_EQ(finished.signal, 0);
  EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
  EXPECT_NE(finished.err.find(says), std::string::npos) << finished.err;
}

TEST_F(Faults, WhatPassesByGivesTheRightAnswer) {
  const Finished direct = Doctor(server_->url());
  ASSERT_EQ(direct.code, 0) << direct.err << direct.out;
  struct Case {
    const char* name;
    std::function<FakeReply(int, const FakeReply&)> fault;  ///< by number of the request
  };
  const std::vector<Case> cases = {
      {"nothing", [](int, const FakeReply& right) { return right; }},
      {"reset in the middle of a body",
       [](int i, FakeReply right) {
         if (i % 5 == 2) {
           right.bytes.resize(right.bytes.size() * 2 / 3);
           right.reset = true;
         }
         return right;
       }},
      {"closed in the middle of a body",
       [](int i, FakeReply right) {
         if (i == 3) right.bytes.resize(right.bytes.size() - 1);
         return right;
       }},
      {"503 twice, then fine",
       [](int i, const FakeReply& right) { return i < 2 ? Http(503, "starting") : right; }},
      {"429 with Retry-After",
       [](int i, const FakeReply& right) {
         return i == 1 ? Http(429, "", "Retry-After: 1\r\n") : right;
       }},
      {"502 from a proxy on the way",
       [](int i, const FakeReply& right) {
         return i == 4 ? Http(502, "<html>bad</html>") : right;
       }},
  };
  for (const Case& c : cases) {
    std::atomic<int> count{0};
    FakeServer proxy([&](const FakeRequest& request) {
      const int i = count++;
      return c.fault(i, Pass(request));
    });
    const Finished finished = Doctor(proxy.url());
    EXPECT_EQ(finished.code, 0) << c.name << ": " << finished.err;
    EXPECT_EQ(Findings(finished), Findings(direct)) << c.name;
  }
}

TEST_F(Faults, WhatDoesNotPassIsOneLineAndItsExitCode) {
  constexpr const char* kTooMany =
      R"({"status":"error","errorType":"execution","error":"query processing would load too many )"
      R"(samples into memory in query execution"})";
  struct Case {
    const char* name;
    int code;
    const char* says;
    std::function<FakeReply(const FakeRequest&)> handler;
  };
  const std::vector<Case> cases = {
      {"half a JSON", 1, "the text ends early",
       [](const FakeRequest& request) {
         const std::string whole = Forward(PortOf(server_->url()), request);
         if (request.target.find("buildinfo") != std::string::npos) {
           return FakeReply{.bytes = whole, .close = true};
         }
         return Http(200, R"({"status":"success","data":{"resultType":"matrix","result":[{"me)");
       }},
      {"200 with HTML", 1, "is this the URL of a Prometheus API?",
       [](const FakeRequest&) { return Http(200, "<html>sign in</html>"); }},
      {"reset always", 1, "after 4 tries",
       [](const FakeRequest&) { return FakeReply{.bytes = "HTTP/1.1 200 OK\r\n", .reset = true}; }},
      {"503 always", 1, "overloaded or down", [](const FakeRequest&) { return Http(503, "no"); }},
      {"401", 4, "(401)", [](const FakeRequest&) { return Http(401, "no"); }},
      {"403", 4, "(403)", [](const FakeRequest&) { return Http(403, "no"); }},
      {"422", 1, "ask for a shorter --window",
       [&](const FakeRequest&) { return Http(422, kTooMany); }},
      {"404", 1, "path prefix", [](const FakeRequest&) { return Http(404, "no such page"); }},
      {"garbage instead of HTTP", 1, "build info",
       [](const FakeRequest&) { return FakeReply{.bytes = "SSH-2.0-x\r\n", .close = true}; }},
  };
  for (const Case& c : cases) {
    FakeServer proxy(c.handler);
    SCOPED_TRACE(c.name);
    ExpectOneLine(Doctor(proxy.url()), c.code, c.says);
  }
}

TEST_F(Faults, ARefusedConnection) {
  ExpectOneLine(Doctor("http://127.0.0.1:" + std::to_string(FreePort())), 1, "cannot connect");
}

TEST_F(Faults, AnEmptyResultIsMissingData) {
  FakeServer proxy([](const FakeRequest& request) {
    if (request.target.find("buildinfo") != std::string::npos) return Pass(request);
    return Http(200, R"({"status":"success","data":{"resultType":"vector","result":[]}})");
  });
  const Finished finished = Doctor(proxy.url());
  EXPECT_EQ(finished.code, 5);
  EXPECT_NE(finished.out.find("no kube-scheduler metrics here, nor anything else"),
            std::string::npos)
      << finished.out;
}

TEST_F(Faults, AFailedSearchElsewhereDoesNotHideThatNothingWasFound) {
  FakeServer proxy([](const FakeRequest& request) {
    if (request.target.find("buildinfo") != std::string::npos) return Pass(request);
    const std::string asked = PercentDecode(request.target + request.body, true);
    if (asked.find("count by (__name__, job)") != std::string::npos) {
      return Http(422, R"({"status":"error","errorType":"execution","error":"too many series"})");
    }
    return Http(200, R"({"status":"success","data":{"resultType":"vector","result":[]}})");
  });
  const Finished diagnosis =
      RunBinary({"diagnose", "--prometheus", proxy.url(), "--start", "1000", "--end", "1300"});
  EXPECT_EQ(diagnosis.code, 5) << diagnosis.err;
  EXPECT_NE(diagnosis.out.find("No kube-scheduler metrics were found here."), std::string::npos);
  for (const std::string& text : {diagnosis.out, Doctor(proxy.url()).out}) {
    std::string joined = std::regex_replace(text, std::regex("\\n +"), " ");
    EXPECT_NE(
        joined.find("whether they are there under other labels or names is not known: query "),
        std::string::npos)
        << joined;
    EXPECT_NE(joined.find("too many series"), std::string::npos) << joined;
  }
}

TEST_F(Faults, TheServersWarningsAreShown) {
  FakeServer proxy([](const FakeRequest& request) {
    FakeRequest plain = request;
    plain.headers.erase("accept-encoding");
    FakeReply reply = Pass(plain);
    const auto at = reply.bytes.find("{\"status\":\"success\",");
    if (request.target.find("/query") == std::string::npos || at == std::string::npos) return reply;
    const std::string body = "{\"warnings\":[\"store s3 did not answer\"]," +
                             reply.bytes.substr(at + 1, reply.bytes.rfind('}') - at);
    return Http(200, body);
  });
  const Finished finished = Doctor(proxy.url());
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_NE(finished.out.find("store s3 did not answer"), std::string::npos) << finished.out;
}

}  // namespace
}  // namespace schedlens::test
