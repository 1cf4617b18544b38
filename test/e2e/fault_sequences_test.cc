// Five hundred random sequences of faults through the real binary: each ends with the right answer
// or with one line and a documented exit code; no crash, no hang, no file but a complete one.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "cli/process.h"
#include "e2e/recorded_server.h"

namespace schedlens::test {
namespace {

using schedlens::Finished;
using Dir = schedlens::TempDir;

constexpr unsigned kSequences = 500;
constexpr unsigned kAtOnce = 12;
constexpr const char* kTimeout = "6s";
/// Ten times the limit: what lasts longer hangs.
constexpr int kHangSeconds = 60;
/// Where nothing goes wrong and a busy machine must not matter.
constexpr const char* kPatience = "50s";

/// How an answer may go wrong so that asking again gives the right one.
FakeReply Break(std::mt19937& random, FakeReply right) {
  switch (random() % 7) {
    case 0:
      right.bytes.resize(random() % right.bytes.size());
      right.reset = true;
      return right;
    case 1:
      right.bytes.resize(random() % right.bytes.size());
      right.close = true;
      return right;
    case 2:
      return {.bytes = "", .reset = true};
    case 3:
      return Http(429, "slow down", "Retry-After: 0\r\n");
    default:
      return Http(static_cast<int>(502 + random() % 3), "<html>busy</html>");
  }
}

/// How it may go wrong for good, or come out changed.
FakeReply Spoil(std::mt19937& random, FakeReply right) {
  switch (random() % 6) {
    case 0:
      return Http(static_cast<int>(400 + random() % 150), "?");
    case 1:
      return Http(200, "<html>sign in</html>");
    case 2:
      return Http(200, R"({"status":"error","errorType":"execution","error":"too many samples"})");
    case 3:
      return {.bytes = "", .hang = true};
    case 4:
      right.bytes.insert(random() % right.bytes.size(), 1, static_cast<char>(random()));
      return right;
    default:
      right.bytes[random() % right.bytes.size()] = static_cast<char>(random());
      return right;
  }
}

/// A proxy with one sequence of faults, the same for every run with the same seed as far as the
/// requests come in the same order.
class Faulty {
 public:
  Faulty(RecordedServer& server, unsigned seed) : server_(server), random_(seed) {
    const std::lock_guard lock(mutex_);  // the proxy is there already
    constexpr unsigned kRates[] = {4, 12, 40};
    rate_ = kRates[random_() % 3];
    spoils_ = random_() % 2 == 0;
  }
  std::string url() const { return proxy_.url(); }
  bool spoilt() const { return spoilt_; }

 private:
  FakeReply Answer(const FakeRequest& request) {
    FakeReply right = server_.Pass(request);
    const std::lock_guard lock(mutex_);
    if (random_() % rate_ != 0) return right;
    if (!spoils_ || random_() % 4 != 0) return Break(random_, std::move(right));
    spoilt_ = true;
    return Spoil(random_, std::move(right));
  }

  RecordedServer& server_;
  std::mutex mutex_;
  std::mt19937 random_;
  unsigned rate_ = 1;
  bool spoils_ = false;
  std::atomic<bool> spoilt_{false};
  FakeServer proxy_{[this](const FakeRequest& request) { return Answer(request); }};
};

/// Runs the binary; what lasts too long is killed, and its signal tells.
Finished RunLimited(std::vector<std::string> command, const Dir& streams) {
  command.insert(command.begin(), SCHEDLENS_BINARY);
  const pid_t child = Start(command, "", streams / "out", streams / "err",
                            {"SCHEDLENS_CONFIG=/dev/null", "SOURCE_DATE_EPOCH=1795200000"});
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(kHangSeconds);
  siginfo_t ended = {};
  while (waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         ended.si_pid == 0) {
    if (std::chrono::steady_clock::now() > end) kill(child, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // between two looks
  }
  return Wait(child, streams / "out", streams / "err");
}

class Sequences : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (Installed("prometheus") && Installed("promtool")) {
      server_ = new RecordedServer("healthy-A", 60);
    }
  }
  static void TearDownTestSuite() { delete server_; }
  void SetUp() override {
    if (server_ == nullptr) GTEST_SKIP() << "no Prometheus here";
  }

  static std::vector<std::string> Command(bool capture, const std::string& url,
                                          const std::string& file, const std::string& timeout) {
    std::vector<std::string> command = server_->Window(60);
    command.insert(command.begin(), capture ? "capture" : "diagnose");
    command.insert(command.end(), {"--prometheus", url, "--timeout", timeout,
                                   capture ? "--out" : "--export-json", file});
    if (!capture) command.insert(command.end(), {"--baseline", "off", "--no-cross-check"});
    return command;
  }

  /// The text without what differs between two runs: the proxy's port, the time of recording, and
  /// the command line.
  static std::string Plain(std::string text, const std::string& url) {
    for (std::size_t at = 0; (at = text.find(url)) != std::string::npos;) {
      text.replace(at, url.size(), "URL");
    }
    const std::size_t command = text.find("\"command\": ");
    if (command != std::string::npos) text.erase(command, text.find('\n', command) - command);
    const std::size_t start = text.find("recorded by ");
    if (start != std::string::npos) text.erase(start, text.find("\\n", start) - start);
    return text;
  }

  static std::string Right(bool capture) {
    const Dir dir;
    const Dir streams;
    const FakeServer proxy([](const FakeRequest& request) { return server_->Pass(request); });
    const Finished finished =
        RunLimited(Command(capture, proxy.url(), dir / "file", kPatience), streams);
    EXPECT_EQ(finished.code, 0) << finished.err;
    return Plain(ReadAll(dir / "file"), proxy.url());
  }

  /// Every promise for one sequence; empty when they are kept. `answered` says how it ended.
  static std::string Broken(unsigned seed, const std::string& right, bool* answered) {
    const bool capture = seed % 2 == 0;
    const Dir dir;
    const Dir streams;
    Faulty proxy(*server_, seed);
    const Finished finished =
        RunLimited(Command(capture, proxy.url(), dir / "file", kTimeout), streams);
    const auto complaint = [&](const std::string& what) {
      return fmt::format("sequence {}: {}; exit code {}, signal {}: {}", seed, what, finished.code,
                         finished.signal, finished.err);
    };
    if (finished.signal != 0) return complaint("crash or hang");
    *answered = finished.code == 0;
    if (*answered) {
      if (dir.Entries() != 1) return complaint("files beside the complete one");
      const std::string text = ReadAll(dir / "file");
      if (!text.ends_with(capture ? "# EOF\n" : "}\n")) return complaint("half a file");
      if (!proxy.spoilt() && Plain(text, proxy.url()) != right) return complaint("a wrong answer");
      return "";
    }
    if (std::set<int>{1, 4, 5, 124}.count(finished.code) == 0) return complaint("exit code");
    if (!finished.err.starts_with("schedlens: ") ||
        std::count(finished.err.begin(), finished.err.end(), '\n') != 1) {
      return complaint("not one line");
    }
    if (dir.Entries() != 0) return complaint("a file is left");
    return "";
  }

  static inline RecordedServer* server_ = nullptr;
};

TEST_F(Sequences, EndWithTheRightAnswerOrOneLine) {
  const std::string diagnosis = Right(false);
  const std::string recording = Right(true);
  ASSERT_FALSE(diagnosis.empty() || recording.empty());
  std::atomic<unsigned> next{0};
  std::atomic<unsigned> answers{0};
  std::mutex mutex;
  std::vector<std::string> complaints;
  const auto work = [&] {
    for (unsigned seed = 0; (seed = next++) < kSequences;) {
      bool answered = false;
      const std::string broken = Broken(seed, seed % 2 == 0 ? recording : diagnosis, &answered);
      if (answered) ++answers;
      const std::lock_guard lock(mutex);
      if (!broken.empty()) complaints.push_back(broken);
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < kAtOnce; ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  for (const std::string& complaint : complaints) ADD_FAILURE() << complaint;
  // A test that only sees one of the two ends says little about the other.
  EXPECT_GT(answers, kSequences / 10);
  EXPECT_LT(answers, kSequences * 9 / 10);
}

}  // namespace
}  // namespace schedlens::test
