#include "diagnose/collect/columns.h"

#include <algorithm>

namespace schedlens {

std::vector<TimeMs> ColumnEdges(const Facts& facts, const std::vector<ScrapeIncreases>& attempt,
                                const TimeRange& range, std::size_t most) {
  if (facts.targets.empty()) return {};
  std::vector<double> attempts(facts.targets.size(), 0.0);
  for (const ScrapeIncreases& c : attempt) attempts[c.target] += TotalCount(c);
  const auto busiest = std::max_element(attempts.begin(), attempts.end()) - attempts.begin();
  std::vector<TimeMs> scrapes;
  for (const TimeMs t : facts.targets[static_cast<std::size_t>(busiest)].scrapes) {
    if (t >= range.start && t <= range.end) scrapes.push_back(t);
  }
  if (scrapes.empty()) return {};
  const std::size_t step = (scrapes.size() + most - 1) / most;
  std::vector<TimeMs> edges;
  for (std::size_t i = 0; i < scrapes.size(); i += step) edges.push_back(scrapes[i]);
  if (edges.back() != scrapes.back()) edges.push_back(scrapes.back());
  return edges;
}

std::size_t ColumnOf(const std::vector<TimeMs>& edges, TimeMs end) {
  const auto it = std::lower_bound(edges.begin(), edges.end(), end);
  const auto i = std::clamp<std::ptrdiff_t>(it - edges.begin(), 1,
                                            static_cast<std::ptrdiff_t>(edges.size()) - 1);
  return static_cast<std::size_t>(i) - 1;
}

}  // namespace schedlens
