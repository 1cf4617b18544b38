#pragma once

// Where what was counted changed: time cut into segments that each look like one state.

#include <cstddef>
#include <vector>

#include "diagnose/episodes/column_counts.h"

namespace schedlens {

struct Partition {
  /// First column of each segment, and the number of columns; {0} without columns.
  std::vector<std::size_t> edges;
  /// Of the waits: how many times more neighbouring columns differ than chance alone makes them.
  double dispersion = 1;
};

/// The partition of the greatest Dirichlet-multinomial likelihood (prior 1/2 a bucket that occurs)
/// of waits, results and pods bound beside those that wait, less a price of ln(columns) + 1 a
/// segment; each family's likelihood is divided by its dispersion. Columns in which nobody answers
/// or leads share a segment with no others. By dynamic programming, quadratic in columns: more than
/// 240 are cut coarsely first, then finer around each edge.
Partition PartitionColumns(const ColumnCounts& counts);

/// The median Pearson chi-square a degree of freedom of neighbouring columns with at least 20
/// counts each, over 0.9 (about the median of chance alone); at least 1, and 1 with fewer than four
/// such pairs.
double DispersionOf(const CountTable& table);

}  // namespace schedlens
