#include "model/plain_number.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "model/text.h"

namespace schedlens {
namespace {

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
