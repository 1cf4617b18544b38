#include "base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "base/url.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

namespace fs = std::filesystem;

class FileTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string Path(const std::string& name) const { return folder_ / name; }
  std::size_t FileCount() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  fs::path folder_;
};

std::string MessageOf(const std::function<void()>& run) {
  try {
    run();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kFailed);
    return error.what();
  }
  return "no error";
}

TEST_F(FileTest, WritesAndReadsBack) {
  const std::string content = std::string("a\0b\n", 4) + std::string(300000, 'x');
  WriteFileAtomically(Path("f"), content);
  EXPECT_EQ(ReadFile(Path("f")), content);
  WriteFileAtomically(Path("f"), "");
  EXPECT_EQ(ReadFile(Path("f")), "");
  EXPECT_EQ(FileCount(), 1u);
}

TEST_F(FileTest, SkipsAByteOrderMark) {
  const std::string marked = std::string(kByteOrderMark) + "a";
  WriteFileAtomically(Path("f"), marked);
  EXPECT_EQ(ReadFile(Path("f")), "a");
  EXPECT_EQ(ReadBytes(Path("f")), marked);
  std::istringstream in(marked);
  EXPECT_EQ(ReadStream(in, "f"), "a");
}

TEST_F(FileTest, ReplacingKeepsPermissionsAndLinks) {
  WriteFileAtomically(Path("f"), "old");
  chmod(Path("f").c_str(), 0600);
  fs::create_symlink("f", Path("link"));
  WriteFileAtomically(Path("link"), "new");
  EXPECT_TRUE(fs::is_symlink(Path("link")));
  EXPECT_EQ(ReadFile(Path("f")), "new");
  EXPECT_EQ(fs::status(Path("f")).permissions(), fs::perms(0600));
  EXPECT_EQ(FileCount(), 2u);
}

struct stat StatusOf(const std::string& path) {
  struct stat status = {};
  EXPECT_EQ(stat(path.c_str(), &status), 0);
  return status;
}

TEST_F(FileTest, ReplacingKeepsHardLinks) {
  for (const std::string& content :
       {std::string(300000, 'x'), std::string(), std::string("short")}) {
    WriteFileAtomically(Path("f"), "what was there");
    fs::create_hard_link(Path("f"), Path("g"));
    const ino_t before = StatusOf(Path("f")).st_ino;
    WriteFileAtomically(Path("f"), content);
    EXPECT_EQ(ReadFile(Path("g")), content);
    EXPECT_EQ(StatusOf(Path("f")).st_ino, before);
    EXPECT_EQ(FileCount(), 2u) << "the copy is gone";
    fs::remove(Path("g"));
  }
}

TEST_F(FileTest, WhatCannotBeWrittenInPlaceIsPutBack) {
  WriteFileAtomically(Path("f"), "what was there");
  fs::create_hard_link(Path("f"), Path("g"));
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{100'000, 100'000};
    setrlimit(RLIMIT_FSIZE, &limit);
    signal(SIGXFSZ, SIG_IGN);  // the write fails instead
    const std::string why =
        MessageOf([&] { WriteFileAtomically(Path("f"), std::string(300'000, 'x')); });
    _exit(why == "writing " + Path("f") + ": File too large" ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(ReadFile(Path("g")), "what was there");
  EXPECT_EQ(FileCount(), 2u);
}

TEST_F(FileTest, ReplacingKeepsOwnerGroupAndMode) {
  if (geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  WriteFileAtomically(Path("f"), "old");
  ASSERT_EQ(chown(Path("f").c_str(), 1234, 2345), 0);
  ASSERT_EQ(chmod(Path("f").c_str(), 02640), 0);
  const auto expect = [&](const std::string& content) {
    const struct stat now = StatusOf(Path("f"));
    EXPECT_EQ(now.st_uid, 1234u);
    EXPECT_EQ(now.st_gid, 2345u);
    EXPECT_EQ(now.st_mode & 07777, 02640u);
    EXPECT_EQ(ReadFile(Path("f")), content);
    EXPECT_EQ(FileCount(), 1u);
  };
  WriteFileAtomically(Path("f"), "by root");
  expect("by root");

  // One who may write it and give nothing away: in the folder of everybody, then in nobody's.
  ASSERT_EQ(chmod(Path("f").c_str(), 0666), 0);
  for (const bool may_copy : {true, false}) {
    ASSERT_EQ(chmod(folder_.c_str(), may_copy ? 0777 : 0755), 0);
    const pid_t child = fork();
    if (child == 0) {
      // The folder above may be its owner's alone.
      if (chdir(folder_.c_str()) != 0 || setgid(999) != 0 || setuid(999) != 0) _exit(2);
      const std::string why = MessageOf([&] { WriteFileAtomically("f", "by another"); });
      _exit(why == (may_copy ? "no error"
                             : "writing f: only the file itself can keep its owner, mode and hard "
                               "links, and no copy of what it holds can be made beside it: "
                               "Permission denied")
                ? 0
                : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0) << may_copy;
    ASSERT_EQ(chmod(Path("f").c_str(), 02640), 0);
    expect("by another");
    ASSERT_EQ(chmod(Path("f").c_str(), 0666), 0);
  }
}

TEST_F(FileTest, ATextHasItsSecretsMaskedAndIsPackedByItsName) {
  RegisterSecret("s3cret-token");
  WriteTextFile(Path("f"), "a s3cret-token\n");
  WriteTextFile(Path("f.gz"), "a s3cret-token\n");
  ForgetSecrets();
  EXPECT_EQ(ReadFile(Path("f")), "a [secret]\n");
  EXPECT_EQ(ReadBytes(Path("f.gz")), Gzip("a [secret]\n"));
}

TEST_F(FileTest, ErrorsNameTheFileAndTheReason) {
  EXPECT_EQ(MessageOf([&] { ReadFile(Path("none")); }),
            "reading " + Path("none") + ": No such file or directory");
  EXPECT_EQ(MessageOf([&] { ReadFile(folder_); }),
            "reading " + folder_.string() + ": Is a directory");
  EXPECT_EQ(MessageOf([&] { WriteFileAtomically(folder_, "x"); }),
            "writing " + folder_.string() + ": is a directory");
  EXPECT_EQ(MessageOf([&] { WriteFileAtomically(Path("no/f"), "x"); }),
            "writing " + Path("no/f") + ": No such file or directory");
  std::filesystem::create_symlink("nowhere", Path("link"));
  EXPECT_EQ(MessageOf([&] { WriteFileAtomically(Path("link"), "x"); }),
            "writing " + Path("link") + ": is a link to nothing");
  std::filesystem::remove(Path("link"));
  WriteFileAtomically(Path("f"), "12345");
  EXPECT_EQ(MessageOf([&] { ReadFile(Path("f"), 4); }),
            "reading " + Path("f") + ": larger than 4 bytes, the most that is read of such a file");
  EXPECT_EQ(FileCount(), 1u);
}

TEST_F(FileTest, ReadsUpToTheLimitOfInputs) {
  const std::string content(100'000, 'x');
  WriteFileAtomically(Path("f"), content);
  for (const std::size_t limit : {content.size(), content.size() - 1, std::size_t{1}}) {
    SetMaxInput(limit);
    std::istringstream in(content);
    if (limit == content.size()) {
      EXPECT_EQ(ReadFile(Path("f")), content);
      EXPECT_EQ(ReadFile(Path("f"), kAnySize), content);
      EXPECT_EQ(ReadStream(in, "standard input"), content);
    } else {
      const std::string why = fmt::format(
          ": larger than the limit of {} bytes (unpacked): give a shorter recording or a part of "
          "it, or raise --max-input",
          limit);
      EXPECT_EQ(MessageOf([&] { ReadFile(Path("f")); }), "reading " + Path("f") + why);
      EXPECT_EQ(MessageOf([&] { ReadFile("/dev/zero"); }), "reading /dev/zero" + why);
      EXPECT_EQ(MessageOf([&] { ReadStream(in, "standard input"); }),
                "reading standard input" + why);
    }
  }
  SetMaxInput(kDefaultMaxInput);
}

TEST_F(FileTest, AFileOverTheLimitTakesNoMemory) {
  std::ofstream(Path("f"));
  fs::resize_file(Path("f"), std::uintmax_t{3} << 40);  // a hole
  EXPECT_EQ(MessageOf([&] { ReadFile(Path("f"), kAnySize); }),
            "reading " + Path("f") +
                ": larger than the limit of 2 GiB (unpacked): give a shorter recording or a part "
                "of it, or raise --max-input");
}

TEST_F(FileTest, AProcessThatDiesWhileWritingLeavesNothing) {
  const int nameless = open(folder_.c_str(), O_TMPFILE | O_WRONLY, 0600);
  if (nameless < 0) GTEST_SKIP() << "no files without a name here";
  close(nameless);
  for (const bool replaces : {false, true}) {
    if (replaces) WriteFileAtomically(Path("f"), "old");
    const pid_t child = fork();
    if (child == 0) {
      const rlimit limit{100'000, 100'000};
      const rlimit none{0, 0};
      setrlimit(RLIMIT_CORE, &none);
      setrlimit(RLIMIT_FSIZE, &limit);  // the first byte beyond it kills
      signal(SIGXFSZ, SIG_DFL);
      WriteFileAtomically(Path("f"), std::string(300'000, 'x'));
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), SIGXFSZ);
    EXPECT_EQ(FileCount(), replaces ? 1u : 0u);
  }
  EXPECT_EQ(ReadFile(Path("f")), "old");
}

TEST_F(FileTest, AFullDiskIsAnErrorAndDevicesAreWrittenDirectly) {
  WriteFileAtomically("/dev/null", "x");
  EXPECT_EQ(MessageOf([&] { WriteFileAtomically("/dev/full", "x"); }),
            "writing /dev/full: No space left on device");
}

TEST(InputLimit, RefusesOneByteMore) {
  EXPECT_EQ(MaxInput(), std::size_t{2} << 30);
  CheckInputSize("f", MaxInput());
  EXPECT_THROW(CheckInputSize("f", MaxInput() + 1), Error);
  SetMaxInput(10);
  EXPECT_THROW(CheckInputSize("f", 11), Error);
  SetMaxInput(kDefaultMaxInput);
}

TEST(InputLimit, SizesAreWrittenInTheLargestUnitThatDivides) {
  EXPECT_EQ(SizeText(1000), "1000 bytes");
  EXPECT_EQ(SizeText(std::size_t{512} << 20), "512 MiB");
  EXPECT_EQ(SizeText(std::size_t{1536} << 20), "1536 MiB");
  EXPECT_EQ(SizeText(std::size_t{8} << 30), "8 GiB");
}

TEST(InputReading, TellsItsBeginningItsWayAndItsEnd) {
  std::string told;
  ListenToReading([&](const std::string& name, std::size_t done, std::size_t total) {
    told += fmt::format("[{} {}/{}]", name, done, total);
  });
  {
    const InputReading reading("m.om", 30);
    reading.Come(10);
    reading.Come(30);
  }
  EXPECT_EQ(told, "[ 0/0][m.om 10/30][m.om 30/30][ 0/0]");
  ListenToReading({});
  InputReading("nobody listens").Come(1);
  EXPECT_EQ(told.size(), 36u);
}

}  // namespace
}  // namespace schedlens
