#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <future>
#include <memory>
#include <thread>

#include "cli/commands/serve.h"
#include "cli/process.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

namespace fs = std::filesystem;
using Offered = WebhookQueue::Offered;
using Outcome = WebhookQueue::Outcome;

/// A notification of alerts with these fingerprints.
std::string Webhook(const std::vector<std::string>& fingerprints,
                    const std::string& status = "firing") {
  std::string alerts;
  for (const std::string& one : fingerprints) {
    alerts += fmt::format(R"({}{{"status":"{}","labels":{{"alertname":"A"}},"fingerprint":"{}"}})",
                          alerts.empty() ? "" : ",", status, one);
  }
  return R"({"alerts":[)" + alerts + "]}";
}

Offered Offer(WebhookQueue& queue, const std::string& json) {
  return queue.Offer(json, ReadAlertGroup(json));
}

std::size_t FilesIn(const std::string& folder, const std::string& ending = ".json") {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ending) ++count;
  }
  return count;
}

TEST(WebhookQueue, WhatIsQueuedIsOnDiskUntilItIsReported) {
  const TempDir dir;
  WebhookQueue queue(dir.path(), 10);
  EXPECT_EQ(Offer(queue, Webhook({"a"})), Offered::kQueued);
  const auto group = queue.Take();
  ASSERT_TRUE(group);
  EXPECT_EQ(ReadAll(group->path), Webhook({"a"}));
  EXPECT_EQ(queue.counts().running, 1u);
  queue.Finish(*group, Outcome::kReported);
  EXPECT_EQ(FilesIn(dir / "queue"), 0u);
  EXPECT_EQ(queue.counts().reported, 1u);
}

TEST(WebhookQueue, AnAlertIsKnownFromItsComingOn) {
  const TempDir dir;
  WebhookQueue queue(dir.path(), 10);
  Offer(queue, Webhook({"a"}));
  EXPECT_EQ(Offer(queue, Webhook({"a"})), Offered::kKnown) << "waiting";
  EXPECT_EQ(Offer(queue, Webhook({"a", "b"})), Offered::kQueued) << "b is new";
  const auto first = queue.Take();
  EXPECT_EQ(Offer(queue, Webhook({"a"})), Offered::kKnown) << "running";
  queue.Finish(*first, Outcome::kReported);
  EXPECT_EQ(Offer(queue, Webhook({"b", "a"})), Offered::kKnown) << "reported, and waiting";
  EXPECT_EQ(Offer(queue, Webhook({"a"}, "resolved")), Offered::kQueued) << "another state";
}

TEST(WebhookQueue, IsBounded) {
  const TempDir dir;
  WebhookQueue queue(dir.path(), 2);
  EXPECT_EQ(Offer(queue, Webhook({"a"})), Offered::kQueued);
  EXPECT_EQ(Offer(queue, Webhook({"b"})), Offered::kQueued);
  EXPECT_EQ(Offer(queue, Webhook({"c"})), Offered::kFull);
  EXPECT_EQ(Offer(queue, Webhook({"a"})), Offered::kKnown) << "costs nothing";
  const auto group = queue.Take();
  EXPECT_EQ(Offer(queue, Webhook({"c"})), Offered::kFull) << "what runs counts too";
  queue.Finish(*group, Outcome::kReported);
  EXPECT_EQ(Offer(queue, Webhook({"c"})), Offered::kQueued);
  EXPECT_EQ(FilesIn(dir / "queue"), 2u);
}

TEST(WebhookQueue, TwoGroupsOfOneAlertNeverRunTogether) {
  const TempDir dir;
  WebhookQueue queue(dir.path(), 10);
  Offer(queue, Webhook({"a", "b"}));
  Offer(queue, Webhook({"b", "c"}));
  Offer(queue, Webhook({"d"}));
  const auto first = queue.Take();
  const auto second = queue.Take();
  EXPECT_EQ(ReadAll(first->path), Webhook({"a", "b"}));
  EXPECT_EQ(ReadAll(second->path), Webhook({"d"})) << "goes first: b is being worked on";
  auto third = std::async(std::launch::async, [&] { return queue.Take(); });
  queue.Finish(*first, Outcome::kReported);
  EXPECT_EQ(ReadAll(third.get()->path), Webhook({"b", "c"}));
}

TEST(WebhookQueue, AnotherProcessTakesUpWhatIsThere) {
  const TempDir dir;
  {
    WebhookQueue queue(dir.path(), 10);
    Offer(queue, Webhook({"a"}));
    Offer(queue, Webhook({"b"}));
    queue.Take();  // and this process ends
  }
  dir.Write("queue/broken.json", "no json");
  WebhookQueue queue(dir.path(), 1);
  EXPECT_EQ(Offer(queue, Webhook({"a"})), Offered::kKnown);
  EXPECT_EQ(Offer(queue, Webhook({"c"})), Offered::kFull);
  EXPECT_EQ(ReadAll(queue.Take()->path), Webhook({"b"})) << "a was begun once already";
  EXPECT_EQ(ReadAll(queue.Take()->path), Webhook({"a"}));
  EXPECT_EQ(FilesIn(dir / "failed"), 1u);
}

TEST(WebhookQueue, WhatIsGivenUpIsKept) {
  const TempDir dir;
  WebhookQueue queue(dir.path(), 10);
  Offer(queue, Webhook({"a"}));
  const auto group = queue.Take();
  queue.Finish(*group, Outcome::kGivenUp, "the\x1breason\n");
  EXPECT_EQ(FilesIn(dir / "queue"), 0u);
  EXPECT_EQ(ReadAll(dir / ("failed/" + group->id + ".json")), Webhook({"a"}));
  EXPECT_EQ(ReadAll(dir / ("failed/" + group->id + ".txt")), "the reason\n");
  EXPECT_EQ(Offer(queue, Webhook({"a"})), Offered::kQueued) << "it was not reported";
}

TEST(WebhookQueue, WhatIsTriedLaterStaysAndWaits) {
  const TempDir dir;
  WebhookQueue queue(dir.path(), 10);
  Offer(queue, Webhook({"a"}));
  const auto group = queue.Take();
  queue.Finish(*group, Outcome::kTryLater);
  EXPECT_EQ(FilesIn(dir / "queue"), 1u);
  EXPECT_EQ(Offer(queue, Webhook({"a"})), Offered::kKnown);
  Offer(queue, Webhook({"b"}));
  EXPECT_EQ(ReadAll(queue.Take()->path), Webhook({"b"})) << "the other one is not due";
}

TEST(WebhookQueue, WhatEndsTheProcessEachTimeIsGivenUp) {
  const TempDir dir;
  Offer(*std::make_unique<WebhookQueue>(dir.path(), 10), Webhook({"a"}));
  for (int i = 0; i < WebhookQueue::kMostTries; ++i) {
    WebhookQueue queue(dir.path(), 10);
    ASSERT_TRUE(queue.counts().waiting == 1u) << "try " << i;
    const auto group = queue.Take();  // and this process ends
    EXPECT_EQ(group->tries, i);
    EXPECT_EQ(ReadAll(group->path), Webhook({"a"}));
  }
  const WebhookQueue queue(dir.path(), 10);
  EXPECT_EQ(queue.counts().waiting, 0u);
  EXPECT_EQ(FilesIn(dir / "queue"), 0u);
  EXPECT_EQ(FilesIn(dir / "failed"), 1u);
}

TEST(WebhookQueue, AStopIsNoTry) {
  const TempDir dir;
  {
    WebhookQueue queue(dir.path(), 10);
    Offer(queue, Webhook({"a"}));
    queue.Finish(*queue.Take(), Outcome::kStopped);
    EXPECT_EQ(queue.counts().waiting, 1u);
  }
  EXPECT_EQ(WebhookQueue(dir.path(), 10).Take()->tries, 0);
  EXPECT_EQ(WebhookQueue(dir.path(), 10).Take()->tries, 1) << "that process ended by itself";
}

TEST(WebhookQueue, StoppingWakesWhoWaits) {
  const TempDir dir;
  WebhookQueue queue(dir.path(), 10);
  auto waiting = std::async(std::launch::async, [&] { return queue.Take(); });
  queue.Stop();
  EXPECT_FALSE(waiting.get());
}

TEST(WebhookQueue, WhatWasReportedIsKnownToTheNextProcess) {
  const TempDir dir;
  std::string left;
  {
    WebhookQueue queue(dir.path(), 10);
    Offer(queue, Webhook({"a"}));
    const auto group = queue.Take();
    left = fs::path(group->path).filename();
    dir.Write("queue/" + group->id + ".told", "notification\n");
    EXPECT_EQ(WebhookQueue::ToldPath(group->path), dir / ("queue/" + group->id + ".told"));
    queue.Finish(*group, Outcome::kReported);
    EXPECT_EQ(FilesIn(dir / "queue", ".told"), 0u);
  }
  dir.Write("queue/" + left, Webhook({"a"}));  // as if it had ended before the text went
  WebhookQueue queue(dir.path(), 10);
  EXPECT_EQ(queue.counts().waiting, 0u);
  EXPECT_EQ(FilesIn(dir / "queue"), 0u);
  EXPECT_EQ(Offer(queue, Webhook({"a"})), Offered::kKnown);
  EXPECT_EQ(Offer(queue, Webhook({"a"}, "resolved")), Offered::kQueued);
}

TEST(WebhookQueue, ADamagedStateIsToldAndCountsAsNone) {
  const TempDir dir;
  dir.Write("state.json", "{\"reported\":[\"00");
  std::vector<std::string> told;
  WebhookQueue queue(dir.path(), 10, [&](const std::string& line) { told.push_back(line); });
  ASSERT_EQ(told.size(), 1u);
  EXPECT_NE(told[0].find(dir / "state.json"), std::string::npos) << told[0];
  EXPECT_EQ(Offer(queue, Webhook({"a"})), Offered::kQueued);
  queue.Finish(*queue.Take(), Outcome::kReported);
  EXPECT_EQ(ReadAll(dir / "state.json").find("{\"reported\":[\""), 0u);
}

TEST(WebhookQueue, AStateThatCannotBeReadIsToldInOneLine) {
  const TempDir dir;
  fs::create_symlink("state.json", dir / "state.json");
  std::vector<std::string> told;
  const WebhookQueue queue(dir.path(), 10, [&](const std::string& line) { told.push_back(line); });
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].find("reading " + (dir / "state.json") + ": "), 0u) << told[0];
  EXPECT_EQ(told[0].find('\n'), std::string::npos) << told[0];
}

TEST(WebhookQueue, ARemovedFolderIsMadeAgain) {
  const TempDir dir;
  WebhookQueue queue(dir / "out", 10);
  Offer(queue, Webhook({"a"}));
  const auto running = queue.Take();
  fs::remove_all(dir / "out");
  EXPECT_EQ(Offer(queue, Webhook({"b"})), Offered::kQueued);
  EXPECT_EQ(fs::status(dir / "out/queue").permissions(), fs::perms::owner_all);
  EXPECT_THROW(WebhookQueue(dir / "out", 10), Error) << "and it is ours again";
  fs::remove_all(dir / "out");
  queue.Finish(*running, Outcome::kReported);
  EXPECT_TRUE(fs::exists(dir / "out/state.json"));
  EXPECT_EQ(queue.counts().running, 0u);
}

TEST(WebhookQueue, SaysWhyNothingMoreCanBeTaken) {
  const TempDir dir;
  WebhookQueue queue(dir / "out", 1);
  EXPECT_EQ(queue.Trouble(), "");
  EXPECT_FALSE(fs::exists(dir / "out/queue/probe"));
  fs::remove_all(dir / "out");
  EXPECT_EQ(queue.Trouble(), "") << "made again";
  fs::remove_all(dir / "out");
  dir.Write("out", "a file");
  EXPECT_NE(queue.Trouble().find(dir / "out"), std::string::npos);
  fs::remove(dir / "out");
  Offer(queue, Webhook({"a"}));
  EXPECT_EQ(queue.Trouble(), "the queue is full");
}

TEST(WebhookQueue, AFolderIsOfOneProcess) {
  const TempDir dir;
  const WebhookQueue first(dir.path(), 10);
  EXPECT_THROW(WebhookQueue(dir.path(), 10), Error);
}

}  // namespace
}  // namespace schedlens
