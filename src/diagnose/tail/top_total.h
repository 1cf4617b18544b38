#pragma once

// The largest (and the least) total that the top m of some observations can have, when all that is
// known is their buckets and the sums of independent cells. The engine room of the tail's bounds.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace schedlens {

/// The observations of one cell: how many inside each bucket, and their total in seconds (NaN when
/// unknown).
struct CellView {
  std::span<const double> bounds;
  std::span<const double> buckets;
  double sum = 0;
};

/// Upper bound of the total of the largest `m` of all observations added.
///
/// Within a cell of n observations the top j total at most
///   min( top j at upper edges,  sum - lower edges of the other n - j ),
/// both concave in j; cells are independent, so the best split of m over cells is greedy.
class TopTotal {
 public:
  explicit TopTotal(std::size_t m) : m_(m) {}

  /// At most `most` of the cell's observations count. With `whole`, each observation is part of an
  /// observation of `whole` in the same cell, which caps the top j too.
  void AddCell(const CellView& cell, const CellView* whole = nullptr,
               std::size_t most = std::numeric_limits<std::size_t>::max());
  /// A part of `whole` known only by its total: any j of it have at most min(seconds, top j of
  /// `whole`).
  void AddPart(const CellView& whole, double seconds,
               std::size_t most = std::numeric_limits<std::size_t>::max());

  /// Infinity when an observation in an open bucket without a sum is among them, or when ten
  /// millions would have to be looked at; 0 when empty.
  double Max() const;

 private:
  bool MayAdd(const CellView& cell, std::size_t most);
  void AddTotals(const std::vector<double>& totals);

  std::size_t m_;
  bool too_many_ = false;
  std::vector<double> marginals_;  // what each cell's 1st, 2nd, ... largest observation adds
};

/// What rounding may have done to a sum of so many seconds.
inline double RoundingSlack(double sum) { return 1e-9 * std::max(1.0, std::abs(sum)); }

/// A lower bound of the total of the largest `m` observations of all cells together: in each cell
/// at least their lower edges, and at least the sum less the upper edges of the rest. 0 when ten
/// millions would have to be looked at.
double LeastTopTotal(const std::vector<CellView>& cells, std::size_t m);

}  // namespace schedlens
