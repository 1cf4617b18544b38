// `serve` as a process: webhooks in, reports out, whatever floods, hangs or dies.

#include "cli/commands/serve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "cli/run_main.h"
#include "cli/serving.h"
#include "support/fake_server.h"

namespace schedlens {
namespace {

namespace fs = std::filesystem;
using test::Exchange;
using test::FakeReply;
using test::FakeRequest;
using test::FakeServer;
using test::Http;
using test::PostText;
using test::Serving;
using test::StatusOf;
using test::WebhookOf;
using testing::EndsWith;
using testing::HasSubstr;

constexpr std::size_t kMemory = std::size_t{128} << 20;

/// A Prometheus that has nothing: a report says so quickly.
FakeReply Nothing(const FakeRequest& request) {
  if (request.target.starts_with("/api/v1/rules")) {
    return Http(200, R"({"status":"success","data":{"groups":[]}})");
  }
  const bool range = request.target.starts_with("/api/v1/query_range");
  return Http(200, std::string(R"({"status":"success","data":{"resultType":")") +
                       (range ? "matrix" : "vector") + R"(","result":[]}})");
}

int Post(const Serving& serving, const std::string& fingerprint) {
  return StatusOf(Exchange(serving.port(), PostText("/", WebhookOf(fingerprint))));
}

/// Where an acknowledged notification is: reported, waiting or set aside. Empty: it is lost.
std::string PlaceOf(const std::string& folder, const std::string& fingerprint) {
  const std::string webhook = WebhookOf(fingerprint);
  if (fs::exists(folder + "/" + ReadAlertGroup(webhook).report + ".json")) return "report";
  for (const char* place : {"queue", "failed"}) {
    for (const auto& entry : fs::directory_iterator(folder + "/" + place)) {
      if (entry.path().extension() == ".json" && ReadAll(entry.path()) == webhook) return place;
    }
  }
  return "";
}

std::size_t Lost(const std::string& folder, const std::set<std::string>& acknowledged) {
  std::set<std::string> waiting;
  for (const char* place : {"queue", "failed"}) {
    for (const auto& entry : fs::directory_iterator(folder + "/" + place)) {
      if (entry.path().extension() == ".json") waiting.insert(ReadAll(entry.path()));
    }
  }
  std::size_t lost = 0;
  for (const std::string& one : acknowledged) {
    const std::string webhook = WebhookOf(one);
    const bool there = waiting.contains(webhook) ||
                       fs::exists(folder + "/" + ReadAlertGroup(webhook).report + ".json");
    lost += there ? 0 : 1;
  }
  return lost;
}

TEST(Serve, WritesAReportForEachGroup) {
  FakeServer prometheus(Nothing);
  const TempDir dir;
  Serving serving(prometheus.url(), dir.path());
  EXPECT_THAT(Exchange(serving.port(), PostText("/", WebhookOf("a"))), EndsWith("queued\n"));
  const std::string line = serving.NextLine();
  EXPECT_THAT(line, HasSubstr(".html: ")) << "reported";
  while (serving.Metric("schedlens_groups{state=\"running\"}") != "0") std::this_thread::yield();
  EXPECT_EQ(PlaceOf(dir.path(), "a"), "report");
  EXPECT_THAT(Exchange(serving.port(), PostText("/", WebhookOf("a"))), EndsWith("known\n"));
  EXPECT_EQ(StatusOf(Exchange(serving.port(), PostText("/", "no json"))), 400);
  EXPECT_THAT(serving.NextLine(), HasSubstr("a webhook is refused (400): the webhook: not JSON"));
  EXPECT_EQ(StatusOf(Exchange(serving.port(), PostText("/", std::string(2 << 20, ' ')))), 413);
  EXPECT_THAT(serving.NextLine(), HasSubstr("refused (413): at most 1048576 bytes"));
  EXPECT_EQ(serving.Metric("schedlens_webhooks_total{outcome=\"refused\"}"), "2");
  EXPECT_THAT(Exchange(serving.port(), "GET /-/healthy HTTP/1.1\r\n\r\n"), EndsWith("healthy\n"));
  EXPECT_EQ(StatusOf(Exchange(serving.port(), "GET /other HTTP/1.1\r\n\r\n")), 404);
  EXPECT_EQ(StatusOf(Exchange(serving.port(), "PUT / HTTP/1.1\r\n\r\n")), 405);
  EXPECT_EQ(serving.Metric("schedlens_webhooks_total{outcome=\"known\"}"), "1");
  EXPECT_EQ(serving.Metric("schedlens_reports_total{outcome=\"written\"}"), "1");
  EXPECT_EQ(serving.End(SIGTERM), 0);
}

TEST(Serve, ADiskThatRefusesIsToldInTheLogAlone) {
  FakeServer prometheus(Nothing);
  const TempDir dir;
  Serving serving(prometheus.url(), dir / "out");
  const auto ask = [&](const std::string& path) {
    return Exchange(serving.port(), "GET " + path + " HTTP/1.1\r\n\r\n");
  };
  EXPECT_THAT(ask("/-/ready"), EndsWith("ready\n"));
  fs::remove_all(dir / "out");
  dir.Write("out", "a file in its place");
  const std::string answer = Exchange(serving.port(), PostText("/", WebhookOf("a")));
  EXPECT_EQ(StatusOf(answer), 500);
  EXPECT_THAT(answer, testing::Not(HasSubstr(dir.path())));
  EXPECT_THAT(serving.NextLine(),
              testing::AllOf(HasSubstr("a webhook is not taken (500): "), HasSubstr(dir / "out")));
  EXPECT_EQ(serving.Metric("schedlens_webhooks_total{outcome=\"failed\"}"), "1");
  const std::string unready = ask("/-/ready");
  EXPECT_EQ(StatusOf(unready), 503);
  EXPECT_THAT(unready, testing::Not(HasSubstr(dir.path())));
  EXPECT_THAT(serving.NextLine(), testing::AllOf(HasSubstr("not ready: "), HasSubstr(dir / "out")));
  EXPECT_EQ(StatusOf(ask("/-/healthy")), 200) << "a restart would not help";
  fs::remove(dir / "out");
  EXPECT_EQ(StatusOf(ask("/-/ready")), 200);
}

TEST(Serve, ARemovedFolderIsMadeAgain) {
  FakeServer prometheus(Nothing);
  const TempDir dir;
  Serving serving(prometheus.url(), dir / "out");
  fs::remove_all(dir / "out");
  EXPECT_EQ(Post(serving, "a"), 200);
  EXPECT_THAT(serving.NextLine(), HasSubstr(".html: "));
  EXPECT_EQ(serving.End(SIGTERM), 0);
  EXPECT_EQ(PlaceOf(dir / "out", "a"), "report");
}

std::string ReportOf(const TempDir& dir, const std::string& alert, const std::string& ending) {
  return dir / (ReadAlertGroup(WebhookOf(alert)).report + ending);
}

TEST(Serve, ACrashAndAHangCostThatOneReport) {
  const std::pair<int, const char*> rows[] = {
      {SIGSEGV, "the diagnosis was ended by signal 11 (Segmentation fault)"},
      {SIGSTOP, "the diagnosis did not end in 11 s"}};
  for (const auto& [signal, why] : rows) {
    std::atomic<bool> hangs{true};
    FakeServer prometheus([&](const FakeRequest& request) {
      FakeReply reply = Nothing(request);
      reply.hang = hangs;
      if (reply.hang) reply.bytes.clear();
      return reply;
    });
    const TempDir dir;
    Serving serving(prometheus.url(), dir.path(), {"--timeout", "1s"});
    EXPECT_EQ(Post(serving, "bad"), 200);
    kill(serving.Reporter(), signal);
    hangs = false;
    EXPECT_EQ(Post(serving, "good"), 200);
    EXPECT_THAT(serving.NextLine(), testing::AllOf(HasSubstr(why), HasSubstr("given up")));
    EXPECT_THAT(serving.NextLine(), HasSubstr(".html: "));
    EXPECT_EQ(serving.Metric("schedlens_reports_total{outcome=\"failed\"}"), "1");
    EXPECT_EQ(StatusOf(Exchange(serving.port(), "GET /-/ready HTTP/1.1\r\n\r\n")), 200);
    EXPECT_EQ(serving.End(SIGTERM), 0);
    EXPECT_EQ(PlaceOf(dir.path(), "bad"), "failed");
    EXPECT_EQ(PlaceOf(dir.path(), "good"), "report");
    EXPECT_THAT(ReadAll(ReportOf(dir, "bad", ".txt")),
                testing::AllOf(HasSubstr("SchedulerSlow-20261121T100000Z-"), HasSubstr(why),
                               HasSubstr("what was posted: failed/")));
  }
}

TEST(Serve, ADiagnosisThatEatsMemoryCostsThatOneReport) {
  FakeServer prometheus([](const FakeRequest& request) {
    if (!request.target.starts_with("/api/v1/query")) return Nothing(request);
    FakeReply endless{.bytes =
                          "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                          "Connection: close\r\n\r\n"
                          R"({"status":"success","data":{"resultType":"vector","result":[)"
                          R"({"metric":{"a":"0"},"value":[1,"1"]})"};
    endless.again = R"(,{"metric":{"pod":"x","a":"some label of some length"},"value":[1,"1"]})";
    endless.times = 3'000'000;
    endless.close = true;
    return endless;
  });
  const TempDir dir;
  Serving serving(prometheus.url(), dir.path(), {"--max-memory", "48Mi"});
  EXPECT_EQ(Post(serving, "a"), 200);
  EXPECT_THAT(serving.NextLine(),
              testing::AllOf(HasSubstr("out of memory"), HasSubstr("given up")));
  EXPECT_LT(serving.Memory(), kMemory);
  EXPECT_EQ(serving.End(SIGTERM), 0);
  EXPECT_THAT(ReadAll(ReportOf(dir, "a", ".txt")), HasSubstr("out of memory"));
}

TEST(Serve, ARestartRepeatsNothing) {
  FakeServer prometheus(Nothing);
  FakeServer chat([](const FakeRequest&) { return Http(200, "ok"); });
  const TempDir dir;
  for (int start = 0; start < 3; ++start) {
    Serving serving(prometheus.url(), dir.path(), {"--notify", chat.url()});
    EXPECT_EQ(Post(serving, "a"), 200);
    if (start == 0) {
      EXPECT_THAT(serving.NextLine(), HasSubstr(".html: "));
    }
    while (serving.Metric("schedlens_groups{state=\"running\"}") != "0") std::this_thread::yield();
    EXPECT_EQ(serving.End(SIGTERM), 0);
  }
  EXPECT_EQ(chat.requests(), 1);
  dir.Write("state.json", "damaged");
  Serving serving(prometheus.url(), dir.path(), {"--notify", chat.url()});
  EXPECT_THAT(serving.before(), HasSubstr("state.json: not what serve has written"));
}

TEST(Serve, ReportsAreReadByTheirOwnersAndGroupAlone) {
  FakeServer prometheus(Nothing);
  const TempDir dir;
  Serving serving(prometheus.url(), dir.path());
  EXPECT_EQ(Post(serving, "a"), 200);
  serving.NextLine();
  EXPECT_EQ(serving.End(SIGTERM), 0);
  for (const char* ending : {".html", ".json"}) {
    EXPECT_EQ(static_cast<int>(fs::status(ReportOf(dir, "a", ending)).permissions()), 0640);
  }
}

TEST(Serve, APageOfAnotherSiteCannotPost) {
  FakeServer prometheus(Nothing);
  const TempDir dir;
  Serving serving(prometheus.url(), dir.path());
  const auto post = [&](const std::string& headers) {
    std::string request = PostText("/", WebhookOf("a"));
    return StatusOf(
        Exchange(serving.port(), request.insert(request.find("Content-Type"), headers)));
  };
  EXPECT_EQ(post("Origin: http://evil.example\r\n"), 403);
  EXPECT_THAT(serving.NextLine(), HasSubstr("a webhook is refused (403): from a page of another"));
  EXPECT_EQ(post("Sec-Fetch-Site: cross-site\r\n"), 403);
  EXPECT_EQ(post(""), 200);
}

TEST(Serve, VerboseLinesAreWrittenOneAtATime) {
  FakeServer prometheus(Nothing);
  const TempDir dir;
  Serving serving(prometheus.url(), dir.path(), {"--verbose", "--workers", "2"});
  EXPECT_EQ(Post(serving, "a"), 200);
  std::string line;
  for (int lines = 0; line.find(".html: ") == std::string::npos && lines < 1000; ++lines) {
    line = serving.NextLine();
    EXPECT_THAT(line, testing::StartsWith("schedlens: ")) << "each through the same lock";
  }
}

TEST(Serve, CtrlCEndsItAlsoInTheMiddleOfAQuestion) {
  std::atomic<bool> asked{false};
  FakeServer prometheus([&](const FakeRequest&) {
    asked = true;
    FakeReply reply;
    reply.hang = true;
    return reply;
  });
  const TempDir dir;
  Serving serving(prometheus.url(), dir.path());
  EXPECT_EQ(Post(serving, "a"), 200);
  while (!asked) std::this_thread::yield();
  EXPECT_EQ(serving.End(SIGINT), 130);
  EXPECT_EQ(PlaceOf(dir.path(), "a"), "queue") << "for the next start";
}

TEST(Serve, WhatIsNotToldYetIsToldByTheNextProcess) {
  FakeServer prometheus(Nothing);
  std::atomic<bool> hangs{true};
  std::atomic<int> asked{0};
  FakeServer chat([&](const FakeRequest&) {
    ++asked;
    if (!hangs) return Http(404, "gone");
    FakeReply reply;
    reply.hang = true;
    return reply;
  });
  const TempDir dir;
  {
    Serving serving(prometheus.url(), dir.path(), {"--notify", chat.url()});
    EXPECT_EQ(Post(serving, "a"), 200);
    EXPECT_THAT(serving.NextLine(), HasSubstr(".html: "));
    while (asked == 0) std::this_thread::yield();
    EXPECT_EQ(serving.End(SIGTERM), 0);
  }
  hangs = false;
  Serving serving(prometheus.url(), dir.path(), {"--notify", chat.url()});
  EXPECT_THAT(serving.NextLine(), HasSubstr(".html: "));
  EXPECT_THAT(serving.NextLine(), HasSubstr("notification: the server answers 404"));
  EXPECT_EQ(asked, 2);
}

TEST(Serve, NothingThatWasAcknowledgedIsLostWhenItIsKilled) {
  const TempDir dir;
  std::set<std::string> acknowledged;
  {
    FakeServer hanging([](const FakeRequest&) {
      FakeReply reply;
      reply.hang = true;
      return reply;
    });
    Serving serving(hanging.url(), dir.path());
    for (int i = 0; i < 20; ++i) {
      if (Post(serving, std::to_string(i)) == 200) acknowledged.insert(std::to_string(i));
    }
    serving.End(SIGKILL);
  }
  EXPECT_EQ(acknowledged.size(), 20u);
  FakeServer prometheus(Nothing);
  Serving serving(prometheus.url(), dir.path());
  for (int i = 0; i < 20; ++i) serving.NextLine();
  EXPECT_EQ(serving.End(SIGTERM), 0);
  for (const std::string& one : acknowledged) EXPECT_EQ(PlaceOf(dir.path(), one), "report");
}

/// Posts as fast as it can from several threads; statuses with their number, and who was told 200.
struct Flood {
  std::map<int, std::size_t> statuses;
  std::set<std::string> acknowledged;
  std::size_t most_memory = 0;
  double seconds = 0;
};

/// `many` notifications over so many fingerprints; killed after half of them where asked.
Flood Post(Serving& serving, int many, int fingerprints, bool kill_halfway = false) {
  constexpr int kThreads = 8;
  Flood flood;
  std::mutex mutex;
  std::atomic<int> next{0};
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&] {
      for (int i = next++; i < many; i = next++) {
        const std::string fingerprint = std::to_string(i % fingerprints);
        const int status = Post(serving, fingerprint);
        const std::lock_guard lock(mutex);
        ++flood.statuses[status];
        if (status == 200) flood.acknowledged.insert(fingerprint);
        if (i % 500 == 0) flood.most_memory = std::max(flood.most_memory, serving.Memory());
        if (kill_halfway && i == many / 2) kill(serving.pid(), SIGKILL);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  flood.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::string statuses;
  for (const auto& [status, count] : flood.statuses) {
    statuses += fmt::format(" {}: {}", status, count);
  }
  fmt::print("{} over {}: {:.0f} a second, at most {} MiB;{}\n", many, fingerprints,
             many / flood.seconds, flood.most_memory >> 20, statuses);
  return flood;
}

int Seconds() { return std::getenv("SCHEDLENS_NIGHTLY") == nullptr ? 3 : 60; }

TEST(Serve, AFloodOfFiftyAlertsCostsFiftyReports) {
  FakeServer prometheus(Nothing);
  const TempDir dir;
  Serving serving(prometheus.url(), dir.path());
  const Flood flood = Post(serving, 1000 * Seconds(), 50);
  EXPECT_EQ(flood.statuses.size(), 1u) << "all are taken";
  EXPECT_EQ(flood.statuses.at(200), 1000u * static_cast<unsigned>(Seconds()));
  EXPECT_EQ(flood.acknowledged.size(), 50u);
  EXPECT_LT(flood.most_memory, kMemory);
  EXPECT_EQ(serving.Metric("schedlens_webhooks_total{outcome=\"queued\"}"), "50");
  EXPECT_EQ(serving.End(SIGTERM), 0);
  EXPECT_EQ(Lost(dir.path(), flood.acknowledged), 0u);
}

TEST(Serve, AFloodOfManyAlertsIsToldToTryLater) {
  FakeServer prometheus(Nothing);
  const TempDir dir;
  Serving serving(prometheus.url(), dir.path(), {"--queue", "100", "--keep", "1000000"});
  const int many = 1000 * Seconds();
  const Flood flood = Post(serving, many, many);
  EXPECT_GT(flood.statuses.at(503), 0u);
  EXPECT_EQ(flood.statuses.at(200) + flood.statuses.at(503), static_cast<std::size_t>(many));
  EXPECT_EQ(flood.acknowledged.size(), flood.statuses.at(200));
  EXPECT_LT(flood.most_memory, kMemory);
  EXPECT_EQ(serving.End(SIGTERM), 0);
  EXPECT_EQ(Lost(dir.path(), flood.acknowledged), 0u);
}

TEST(Serve, KilledInAFloodItLosesNothing) {
  FakeServer prometheus(Nothing);
  const TempDir dir;
  Flood flood;
  {
    Serving serving(prometheus.url(), dir.path(), {"--workers", "4", "--keep", "1000000"});
    flood = Post(serving, 2000, 2000, true);
  }
  EXPECT_GT(flood.acknowledged.size(), 0u);
  EXPECT_EQ(Lost(dir.path(), flood.acknowledged), 0u);
  const Serving again(prometheus.url(), dir.path());
  EXPECT_EQ(StatusOf(Exchange(again.port(), "GET /-/healthy HTTP/1.1\r\n\r\n")), 200);
}

TEST(Serve, SlowClientsKeepNobodyOut) {
  FakeServer prometheus(Nothing);
  const TempDir dir;
  Serving serving(prometheus.url(), dir.path());
  std::vector<int> slow;
  for (int i = 0; i < 300; ++i) {
    slow.push_back(test::Connect(serving.port()));
    test::SendText(slow.back(), "POST / HTTP/1.1\r\nContent-Length: 100\r\n");
  }
  EXPECT_EQ(Post(serving, "a"), 200);
  EXPECT_LT(serving.Memory(), kMemory);
  for (const int fd : slow) close(fd);
}

TEST(Serve, MistakesAreToldBeforeItListens) {
  const TempDir dir;
  const auto refused = [&](const std::vector<std::string>& more, const std::string& why) {
    std::vector<std::string> arguments = {"serve", "--listen", "0", "--out", dir.path()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Ran ran = RunMain(arguments);
    EXPECT_EQ(ran.code, 2);
    EXPECT_THAT(ran.err, HasSubstr(why));
  };
  refused({}, "give --prometheus URL or --service");
  refused({"--capture", "x"}, "need a server");
  refused({"--prometheus", "http://h", "--notify", "ftp://h"}, "--notify: not an http");
  refused({"--prometheus", "http://h", "--listen", "nine"}, "--listen");
  refused({"--prometheus", "http://h", "--web.external-url", "ftp://h"}, "--web.external-url");
  refused({"--prometheus", "http://h", "--max-memory", "much"}, "--max-memory");
  refused({"--prometheus", "http://h", "--web.config.file", dir.Write("w.yml", "tls: {}")},
          "w.yml:1: unknown key `tls`, did you mean `tls_server_config`?");
}

TEST(Serve, OldReportsGo) {
  FakeServer prometheus(Nothing);
  const TempDir dir;
  Serving serving(prometheus.url(), dir.path(), {"--keep", "1"});
  for (const char* alert : {"a", "b", "c"}) {
    EXPECT_EQ(Post(serving, alert), 200);
    EXPECT_THAT(serving.NextLine(), HasSubstr(".html: "));
  }
  EXPECT_EQ(serving.End(SIGTERM), 0);
  EXPECT_EQ(dir.Entries(), 5u) << "queue, failed, state.json and one report in two formats";
  EXPECT_EQ(PlaceOf(dir.path(), "c"), "report");
}

TEST(Serve, AnotherServersCredentialsAreNotGrafanas) {
  FakeServer prometheus(Nothing);
  const TempDir dir;
  const std::string config = dir.Write("http.yml", "authorization: {credentials: t0ken}\n");
  const auto sent = [&](const std::string& folder, bool same) {
    std::string authorization = "nobody asked";
    FakeServer grafana([&](const FakeRequest& request) {
      if (request.target != "/api/annotations") return Nothing(request);
      const auto found = request.headers.find("authorization");
      authorization = found == request.headers.end() ? "" : found->second;
      return Http(404, "{}");
    });
    Serving serving(same ? grafana.url() : prometheus.url(), dir / folder,
                    {"--http.config.file", config, "--grafana", grafana.url()});
    EXPECT_EQ(Post(serving, "a"), 200);
    EXPECT_THAT(serving.NextLine(), HasSubstr(".html: "));
    EXPECT_THAT(serving.NextLine(), HasSubstr("annotation: the server answers 404"));
    return authorization;
  };
  EXPECT_EQ(sent("other", false), "");
  EXPECT_EQ(sent("same", true), "Bearer t0ken");
}

TEST(Serve, OneProcessAFolder) {
  FakeServer prometheus(Nothing);
  const TempDir dir;
  const Serving first(prometheus.url(), dir.path());
  const Ran second =
      RunMain({"serve", "--prometheus", prometheus.url(), "--listen", "0", "--out", dir.path()});
  EXPECT_EQ(second.code, 1);
  EXPECT_THAT(second.err, HasSubstr("another schedlens serves this folder"));
}

}  // namespace
}  // namespace schedlens
