#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <mutex>
#include <vector>

#include "cli/commands/serve.h"
#include "cli/process.h"
#include "schedlens/error.h"

namespace {

std::mutex mutex;
std::vector<std::string> synced;  // what was written to disk, and what was there of it

std::vector<std::string> TakeSynced() {
  const std::lock_guard lock(mutex);
  return std::exchange(synced, {});
}

}  // namespace

/// The C library's, which notes on what it is called.
extern "C" int fsync(int fd) {
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), error);
  {
    const std::lock_guard lock(mutex);
    synced.push_back(path.string());
  }
  return static_cast<int>(syscall(SYS_fsync, fd));
}

namespace schedlens {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;

TEST(ServeFolder, WhatIsMadeIsOnDisk) {
  const TempDir dir;
  TakeSynced();
  MakeFolder(dir / "a/b/");
  EXPECT_THAT(TakeSynced(), ElementsAre(dir / "a", dir.path()));
  MakeFolder(dir / "a/b");
  EXPECT_THAT(TakeSynced(), ElementsAre()) << "it is there";
  dir.Write("file", "");
  EXPECT_THROW(MakeFolder(dir / "file/a"), Error);
}

TEST(ServeFolder, TheQueuesFoldersAreTheirOwnersAlone) {
  const TempDir dir;
  fs::create_directories(dir / "queue");
  fs::permissions(dir / "queue", fs::perms::all);
  const WebhookQueue queue(dir.path(), 10);
  for (const char* name : {"queue", "failed"}) {
    EXPECT_EQ(fs::status(dir / name).permissions(), fs::perms::owner_all) << name;
  }
}

TEST(ServeFolder, TheNewestReportsStay) {
  const TempDir dir;
  const auto now = fs::file_time_type::clock::now();
  for (int i = 0; i < 5; ++i) {
    for (const char* ending : {".html", ".json"}) {
      const std::string path =
          dir.Write("A-unknown-000000000000000" + std::to_string(i) + ending, "");
      fs::last_write_time(path, now - std::chrono::hours(i));
    }
  }
  for (const char* other : {"notes.json", "A-unknown-000000000000000g.json",
                            "0000000000000001.json", "A-0000000000000001.pdf"}) {
    fs::last_write_time(dir.Write(other, ""), now - std::chrono::hours(1000));
  }
  KeepNewest(dir.path(), 5);
  EXPECT_EQ(dir.Entries(), 14u);
  KeepNewest(dir.path(), 2);
  EXPECT_EQ(dir.Entries(), 8u);
  EXPECT_TRUE(fs::exists(dir / "A-unknown-0000000000000001.json"));
  EXPECT_FALSE(fs::exists(dir / "A-unknown-0000000000000002.html"));
  KeepNewest(dir / "nothing here", 1);
}

TEST(ServeFolder, AReportIsOnDiskBeforeItsWebhookGoes) {
  const TempDir dir;
  WebhookQueue queue(dir / "out", 10);
  EXPECT_THAT(TakeSynced(), testing::IsSupersetOf({dir.path(), dir / "out"})) << "the folders";
  const std::string webhook = R"({"alerts":[{"labels":{"alertname":"A"}}]})";
  queue.Offer(webhook, ReadAlertGroup(webhook));
  const auto group = queue.Take();
  TakeSynced();
  queue.Finish(*group, WebhookQueue::Outcome::kReported);
  EXPECT_THAT(TakeSynced(), Contains(dir / "out"));
}

}  // namespace
}  // namespace schedlens
