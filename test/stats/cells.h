#pragma once

// Cells written down by hand, the way a test reads best: bounds, then a row a scrape interval.

#include <cmath>
#include <utility>
#include <vector>

#include "stats/scrape_increases.h"

namespace schedlens::testing_support {

struct CellRow {
  std::vector<double> buckets;
  double sum = std::nan("");
};

/// Scrapes 5 s apart, starting at 0, counters starting at zero.
inline ScrapeIncreases Cells(std::vector<double> bounds, const std::vector<CellRow>& rows,
                             Labels labels = {}) {
  ScrapeIncreases cells;
  cells.labels = std::move(labels);
  cells.bounds = std::move(bounds);
  cells.edges = {0};
  cells.count_at = {0};
  cells.sum_at = {0};
  for (const CellRow& row : rows) {
    cells.buckets.insert(cells.buckets.end(), row.buckets.begin(), row.buckets.end());
    cells.sums.push_back(row.sum);
    cells.reset.push_back(false);
    cells.edges.push_back(cells.edges.back() + 5000);
    cells.count_at.push_back(cells.count_at.back() + cells.Count(cells.cells() - 1));
    cells.sum_at.push_back(std::isnan(row.sum) ? cells.sum_at.back()
                                               : cells.sum_at.back() + row.sum);
  }
  return cells;
}

}  // namespace schedlens::testing_support
