#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "base/exposition.h"

namespace schedlens {
namespace {

Series MakeSeries(Labels labels, std::vector<Sample> samples) {
  return {std::move(labels), std::move(samples), {}};
}

TEST(WriteOpenMetrics, GroupsByFamilyAndEndsInEof) {
  Exposition e;
  e.types = {{"h", "histogram"}, {"c", "counter"}, {"unused", "gauge"}};
  e.comments = {"made by a test", "path C:\\new"};
  e.series = {
      MakeSeries({{"__name__", "up"}}, {{1000, 1}}),
      MakeSeries({{"__name__", "h_bucket"}, {"le", "+Inf"}}, {{1000, 3}, {1500, 4}}),
      MakeSeries({{"__name__", "c_total"}}, {{1001, 1e21}}),
      MakeSeries({{"__name__", "h_sum"}}, {{-1, std::nan("")}, {2000, StaleMarker()}}),
  };
  EXPECT_EQ(WriteOpenMetrics(e),
            "# HELP schedlens_comments made by a test\\npath C:\\\\new\n"
            "# TYPE c counter\n"
            "c_total 1e+21 1.001\n"
            "# TYPE h histogram\n"
            "h_bucket{le=\"+Inf\"} 3 1\n"
            "h_bucket{le=\"+Inf\"} 4 1.5\n"
            "h_sum NaN -0.001\n"
            "# TYPE unused gauge\n"
            "up 1 1\n"
            "# EOF\n");
  const Exposition back = ParseExposition(WriteOpenMetrics(e), "f", std::nullopt);
  EXPECT_EQ(back.comments, e.comments);
  EXPECT_EQ(back.types, e.types);
}

TEST(WriteOpenMetrics, AnEmptyExpositionIsStillOpenMetrics) {
  EXPECT_EQ(WriteOpenMetrics({}), "# EOF\n");
}

/// Any label values, values and times come back to the bit.
TEST(WriteOpenMetrics, ReadsBackToTheBit) {
  std::mt19937_64 random(7);
  const auto pick = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const std::string_view pieces[] = {"a", "\"", "\\", "\n", "\\n", "}", "{",
                                     ",", " ",  "#",  "é",  "=",   "\r"};
  for (int round = 0; round < 300; ++round) {
    Exposition e;
    for (int s = 0; s < 5; ++s) {
      std::string value = std::to_string(s);
      for (std::size_t i = pick(6); i > 0; --i) value += pieces[pick(std::size(pieces))];
      Series series = MakeSeries({{"__name__", pick(4) == 0 ? "odd.name" : "m"}, {"x", value}}, {});
      TimeMs t = static_cast<TimeMs>(pick(2000000000000)) - 1000000000;
      for (int i = 0; i < 4; ++i) {
        const double v = std::bit_cast<double>(random());
        series.samples.push_back({t, std::isnan(v) ? 0.5 : v});
        t += 1 + static_cast<TimeMs>(pick(100000));
      }
      e.series.push_back(std::move(series));
    }
    const Exposition back = ParseExposition(WriteOpenMetrics(e), "f", std::nullopt);
    ASSERT_EQ(back.series.size(), e.series.size());
    for (const Series& wanted : e.series) {
      const auto found = std::find_if(back.series.begin(), back.series.end(),
                                      [&](const Series& s) { return s.labels == wanted.labels; });
      ASSERT_NE(found, back.series.end()) << wanted.labels.ToString();
      EXPECT_EQ(found->samples, wanted.samples);
    }
  }
}

constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(NativeText, IsWhatPromtoolPrintsAndReadsBack) {
  const std::pair<NativeHistogram, std::string> cases[] = {
      {{}, "{count:0, sum:0}"},
      {{3, 1.5, {{-0.001, 0.001, 1, 3}, {0.5, 1, 2, 0}}},
       "{count:3, sum:1.5, [-0.001,0.001]:1, (0.5,1]:2}"},
      {{2.5, -1e-9, {{-2, -1, 0.5, 1}, {1, kInf, 2, 2}}},
       "{count:2.5, sum:-1e-09, [-2,-1):0.5, (1,+Inf):2}"}};
  for (const auto& [histogram, text] : cases) {
    EXPECT_EQ(NativeText(histogram), text);
    EXPECT_EQ(ParseNativeText(text), histogram) << text;
  }
}

TEST(NativeText, RefusesAnythingElse) {
  for (const char* text :
       {"", "{}", "{count:1}", "{count:1, sum:1", "{count:x, sum:1}", "{count:1, sum:1} ",
        "{count:1, sum:1, (1,2}:3}", "{count:1, sum:1, (1 2]:3}", "{count:1, sum:1, (1,2]:}",
        "{count:1, sum:1, (1,2]:3", "{count:1, sum:1,}"}) {
    EXPECT_EQ(ParseNativeText(text), std::nullopt) << text;
  }
}

TEST(NativeText, SurvivesARecording) {
  Exposition e;
  const NativeHistogram one{3, 0.1, {{0.25, 0.35355339059327373, 3, 0}}};
  e.series = {{Labels({{"__name__", "h"}, {"a", "q\"\\\n"}}), {{5, 1}}, {{1000, one}, {2001, {}}}},
              {Labels({{"__name__", "only"}}), {}, {{-7, one}}}};
  const std::string text = WriteOpenMetrics(e);
  EXPECT_NE(text.find("# HELP schedlens_native_histograms only -7 {count:3, sum:0.1, "
                      "(0.25,0.35355339059327373]:3}\n"),
            std::string::npos)
      << text;
  const Exposition back = ParseExposition(text, "f", std::nullopt);
  ASSERT_EQ(back.series.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(back.series[i].labels, e.series[i].labels);
    EXPECT_EQ(back.series[i].samples, e.series[i].samples);
    EXPECT_EQ(back.series[i].histograms, e.series[i].histograms);
  }
  EXPECT_TRUE(back.comments.empty());
  EXPECT_EQ(WriteOpenMetrics(back), text);
}

TEST(NativeText, IsCheckedInARecording) {
  for (const char* line : {"h {count:1, sum:1}", "h 5 {count:1}", "h 5", "5 {count:1, sum:1}",
                           "h 5.5 {count:1, sum:1}", "h 5 {count:1, sum:1} ", ""}) {
    EXPECT_ANY_THROW(ParseExposition(
        "# HELP schedlens_native_histograms " + std::string(line) + "\n# EOF\n", "f", std::nullopt))
        << line;
  }
}

}  // namespace
}  // namespace schedlens
