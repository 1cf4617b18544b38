// Answers of a real Prometheus 2.42 to questions about native histograms (four pods of three
// resolutions and zero thresholds, one restarting), beside what is evaluated from its raw samples.

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "base/file.h"
#include "base/text.h"
#include "promql/evaluate.h"
#include "source/http/json_stream.h"

namespace schedlens {
namespace {

std::vector<Series> Sorted(std::vector<Series> series) {
  std::sort(series.begin(), series.end(),
            [](const Series& a, const Series& b) { return a.labels < b.labels; });
  return series;
}

std::string Unpacked(const std::string& path) {
  const std::unique_ptr<ByteSource> source = OpenByteSource(path, path);
  std::string text;
  std::string block(1 << 16, '\0');
  while (const std::size_t size = source->Read(block.data(), block.size())) {
    text.append(block, 0, size);
  }
  return text;
}

/// Edges that no input shows come from a merge of buckets; they agree to the last places.
void ExpectSame(const NativeHistogram& ours, const NativeHistogram& theirs,
                const std::string& where) {
  EXPECT_EQ(ours.count, theirs.count) << where;
  EXPECT_EQ(ours.sum, theirs.sum) << where;
  ASSERT_EQ(ours.buckets.size(), theirs.buckets.size()) << where;
  for (std::size_t i = 0; i < ours.buckets.size(); ++i) {
    EXPECT_EQ(ours.buckets[i].count, theirs.buckets[i].count) << where << " bucket " << i;
    EXPECT_EQ(ours.buckets[i].boundaries, theirs.buckets[i].boundaries) << where;
    EXPECT_DOUBLE_EQ(ours.buckets[i].lower, theirs.buckets[i].lower) << where;
    EXPECT_DOUBLE_EQ(ours.buckets[i].upper, theirs.buckets[i].upper) << where;
  }
}

TEST(NativeParity, Prometheus242GivesTheSame) {
  std::istringstream in(Unpacked(SCHEDLENS_SOURCE_DIR "/test/data/natives/prometheus-2.42.txt.gz"));
  std::string line;
  ASSERT_TRUE(std::getline(in, line));
  const TimeMs at = static_cast<TimeMs>(*ParseNumber(line)) * 1000;
  ASSERT_TRUE(std::getline(in, line));
  const promql::SeriesStore store(ReadApiAnswer(line).answer.series);
  promql::EvaluateOptions options;
  options.semantics = ParseSemantics("2.42");
  int questions = 0;
  std::size_t histograms = 0;
  for (std::string text; std::getline(in, text) && std::getline(in, line); ++questions) {
    const std::vector<Series> theirs = Sorted(ReadApiAnswer(line).answer.series);
    const std::vector<Series> ours =
        Sorted(promql::Evaluate(store, {text, at, at, 0}, options).series);
    ASSERT_EQ(ours.size(), theirs.size()) << text;
    for (std::size_t i = 0; i < ours.size(); ++i) {
      EXPECT_EQ(ours[i].labels, theirs[i].labels) << text;
      EXPECT_EQ(ours[i].samples, theirs[i].samples) << text;
      ASSERT_EQ(ours[i].histograms.size(), theirs[i].histograms.size()) << text;
      for (std::size_t h = 0; h < ours[i].histograms.size(); ++h, ++histograms) {
        EXPECT_EQ(ours[i].histograms[h].t, theirs[i].histograms[h].t) << text;
        ExpectSame(ours[i].histograms[h].h, theirs[i].histograms[h].h,
                   text + " " + ours[i].labels.ToString());
      }
    }
  }
  EXPECT_GE(questions, 20);
  options.semantics = ParseSemantics("3.0");  // the windows above hold a restart
  const Answer resets = promql::Evaluate(store, {"max(resets(n[25s]))", at, at, 0}, options);
  EXPECT_GE(resets.series.at(0).samples.at(0).v, 1);
  EXPECT_GE(histograms, 40u);
}

}  // namespace
}  // namespace schedlens
