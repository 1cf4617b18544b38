#include "reference/groupings.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "model/seconds.h"

namespace schedlens {
namespace {

/// Pods come more evenly than chance allows below it, and together above it.
constexpr double kEven = 0.3, kTogether = 1.6;

/// The pods of the window by scrape interval, those without any among them.
std::vector<double> Counts(const Fitted& fitted) {
  std::vector<double> counts, lengths;
  for (const CountedArrivals& arrivals : fitted.arrivals) {
    const bool inside = arrivals.start >= fitted.scenario.incident_start && !arrivals.failing;
    if (!inside) continue;
    counts.push_back(arrivals.count);
    lengths.push_back(sim::ToSeconds(arrivals.end - arrivals.start));
  }
  if (counts.empty()) return counts;
  std::nth_element(lengths.begin(),
                   lengths.begin() + static_cast<std::ptrdiff_t>(counts.size() / 2), lengths.end());
  const double intervals = fitted.window.seconds() / lengths[counts.size() / 2];
  counts.resize(std::max(counts.size(), CutTo<std::size_t>(std::round(intervals))));
  return counts;
}

/// How many pods may have come together, by how their number varies from interval to interval.
std::vector<int> Groups(const Fitted& fitted) {
  std::vector<int> groups = {1};
  const std::vector<double> counts = Counts(fitted);
  double sum = 0, squares = 0, most = 0;
  for (const double n : counts) {
    sum += n;
    squares += n * n;
    most = std::max(most, n);
  }
  const double n = std::max<double>(1, static_cast<double>(counts.size()));
  const double mean = sum / n;
  if (mean < 2) return groups;
  const double dispersion = (squares / n - mean * mean) / mean;
  if (dispersion > kTogether) groups.push_back(CutTo<int>(std::round(dispersion)));
  if (dispersion > 8) groups.push_back(CutTo<int>(std::round(std::sqrt(dispersion))));
  if (dispersion > 8 || dispersion < kEven) groups.push_back(CutTo<int>(std::round(most)));
  std::sort(groups.begin(), groups.end());
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  std::erase(groups, 0);
  return groups;
}

Fitted Grouped(const Fitted& fitted, int group) {
  Fitted out = fitted;
  out.group = group;
  return out;
}

/// The pods above those of the quieter half of the intervals come together.
std::optional<Fitted> Spikes(const Fitted& fitted) {
  std::vector<double> counts = Counts(fitted);
  if (counts.size() < 4) return std::nullopt;
  std::sort(counts.begin(), counts.end());
  const double usual = counts[counts.size() / 4];
  if (counts.back() < 2 * usual + 10) return std::nullopt;
  Fitted out = fitted;
  out.spikes = true;
  for (CountedArrivals& arrivals : out.arrivals) {
    if (arrivals.start < fitted.scenario.incident_start || arrivals.failing) continue;
    arrivals.at_once = std::max(0.0, arrivals.count - usual);
  }
  return out;
}

}  // namespace

std::vector<Fitted> Groupings(const Fitted& plain) {
  std::vector<Fitted> out;
  for (const int group : Groups(plain)) out.push_back(Grouped(plain, group));
  if (auto spikes = Spikes(plain)) out.push_back(std::move(*spikes));
  return out;
}

}  // namespace schedlens
