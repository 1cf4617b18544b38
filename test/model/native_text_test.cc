#include "model/native_text.h"

#include <gtest/gtest.h>

#include <limits>

#include "model/exposition.h"

namespace schedlens {
namespace {

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
