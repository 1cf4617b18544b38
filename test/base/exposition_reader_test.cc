#include "base/exposition_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "schedlens/error.h"

namespace schedlens {
namespace {

/// What is remembered of lines against a plain map, over lines in any order.
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
    reader.AddLines(keys[at] + " " + std::to_string(t % 13) + " " + std::to_string(t) + ".5\n");
    expected[keys[at]].push_back({t * 1000 + 500, static_cast<double>(t % 13)});
  }
  const Exposition exposition = Whole(reader.Finish());
  EXPECT_EQ(exposition.series.size(), expected.size());
  for (const Series& series : exposition.series) {
    EXPECT_EQ(series.samples, expected[series.labels.ToString()]) << series.labels.ToString();
  }
}

/// Three scrapes, each in another order, with new series in each and names that sort otherwise than
/// they are written, in blocks of any size: as if each line were read alone.
TEST(ExpositionReader, BlocksGiveWhatTheirLinesGive) {
  std::mt19937 random(5);
  for (int run = 0; run < 50; ++run) {
    std::vector<std::string> keys;
    for (int i = 0; i < 40; ++i) {
      const std::string number = std::to_string(random() % 60);
      keys.push_back("m" + std::to_string(random() % 3) +
                     (random() % 2 == 0 ? "{a=\"" + number + "\",b=\"x\"}"
                                        : "{b=\"x\",a=\"" + number + "\"}"));
    }
    std::sort(keys.begin(), keys.end());
    std::vector<std::string> lines;
    for (int scrape = 1; scrape <= 3; ++scrape) {
      for (std::size_t i = 0; i < keys.size() / 3 * static_cast<std::size_t>(scrape); ++i) {
        const int repeats = random() % 8 == 0 ? 2 : 1;
        for (int j = 0; j < repeats; ++j) {
          lines.push_back(keys[i] + " " + std::to_string(random() % 100) + " " +
                          std::to_string(1000 * scrape + j) + ".5");
        }
      }
      if (run % 2 == 0) std::shuffle(keys.begin(), keys.end(), random);
    }
    ExpositionReader one_by_one("f", std::nullopt);
    ExpositionReader in_blocks("f", std::nullopt);
    std::string block;
    for (const std::string& line : lines) {
      one_by_one.AddLines(line + "\n");
      block += line + "\n";
      if (random() % 30 != 0) continue;
      in_blocks.AddLines(block);
      block.clear();
    }
    in_blocks.AddLines(block);
    EXPECT_EQ(WriteOpenMetrics(Whole(in_blocks.Finish())),
              WriteOpenMetrics(Whole(one_by_one.Finish())));
  }
}

TEST(ExpositionReader, AMetadataLineWithoutLineEndIsFineASampleIsNot) {
  ExpositionReader reader("f", 1000);
  EXPECT_EQ(reader.AddLines("a 1\n# TY"), 4u);
  reader.AddLines("# TYPE a gauge", true);
  EXPECT_EQ(reader.Finish().other.types.at("a"), "gauge");
  ExpositionReader cut("f", 1000);
  EXPECT_ANY_THROW(cut.AddLines("a 1", true));
}

TEST(ExpositionReader, CommentsAreHeldUpToALimit) {
  const std::string comment(1000, 'c');
  ExpositionReader reader("f", std::nullopt);
  reader.AddLines("# the first\n");
  for (int i = 0; i < 20'000; ++i) {
    reader.AddLines("# " + comment + "\n");
    reader.AddLines("# HELP schedlens_comments " + comment + "\n");
  }
  reader.AddLines("a 1 1.5\n");
  const Exposition read = Whole(reader.Finish());
  ASSERT_FALSE(read.comments.empty());
  EXPECT_EQ(read.comments.front(), "the first");
  EXPECT_GT(read.comments.size(), 900u);
  EXPECT_LE(read.comments.size() * comment.size(), kMostComments);
  EXPECT_EQ(read.series.size(), 1u);
}

/// Lines as recorders write them, and all else that may stand in a file.
std::string RandomText(std::mt19937& random) {
  const char* const lines[] = {"a{x=\"1\"} %d 17953143%02d.716\n",
                               "a{x=\"2\"} %d 17953143%02d.716\n",
                               "b{y=\"1\",x=\"2\"} %d 17953143%02d.716\n",
                               "b{x=\"2\",y=\"1\"} 0.1%d345678901234567 17953143%02d.716\n",
                               "b %d 17953143%02d.716 # {t=\"1\"} 1\n",
                               "{\"b\",x=\"\\n\"} %d 17953143%02d.716\n",
                               "c{x=\"1\"} %d 17953143%02d.716\n",
                               "c{x=\"1\"} %d 9953143000%02d.716\n",
                               "c %d 17953143%02d\r\n",
                               "# TYPE c gauge %d %d\n",
                               "# a comment %d %d\n",
                               "c{x=\"1\"} %d 17953143%02d.716 x\n"};
  std::string text;
  for (int i = 0; i < 40; ++i) {
    // The last two are errors.
    const std::size_t kind = random() % 300 == 0 ? 9 + random() % 3 : random() % 9;
    char line[200];
    std::snprintf(line, sizeof line, lines[kind], static_cast<int>(random() % 9),
                  static_cast<int>(random() % 99));
    for (std::size_t times = 1 + random() % 3; times > 0; --times) text += line;
  }
  return text + (random() % 2 == 0 ? "# EOF\n" : "");
}

TimeRange Widened(const std::optional<TimeRange>& all, TimeMs time) {
  if (!all) return {time, time};
  return {std::min(all->start, time), std::max(all->end, time)};
}

TEST(ExpositionReader, MetricsThatAreKeptAreAsIfAllWere) {
  std::mt19937 random(3);
  std::set<std::string> errors;
  for (int i = 0; i < 3000; ++i) {
    const std::string text = RandomText(random);
    const auto wanted = [](std::string_view metric) { return metric == "b"; };
    Exposition all;
    try {
      all = ParseExposition(text, "f", 1000);
    } catch (const Error& error) {
      errors.insert(error.what());
      EXPECT_THROW(
          {
            try {
              ParseExposition(text, "f", 1000, wanted);
            } catch (const Error& same) {
              EXPECT_STREQ(same.what(), error.what());
              throw;
            }
          },
          Error);
      continue;
    }
    const Exposition some = ParseExposition(text, "f", 1000, wanted);
    std::size_t kept = 0;
    std::optional<TimeRange> passed;
    std::set<std::string, std::less<>> metrics;
    for (const Series& series : all.series) {
      if (series.labels.Get("__name__") == "b") {
        ASSERT_LT(kept, some.series.size()) << text;
        EXPECT_EQ(some.series[kept].labels, series.labels) << text;
        EXPECT_EQ(some.series[kept++].samples, series.samples) << text;
        continue;
      }
      metrics.emplace(series.labels.Get("__name__"));
      for (const Sample& sample : series.samples) passed = Widened(passed, sample.t);
    }
    EXPECT_EQ(kept, some.series.size()) << text;
    // One of which all samples are late is among them, too.
    EXPECT_TRUE(std::includes(some.passed_over.metrics.begin(), some.passed_over.metrics.end(),
                              metrics.begin(), metrics.end()))
        << text;
    EXPECT_EQ(some.passed_over.extent, passed) << text;
    EXPECT_EQ(some.types, all.types);
    EXPECT_EQ(some.comments, all.comments);
  }
  EXPECT_GT(errors.size(), 20U);
}

TEST(ExpositionReader, AnErrorInAMetricThatIsPassedOverHasItsLine) {
  const std::string text = "a 1 1.5\na 2 2.5\na{b=1} 3 3.5\n# EOF\n";
  try {
    ParseExposition(text, "f", std::nullopt, [](std::string_view) { return false; });
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "reading f: line 3, column 5: expected a label value in double quotes, found "
                 "`1} 3 3.5`");
  }
}

TEST(ExpositionReader, CountsWhatItPassesOver) {
  const Exposition read = ParseExposition("a 1 1.5\nb 1 2.5\na 2 3.5\n# EOF\n", "f", std::nullopt,
                                          [](std::string_view name) { return name == "b"; });
  EXPECT_EQ(read.passed_over.samples, 2U);
  EXPECT_EQ(read.passed_over.extent, (TimeRange{1500, 3500}));
  EXPECT_EQ(read.series.size(), 1U);
}

constexpr TimeMs kThisYear = 1795314346716;

TEST(PassedOverTimes, NothingHasNoExtent) {
  EXPECT_EQ(PassedOverTimes().Extent(true, 0), std::nullopt);
}

TEST(PassedOverTimes, SpansTheTimesInTheUnitOfTheText) {
  PassedOverTimes seconds;
  seconds.Add(kThisYear + 5000);
  seconds.Add(kThisYear);
  EXPECT_EQ(seconds.Extent(true, 0), (TimeRange{kThisYear, kThisYear + 5000}));
  PassedOverTimes milliseconds;
  milliseconds.Add(kThisYear * 1000);
  milliseconds.Add((kThisYear + 5000) * 1000);
  EXPECT_EQ(milliseconds.Extent(false, 0), (TimeRange{kThisYear, kThisYear + 5000}));
  EXPECT_EQ(milliseconds.Late(false), 0U);
  EXPECT_EQ(milliseconds.Late(true), 2U);
}

TEST(PassedOverTimes, LateOnesAreNotKept) {
  PassedOverTimes times;
  times.Add(kThisYear);
  times.Add(kLatestTime + 1);
  EXPECT_EQ(times.samples(), 2U);
  EXPECT_EQ(times.Late(true), 1U);
  EXPECT_EQ(times.Extent(true, 0), (TimeRange{kThisYear, kThisYear}));
}

TEST(PassedOverTimes, SamplesWithoutTimeAreOfTheDefaultTime) {
  PassedOverTimes times;
  times.AddWithoutTime();
  EXPECT_EQ(times.samples(), 1U);
  EXPECT_EQ(times.Extent(true, 7), (TimeRange{7, 7}));
}

}  // namespace
}  // namespace schedlens
