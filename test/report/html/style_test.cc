// Contrast of the page's colours by WCAG 2: text 4.5 to 1, what a plot is read by 3 to 1.

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <regex>

#include "report/html/html.h"

namespace schedlens {
namespace {

using Colours = std::map<std::string, std::string>;

/// The `--name:#rgb` of a rule.
Colours ColoursOf(const std::string& rule) {
  Colours colours;
  const std::regex colour("--([a-z]+):(#[0-9a-f]+)");
  for (auto it = std::sregex_iterator(rule.begin(), rule.end(), colour);
       it != std::sregex_iterator(); ++it) {
    colours[(*it)[1]] = (*it)[2];
  }
  return colours;
}

/// Of the nth rule that sets colours: light, dark, paper.
Colours Theme(int number) {
  static const std::string style(HtmlStyle());
  const std::regex rule(":root\\{[^}]*--[^}]*\\}");
  auto it = std::sregex_iterator(style.begin(), style.end(), rule);
  Colours colours = ColoursOf(it->str());
  if (number == 0) return colours;
  std::advance(it, number);
  for (const auto& [name, value] : ColoursOf(it->str())) colours[name] = value;
  return colours;
}

double Luminance(const std::string& hex) {
  const bool is_short = hex.size() == 4;
  double sum = 0;
  const double weights[] = {0.2126, 0.7152, 0.0722};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string digits = is_short ? std::string(2, hex[1 + i]) : hex.substr(1 + 2 * i, 2);
    const double c = std::stoi(digits, nullptr, 16) / 255.0;
    sum += weights[i] * (c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4));
  }
  return sum;
}

double Contrast(const std::string& a, const std::string& b) {
  const double x = Luminance(a), y = Luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

TEST(HtmlStyle, TheMeasureIsThatOfWcag) {
  EXPECT_NEAR(Contrast("#fff", "#000000"), 21, 1e-9);
  EXPECT_NEAR(Contrast("#767676", "#ffffff"), 4.54, 0.01);
}

TEST(HtmlStyle, TextAndLinesStandOutLightDarkAndOnPaper) {
  for (int number = 0; number < 3; ++number) {
    Colours theme = Theme(number);
    ASSERT_GE(theme.size(), 11U);
    for (const char* ground : {"bg", "panel"}) {
      for (const char* text : {"ink", "soft", "accent", "bad", "good", "unsure"}) {
        EXPECT_GE(Contrast(theme.at(text), theme.at(ground)), 4.5)
            << text << " on " << ground << ", theme " << number;
      }
      for (const char* line : {"accent", "warn", "bad", "before"}) {
        EXPECT_GE(Contrast(theme.at(line), theme.at(ground)), 3)
            << line << " on " << ground << ", theme " << number;
      }
    }
    // The number of the first finding stands on the accent.
    EXPECT_GE(Contrast(theme.at("bg"), theme.at("accent")), 4.5) << number;
  }
}

}  // namespace
}  // namespace schedlens
