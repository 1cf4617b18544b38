// Line plots, and the round ticks of axes.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "model/text.h"
#include "report/format.h"
#include "report/html/svg_frame.h"
#include "report/html/svg_marks.h"
#include "report/plot.h"

namespace schedlens {

namespace {

// The smallest of 1, 2, 5 times a power of ten that makes at most `count` steps.
double RoundStep(double width, int count) {
  const double rough = width / count;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

std::vector<double> Multiples(double low, double high, double step) {
  std::vector<double> at;
  const double first = std::ceil(low / step - 1e-9);
  // Bounded: a step is at least a hundredth of the width.
  for (int i = 0; i <= 100 && (first + i) * step <= high * (1 + 1e-12); ++i) {
    at.push_back((first + i) * step);
  }
  return at;
}

bool Usable(double low, double high) {
  return std::isfinite(low) && std::isfinite(high) && high > low;
}

}  // namespace

std::vector<Tick> SecondsTicks(const Messages& t, double low, double high, int count) {
  std::vector<Tick> ticks;
  if (!Usable(low, high)) return ticks;
  for (const double at : Multiples(low, high, RoundStep(high - low, count))) {
    // Multiples carry rounding noise that the label must not show.
    ticks.push_back({at, Seconds(t, ParseNumber(fmt::format("{:.6g}", at)))});
  }
  return ticks;
}

std::vector<Tick> CountTicks(double low, double high, int count) {
  std::vector<Tick> ticks;
  if (!Usable(low, high)) return ticks;
  const double step = std::max(1.0, RoundStep(high - low, count));
  for (const double at : Multiples(low, high, step)) ticks.push_back({at, Count(at)});
  return ticks;
}

std::vector<Tick> TimeTicks(double low, double high, int count, const Zone& zone) {
  static constexpr double kSteps[] = {1,   2,    5,    10,   15,    30,    60,    120,   300,   600,
                                      900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 604800};
  std::vector<Tick> ticks;
  if (!Usable(low, high)) return ticks;
  double step = kSteps[std::size(kSteps) - 1];
  for (std::size_t i = std::size(kSteps); i-- > 0;) {
    if ((high - low) / kSteps[i] <= count) step = kSteps[i];
  }
  for (const double at : Multiples(low, high, step)) {
    const TimeMs time = std::llround(at) * 1000;
    const std::string clock =
        step >= 86400 ? DateAndTime(time, zone).substr(0, 10) : TimeOfDay(time, zone);
    ticks.push_back({at, step >= 60 && step < 86400 ? clock.substr(0, 5) : clock});
  }
  return ticks;
}

std::string DrawPlot(const Plot& plot) {
  std::string picture = DrawMarks(plot.x, plot.marks);
  for (const PlotSeries& series : plot.series) picture += DrawSeries(plot.x, plot.y, series);
  for (const PlotRule& rule : plot.rules) picture += DrawRule(plot.x, plot.y, rule);
  return Frame(plot.title, plot.description, plot.x, plot.y, plot.series, plot.rules, plot.spans,
               picture, plot.marks);
}

}  // namespace schedlens
