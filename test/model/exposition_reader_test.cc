#include "model/exposition_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace schedlens {
namespace {

/// The spelling caches against a plain map, over lines in any order.
TEST(ExpositionReader, FindsTheSeriesOfEveryLineInAnyOrder) {
  std::mt19937 random(11);
  std::vector<std::string> keys;
  for (int i = 0; i < 60; ++i) {
    // Keys that are prefixes of each other are what a comparison of raw texts could confuse.
    keys.push_back("m" + std::string(static_cast<std::size_t>(i % 7), 'm'));
    keys.push_back(keys.back() + "{a=\"" + std::to_string(i) + "\"}");
    keys.push_back(keys.back().substr(0, keys.back().size() - 1) + ",b=\" 1 2\"}");
  }
  std::map<std::string, std::vector<Sample>> expected;
  ExpositionReader reader("f", std::nullopt);
  std::size_t at = 0;
  for (int t = 1; t <= 20000; ++t) {
    if (random() % 4 != 0) at = random() % 3 == 0 ? at : (at + 1) % keys.size();
    if (random() % 50 == 0) at = random() % keys.size();
    reader.AddLine(keys[at] + " " + std::to_string(t % 13) + " " + std::to_string(t) + ".5", true);
    expected[keys[at]].push_back({t * 1000 + 500, static_cast<double>(t % 13)});
  }
  const Exposition exposition = reader.Finish();
  EXPECT_EQ(exposition.series.size(), expected.size());
  for (const Series& series : exposition.series) {
    EXPECT_EQ(series.samples, expected[series.labels.ToString()]) << series.labels.ToString();
  }
}

TEST(ExpositionReader, AMetadataLineWithoutLineEndIsFineASampleIsNot) {
  ExpositionReader reader("f", 1000);
  reader.AddLine("a 1", true);
  reader.AddLine("# TYPE a gauge", false);
  EXPECT_EQ(reader.Finish().types.at("a"), "gauge");
  ExpositionReader cut("f", 1000);
  EXPECT_ANY_THROW(cut.AddLine("a 1", false));
}

TEST(ExpositionReader, CommentsAreHeldUpToALimit) {
  const std::string comment(1000, 'c');
  ExpositionReader reader("f", std::nullopt);
  reader.AddLine("# the first", true);
  for (int i = 0; i < 5000; ++i) {
    reader.AddLine("# " + comment, true);
    reader.AddLine("# HELP schedlens_comments " + comment, true);
  }
  reader.AddLine("a 1 1.5", true);
  const Exposition read = reader.Finish();
  ASSERT_FALSE(read.comments.empty());
  EXPECT_EQ(read.comments.front(), "the first");
  EXPECT_GT(read.comments.size(), 900u);
  EXPECT_LE(read.comments.size() * comment.size(), kMostComments);
  EXPECT_EQ(read.series.size(), 1u);
}

}  // namespace
}  // namespace schedlens
