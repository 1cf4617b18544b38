#include "source/capture/part.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "schedlens/error.h"

namespace schedlens {
namespace {

const CapturePartHead kHead = {.asked = "http://h:9090 \"x\"\nselector",
                               .recorded = 1795253236595,
                               .range = {-5, 1795225662000},
                               .selector = "job=~\"a|b\""};

Answer Some() {
  Answer answer;
  answer.kind = ValueKind::kMatrix;
  answer.series.push_back({.labels = Labels({{"__name__", "a_total"}, {"b", "c\"\\\nd"}}),
                           .samples = {{1, 0.1}, {2003, std::numeric_limits<double>::infinity()}},
                           .histograms = {}});
  answer.series.push_back({.labels = Labels({{"__name__", "x_bucket"}, {"le", "+Inf"}}),
                           .samples = {{-7, -1e-300}},
                           .histograms = {}});
  answer.warnings = {"store \"s3\"\ndid not answer"};
  return answer;
}

const Query kFirst = {.promql = "{__name__=~\"a.+\"}[1h]", .start = 10, .end = 10, .step_ms = 0};
const Query kSecond = {.promql = "{__name__=~\"b.+\"}[1h]", .start = 20, .end = 20, .step_ms = 0};

std::string Whole() {
  return WriteCapturePartHead(kHead) + WriteCapturePartAnswer(kFirst, Some()) +
         WriteCapturePartAnswer(kSecond, {});
}

TEST(CapturePart, WhatIsWrittenIsReadToTheBit) {
  const std::string text = Whole();
  const CapturePart part = ReadCapturePart(text);
  EXPECT_EQ(part.sound, text.size());
  EXPECT_EQ(part.head.asked, kHead.asked);
  EXPECT_EQ(part.head.recorded, kHead.recorded);
  EXPECT_EQ(part.head.range, kHead.range);
  EXPECT_EQ(part.head.selector, kHead.selector);
  ASSERT_EQ(part.answers.size(), 2u);
  const auto& [query, answer] = part.answers[0];
  EXPECT_EQ(query.promql, kFirst.promql);
  EXPECT_EQ(query.end, 10);
  EXPECT_TRUE(query.instant());
  EXPECT_EQ(answer.warnings, Some().warnings);
  ASSERT_EQ(answer.series.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(answer.series[i].labels, Some().series[i].labels);
    EXPECT_EQ(answer.series[i].samples, Some().series[i].samples);
  }
  EXPECT_TRUE(part.answers[1].second.series.empty());
}

TEST(CapturePart, KeepsTheFormThatFilesHave) {
  Answer answer;
  answer.warnings = {"a <note>"};
  EXPECT_EQ(WriteCapturePartAnswer({"up{a=\"b\"}", 5000, 5000, 0}, answer),
            R"({"bytes":0,"end":5000,"notes":["a <note>"],"query":"up{a=\"b\"}",)"
            R"("sum":"0ca133a5186a9739"})"
            "\n");
}

TEST(CapturePart, ATextThatIsCutAnywhereGivesItsWholeRecords) {
  const std::string text = Whole();
  const std::size_t head = WriteCapturePartHead(kHead).size();
  const std::size_t first = head + WriteCapturePartAnswer(kFirst, Some()).size();
  for (std::size_t size = 0; size < text.size(); ++size) {
    const std::string cut = text.substr(0, size);
    if (size < head) {
      EXPECT_THROW(ReadCapturePart(cut), Error) << size;
      continue;
    }
    const CapturePart part = ReadCapturePart(cut);
    EXPECT_EQ(part.answers.size(), size < first ? 0u : 1u) << size;
    EXPECT_EQ(part.sound, size < first ? head : first) << size;
  }
}

TEST(CapturePart, AChangedByteEndsWhatIsSound) {
  const std::string text = Whole();
  const std::size_t head = WriteCapturePartHead(kHead).size();
  for (std::size_t at = head; at < text.size(); ++at) {
    std::string changed = text;
    changed[at] = static_cast<char>(changed[at] ^ 4);
    EXPECT_LT(ReadCapturePart(changed).answers.size(), 2u) << at;
  }
}

TEST(CapturePart, AnswersAreTheSameInAnyOrderOfTheirSeries) {
  const auto series = [](const char* name, double value) {
    return Series{.labels = Labels({{"__name__", name}}),
                  .samples = {{1000, value}, {2000, std::nan("")}},
                  .histograms = {}};
  };
  const auto answer = [](std::vector<Series> all) {
    Answer out;
    out.series = std::move(all);
    return out;
  };
  const Answer both = answer({series("a", 1), series("b", 0.1)});
  EXPECT_TRUE(SameSamples(both, answer({series("b", 0.1), series("a", 1)})));
  EXPECT_TRUE(SameSamples(answer({}), answer({})));
  EXPECT_FALSE(SameSamples(both, answer({series("a", 1), series("b", 0.2)})));
  EXPECT_FALSE(SameSamples(both, answer({series("a", 1)})));
  EXPECT_FALSE(SameSamples(both, answer({})));
}

TEST(CapturePart, OtherFilesAreRefused) {
  for (const char* text : {"", "\n\n", "# EOF\n", "schedlens capture part 2\n{}\n",
                           "schedlens capture part 1\n{}\n", "schedlens capture part 1\n[]\n",
                           "schedlens capture part 1\n{\"asked\":\"\",\"range\":[1.5,2],"
                           "\"recorded\":1,\"selector\":\"\"}\n"}) {
    EXPECT_THROW(ReadCapturePart(text), Error) << text;
  }
}

}  // namespace
}  // namespace schedlens
