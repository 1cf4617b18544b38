#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/commands/serve.h"
#include "cli/process.h"
#include "cli/replayed_server.h"

namespace schedlens {
namespace {

using test::FakeRequest;
using test::FakeServer;
using test::Http;
using testing::HasSubstr;

std::string Webhook(const std::string& status) {
  return fmt::format(
      R"({{"alerts":[{{"status":"{}","labels":{{"alertname":"SchedulerSlow"}},"fingerprint":"f",)"
      R"("generatorURL":"http://p/graph?g0.expr={}"}}]}})",
      status,
      PercentEncode("histogram_quantile(0.99, sum by (le) "
                    "(rate(scheduler_scheduling_attempt_duration_seconds_bucket[1m]))) > 1"));
}

/// A worker on a queue of its own until the object goes; its lines one by one.
class Working {
 public:
  explicit Working(const std::string& url, const std::string& notify = "")
      : queue_(dir_.path(), 10) {
    options_.folder = dir_.path();
    options_.program = SCHEDLENS_BINARY;
    options_.words = {"serve", "--prometheus", url,         "--listen",
                      "0",     "--out",        dir_.path(), "--no-cross-check"};
    if (!notify.empty()) options_.words.insert(options_.words.end(), {"--notify", notify});
    thread_ = std::thread([this] {
      WorkOnQueue(options_, &queue_, &starts_, [this](const std::string& line) {
        const std::lock_guard lock(mutex_);
        lines_.push_back(line);
        changed_.notify_all();
      });
    });
  }
  ~Working() {
    queue_.Stop();
    thread_.join();
  }
  void Offer(const std::string& webhook) { queue_.Offer(webhook, ReadAlertGroup(webhook)); }
  std::string NextLine() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return lines_.size() > read_; });
    return lines_[read_++];
  }
  const TempDir& dir() const { return dir_; }
  QueueCounts counts() const { return queue_.counts(); }

 private:
  TempDir dir_;
  WebhookQueue queue_;
  WorkerOptions options_;
  std::atomic<bool> starts_{true};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> lines_;
  std::size_t read_ = 0;
  std::thread thread_;
};

TEST(ServeWorker, WritesAReportAGroupAndTellsOfIt) {
  const TempDir scenario;
  test::ReplayedServer server(scenario.Write("s.yaml", test::kPassingIncident));
  server.SetSecond(470);
  FakeServer chat([](const FakeRequest&) { return Http(200, "ok"); });
  Working working(server.url(), chat.url());
  working.Offer(Webhook("firing"));
  const std::string line = working.NextLine();
  EXPECT_THAT(line, HasSubstr(".html: "));
  const std::string html = line.substr(0, line.find(": "));
  EXPECT_THAT(html, HasSubstr(working.dir().path() + "/SchedulerSlow-unknown-"));
  EXPECT_TRUE(ReadAll(html).ends_with("</html>\n"));
  const std::string path = html.substr(0, html.size() - 5) + ".json";
  const nlohmann::json diagnosis = nlohmann::json::parse(ReadAll(path));
  EXPECT_EQ(diagnosis["findings"][0]["id"], "bind.apiserver");
  EXPECT_EQ(diagnosis["alert"]["threshold"], 1);

  server.SetSecond(840);
  working.Offer(Webhook("resolved"));
  EXPECT_EQ(working.NextLine().substr(0, html.size()), html) << "the same report, once more";
  EXPECT_THAT(nlohmann::json::parse(chat.last().body)["text"].get<std::string>(), HasSubstr("*"));
}

TEST(ServeWorker, AServerThatFailsIsAskedAgainLater) {
  FakeServer server([](const FakeRequest&) { return Http(500, "down"); });
  Working working(server.url());
  working.Offer(Webhook("firing"));
  EXPECT_THAT(working.NextLine(),
              testing::AllOf(HasSubstr("the server answers 500"), HasSubstr("tried again later")));
  EXPECT_EQ(working.dir().Entries(), 2u) << "queue and failed, no half of a report";
}

TEST(ServeWorker, ANotificationThatFailsLosesNoReport) {
  const TempDir scenario;
  test::ReplayedServer server(scenario.Write("s.yaml", test::kPassingIncident));
  server.SetSecond(470);
  FakeServer chat([](const FakeRequest&) { return Http(404, "gone"); });
  Working working(server.url(), chat.url());
  working.Offer(Webhook("firing"));
  working.NextLine();
  EXPECT_THAT(working.NextLine(), HasSubstr("notification: the server answers 404"));
}

}  // namespace
}  // namespace schedlens
