#include "diagnose/control_plane/meter.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace schedlens {
namespace {

/// The total at each scrape: what was counted since the first one. Adds to `restarts` the scrapes
/// before which the counter fell.
std::vector<double> TotalsAt(const std::vector<TimeMs>& scrapes, const Series& series,
                             std::set<std::size_t>* restarts) {
  std::vector<double> totals(scrapes.size(), 0);
  double total = 0, last = 0;
  bool seen = false;
  auto sample = series.samples.begin();
  for (std::size_t i = 0; i < scrapes.size(); ++i) {
    while (sample != series.samples.end() && sample->t < scrapes[i]) ++sample;
    if (sample != series.samples.end() && sample->t == scrapes[i]) {
      const bool began = !seen && i > 0;
      const bool fell = seen && sample->v < last;
      if (fell) restarts->insert(i);
      if (seen) total += fell ? sample->v : sample->v - last;
      if (began) total += sample->v;
      last = sample->v;
      seen = true;
    }
    totals[i] = total;
  }
  return totals;
}

/// Between scrapes as much as the time that has passed; an interval before the first and after the
/// last as beside them.
double At(const std::vector<TimeMs>& scrapes, const std::vector<double>& totals, TimeMs t) {
  if (scrapes.size() < 2) return totals.front();
  const auto after = std::upper_bound(scrapes.begin() + 1, scrapes.end() - 1, t);
  const auto i = static_cast<std::size_t>(after - scrapes.begin());
  const double part =
      static_cast<double>(t - scrapes[i - 1]) / static_cast<double>(scrapes[i] - scrapes[i - 1]);
  return totals[i - 1] + std::clamp(part, -1.0, 2.0) * (totals[i] - totals[i - 1]);
}

}  // namespace

Between Between::operator+(const Between& other) const {
  return {low + other.low, value + other.value, high + other.high};
}

Between Between::Less(const Between& other) const {
  const auto rest = [](double a, double b) { return std::max(0.0, a - b); };
  Between out{rest(low, other.high), rest(value, other.value), rest(high, other.low)};
  out.value = std::clamp(out.value, out.low, out.high);
  return out;
}

Between Between::AtMost(const Between& other) const {
  Between out{std::min(low, other.high), std::min(value, other.value), std::min(high, other.high)};
  out.value = std::clamp(out.value, out.low, out.high);
  return out;
}

Measured MeasuredOf(const Between& part, double whole, std::string unit) {
  Measured out = Bounded(part.low / whole, part.value / whole, part.high / whole, std::move(unit),
                         BasisKind::kNeighbours);
  if (std::isinf(part.high)) out.high.reset();
  return out;
}

void Meter::Add(const Series& series, double sign) {
  const Labels process = ProcessLabels(series.labels);
  const auto scrapes = facts_->scrapes.find(process);
  if (scrapes == facts_->scrapes.end()) return;
  std::vector<double>& line = lines_[process];
  line.resize(scrapes->second.size(), 0);
  const std::vector<double> totals = TotalsAt(scrapes->second, series, &restarts_[process]);
  difference_ = difference_ || sign < 0;
  for (std::size_t i = 0; i < totals.size(); ++i) line[i] += sign * totals[i];
}

void Meter::Add(const Meter& other, double sign) {
  for (const auto& [process, totals] : other.lines_) {
    std::vector<double>& line = lines_[process];
    line.resize(totals.size(), 0);
    for (std::size_t i = 0; i < totals.size(); ++i) line[i] += sign * totals[i];
  }
  for (const auto& [process, scrapes] : other.restarts_) {
    restarts_[process].insert(scrapes.begin(), scrapes.end());
  }
  difference_ = difference_ || other.difference_ || sign < 0;
}

bool Meter::Covers(const Meter& other) const {
  return std::all_of(other.lines_.begin(), other.lines_.end(),
                     [&](const auto& line) { return lines_.contains(line.first); });
}

bool Meter::BeganAgain(const Labels& process, std::size_t from, std::size_t to) const {
  const auto restarts = restarts_.find(process);
  if (restarts == restarts_.end()) return false;
  const auto next = restarts->second.upper_bound(from);
  return next != restarts->second.end() && *next <= to;
}

Between Meter::IncreaseOf(const Labels& process, const TimeRange& window) const {
  const auto line = lines_.find(process);
  if (line == lines_.end()) return Between::Exactly(0);
  const std::vector<double>& totals = line->second;
  const std::vector<TimeMs>& scrapes = facts_->scrapes.at(process);
  const auto index = [&](auto it) { return static_cast<std::size_t>(it - scrapes.begin()); };
  const auto inside = std::lower_bound(scrapes.begin(), scrapes.end(), window.start);
  const auto past = std::upper_bound(scrapes.begin(), scrapes.end(), window.end);
  Between out{0, At(scrapes, totals, window.end) - At(scrapes, totals, window.start)};
  if (inside < past && !(difference_ && BeganAgain(process, index(inside), index(past) - 1))) {
    out.low = totals[index(past) - 1] - totals[index(inside)];
  }
  const auto beyond = std::lower_bound(scrapes.begin(), scrapes.end(), window.end);
  const auto since = std::upper_bound(scrapes.begin(), scrapes.end(), window.start);
  if (beyond != scrapes.end() && since != scrapes.begin() &&
      !BeganAgain(process, index(since) - 1, index(beyond))) {
    out.high = totals[index(beyond)] - totals[index(since) - 1];
  }
  out.low = std::max(0.0, out.low);
  out.value = std::max(out.low, out.value);
  out.high = std::max(out.value, out.high);
  return out;
}

Between Meter::Increase(const TimeRange& window) const {
  Between sum = Between::Exactly(0);
  for (const auto& [process, totals] : lines_) sum = sum + IncreaseOf(process, window);
  return sum;
}

std::vector<Meter::Step> Meter::Steps() const {
  std::vector<Step> steps;
  for (const auto& [process, totals] : lines_) {
    const std::vector<TimeMs>& scrapes = facts_->scrapes.at(process);
    for (std::size_t i = 1; i < totals.size(); ++i) {
      steps.push_back({process, i, scrapes[i - 1], scrapes[i], totals[i] - totals[i - 1]});
    }
  }
  return steps;
}

double Meter::Within(const Step& step) const {
  const auto line = lines_.find(step.process);
  if (line == lines_.end() || step.scrape >= line->second.size()) return 0;
  return line->second[step.scrape] - line->second[step.scrape - 1];
}

std::vector<Labels> Meter::processes() const {
  std::vector<Labels> all;
  for (const auto& [process, totals] : lines_) all.push_back(process);
  return all;
}

Meter MeterOf(const NeighbourFacts& facts, std::string_view question, std::string_view name,
              const SeriesTest& wanted) {
  Meter meter(facts);
  for (const Series& series : facts.Of(question)) {
    if (series.labels.Get("__name__") != name) continue;
    if (!wanted || wanted(series.labels)) meter.Add(series);
  }
  return meter;
}

}  // namespace schedlens
