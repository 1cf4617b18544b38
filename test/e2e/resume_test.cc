// A capture that was killed, that failed or was interrupted: what lies on disk then, and that the
// same command asks only for what is missing.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <regex>
#include <set>

#include "cli/process.h"
#include "e2e/recorded_server.h"
#include "model/text.h"
#include "schedlens/error.h"
#include "source/capture/part.h"

namespace schedlens::test {
namespace {

using schedlens::Finished;
using schedlens::RunBinary;
using Dir = schedlens::TempDir;

/// Four groups of metrics, eleven questions of the neighbours and four of next steps in two chunks
/// of an hour, the alert.
constexpr std::size_t kQuestions = 39;
/// So many wait for their answers at the same time, at least.
constexpr std::size_t kResumedAtOnce = 16;

bool AsksForSamples(const FakeRequest& request) {
  return (request.target + request.body).find("query=%7B__name__%3D~") != std::string::npos;
}

/// A server that lets a number of answers with samples through and is silent, or down, afterwards.
class Proxy {
 public:
  explicit Proxy(std::function<FakeReply(const FakeRequest&)> right) : right_(std::move(right)) {}

  void LetThrough(std::size_t answers, bool down = false) {
    const std::lock_guard lock(mutex_);
    left_ = answers;
    down_ = down;
    asked_.clear();
  }
  std::multiset<std::string> Asked() {
    const std::lock_guard lock(mutex_);
    return asked_;
  }
  std::string url() const { return server_.url(); }
  int port() const { return server_.port(); }

 private:
  FakeReply Answer(const FakeRequest& request) {
    if (AsksForSamples(request)) {
      const std::lock_guard lock(mutex_);
      asked_.insert(request.target);
      if (left_ == 0 && down_) return Http(500, "down");
      if (left_ == 0) return {.bytes = "", .hang = true};
      --left_;
    }
    return right_(request);
  }

  std::function<FakeReply(const FakeRequest&)> right_;
  std::mutex mutex_;
  std::size_t left_ = 1000;
  bool down_ = false;
  std::multiset<std::string> asked_;
  FakeServer server_{[this](const FakeRequest& request) { return Answer(request); }};
};

std::size_t AnswersIn(const std::string& path) {
  try {
    return ReadCapturePart(ReadAll(path)).answers.size();
  } catch (const Error&) {
    return 0;  // not there yet
  }
}

/// A capture in the background; what it writes to its streams lies in `dir`.
pid_t StartCapture(const std::vector<std::string>& arguments, const Dir& dir) {
  std::vector<std::string> command = {SCHEDLENS_BINARY, "capture"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return Start(command, "", dir / "out", dir / "err", {"SCHEDLENS_CONFIG=/dev/null"});
}

void AwaitAnswers(const std::string& part, std::size_t count) {
  for (int i = 0; i < 6000 && AnswersIn(part) < count; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));  // between two looks
  }
  ASSERT_EQ(AnswersIn(part), count);
}

Finished Capture(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "capture");
  return RunBinary(arguments);
}

/// The text with another time of recording.
std::string RecordedAt(const std::string& text, const std::string& time) {
  return std::regex_replace(text, std::regex("(recorded by schedlens \\S+ at )[-0-9T:.]+Z"),
                            "$01" + time, std::regex_constants::format_first_only);
}

class Resume : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (Installed("prometheus") && Installed("promtool")) server_ = new RecordedServer("healthy-A");
  }
  static void TearDownTestSuite() { delete server_; }
  void SetUp() override {
    if (server_ == nullptr) GTEST_SKIP() << "no Prometheus here";
  }
  std::vector<std::string> Arguments(const std::string& url) const {
    std::vector<std::string> arguments = server_->Window(60);
    arguments.insert(arguments.end(), {"--prometheus", url, "--alert", "Slow", "--out", out_});
    return arguments;
  }

  /// One question at a time: those before a failure are all answered.
  std::vector<std::string> InTurn(const std::string& url) const {
    std::vector<std::string> arguments = Arguments(url);
    arguments.insert(arguments.end(), {"--concurrency", "1"});
    return arguments;
  }

  static inline RecordedServer* server_ = nullptr;
  Proxy proxy_{[](const FakeRequest& request) { return server_->Pass(request); }};
  Dir dir_;
  Dir streams_;
  std::string out_ = dir_ / "c.om";
  std::string part_ = dir_ / "c.om.part";
};

TEST_F(Resume, AfterAKillOnlyWhatIsMissingIsAskedAndTheFileIsTheSame) {
  ASSERT_EQ(Capture(Arguments(proxy_.url())).code, 0);
  ASSERT_EQ(proxy_.Asked().size(), kQuestions);
  const std::string undisturbed = ReadAll(out_);
  std::filesystem::remove(out_);
  for (const std::size_t before : {1U, 4U, 8U}) {
    proxy_.LetThrough(before);
    const pid_t child = StartCapture(Arguments(proxy_.url()), streams_);
    AwaitAnswers(part_, before);
    kill(child, SIGKILL);
    EXPECT_EQ(Wait(child, streams_ / "out", streams_ / "err").signal, SIGKILL);
    EXPECT_EQ(dir_.Entries(), 1u) << "only the part file";
    const std::string recorded = FormatTime(ReadCapturePart(ReadAll(part_)).head.recorded);

    proxy_.LetThrough(1000);
    const Finished second = Capture(Arguments(proxy_.url()));
    EXPECT_EQ(second.code, 0) << second.err;
    EXPECT_NE(second.err.find(fmt::format("going on with the {} answers", before)),
              std::string::npos)
        << second.err;
    EXPECT_EQ(proxy_.Asked().size(), kQuestions - before);
    EXPECT_TRUE(ReadAll(out_) == RecordedAt(undisturbed, recorded)) << before;
    EXPECT_EQ(dir_.Entries(), 1u) << "only the capture";
    std::filesystem::remove(out_);
  }
}

TEST_F(Resume, AfterAFailureOneLineSaysHowToGoOn) {
  proxy_.LetThrough(5, true);
  const Finished first = Capture(InTurn(proxy_.url()));
  EXPECT_EQ(first.code, 1);
  EXPECT_EQ(std::count(first.err.begin(), first.err.end(), '\n'), 1) << first.err;
  const std::size_t kept = AnswersIn(part_);
  ASSERT_EQ(kept, 5u);
  EXPECT_NE(first.err.find(fmt::format("{} answers are kept in {}", kept, part_)),
            std::string::npos)
      << first.err;
  EXPECT_FALSE(std::filesystem::exists(out_));
  proxy_.LetThrough(1000);
  EXPECT_EQ(Capture(InTurn(proxy_.url())).code, 0);
  EXPECT_EQ(proxy_.Asked().size(), kQuestions - kept);
}

TEST_F(Resume, AnInterruptLeavesNothing) {
  proxy_.LetThrough(3);
  const pid_t child = StartCapture(Arguments(proxy_.url()), streams_);
  AwaitAnswers(part_, 3);
  kill(child, SIGINT);
  const Finished finished = Wait(child, streams_ / "out", streams_ / "err");
  EXPECT_EQ(finished.code, 130);
  EXPECT_EQ(finished.err, "schedlens: interrupted\n");
  EXPECT_EQ(dir_.Entries(), 0u);
}

TEST_F(Resume, AnotherQuestionBeginsAnew) {
  proxy_.LetThrough(5, true);
  EXPECT_EQ(Capture(InTurn(proxy_.url())).code, 1);
  proxy_.LetThrough(1000);
  std::vector<std::string> other = Arguments(proxy_.url());
  other.insert(other.end(), {"--tenant", "b"});
  const Finished finished = Capture(other);
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_NE(finished.err.find("made with other options; restarting the capture"),
            std::string::npos);
  EXPECT_EQ(proxy_.Asked().size(), kQuestions);
}

TEST_F(Resume, WhatLiesOnDiskIsTheOwnersAndHasNoCredentials) {
  proxy_.LetThrough(5, true);
  std::vector<std::string> arguments =
      InTurn(fmt::format("http://me:geheim@127.0.0.1:{}", proxy_.port()));
  arguments.insert(arguments.end(),
                   {"--header", "X-Token: hunter2", "--header", "X-Scope-OrgID: team-a"});
  EXPECT_EQ(Capture(arguments).code, 1);
  const std::string text = ReadAll(part_);
  EXPECT_EQ(text.find("geheim"), std::string::npos);
  EXPECT_EQ(text.find("hunter2"), std::string::npos);
  EXPECT_NE(text.find("team-a"), std::string::npos);
  struct stat status = {};
  ASSERT_EQ(stat(part_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST(ResumeWindow, ARelativeWindowStaysWhereTheFirstRunPutIt) {
  Proxy proxy([](const FakeRequest&) {
    return Http(200, R"({"status":"success","data":{"resultType":"matrix","result":[]}})");
  });
  const Dir dir;
  const Dir streams;
  const std::vector<std::string> arguments = {"--prometheus",  proxy.url(),  "--window", "1m",
                                              "--out",         dir / "c.om", "--alert",  "Slow",
                                              "--concurrency", "16"};
  proxy.LetThrough(2);
  const pid_t child = StartCapture(arguments, streams);
  AwaitAnswers(dir / "c.om.part", 2);
  for (int i = 0; i < 6000 && proxy.Asked().size() < kResumedAtOnce; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));  // between two looks
  }
  kill(child, SIGKILL);
  Wait(child, streams / "out", streams / "err");
  const std::multiset<std::string> first = proxy.Asked();
  ASSERT_GE(first.size(), kResumedAtOnce);
  proxy.LetThrough(1000);
  // Nothing is there, so nothing is written, and nothing is left to go on from.
  EXPECT_EQ(Capture(arguments).code, 5);
  EXPECT_EQ(proxy.Asked().size(), kQuestions - 2);
  // The same window: all that was asked and not answered is asked again.
  std::size_t again = 0;
  for (const std::string& target : proxy.Asked()) again += first.count(target);
  EXPECT_EQ(again, first.size() - 2);
  EXPECT_EQ(dir.Entries(), 0u);
}

}  // namespace
}  // namespace schedlens::test
