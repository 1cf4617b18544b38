#pragma once

// A small linear program whose bound holds even where its arithmetic rounds or it stops early.

#include <cstddef>
#include <span>
#include <vector>

namespace schedlens {

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

}  // namespace schedlens
