#pragma once

// What two stages can have of the slowest attempts' time, by a small linear program.

#include "diagnose/tail/top_total.h"

namespace schedlens {

// A linear program whose bound holds even where its arithmetic rounds or it stops early.

/// Maximizes costs.x over x >= 0 under rows of the form  coefficients.x {=, <=, >=} right.
///
/// For any y with y >= 0 at a <= row and y <= 0 at a >= row, and every x that keeps the rows,
///   costs.x = y.(Mx) + (costs - yM).x <= y.right + max(0, max_j (costs - yM)_j) * sum(x).
/// So whatever y the search ends with proves a bound; a better search only makes it smaller.
class LinearProgram {
 public:
  enum class Kind { kEqual, kAtMost, kAtLeast };
  struct Entry {
    std::size_t row;
    double value;
  };

  /// `right` >= 0, known but for `slack`. Rows come before columns. Returns the row's number.
  std::size_t AddRow(Kind kind, double right, double slack = 0);
  void AddColumn(std::span<const Entry> entries);
  std::size_t columns() const { return starts_.size() - 1; }

  /// Finds an x that keeps the rows. False when it finds none.
  bool Start();
  /// Improves x from where the last call left it; Start was true. Returns a bound of costs.x for
  /// every x that keeps the rows and adds up to at most `total`.
  double Maximize(std::span<const double> costs, double total);
  /// costs.x of the x found last.
  double At(std::span<const double> costs) const;

 private:
  struct Row {
    Kind kind;
    double right, slack;
  };

  bool IsHelper(std::size_t column) const { return column >= columns(); }
  bool MayEnter(std::size_t column) const;
  double Times(const std::vector<double>& y, std::size_t column) const;
  /// The same of a column that is no helper.
  double Product(const std::vector<double>& y, std::size_t column) const {
    double product = 0;
    for (std::size_t i = starts_[column]; i < starts_[column + 1]; ++i) {
      product += y[entries_[i].row] * entries_[i].value;
    }
    return product;
  }
  std::vector<double> Prices(std::span<const double> costs) const;
  double CostOf(std::span<const double> costs, std::size_t column) const;
  std::size_t Entering(std::span<const double> costs, const std::vector<double>& prices);
  bool Pivot(std::size_t entering);
  void Improve(std::span<const double> costs);
  void Recompute();

  std::vector<Row> rows_;
  std::vector<std::size_t> starts_ = {0};  // of each column's entries
  std::vector<Entry> entries_;
  // A column number from columns() on is a row's slack, from columns() + rows on its artificial.
  std::vector<std::size_t> basis_;
  std::vector<char> is_basic_;
  std::vector<double> inverse_;  // of the basis, row by row
  std::vector<double> values_;   // of the basis
  std::vector<double> right_;    // a touch off the rows', so that no two bind at once
  bool starting_ = false;
  std::size_t cursor_ = 0, pivots_ = 0;
};

// Two stages with slow attempts of their own: the least and the most that either can have of the
// slowest attempts' time, over every way in which the counts allow their observations to meet.
//
// What is known of a window's attempts, all cells together: how many lie in each bucket of e2e and
// of either stage, the three sums, and that e2e = first + second + rest with rest >= 0. An attempt
// is of a *kind*: its bucket of e2e, its bucket of either stage (or none: it did not pass the
// stage), and whether it is one of the slowest. Within a kind the two stages and the rest fill a
// polytope, and any point of that is a mean of its corners. So with a number of attempts for each
// corner of each kind, every possible window is a solution of linear rows: buckets and sums add up.
// What a stage has of the slowest attempts is linear too, so its extremes are those of a linear
// program, and a bound of the program is a bound of the truth. Nothing is assumed of the pairing.
//
// The slowest m: every attempt in a bucket over the one that holds the m-th, and as many of that
// bucket as are left. Attempts
// running at the window's edges were or will be in e2e's counts elsewhere: as many observations of
// a stage as there were such attempts may come in from before the window, or be taken out of it
// again.

struct TailShare {
  double low = 0, high = 1;
};

/// Observations of a window, all cells together. Every bound is one that holds for sure.
struct Pooled {
  std::vector<double> bounds, buckets;  ///< +Inf last; observations inside each bucket
  double seconds = 0;
  double largest = 0;       ///< no observation is over it
  double most_of_slow = 0;  ///< total of the slowest
};
struct PooledWhole : Pooled {
  double least_of_slow = 0;
};
struct PooledStage : Pooled {
  std::vector<double> older;  ///< buckets of what was observed before the window; may be empty
  double running_at_start = 0, running_at_end = 0;
  /// Attempts that are not in the histogram may have passed the stage: failed ones, which the
  /// algorithm's leaves out.
  bool counts_some = false;
};

struct WorstCase {
  TailShare first, second, rest;
};

/// What attempts have outside of both stages, at most.
struct PooledRest {
  double seconds = 0;  ///< all attempts
  double most_of_slow = 0;
};

/// Shares of the slowest `m` attempts' time. Empty where the numbers contradict each other, and for
/// an unknown sum.
std::optional<WorstCase> FindWorstCase(const PooledWhole& whole, const PooledStage& first,
                                       const PooledStage& second, const PooledRest& rest,
                                       std::size_t m);

}  // namespace schedlens
