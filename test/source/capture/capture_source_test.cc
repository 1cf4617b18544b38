#include "source/capture/capture_source.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "schedlens/error.h"

namespace schedlens {
namespace {

namespace fs = std::filesystem;

constexpr const char* kText =
    "# TYPE a gauge\na{x=\"1\"} 1 10\na{x=\"1\"} 2 20\n# TYPE b gauge\nb 3 5\nb 4 30\nc 1 20\n# "
    "EOF\n";

std::string PathOf(const std::string& name) {
  return testing::TempDir() + "capture_source_" + name;
}

CaptureToOpen Write(const std::string& name, const std::string& text,
                    std::vector<std::string> questions) {
  CaptureToOpen capture;
  capture.path = PathOf(name);
  std::ofstream(capture.path) << text;
  capture.questions = std::move(questions);
  return capture;
}

std::size_t Count(Source& source, const std::string& promql) {
  const Answer answer = source.Ask({promql, 30'000, 30'000, 0});
  return answer.series.empty() ? 0 : answer.series.front().samples.size();
}

std::string ErrorOf(Source& source, const std::string& promql) {
  try {
    source.Ask({promql, 30'000, 30'000, 0});
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kFailed);
    return error.what();
  }
  return "no error";
}

TEST(CaptureSource, AnswersWhatWasNotExpectedToo) {
  const auto source = OpenCaptureSource(Write("unexpected.om", kText, {"rate(a[1m])"}));
  EXPECT_EQ(source->Describe().extent, (TimeRange{5'000, 30'000})) << "of all samples";
  EXPECT_EQ(Count(*source, "a[1m]"), 2U);
  EXPECT_EQ(Count(*source, "b[1m]"), 2U);
  EXPECT_EQ(Count(*source, "{__name__=~\".+\",x=\"\"}[1m]"), 2U);
  EXPECT_EQ(Count(*source, "z[1m]"), 0U);
}

TEST(CaptureSource, WithoutQuestionsAnythingIsExpected) {
  const CaptureToOpen capture = Write("any.om", kText, {});
  const auto source = OpenCaptureSource(capture);
  fs::remove(capture.path);
  EXPECT_EQ(Count(*source, "b[1m]"), 2U);
}

TEST(CaptureSource, ASecondReadingNeedsTheSameFile) {
  const CaptureToOpen capture = Write("changed.om", kText, {"a"});
  const auto source = OpenCaptureSource(capture);
  std::ofstream(capture.path, std::ios::app) << "\n";
  EXPECT_EQ(Count(*source, "a[1m]"), 2U);
  EXPECT_EQ(
      ErrorOf(*source, "b"),
      "reading " + capture.path +
          " for b: it has changed since it was first read; try again when nothing writes to it");
}

/// What a named pipe holds, read as `capture` says.
std::unique_ptr<Source> OpenPipe(CaptureToOpen capture, const std::string& text) {
  const std::string path = capture.path;
  fs::remove(path);
  EXPECT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(path) << text; });
  auto source = OpenCaptureSource(std::move(capture));
  writer.join();
  return source;
}

TEST(CaptureSource, APipeIsKeptWholeUpToALimit) {
  CaptureToOpen capture;
  capture.path = PathOf("short_pipe");
  capture.questions = {"a"};
  EXPECT_EQ(Count(*OpenPipe(capture, kText), "b[1m]"), 2U);
}

TEST(CaptureSource, ALongPipeAnswersAsAFileOrSaysWhatItLacks) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) {
    const std::string time = std::to_string(10 + i / 10'000) + "." + std::to_string(100 + i % 900);
    text += "a{i=\"" + std::to_string(i % 50) + "\"} 1 " + time + "\n";
    text += "b{i=\"" + std::to_string(i % 50) + "\"} 1 " + time + "\n";
  }
  text += "# EOF\n";
  const auto file = OpenCaptureSource(Write("long.om", text, {"a"}));
  CaptureToOpen capture;
  capture.path = PathOf("long_pipe");
  capture.questions = {"a"};
  capture.whole_bytes = 1 << 20;
  const auto pipe = OpenPipe(capture, text);
  EXPECT_EQ(pipe->Describe().extent, file->Describe().extent);
  const Query query{"a[1m]", 30'000, 30'000, 0};
  const Answer from_file = file->Ask(query);
  const Answer from_pipe = pipe->Ask(query);
  ASSERT_EQ(from_file.series.size(), 50U);
  ASSERT_EQ(from_pipe.series.size(), 50U);
  for (std::size_t i = 0; i < 50; ++i) {
    EXPECT_EQ(from_file.series[i].labels, from_pipe.series[i].labels);
    EXPECT_EQ(from_file.series[i].samples, from_pipe.series[i].samples);
  }
  EXPECT_EQ(
      ErrorOf(*pipe, "b"),
      "asking " + capture.path +
          " for b: it was passed over, as it cannot be read twice; save it as a file and give "
          "that");
}

TEST(CaptureSource, NoSamplesAreAnErrorButNotWhereAllArePassedOver) {
  EXPECT_THROW(OpenCaptureSource(Write("empty.om", "# TYPE a gauge\n# EOF\n", {})), Error);
  EXPECT_EQ(Count(*OpenCaptureSource(Write("other.om", kText, {"z"})), "z"), 0U);
}

}  // namespace
}  // namespace schedlens
