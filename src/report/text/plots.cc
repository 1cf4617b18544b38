#include "report/text/plots.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

namespace schedlens {

namespace {

constexpr std::array<std::string_view, 9> kBlocks = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::array<std::string_view, 9> kAsciiShades = {" ", ".", ":", "-", "=",
                                                          "+", "*", "#", "@"};
constexpr std::array<std::string_view, 8> kEighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};

std::string_view Level(int level, bool ascii) {
  const auto at = static_cast<std::size_t>(std::clamp(level, 0, 8));
  return ascii ? kAsciiShades[at] : kBlocks[at];
}

}  // namespace

std::string TextBar(double fraction, std::optional<double> mark, int width, bool ascii) {
  const double filled = std::isfinite(fraction) ? std::clamp(fraction, 0.0, 1.0) * width : 0;
  int whole = static_cast<int>(filled);
  auto eighths = static_cast<std::size_t>((filled - whole) * 8);
  // Something is never drawn as nothing.
  if (whole == 0 && eighths == 0 && fraction > 0) eighths = 1;
  std::vector<std::string> cells(static_cast<std::size_t>(width), " ");
  for (int i = 0; i < whole; ++i) cells[static_cast<std::size_t>(i)] = ascii ? "#" : "█";
  if (whole < width && eighths > 0) {
    cells[static_cast<std::size_t>(whole)] = ascii ? (eighths >= 4 ? "#" : "=") : kEighths[eighths];
  }
  if (mark && std::isfinite(*mark)) {
    const double place = std::clamp(*mark, 0.0, 1.0) * width;
    cells[static_cast<std::size_t>(std::min(static_cast<int>(place), width - 1))] =
        ascii ? "|" : "┃";
  }
  std::string bar;
  for (const std::string& cell : cells) bar += cell;
  return bar;
}

std::string Sparkline(const std::vector<double>& values, int width, bool ascii) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  const std::size_t groups = std::min(values.size(), static_cast<std::size_t>(std::max(width, 1)));
  std::vector<double> tops(groups, kNaN);
  double greatest = 0;
  for (std::size_t i = 0; i < groups; ++i) {
    const std::size_t end = (i + 1) * values.size() / groups;
    for (std::size_t j = i * values.size() / groups; j < end; ++j) {
      // The comparison is false for NaN on either side.
      if (std::isfinite(values[j]) && !(values[j] <= tops[i])) tops[i] = values[j];
    }
    if (tops[i] > greatest) greatest = tops[i];
  }
  std::string line;
  for (const double top : tops) {
    if (std::isnan(top)) {
      line += ascii ? "." : "·";
    } else {
      const int level = greatest > 0 ? 1 + static_cast<int>(std::max(0.0, top) / greatest * 7) : 1;
      line += ascii && level == 1 ? "_" : Level(level, ascii);
    }
  }
  return line;
}

std::string Shade(double value, double greatest, bool ascii) {
  if (!(value > 0) || !(greatest > 0)) return " ";
  // Counts of neighbouring buckets differ by powers of ten: the square root keeps the small
  // visible.
  const double part = std::sqrt(std::min(1.0, value / greatest));
  return std::string(Level(1 + static_cast<int>(part * 7), ascii));
}

}  // namespace schedlens
