// Answers of 100 MB against --max-answer: refused in one line before they are read, in no more
// memory than the limit; read whole where the limit allows it.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <atomic>
#include <memory>

#include "cli/process.h"
#include "support/fake_server.h"

namespace schedlens::test {
namespace {

using schedlens::Finished;
using schedlens::RunBinary;
using schedlens::RunProgram;

constexpr std::size_t kSamples = 40;
constexpr const char* kStart =
    R"({"status":"success","data":{"resultType":"matrix","result":[{"metric":{"n":"0"},"values":[]})";
constexpr const char* kEnd = "]}}";

/// About a megabyte of series, each a comma and an object.
const std::string& Megabyte() {
  static const std::string text = [] {
    std::string series = R"(,{"metric":{"__name__":"scheduler_x_bucket","le":"0.001"},"values":[)";
    for (std::size_t i = 0; i < kSamples; ++i) {
      series += fmt::format(R"({}[{}.5,"{}"])", i > 0 ? "," : "", 1700000000 + 5 * i, 100000 + i);
    }
    series += "]}";
    std::string all;
    while (all.size() < 1'000'000) all += series;
    return all;
  }();
  return text;
}

FakeReply Plain(std::size_t megabytes) {
  return {.bytes = std::string("HTTP/1.1 200 X\r\nContent-Type: application/json\r\n\r\n") + kStart,
          .again = Megabyte(),
          .times = megabytes,
          .tail = kEnd,
          .close = true};
}

/// The same packed. A full flush forgets what went before, so equal pieces are packed to equal
/// bytes, which stand in any number behind each other.
FakeReply Packed(std::size_t megabytes) {
  z_stream stream = {};
  constexpr int kGzip = 15 + 16;
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY), Z_OK);
  const auto pack = [&stream](const std::string& text, int flush) {
    std::string out(text.size() + 1000, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, flush);
    out.resize(out.size() - stream.avail_out);
    return out;
  };
  FakeReply reply;
  reply.bytes =
      "HTTP/1.1 200 X\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\n\r\n" +
      pack(kStart, Z_FULL_FLUSH);
  reply.again = pack(Megabyte(), Z_FULL_FLUSH);
  reply.times = megabytes;
  // The trailer's sum is of one piece only; a reader that comes so far fails on it.
  reply.tail = pack(kEnd, Z_FINISH);
  reply.close = true;
  deflateEnd(&stream);
  return reply;
}

/// Answers the first question about a scheduler with `large`, every other with nothing.
FakeServer::Handler Answering(const FakeReply& large) {
  return [&large, first = std::make_shared<std::atomic<bool>>(true)](const FakeRequest& request) {
    const bool scheduler = (request.target + request.body).find("scheduler_") != std::string::npos;
    if (scheduler && first->exchange(false)) return large;
    return Http(200, R"({"status":"success","data":{"resultType":"vector","result":[]}})");
  };
}

/// Runs the binary in 16 MiB more than the limit of 64 MiB that the tests of refusal give it: what
/// needs more memory ends as out of memory.
Finished RunInLittleMemory(const std::vector<std::string>& arguments) {
  std::vector<std::string> command = {"sh", "-c", "ulimit -d 81920 && exec \"$@\"", "sh",
                                      SCHEDLENS_BINARY};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return RunProgram(command, "", {"SCHEDLENS_CONFIG=/dev/null"});
}

std::vector<std::string> AskFor(const FakeServer& server, const std::string& limit) {
  return {"query",        "{__name__=~\"scheduler_.+\"}[5m]",
          "--prometheus", server.url(),
          "--at",         "1700000300",
          "--max-answer", limit,
          "-o",           "json"};
}

void ExpectRefused(const Finished& finished) {
  EXPECT_EQ(finished.code, 1) << finished.err;
  EXPECT_EQ(finished.out, "");
  EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
  EXPECT_NE(finished.err.find("the answer is larger than the limit of 64 MiB: ask for a shorter "
                              "--window, narrow it with --selector, or raise --max-answer\n"),
            std::string::npos)
      << finished.err;
}

TEST(LargeAnswer, PlainOverTheLimitIsRefusedInOneLine) {
  const FakeReply large = Plain(100);
  FakeServer server(Answering(large));
  ExpectRefused(RunInLittleMemory(AskFor(server, "64Mi")));
}

TEST(LargeAnswer, PackedOverTheLimitIsRefusedByItsUnpackedSize) {
  const FakeReply large = Packed(100);
  ASSERT_LT(large.again.size() * large.times, std::size_t{2} << 20) << "small on the wire";
  FakeServer server(Answering(large));
  ExpectRefused(RunInLittleMemory(AskFor(server, "64Mi")));
}

TEST(LargeAnswer, ADiagnosisEndsAsWell) {
  const FakeReply large = Packed(100);
  FakeServer server(Answering(large));
  const Finished finished =
      RunInLittleMemory({"diagnose", "--prometheus", server.url(), "--selector", "job=\"a\"",
                         "--start", "1700000000", "--end", "1700000300", "--max-answer", "64Mi"});
  ExpectRefused(finished);
}

TEST(LargeAnswer, UnderTheLimitIsReadWhole) {
  const FakeReply large = Plain(3);
  FakeServer server(Answering(large));
  const Finished finished = RunBinary(AskFor(server, "4Mi"));
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_GT(finished.out.size(), std::size_t{2'000'000});
}

TEST(LargeAnswer, AMillionSeriesAreTheMost) {
  std::string thousand;
  for (int i = 0; i < 1000; ++i) thousand += R"(,{"metric":{"a":"b"},"value":[1,"1"]})";
  FakeReply large = Plain(1001);
  large.again = thousand;
  FakeServer server(Answering(large));
  const Finished finished = RunBinary(AskFor(server, "512Mi"));
  EXPECT_EQ(finished.code, 1);
  EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
  EXPECT_TRUE(finished.err.ends_with(
      "the answer has more than 1000000 series: narrow it with --selector\n"))
      << finished.err;
}

}  // namespace
}  // namespace schedlens::test
