#include "report/format.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace schedlens {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Case {
  double number;
  const char* text;
};

const Messages kEnglish("en");

TEST(FormatTest, Seconds) {
  const Case cases[] = {{0, "0 s"},
                        {3, "3 s"},
                        {3.8417, "3.84 s"},
                        {0.184, "184 ms"},
                        {0.0584123, "58.4 ms"},
                        {0.000045, "45 µs"},
                        {12345, "12,345 s"},
                        {123456.7, "123,457 s"},
                        {2.048, "2.048 s"},
                        {-1.5, "-1.5 s"},
                        {0.001, "1 ms"},
                        {99.996, "100 s"},
                        {kNaN, "—"},
                        {kInfinity, "—"},
                        {1e300, "1.00e300 s"}};
  for (const Case& c : cases) EXPECT_EQ(Seconds(kEnglish, c.number), c.text) << c.number;
  EXPECT_EQ(Seconds(kEnglish, std::nullopt), "—");
}

TEST(FormatTest, PercentIsExactDecimal) {
  const Case cases[] = {{0, "0 %"},          {0.29, "29.0 %"}, {0.91236, "91.2 %"}, {1, "100.0 %"},
                        {0.9999, "100.0 %"}, {1e-9, "0.0 %"},  {kNaN, "—"}};
  for (const Case& c : cases) EXPECT_EQ(Percent(kEnglish, c.number), c.text) << c.number;
}

TEST(FormatTest, CountAndNames) {
  EXPECT_EQ(Count(1234), "1,234");
  EXPECT_EQ(Count(0.5), "0.5");
  EXPECT_EQ(Count(1234567.4), "1,234,567");
  EXPECT_EQ(QuantileName(0.99), "p99");
  EXPECT_EQ(QuantileName(0.999), "p99.9");
  EXPECT_EQ(QuantileName(kNaN), "p?");
  EXPECT_EQ(SignedSeconds(kEnglish, 2), "+2 s");
  EXPECT_EQ(SignedSeconds(kEnglish, -2), "-2 s");
}

TEST(FormatTest, ChineseSetsNumberAndUnitTogether) {
  const Messages zh("zh");
  EXPECT_EQ(Seconds(zh, 3.8417), "3.84s");
  EXPECT_EQ(Seconds(zh, std::nullopt), "—");
  EXPECT_EQ(SignedSeconds(zh, 0.03), "+30ms");
  EXPECT_EQ(Percent(zh, 0.993), "99.3%");
  EXPECT_EQ(SecondsRange(zh, {0.85, 1.2}), "850ms–1.2s");
  EXPECT_EQ(SecondsRange(zh, {3.2, {}}), "≥3.2s");
  EXPECT_EQ(SecondsRange(zh, {{}, 4.1}), "≤4.1s");
  EXPECT_EQ(PercentRange(zh, {0.905, 0.92}), "90.5–92.0%");
}

TEST(FormatTest, RangesRoundOutwards) {
  EXPECT_EQ(SecondsRange(kEnglish, {3.2118, 4.096}), "3.21–4.096 s");
  EXPECT_EQ(SecondsRange(kEnglish, {3.2118, 4.0961}), "3.21–4.1 s");
  EXPECT_EQ(SecondsRange(kEnglish, {0.85, 1.2}), "850 ms – 1.2 s");
  EXPECT_EQ(SecondsRange(kEnglish, {16.384, std::nullopt}), "≥ 16.384 s");
  EXPECT_EQ(SecondsRange(kEnglish, {std::nullopt, 0.5}), "≤ 500 ms");
  EXPECT_EQ(SecondsRange(kEnglish, {2, 2}), "2 s");
  EXPECT_EQ(SecondsRange(kEnglish, {}), "—");
  EXPECT_EQ(PercentRange(kEnglish, {0.9079, 0.9131}), "90.7–91.4 %");
}

// What is printed as a bound still is one, over all magnitudes.
TEST(FormatTest, PrintedBoundsHold) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> exponent(-5, 5);
  for (int i = 0; i < 20000; ++i) {
    const double x = std::pow(10, exponent(random));
    const auto read = [](std::string text) {
      std::erase(text, ',');
      const double unit = text.find("µs") != std::string::npos   ? 1e-6
                          : text.find("ms") != std::string::npos ? 1e-3
                                                                 : 1;
      return std::stod(text) * unit;
    };
    // One rounding of the test's own multiplication.
    EXPECT_LE(read(Seconds(kEnglish, x, Rounding::kDown)), x * (1 + 1e-15)) << x;
    EXPECT_GE(read(Seconds(kEnglish, x, Rounding::kUp)), x * (1 - 1e-15)) << x;
    EXPECT_NEAR(read(Seconds(kEnglish, x)), x, x * 0.005) << x;
  }
}

TEST(FormatTest, Times) {
  EXPECT_EQ(DateAndTime(1'763'719'200'000), "2025-11-21 10:00:00");
  EXPECT_EQ(TimeOfDay(1'763'719'200'000), "10:00:00");
  EXPECT_EQ(RangeText({1'763'719'200'000, 1'763'719'500'000}, "to"),
            "2025-11-21 10:00:00 to 10:05:00 UTC (5m)");
  EXPECT_EQ(RangeText({1'763'719'200'000, 1'763'805'600'000}, "to"),
            "2025-11-21 10:00:00 to 2025-11-22 10:00:00 UTC (1d)");
}

TEST(FormatTest, HasRange) {
  EXPECT_FALSE(HasRange({1, {}, {}, "1", {}}));
  EXPECT_FALSE(HasRange({1, 1, 1, "1", {}}));
  EXPECT_TRUE(HasRange({1, 0.5, {}, "1", {}}));
}

TEST(RowsOfTest, CountsColumnsWithoutColorsAndCutsNoCharacter) {
  const struct {
    const char* line;
    int rows;
  } cases[] = {{"", 1},         {"abcd", 1},     {"abcde", 2},
               {"a调度中", 2},  {"a调度中b", 3}, {"\x1b[2mabcd\x1b[0m", 1},
               {"abc\x1b[2", 1}};
  for (const auto& one : cases) EXPECT_EQ(RowsOf(one.line, 4), one.rows) << one.line;
}

}  // namespace
}  // namespace schedlens
