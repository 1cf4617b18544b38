#include "source/http/prometheus_source.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <mutex>

#include "base/url.h"
#include "schedlens/error.h"
#include "support/fake_server.h"

namespace schedlens {
namespace {

using test::FakeRequest;
using test::FakeServer;
using test::Http;

constexpr const char* kEmpty = R"({"status":"success","data":{"resultType":"vector","result":[]}})";

SourceOptions At(const std::string& url) {
  SourceOptions options;
  options.prometheus = url;
  options.total_timeout_seconds = 30;
  return options;
}

Query Instant(const std::string& promql, TimeMs t = 1700000000123) {
  return {.promql = promql, .start = t, .end = t, .step_ms = 0};
}

/// Kind and message of what asking throws.
std::pair<int, std::string> WhyNot(const std::string& url) {
  try {
    NewPrometheusSource(At(url))->Ask(Instant("up"));
  } catch (const Error& error) {
    return {static_cast<int>(error.kind()), error.what()};
  }
  return {0, ""};
}

std::string ValueOf(const std::string& value) {
  return R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1,")" +
         value + R"("]}]}})";
}

TEST(PrometheusSource, InstantAndRangeQuestions) {
  std::mutex mutex;
  std::vector<std::string> targets;
  FakeServer server([&](const FakeRequest& request) {
    const std::lock_guard lock(mutex);
    targets.push_back(request.target);
    return Http(200, kEmpty);
  });
  const auto source = NewPrometheusSource(At(server.url() + "/prefix/"));
  EXPECT_TRUE(source->Ask(Instant("a{b=\"c d\"}")).series.empty());
  source->Ask({.promql = "up", .start = 1000, .end = 61000, .step_ms = 15500});
  ASSERT_EQ(targets.size(), 2u);
  EXPECT_EQ(targets[0], "/prefix/api/v1/query?query=a%7Bb%3D%22c%20d%22%7D&time=1700000000.123");
  EXPECT_EQ(targets[1],
            "/prefix/api/v1/query_range?query=up&start=1.000&end=61.000&step=15.500&nocache=1");
}

TEST(PrometheusSource, LongQuestionsAreForms) {
  FakeRequest got;
  FakeServer server([&](const FakeRequest& request) {
    got = request;
    return Http(200, kEmpty);
  });
  const std::string promql = "up{a=~\"" + std::string(3000, 'x') + "\"}";
  NewPrometheusSource(At(server.url()))->Ask(Instant(promql));
  EXPECT_EQ(got.method, "POST");
  EXPECT_EQ(got.target, "/api/v1/query");
  EXPECT_EQ(got.headers["content-type"], "application/x-www-form-urlencoded");
  EXPECT_EQ(got.body, "query=" + PercentEncode(promql) + "&time=1700000000.123");
}

TEST(PrometheusSource, AnswersComeInTheOrderAsked) {
  FakeServer server([&](const FakeRequest& request) {
    const auto at = request.target.find("query=") + 6;
    return Http(200, ValueOf(request.target.substr(at, request.target.find('&') - at)));
  });
  const auto source = NewPrometheusSource(At(server.url()));
  std::vector<Query> queries;
  for (int i = 0; i < 30; ++i) queries.push_back(Instant(std::to_string(i)));
  const std::vector<Answer> answers = source->AskAll(queries);
  ASSERT_EQ(answers.size(), 30u);
  for (int i = 0; i < 30; ++i) EXPECT_EQ(answers[i].series.at(0).samples.at(0).v, i);
}

TEST(PrometheusSource, EachAnswerIsTakenAsItComes) {
  FakeServer server([](const FakeRequest& request) {
    return Http(200, ValueOf(request.target.find("second") == std::string::npos ? "1" : "2"));
  });
  const auto source = NewPrometheusSource(At(server.url()));
  std::vector<double> values(2);
  source->AskEach({Instant("first"), Instant("second")}, [&](std::size_t i, const Answer& answer) {
    values[i] = answer.series.at(0).samples.at(0).v;
  });
  EXPECT_EQ(values, (std::vector<double>{1, 2}));
}

TEST(PrometheusSource, TheServersClockIsThatOfItsAnswers) {
  std::string date = "Date: Sun, 22 Nov 2026 02:27:59 GMT\r\n";
  FakeServer server([&](const FakeRequest&) { return Http(404, "", date); });
  EXPECT_EQ(ServerClock(At(server.url())), 1795314479000);
  date.clear();
  EXPECT_EQ(ServerClock(At(server.url())), std::nullopt);
}

TEST(PrometheusSource, ARetriedAnswerIsReadFromItsStart) {
  std::atomic<int> count{0};
  FakeServer server([&](const FakeRequest&) {
    test::FakeReply reply = Http(200, ValueOf("7"));
    if (++count == 1) {
      reply.bytes.resize(reply.bytes.size() - 20);
      reply.reset = true;
    }
    return reply;
  });
  const Answer answer = NewPrometheusSource(At(server.url()))->Ask(Instant("up"));
  ASSERT_EQ(answer.series.size(), 1u);
  EXPECT_EQ(answer.series[0].samples[0].v, 7);
}

TEST(PrometheusSource, FailuresAreOneLineWithAnAdvice) {
  struct Case {
    int status;
    const char* body;
    int kind;
    const char* says;
  };
  for (const Case& c : {
           Case{400, R"({"status":"error","errorType":"bad_data","error":"1:3: parse error"})", 1,
                "the server answers 400 bad_data: 1:3: parse error"},
           Case{422,
                R"({"status":"error","errorType":"execution","error":"query processing would load )"
                R"(too many samples into memory in query execution"})",
                1, "ask for a shorter --window, narrow it with --selector, or raise"},
           Case{503, R"({"status":"error","errorType":"timeout","error":"query timed out"})", 124,
                "raise the server's query timeout"},
           Case{404, "404 page not found\n", 1, "is the URL's path prefix right?"},
           Case{500, "oops", 1, "the server answers 500"},
           Case{400, "sent HTTP to an HTTPS server\n", 1, "answers 400: sent HTTP to an HTTPS"},
           Case{302, "", 1, "answers 302: give the URL behind the redirect"},
           Case{200, "<html><body>Sign in</body></html>", 1,
                "an HTML page, perhaps of a login: is this the URL of a Prometheus API?"},
           Case{200, R"({"status":"success","data":{"resu)", 1, "the text ends early"},
           Case{200, R"({"status":"error","errorType":"internal","error":"x"})", 1,
                "the server says internal: x"},
           Case{200, "{}", 1, "not an answer of the Prometheus API"},
           Case{200, "", 1, "the text ends early"},
           Case{401, "", 4, "refuses access (401)"},
           Case{403, "", 4, "refuses access (403)"},
       }) {
    FakeServer server([&](const FakeRequest&) { return Http(c.status, c.body); });
    const auto [kind, message] = WhyNot(server.url());
    EXPECT_EQ(kind, c.kind) << message;
    EXPECT_NE(message.find(c.says), std::string::npos) << message;
    EXPECT_NE(message.find("query up"), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    EXPECT_EQ(server.requests(), 1) << c.body;
  }
}

TEST(PrometheusSource, AMalformedUrlIsAUsageError) {
  for (const char* url : {"ftp://x", "http://", "http://h:70000"}) {
    try {
      NewPrometheusSource(At(url));
      FAIL() << url;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    }
  }
}

/// What Describe() says of a server with this buildinfo and this answer to the rounding question.
SourceInfo Described(const std::string& build_info, const std::string& value,
                     std::optional<Semantics> chosen = {}) {
  FakeServer server([&](const FakeRequest& request) {
    if (request.target == "/api/v1/status/buildinfo") {
      return build_info.empty() ? Http(404, "") : Http(200, build_info);
    }
    if (request.target.find("bounds") != std::string::npos && value != "metricsql") {
      return Http(400, R"({"status":"error","errorType":"bad_data","error":"parse error"})");
    }
    return Http(200, value.empty() || value == "metricsql" ? kEmpty : ValueOf(value));
  });
  SourceOptions options = At(fmt::format("http://u:geheim@127.0.0.1:{}", server.port()));
  options.semantics = chosen;
  SourceInfo info = NewPrometheusSource(options)->Describe();
  EXPECT_EQ(info.name, server.url());
  return info;
}

TEST(PrometheusSource, BitsAreClaimedForAKnownPrometheusOnly) {
  const std::string prometheus =
      R"({"status":"success","data":{"version":"3.1.0","revision":"r","goVersion":"go1"}})";
  const SourceInfo amd64 = Described(prometheus, "0.11000000000000001");
  EXPECT_EQ(amd64.kind, "prometheus");
  EXPECT_EQ(amd64.version, "3.1.0");
  EXPECT_EQ(ToString(amd64.semantics), "3.1");
  EXPECT_TRUE(amd64.exact);

  const SourceInfo arm64 = Described(prometheus, "0.11");
  EXPECT_TRUE(arm64.exact);
  EXPECT_TRUE(arm64.semantics.fma);

  EXPECT_FALSE(Described(prometheus, "0.12").exact);
  EXPECT_FALSE(Described(prometheus, "").exact);
  EXPECT_FALSE(Described(R"({"status":"success","data":{"version":"2.24.0"}})", "0.11").exact);
  EXPECT_EQ(Described("", "0.11").kind, "unknown");
  const SourceInfo nameless = Described(R"({"status":"success","data":{}})", "metricsql");
  EXPECT_EQ(nameless.kind, "victoriametrics");
  EXPECT_TRUE(nameless.semantics.IsVictoriaMetrics());
  EXPECT_FALSE(Described("", "0.11").exact);
}

TEST(PrometheusSource, ChosenSemanticsStay) {
  EXPECT_EQ(ToString(Described("", "", ParseSemantics("2.20")).semantics), "2.20");
}

TEST(PrometheusSource, RulesAndPages) {
  FakeServer server([&](const FakeRequest& request) {
    return request.target == "/metrics" ? Http(200, "up 1\n") : Http(200, request.target);
  });
  EXPECT_EQ(FetchRules(At(server.url() + "/p/graph")), "/p/api/v1/rules");
  EXPECT_EQ(FetchPage(At(""), server.url() + "/metrics"), "up 1\n");
}

}  // namespace
}  // namespace schedlens
