#include "base/text.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace schedlens {
namespace {

constexpr double kInfiniteText = std::numeric_limits<double>::infinity();

TEST(ParseNumber, ReadsWhatGoReads) {
  const struct {
    std::string_view text;
    double value;
  } cases[] = {
      {"0", 0},
      {"1", 1},
      {"-1", -1},
      {"+1.5", 1.5},
      {".5", 0.5},
      {"5.", 5},
      {"1e-1", 0.1},
      {"1E3", 1000},
      {"inf", kInfiniteText},
      {"+Inf", kInfiniteText},
      {"-INFINITY", -kInfiniteText},
      {"Infinity", kInfiniteText},
      {"0x1p-2", 0.25},
      {"-0X1.8P1", -3},
      {"1_0", 10},
      {"1_23.50_0e+1_2", 1.235e14},
      {"0x_1p0", 1},
      {"1e-400", 0},
      {"5e-324", 5e-324},
      {"1.7976931348623157e308", 1.7976931348623157e308},
      {"0x1p-2000", 0},
      {"0.1", 0.1},
      {"22.168378200531006", 22.168378200531006},
      {"1e00000000000000000001", 10},
      {"0.00000e400", 0},
  };
  for (const auto& c : cases) {
    const auto value = ParseNumber(c.text);
    ASSERT_TRUE(value.has_value()) << c.text;
    EXPECT_EQ(*value, c.value) << c.text;
  }
  EXPECT_TRUE(std::signbit(*ParseNumber("-0")));
  EXPECT_TRUE(std::signbit(*ParseNumber("-1e-400")));
  EXPECT_TRUE(std::isnan(*ParseNumber("NaN")));
  EXPECT_TRUE(std::isnan(*ParseNumber("nAn")));
}

TEST(ParseNumber, RefusesWhatGoRefuses) {
  for (const std::string_view text :
       {"",    " 1",   "1 ",   "1s",   "+",    "-",   ".",    "e5",     "1e",     "1e+",      "--1",
        "+-1", "+nan", "-NaN", "infi", "0x",   "0x1", "0xp1", "1e400",  "-1e309", "0x1p1024", "_1",
        "1_",  "1__0", "1_.5", "1._5", "1e_5", "1,5", "0b1",  "nan(1)", "1f"}) {
    EXPECT_FALSE(ParseNumber(text).has_value()) << text;
  }
}

TEST(FormatNumber, PrintsAsTheHttpApi) {
  const struct {
    double value;
    std::string text;
  } cases[] = {
      {0, "0"},
      {-0.0, "-0"},
      {1, "1"},
      {-2.5, "-2.5"},
      {0.1, "0.1"},
      {100, "100"},
      {1e-6, "0.000001"},
      {9.99e-7, "9.99e-07"},
      {1e-100, "1e-100"},
      {1e20, "100000000000000000000"},
      {123456789012345678901.0, "123456789012345680000"},
      {1e21, "1e+21"},
      {-1.5e300, "-1.5e+300"},
      {1795223360.353, "1795223360.353"},
      {0.30000000000000004, "0.30000000000000004"},
      {kInfiniteText, "+Inf"},
      {-kInfiniteText, "-Inf"},
      {std::nan(""), "NaN"},
  };
  for (const auto& c : cases) EXPECT_EQ(FormatNumber(c.value), c.text);
}

TEST(FormatNumber, ReadsBackToTheBit) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    const double value = std::bit_cast<double>(random());
    if (std::isnan(value)) continue;
    const auto back = ParseNumber(FormatNumber(value));
    ASSERT_TRUE(back.has_value()) << FormatNumber(value);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(*back), std::bit_cast<std::uint64_t>(value));
  }
}

TEST(PlainNumber, WritesEveryDigitAndNoExponent) {
  const struct {
    double value;
    const char* text;
  } cases[] = {{0, "0"},
               {-0.0, "-0"},
               {1.5, "1.5"},
               {-2e-7, "-0.0000002"},
               {1.25e-9, "0.00000000125"},
               {1e21, "1000000000000000000000"},
               {-1.5e22, "-15000000000000000000000"},
               {123456789.125, "123456789.125"},
               {std::numeric_limits<double>::infinity(), "+Inf"},
               {-std::numeric_limits<double>::infinity(), "-Inf"},
               {std::nan(""), "NaN"}};
  for (const auto& c : cases) EXPECT_EQ(PlainNumber(c.value), c.text);
}

TEST(PlainNumber, ReadsBackToTheBit) {
  for (const double value : {5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 0.1, 1.0 / 3,
                             9007199254740993.0}) {
    const std::string text = PlainNumber(value);
    EXPECT_EQ(text.find('e'), std::string::npos);
    EXPECT_EQ(ParseNumber(text), value) << text;
  }
}

}  // namespace
}  // namespace schedlens
