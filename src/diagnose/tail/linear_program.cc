#include "diagnose/tail/linear_program.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/work_budget.h"

namespace schedlens {
namespace {

constexpr double kTiny = 1e-9;
constexpr std::size_t kBlock = 256;         // columns priced at a time
constexpr std::size_t kMostPivots = 4000;   // for one objective
constexpr std::size_t kPivotsToTrust = 80;  // before the inverse is computed anew
constexpr std::size_t kNone = static_cast<std::size_t>(-1);

}  // namespace

std::size_t LinearProgram::AddRow(Kind kind, double right, double slack) {
  rows_.push_back({kind, right, slack});
  return rows_.size() - 1;
}

void LinearProgram::AddColumn(std::span<const Entry> entries) {
  entries_.insert(entries_.end(), entries.begin(), entries.end());
  starts_.push_back(entries_.size());
}

/// Helpers: a slack enters where its row has one; an artificial never comes back.
bool LinearProgram::MayEnter(std::size_t column) const {
  if (is_basic_[column]) return false;
  if (!IsHelper(column)) return true;
  const std::size_t row = column - columns();
  return row < rows_.size() && rows_[row].kind != Kind::kEqual;
}

double LinearProgram::Times(const std::vector<double>& y, std::size_t column) const {
  if (IsHelper(column)) {
    const std::size_t row = (column - columns()) % rows_.size();
    const bool surplus = column - columns() == row && rows_[row].kind == Kind::kAtLeast;
    return surplus ? -y[row] : y[row];
  }
  return Product(y, column);
}

double LinearProgram::CostOf(std::span<const double> costs, std::size_t column) const {
  if (starting_) return column >= columns() + rows_.size() ? -1 : 0;
  return IsHelper(column) ? 0 : costs[column];
}

std::vector<double> LinearProgram::Prices(std::span<const double> costs) const {
  const std::size_t n = rows_.size();
  std::vector<double> prices(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const double cost = CostOf(costs, basis_[i]);
    if (cost == 0) continue;
    for (std::size_t k = 0; k < n; ++k) prices[k] += cost * inverse_[i * n + k];
  }
  return prices;
}

/// The best column of the first block that has one worth entering, from where the last search
/// ended. Most of a program's time is spent here, and with the columns that are no helpers.
std::size_t LinearProgram::Entering(std::span<const double> costs,
                                    const std::vector<double>& prices) {
  const std::size_t own = columns(), all = own + rows_.size();
  std::size_t best = kNone;
  double most = kTiny;
  for (std::size_t seen = 0; seen < all; ++seen) {
    if (best != kNone && seen % kBlock == 0) break;
    const std::size_t column = cursor_;
    cursor_ = cursor_ + 1 == all ? 0 : cursor_ + 1;
    if (is_basic_[column] || (column >= own && !MayEnter(column))) continue;
    const double gain = column < own ? (starting_ ? 0 : costs[column]) - Product(prices, column)
                                     : CostOf(costs, column) - Times(prices, column);
    if (gain <= most) continue;
    most = gain;
    best = column;
  }
  return best;
}

/// False when nothing limits the column: the costs have no maximum.
bool LinearProgram::Pivot(std::size_t entering) {
  const std::size_t n = rows_.size();
  std::vector<double> direction(n, 0.0);
  const auto add = [&](std::size_t row, double value) {
    for (std::size_t i = 0; i < n; ++i) direction[i] += inverse_[i * n + row] * value;
  };
  if (IsHelper(entering)) {
    const std::size_t row = entering - columns();
    add(row, rows_[row].kind == Kind::kAtLeast ? -1 : 1);
  } else {
    for (std::size_t i = starts_[entering]; i < starts_[entering + 1]; ++i) {
      add(entries_[i].row, entries_[i].value);
    }
  }
  std::size_t leaving = kNone;
  double step = 0;
  for (std::size_t i = 0; i < n; ++i) {
    // An artificial that has reached zero stays there: it leaves before it moves either way.
    const bool stuck = !starting_ && basis_[i] >= columns() + n;
    if (direction[i] <= kTiny && !(stuck && direction[i] < -kTiny)) continue;
    const double ratio = stuck ? 0 : std::max(0.0, values_[i]) / direction[i];
    if (leaving != kNone && (ratio > step || (ratio == step && std::abs(direction[i]) <=
                                                                   std::abs(direction[leaving])))) {
      continue;
    }
    leaving = i;
    step = ratio;
  }
  if (leaving == kNone) return false;
  const double pivot = direction[leaving];
  for (std::size_t k = 0; k < n; ++k) inverse_[leaving * n + k] /= pivot;
  values_[leaving] = step;
  for (std::size_t i = 0; i < n; ++i) {
    if (i == leaving || direction[i] == 0) continue;
    for (std::size_t k = 0; k < n; ++k) {
      inverse_[i * n + k] -= direction[i] * inverse_[leaving * n + k];
    }
    values_[i] -= direction[i] * step;
  }
  is_basic_[basis_[leaving]] = false;
  is_basic_[entering] = true;
  basis_[leaving] = entering;
  if (++pivots_ % kPivotsToTrust == 0) Recompute();
  return true;
}

/// The inverse of the basis by elimination, so that rounding does not add up.
void LinearProgram::Recompute() {
  const std::size_t n = rows_.size();
  std::vector<double> a(n * n, 0.0), b(n * n, 0.0);
  std::vector<double> unit(n, 0.0);
  for (std::size_t j = 0; j < n; ++j) {
    b[j * n + j] = 1;
    if (!IsHelper(basis_[j])) {
      for (std::size_t i = starts_[basis_[j]]; i < starts_[basis_[j] + 1]; ++i) {
        a[entries_[i].row * n + j] += entries_[i].value;
      }
      continue;
    }
    const std::size_t row = (basis_[j] - columns()) % n;
    unit[row] = 1;
    a[row * n + j] = Times(unit, basis_[j]);
    unit[row] = 0;
  }
  for (std::size_t j = 0; j < n; ++j) {
    std::size_t pivot = j;
    for (std::size_t i = j + 1; i < n; ++i) {
      if (std::abs(a[i * n + j]) > std::abs(a[pivot * n + j])) pivot = i;
    }
    if (std::abs(a[pivot * n + j]) < 1e-13) return;  // keep what there is
    for (std::size_t k = 0; k < n && pivot != j; ++k) {
      std::swap(a[j * n + k], a[pivot * n + k]);
      std::swap(b[j * n + k], b[pivot * n + k]);
    }
    const double scale = 1 / a[j * n + j];
    for (std::size_t k = 0; k < n; ++k) a[j * n + k] *= scale, b[j * n + k] *= scale;
    for (std::size_t i = 0; i < n; ++i) {
      const double factor = a[i * n + j];
      if (i == j || factor == 0) continue;
      for (std::size_t k = 0; k < n; ++k) {
        a[i * n + k] -= factor * a[j * n + k];
        b[i * n + k] -= factor * b[j * n + k];
      }
    }
  }
  inverse_ = std::move(b);
  for (std::size_t i = 0; i < n; ++i) {
    values_[i] = 0;
    for (std::size_t k = 0; k < n; ++k) values_[i] += inverse_[i * n + k] * right_[k];
  }
}

void LinearProgram::Improve(std::span<const double> costs) {
  for (std::size_t i = 0; i < kMostPivots; ++i) {
    CheckBudget();
    const std::size_t entering = Entering(costs, Prices(costs));
    if (entering == kNone || !Pivot(entering)) return;
  }
}

bool LinearProgram::Start() {
  const std::size_t n = rows_.size();
  basis_.resize(n);
  values_.resize(n);
  right_.resize(n);
  is_basic_.assign(columns() + 2 * n, false);
  inverse_.assign(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    right_[i] = rows_[i].right * (1 + 1e-9 * static_cast<double>(i * 7919 % 997));
    basis_[i] = columns() + i + (rows_[i].kind == Kind::kAtMost ? 0 : n);
    is_basic_[basis_[i]] = true;
    inverse_[i * n + i] = 1;
    values_[i] = right_[i];
  }
  starting_ = true;
  Improve({});
  starting_ = false;
  double missing = 0, most = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (basis_[i] >= columns() + n) missing += std::abs(values_[i]);
    if (rows_[i].kind == Kind::kEqual) most = std::max(most, rows_[i].right);
  }
  return missing <= 1e-5 * most;  // as much as the touch may cost
}

double LinearProgram::Maximize(std::span<const double> costs, double total) {
  Improve(costs);
  std::vector<double> prices = Prices(costs);
  double bound = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].kind == Kind::kAtMost) prices[i] = std::max(0.0, prices[i]);
    if (rows_[i].kind == Kind::kAtLeast) prices[i] = std::min(0.0, prices[i]);
    bound += prices[i] * rows_[i].right + std::abs(prices[i]) * rows_[i].slack;
  }
  double excess = 0;
  for (std::size_t j = 0; j < columns(); ++j) {
    excess = std::max(excess, costs[j] - Times(prices, j));
  }
  bound += excess * total;
  return std::isnan(bound) ? std::numeric_limits<double>::infinity() : bound;
}

double LinearProgram::At(std::span<const double> costs) const {
  double value = 0;
  for (std::size_t i = 0; i < basis_.size(); ++i) {
    if (!IsHelper(basis_[i])) value += costs[basis_[i]] * values_[i];
  }
  return value;
}

}  // namespace schedlens
