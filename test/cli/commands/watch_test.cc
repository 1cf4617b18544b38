// `watch` against a server whose clock the test turns: an incident that passes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <regex>
#include <thread>

#include "cli/process.h"
#include "cli/replayed_server.h"
#include "cli/run_main.h"
#include "cli/terminal.h"

namespace schedlens {
namespace {

using test::FakeReply;
using test::FakeRequest;
using test::Http;
using test::OpenTerminal;
using test::ReadUntil;
using test::ReplayedServer;
using testing::HasSubstr;

constexpr const char* kAlert =
    "histogram_quantile(0.99, sum by (le) "
    "(rate(scheduler_scheduling_attempt_duration_seconds_bucket[1m]))) > 1";

std::vector<std::string> Watch(const std::string& url, const std::string& every = "1ms") {
  return {"watch",   "--prometheus", url,        "--alert", kAlert,
          "--every", every,          "--window", "3m",      "--no-cross-check"};
}

/// Whether the request begins a look: the alert's whole expression is asked once a look.
bool AsksForTheAlert(const FakeRequest& request) {
  return request.target.starts_with("/api/v1/query?query=" + PercentEncode(kAlert) + "&");
}

std::size_t Blocks(const std::string& out) {
  static const std::regex head("-- [-0-9]{10} [:0-9]{8} UTC: p99 is [^\n]* -+\n");
  return static_cast<std::size_t>(
      std::distance(std::sregex_iterator(out.begin(), out.end(), head), std::sregex_iterator()));
}

TEST(Watch, LooksAgainUntilTheAlertClears) {
  const TempDir dir;
  const std::vector<int> seconds = {420, 450, 840};
  std::size_t looks = 0;
  ReplayedServer server(dir.Write("s.yaml", test::kPassingIncident),
                        [&](ReplayedServer& replayed, const FakeRequest& request) {
                          if (AsksForTheAlert(request) && looks < seconds.size()) {
                            replayed.SetSecond(seconds[looks++]);
                          }
                          return FakeReply{};
                        });
  server.SetSecond(420);
  const Ran ran = RunMain(Watch(server.url()));
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(looks, seconds.size());
  EXPECT_EQ(Blocks(ran.out), 3u) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("bind.apiserver"));
  const std::string last = ran.out.substr(ran.out.rfind('\n', ran.out.size() - 2) + 1);
  EXPECT_THAT(last, testing::MatchesRegex("cleared at [-0-9]+ [:0-9]+ UTC, p99 back under 1 s "
                                          "\\([0-9.]+ s\\)\n"));
}

TEST(Watch, AServerThatFailsLaterIsAskedAgain) {
  const TempDir dir;
  int looks = 0;
  ReplayedServer server(dir.Write("s.yaml", test::kPassingIncident),
                        [&](ReplayedServer& replayed, const FakeRequest& request) {
                          if (AsksForTheAlert(request)) ++looks;
                          if (looks == 2) {
                            ++looks;
                            replayed.SetSecond(840);
                            return Http(500, "down");
                          }
                          return FakeReply{};
                        });
  server.SetSecond(420);
  const Ran ran = RunMain(Watch(server.url()));
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("the server answers 500"));
  EXPECT_THAT(ran.out, HasSubstr("p99 back under 1 s"));
}

TEST(Watch, ALookThatTakesTooLongIsNotTheLast) {
  const TempDir dir;
  int looks = 0;
  ReplayedServer server(dir.Write("s.yaml", test::kPassingIncident),
                        [&](ReplayedServer& replayed, const FakeRequest& request) {
                          if (AsksForTheAlert(request) && ++looks == 2) {
                            replayed.SetSecond(840);
                            std::this_thread::sleep_for(std::chrono::seconds(6));
                          }
                          return FakeReply{};
                        });
  server.SetSecond(420);
  std::vector<std::string> words = Watch(server.url());
  words.insert(words.end(), {"--timeout", "5s"});
  const Ran ran = RunMain(words);
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("no complete answer in time"));
  EXPECT_THAT(ran.out, HasSubstr("p99 back under 1 s"));
}

/// Of a scheduler that is dead before and scraped no more: behind the end of what is replayed.
constexpr int kDead = 900 + 3600;

TEST(Watch, IsNotClearWhileTheSchedulerIsDead) {
  const TempDir dir;
  const std::vector<int> seconds = {420, kDead, kDead, 840};
  std::size_t looks = 0;
  ReplayedServer server(dir.Write("s.yaml", test::kPassingIncident),
                        [&](ReplayedServer& replayed, const FakeRequest& request) {
                          if (AsksForTheAlert(request) && looks < seconds.size()) {
                            replayed.SetSecond(seconds[looks++]);
                          }
                          return FakeReply{};
                        });
  server.SetSecond(420);
  const Ran ran = RunMain(Watch(server.url()));
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(looks, seconds.size());
  EXPECT_THAT(ran.out, HasSubstr(" UTC: unknown since "));
  EXPECT_THAT(ran.out, HasSubstr("\nno samples: no kube-scheduler is scraped, "));
  EXPECT_EQ(ran.out.find("cleared"), ran.out.rfind("cleared"));
  EXPECT_THAT(ran.out, HasSubstr("p99 back under 1 s"));
}

TEST(Watch, AServerThatFailsAtFirstEndsIt) {
  test::FakeServer server([](const FakeRequest&) { return Http(500, "down"); });
  const Ran ran = RunMain(Watch(server.url()));
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
}

/// A rules page with the alerting rules of these names, each with its expression.
FakeReply RulesPage(const std::vector<std::pair<std::string, std::string>>& rules) {
  std::string list;
  for (const auto& [name, expr] : rules) {
    list += (list.empty() ? "" : ",") + fmt::format(R"({{"type":"alerting","name":"{}",)", name) +
            fmt::format(R"("query":"{}","duration":0,"labels":{{}}}})", expr);
  }
  return Http(200,
              R"({"status":"success","data":{"groups":[{"name":"g","rules":[)" + list + "]}]}}");
}

TEST(Watch, AnAlertThatNobodyNamedStaysTheSame) {
  const TempDir dir;
  int looks = 0, searches = 0;
  const std::string name = "Slow (p99 > 1 s)";
  const std::string other = std::string(kAlert) + " + 7";
  ReplayedServer server(
      dir.Write("s.yaml", test::kPassingIncident),
      [&](ReplayedServer& replayed, const FakeRequest& request) {
        if (AsksForTheAlert(request) && ++looks == 2) replayed.SetSecond(840);
        if (request.target.ends_with("/api/v1/rules")) {
          return RulesPage({{name, kAlert}, {"Other", other}});
        }
        if (request.target.find(PercentEncode("count by (alertname)")) == std::string::npos) {
          return FakeReply{};
        }
        const std::string fires = ++searches == 1 ? name : "Other";
        return Http(200, R"({"status":"success","data":{"resultType":"vector","result":[
            {"metric":{"alertname":")" +
                             fires + R"("},"value":[0,"1"]}]}})");
      });
  server.SetSecond(420);
  const Ran ran = RunMain({"watch", "--prometheus", server.url(), "--every", "1ms", "--window",
                           "3m", "--no-cross-check"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(searches, 1);
  EXPECT_EQ(Blocks(ran.out), 2u) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("p99 back under 1 s"));
}

TEST(Watch, ARulesPageOfGrafanaIsFollowedOnce) {
  const TempDir dir;
  int followed = 0;
  ReplayedServer server(dir.Write("s.yaml", test::kPassingIncident),
                        [&](ReplayedServer&, const FakeRequest& request) {
                          if (request.target == "/api/v1/provisioning/alert-rules/r1") {
                            ++followed;
                            return Http(200, fmt::format(R"({{"condition":"A","data":[
                                {{"refId":"A","datasourceUid":"p1","model":{{"expr":"{}"}}}}]}})",
                                                         kAlert));
                          }
                          const bool proxied =
                              request.target.starts_with("/api/datasources/proxy/uid/p1/");
                          return proxied ? FakeReply{} : Http(404, "not here");
                        });
  server.SetSecond(840);
  const Ran ran = RunMain({"watch", "--alert", server.url() + "/alerting/grafana/r1/view",
                           "--window", "3m", "--no-cross-check"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(followed, 1);
  EXPECT_THAT(ran.out, HasSubstr("clear at "));
}

TEST(Watch, RulesAreAskedFromAnExplorePagesDataSource) {
  const TempDir dir;
  ReplayedServer server(dir.Write("s.yaml", test::kPassingIncident),
                        [&](ReplayedServer&, const FakeRequest& request) {
                          const std::string proxy = "/api/datasources/proxy/uid/p1/api/v1/";
                          if (!request.target.starts_with(proxy)) return Http(404, "not here");
                          if (!request.target.ends_with("/rules")) return FakeReply{};
                          return RulesPage({{"Slow", kAlert}});
                        });
  server.SetSecond(840);
  const std::string page =
      "/explore?left=%7B%22datasource%22:%22p1%22,%22queries%22:%5B%7B%22expr%22:%22up%22%7D%5D%7D";
  const Ran ran = RunMain({"watch", "--prometheus", server.url() + page, "--alert", "Slow",
                           "--window", "3m", "--no-cross-check"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("clear at "));
}

TEST(Watch, LooksAtTheSchedulersOfItsReport) {
  const TempDir dir;
  int whole = 0, narrowed = 0;
  ReplayedServer server(dir.Write("s.yaml", test::kPassingIncident),
                        [&](ReplayedServer&, const FakeRequest& request) {
                          const auto asks = [&](const std::string& expr) {
                            return request.target.find(PercentEncode(expr)) != std::string::npos;
                          };
                          whole += int{asks(kAlert)};
                          narrowed += int{asks("instance=~\".+\"}[1m]))) > 1")};
                          return FakeReply{};
                        });
  server.SetSecond(840);
  std::vector<std::string> command = Watch(server.url());
  command.insert(command.end(), {"--selector", "instance=~\".+\""});
  const Ran ran = RunMain(command);
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(whole, 0);
  EXPECT_GT(narrowed, 0);
}

TEST(Watch, IsForLiveSourcesAndTheTimeNow) {
  const auto refused = [](const std::vector<std::string>& arguments, const std::string& why) {
    const Ran ran = RunMain(arguments);
    EXPECT_EQ(ran.code, 2);
    EXPECT_THAT(ran.err, HasSubstr(why));
    EXPECT_EQ(ran.out, "");
  };
  refused({"watch", "--capture", "x.om", "--alert", kAlert}, "watch: files and scenarios");
  refused({"watch", "--scenario", "healthy", "--alert", kAlert}, "give --prometheus");
  refused({"watch", "--prometheus", "http://127.0.0.1:1", "--alert", kAlert, "--at", "now-1h"},
          "leave out --at and --end");
  refused(Watch("http://127.0.0.1:1", "0s"), "--every 0s: expected a duration");
}

TEST(Watch, NeedsAnAlert) {
  const TempDir dir;
  ReplayedServer server(dir.Write("s.yaml", test::kPassingIncident));
  const Ran ran = RunMain({"watch", "--prometheus", server.url(), "--window", "3m"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("give --alert"));
}

pid_t StartWatch(const std::string& url, const std::string& every, const std::string& terminal,
                 const std::string& err) {
  std::vector<std::string> command = Watch(url, every);
  command.insert(command.begin(), SCHEDLENS_BINARY);
  return Start(command, "", terminal, err, {"SCHEDLENS_CONFIG=/dev/null"});
}

TEST(Watch, CtrlCOnATerminalGivesItBack) {
  const TempDir dir;
  ReplayedServer server(dir.Write("s.yaml", test::kPassingIncident));
  server.SetSecond(420);
  const auto [terminal, name] = OpenTerminal(24, 80);
  const pid_t child = StartWatch(server.url(), "1h", name, dir / "err");
  const std::string shown = ReadUntil(terminal, "\x1b[J");
  EXPECT_TRUE(shown.starts_with("\x1b[?1049h\x1b[?25l\x1b[H")) << shown;
  EXPECT_LE(std::count(shown.begin(), shown.end(), '\n'), 23);
  kill(child, SIGINT);
  EXPECT_THAT(ReadUntil(terminal, "\x1b[?1049l"), HasSubstr("\x1b[?25h\x1b[?1049l"));
  const Finished finished = Wait(child, dir / "err", dir / "err");
  close(terminal);
  EXPECT_EQ(finished.code, 130);
  EXPECT_EQ(finished.err, "schedlens: interrupted\n");
}

TEST(Watch, CtrlCWhileNothingIsKnownSaysSo) {
  const TempDir dir;
  ReplayedServer server(dir.Write("s.yaml", test::kPassingIncident));
  server.SetSecond(kDead);
  const auto [terminal, name] = OpenTerminal(24, 80);
  const pid_t child = StartWatch(server.url(), "1h", name, dir / "err");
  EXPECT_THAT(ReadUntil(terminal, "\x1b[J"), HasSubstr("no kube-scheduler is scraped"));
  kill(child, SIGINT);
  EXPECT_THAT(ReadUntil(terminal, "\x1b[?1049l"), HasSubstr("\x1b[?1049l"));
  const Finished finished = Wait(child, dir / "err", dir / "err");
  close(terminal);
  EXPECT_EQ(finished.code, 5);
  EXPECT_THAT(finished.err, testing::MatchesRegex("schedlens: interrupted: unknown since [-0-9]+ "
                                                  "[:0-9]+ UTC: no samples: [^\n]*\n"));
}

TEST(Watch, OnATerminalTheLastReportStays) {
  const TempDir dir;
  int looks = 0;
  ReplayedServer server(dir.Write("s.yaml", test::kPassingIncident),
                        [&](ReplayedServer& replayed, const FakeRequest& request) {
                          if (AsksForTheAlert(request) && ++looks == 2) replayed.SetSecond(840);
                          return FakeReply{};
                        });
  server.SetSecond(420);
  const auto [terminal, name] = OpenTerminal(24, 80);
  const pid_t child = StartWatch(server.url(), "1ms", name, dir / "err");
  const std::string shown = ReadUntil(terminal, "p99 back under 1 s");
  const Finished finished = Wait(child, dir / "err", dir / "err");
  close(terminal);
  EXPECT_EQ(finished.code, 0) << finished.err;
  const std::size_t left = shown.find("\x1b[?1049l");
  ASSERT_NE(left, std::string::npos);
  EXPECT_EQ(shown.find("\x1b[?1049h"), shown.rfind("\x1b[?1049h")) << "one screen for all looks";
  EXPECT_GT(std::count(shown.begin() + static_cast<std::ptrdiff_t>(left), shown.end(), '\n'), 5);
}

}  // namespace
}  // namespace schedlens
