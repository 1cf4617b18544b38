// Servers that hang or trickle: the time limit holds, and no more than a tenth over it is spent.

#include <gtest/gtest.h>

#include <chrono>

#include "cli/process.h"
#include "e2e/server.h"
#include "support/fake_server.h"

namespace schedlens::test {
namespace {

using schedlens::Finished;
using schedlens::RunBinary;

constexpr double kLimit = 2;
constexpr int kTries = 12;

struct Timed {
  Finished finished;
  double seconds = 0;
};

Timed Ask(const std::string& url) {
  const auto start = std::chrono::steady_clock::now();
  Timed timed;
  timed.finished = RunBinary({"query", "up", "--prometheus", url, "--timeout", "2s"});
  timed.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return timed;
}

/// No try may end early; of several, one must come within a tenth of the limit, beside what the
/// process itself takes. Load makes a try longer but not all of them; a wrong limit makes all
/// wrong.
void ExpectLimit(const FakeServer& server) {
  std::string seen;
  for (int i = 0; i < kTries; ++i) {
    const Timed refused = Ask("http://127.0.0.1:" + std::to_string(FreePort()));
    ASSERT_EQ(refused.finished.code, 1) << refused.finished.err;
    const Timed timed = Ask(server.url());
    ASSERT_EQ(timed.finished.code, 124) << timed.finished.err;
    ASSERT_NE(timed.finished.err.find("no complete answer in time (limit 2 s)"), std::string::npos)
        << timed.finished.err;
    ASSERT_GE(timed.seconds, 0.99 * kLimit);
    if (timed.seconds - refused.seconds <= 1.1 * kLimit) return;
    seen +=
        std::to_string(timed.seconds) + " s against " + std::to_string(refused.seconds) + " s\n";
  }
  FAIL() << seen;
}

TEST(Timeout, OfAServerThatNeverAnswers) {
  const FakeServer server([](const FakeRequest&) { return FakeReply{.bytes = "", .hang = true}; });
  ExpectLimit(server);
}

TEST(Timeout, OfAnAnswerThatTrickles) {
  const FakeServer server([](const FakeRequest&) {
    FakeReply reply = Http(200, std::string(4000, ' '));
    reply.dribble_ms = 30;
    return reply;
  });
  ExpectLimit(server);
}

TEST(Timeout, CountsWhatEarlierAnswersTook) {
  // The build info takes half of the time; the question after it gets the other half.
  const FakeServer server([](const FakeRequest& request) {
    FakeReply reply = Http(200, R"({"status":"success","data":{"version":"2.42.0"}})");
    if (request.target.find("buildinfo") == std::string::npos) {
      reply.bytes.clear();
      reply.hang = true;
    } else {
      reply.dribble_ms = 1000 / static_cast<int>(reply.bytes.size());
    }
    return reply;
  });
  ExpectLimit(server);
}

TEST(Timeout, OfRetriesWithoutEnd) {
  const FakeServer server([](const FakeRequest&) { return Http(429, "", "Retry-After: 1\r\n"); });
  const Timed timed = Ask(server.url());
  EXPECT_EQ(timed.finished.code, 124) << timed.finished.err;
  EXPECT_NE(timed.finished.err.find("more than --timeout leaves"), std::string::npos)
      << timed.finished.err;
}

}  // namespace
}  // namespace schedlens::test
