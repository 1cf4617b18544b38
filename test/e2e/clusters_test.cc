// Two hundred clusters behind one Prometheus: each diagnosed, with as many questions as for two.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/process.h"
#include "e2e/recorded.h"

namespace schedlens::test {
namespace {

using nlohmann::json;
using schedlens::Finished;
using schedlens::RunBinary;

constexpr int kClusters = 200;
constexpr int kSick = 7;

std::string ClusterName(int i) { return fmt::format("c{:03}", i); }

/// The families that tell stages apart, every third scrape, moved to start at `start`.
std::vector<Series> Thinned(const std::string& recording, TimeMs start) {
  Exposition capture = ReadCapture(recording);
  const TimeMs shift = start - ExtentOf(capture).start;
  std::vector<Series> kept;
  for (Series& series : capture.series) {
    const std::string name(series.labels.Get(kMetricName));
    if (name.find("e2e") == std::string::npos && name.find("algorithm") == std::string::npos &&
        name.find("extension_point") == std::string::npos &&
        name.find("binding") == std::string::npos && !name.starts_with("process_")) {
      continue;
    }
    std::vector<Sample> samples;
    for (std::size_t i = 0; i < series.samples.size(); i += 3) {
      Sample sample = series.samples[i];
      sample.t += shift;
      if (name == "process_start_time_seconds") sample.v += static_cast<double>(shift) / 1000;
      samples.push_back(sample);
    }
    series.samples = std::move(samples);
    kept.push_back(std::move(series));
  }
  return kept;
}

class Clusters : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!Installed("prometheus") || !Installed("promtool")) return;
    work_ = new TempDir;
    const std::vector<Series> healthy = Thinned("healthy-A", kStart);
    const std::vector<Series> slow = Thinned("extender-bind-slow-A", kStart);
    Exposition all;
    for (int i = 0; i < kClusters; ++i) {
      for (const Series& series : i == kSick ? slow : healthy) {
        all.series.push_back(series);
        all.series.back().labels = series.labels.With("cluster", ClusterName(i));
      }
    }
    server_ = StartOver(all, work_->path()).release();
  }
  static void TearDownTestSuite() {
    delete server_;
    delete work_;
  }
  void SetUp() override {
    if (server_ == nullptr) GTEST_SKIP() << "no Prometheus here";
  }

  /// The diagnosis of what the selector names, and how many requests it took.
  static std::pair<json, int> DiagnoseBy(const std::string& selector) {
    std::atomic<int> requests{0};
    FakeServer proxy([&](const FakeRequest& request) {
      ++requests;
      FakeReply reply{.bytes = Forward(PortOf(server_->url()), request)};
      reply.close = true;
      return reply;
    });
    const Finished finished = RunBinary({"diagnose", "--prometheus", proxy.url(), "--by", "cluster",
                                         "--selector", selector, "--no-cross-check", "-o", "json",
                                         "--start", std::to_string(kStart / 1000 + 180), "--end",
                                         std::to_string(kStart / 1000 + 480)});
    EXPECT_EQ(finished.code, 0) << finished.err;
    return {json::parse(finished.out, nullptr, false), requests};
  }

  static constexpr TimeMs kStart = 1'795'200'000'000;
  static inline TempDir* work_ = nullptr;
  static inline Server* server_ = nullptr;
};

TEST_F(Clusters, TheSickOneOfTwoHundredIsFirstWithAsManyQuestionsAsForTwo) {
  const auto [all, questions] = DiagnoseBy("job=\"kube-scheduler\"");
  ASSERT_TRUE(all.is_object());
  ASSERT_EQ(all.at("summary").size(), static_cast<std::size_t>(kClusters));
  EXPECT_EQ(all.at("summary")[0].at("value"), ClusterName(kSick));
  EXPECT_EQ(all.at("summary")[0].at("finding"), "bind.extender");
  for (std::size_t i = 1; i < kClusters; ++i) {
    EXPECT_EQ(all.at("summary")[i].at("verdict"), "no-incident") << all.at("summary")[i];
  }
  const auto [two, fewer] = DiagnoseBy("job=\"kube-scheduler\",cluster=~\"c00[67]\"");
  ASSERT_EQ(two.at("summary").size(), 2u);
  EXPECT_EQ(questions, fewer);

  // The server's sums say what the samples themselves say.
  const Finished alone =
      RunBinary({"diagnose", "--prometheus", server_->url(), "--selector",
                 fmt::format("job=\"kube-scheduler\",cluster=\"{}\"", ClusterName(kSick)), "-o",
                 "json", "--no-cross-check", "--start", std::to_string(kStart / 1000 + 180),
                 "--end", std::to_string(kStart / 1000 + 480)});
  ASSERT_EQ(alone.code, 0) << alone.err;
  const json single = json::parse(alone.out);
  for (const json& by : {all.at("diagnoses")[0], two.at("diagnoses")[0]}) {
    EXPECT_EQ(by.at("findings")[0].at("id"), single.at("findings")[0].at("id"));
    EXPECT_EQ(by.at("alert").at("shown"), single.at("alert").at("shown"));
    EXPECT_EQ(by.at("attempts").at("value"), single.at("attempts").at("value"));
  }
}

TEST(VictoriaClusters, AreDiagnosedAsByPrometheus) {
  if (!Installed("victoria-metrics")) GTEST_SKIP() << "no VictoriaMetrics here";
  constexpr TimeMs kStart = 1'795'200'000'000;
  const TempDir work;
  const auto server = StartVictoriaMetrics(work.path());
  for (const auto& [cluster, recording] :
       {std::pair("calm", "healthy-A"), {"sick", "extender-bind-slow-A"}}) {
    std::vector<Series> series = Thinned(recording, kStart);
    for (Series& one : series) one.labels = one.labels.With("cluster", cluster);
    Import(series, *server);
  }
  const Finished by =
      RunBinary({"diagnose", "--prometheus", server->url(), "--by", "cluster", "--no-cross-check",
                 "-o", "json", "--start", std::to_string(kStart / 1000 + 180), "--end",
                 std::to_string(kStart / 1000 + 480)});
  ASSERT_EQ(by.code, 0) << by.err;
  const json all = json::parse(by.out);
  ASSERT_EQ(all.at("summary").size(), 2u);
  EXPECT_EQ(all.at("summary")[0].at("value"), "sick");
  EXPECT_EQ(all.at("summary")[0].at("finding"), "bind.extender");
  EXPECT_EQ(all.at("summary")[1].at("verdict"), "no-incident");
  const Finished alone =
      RunBinary({"diagnose", "--prometheus", server->url(), "--selector", "cluster=\"sick\"",
                 "--no-cross-check", "-o", "json", "--start", std::to_string(kStart / 1000 + 180),
                 "--end", std::to_string(kStart / 1000 + 480)});
  ASSERT_EQ(alone.code, 0) << alone.err;
  const json single = json::parse(alone.out);
  EXPECT_EQ(all.at("diagnoses")[0].at("findings")[0].at("id"), single.at("findings")[0].at("id"));
  const auto attempts = [](const json& one) {
    return one.at("attempts").at("value").get<double>();
  };
  EXPECT_NEAR(attempts(all.at("diagnoses")[0]), attempts(single), 1e-9 * attempts(single));
}

}  // namespace
}  // namespace schedlens::test
