#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

#include "model/exposition.h"

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

}  // namespace
}  // namespace schedlens
