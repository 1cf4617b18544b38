#include "diagnose/tail/worst_case.h"

#include "base/work_budget.h"

namespace schedlens {
namespace {

constexpr double kTiny = 1e-9;
constexpr std::size_t kBlock = 256;         // columns priced at a time
constexpr std::size_t kMostPivots = 4000;   // for one objective
constexpr std::size_t kPivotsToTrust = 80;  // before the inverse is computed anew
constexpr std::size_t kNone = static_cast<std::size_t>(-1);

using Kind = LinearProgram::Kind;

constexpr std::size_t kNotPassed = static_cast<std::size_t>(-1);
constexpr int kRounds = 8;  // until the ratio stands

struct Range {
  double low = 0, high = 0;
};

Range BucketOf(const Pooled& p, std::size_t b) {
  const double low = b == 0 ? 0.0 : p.bounds[b - 1];
  return {low, std::max(low, std::min(p.bounds[b], p.largest))};
}

/// One corner of one kind: seconds in either stage and in neither.
struct Corner {
  double first = 0, second = 0, rest = 0;
  double e2e() const { return first + second + rest; }
};

/// Corners of { first, second in their ranges, rest >= 0, e2e in its range }: three of the seven
/// sides meet in each. They replace what `found` had.
void CornersOf(const Range& e2e, const Range& first, const Range& second,
               std::vector<Corner>* found) {
  std::vector<Corner>& corners = *found;
  corners.clear();
  const auto add = [&](double x, double y, double rest) {
    const auto in = [](double v, const Range& range) {
      const double slack = 1e-12 * std::max(1.0, range.high);
      return v >= range.low - slack && v <= range.high + slack;
    };
    const Corner c{x, y, std::max(0.0, rest)};
    if (rest < -1e-12 || !in(x, first) || !in(y, second) || !in(c.e2e(), e2e)) return;
    for (const Corner& other : corners) {
      if (other.first == c.first && other.second == c.second && other.rest == c.rest) return;
    }
    corners.push_back(c);
  };
  for (const double x : {first.low, first.high}) {
    for (const double y : {second.low, second.high}) {
      add(x, y, 0);
      add(x, y, e2e.low - x - y);
      add(x, y, e2e.high - x - y);
    }
    add(x, e2e.low - x, 0);
    add(x, e2e.high - x, 0);
  }
  for (const double y : {second.low, second.high}) {
    add(e2e.low - y, y, 0);
    add(e2e.high - y, y, 0);
  }
}

/// The rows of one stage, and what may come in or go out at the window's edges.
struct StageRows {
  const PooledStage* stage;
  std::vector<std::size_t> bucket;  // kNotPassed for one without observations
  std::size_t sum = 0, from_before = 0, still_running = 0, slow = 0;
};

class Program {
 public:
  Program(const PooledWhole& whole, const PooledStage& first, const PooledStage& second,
          const PooledRest& rest, std::size_t m)
      : whole_(whole) {
    for (const double n : whole.buckets) total_ += n;
    for (const PooledStage* stage : {&first, &second}) {
      total_ += stage->running_at_start + stage->running_at_end;
    }
    AddWholeRows(m);
    stages_[0] = RowsOf(first);
    stages_[1] = RowsOf(second);
    const double most = std::min(rest.most_of_slow, whole.most_of_slow);
    slow_rest_ = program_.AddRow(Kind::kAtMost, most, RoundingSlack(most));
    const double seconds = std::min(rest.seconds, whole.seconds);
    rest_ = program_.AddRow(Kind::kAtMost, seconds, RoundingSlack(whole.seconds));
    least_ =
        program_.AddRow(Kind::kAtLeast, whole.least_of_slow, RoundingSlack(whole.least_of_slow));
    most_ = program_.AddRow(Kind::kAtMost, whole.most_of_slow, RoundingSlack(whole.most_of_slow));
    for (std::size_t b = 0; b < whole.buckets.size(); ++b) {
      if (bucket_[b] == kNotPassed) continue;
      if (b >= edge_) AddKinds(b, true);
      if (b <= edge_) AddKinds(b, false);
    }
    for (const StageRows& rows : stages_) AddEdges(rows);
  }

  bool Start() { return program_.Start(); }

  /// The extremes of part(corner) / e2e over the slowest attempts, by Dinkelbach's iteration: with
  /// the ratio reached so far, what more could be had of part - ratio * e2e?
  template <typename Part>
  TailShare ShareOf(Part part) {
    return {1 - MostOf([&](const Corner& c) { return c.e2e() - part(c); }), MostOf(part)};
  }

 private:
  void AddWholeRows(std::size_t m) {
    double above = 0;
    const auto slowest = static_cast<double>(m);
    bucket_.assign(whole_.buckets.size(), kNotPassed);
    for (std::size_t b = whole_.buckets.size(); b-- > 0;) {
      if (whole_.buckets[b] <= 0) continue;
      bucket_[b] = program_.AddRow(Kind::kEqual, whole_.buckets[b]);
      if (above < slowest) {
        edge_ = b;
        slow_in_edge_ = slowest - above;
      }
      above += whole_.buckets[b];
    }
    slow_ = program_.AddRow(Kind::kEqual, std::min(slow_in_edge_, whole_.buckets[edge_]));
    sum_ = program_.AddRow(Kind::kEqual, whole_.seconds, RoundingSlack(whole_.seconds));
  }

  StageRows RowsOf(const PooledStage& stage) {
    StageRows rows{&stage, std::vector<std::size_t>(stage.buckets.size(), kNotPassed)};
    for (std::size_t b = 0; b < stage.buckets.size(); ++b) {
      const bool came = stage.running_at_start > 0 && b < stage.older.size() && stage.older[b] > 0;
      if (stage.buckets[b] <= 0 && !came) continue;
      rows.bucket[b] = program_.AddRow(Kind::kEqual, stage.buckets[b]);
    }
    rows.sum = program_.AddRow(Kind::kEqual, stage.seconds, RoundingSlack(stage.seconds));
    rows.from_before = program_.AddRow(Kind::kAtMost, stage.running_at_start);
    rows.still_running = program_.AddRow(Kind::kAtMost, stage.running_at_end);
    rows.slow =
        program_.AddRow(Kind::kAtMost, stage.most_of_slow, RoundingSlack(stage.most_of_slow));
    return rows;
  }

  void AddColumn(const std::vector<LinearProgram::Entry>& entries, const Corner& corner,
                 bool slow) {
    program_.AddColumn(entries);
    corners_.push_back(slow ? corner : Corner{});
  }

  void AddKinds(std::size_t b, bool slow) {
    const Range e2e = BucketOf(whole_, b);
    const auto ranges = [&](const StageRows& rows) {
      std::vector<std::pair<std::size_t, Range>> out = {
          {kNotPassed, {0, rows.stage->counts_some ? e2e.high : 0}}};
      for (std::size_t i = 0; i < rows.bucket.size(); ++i) {
        if (rows.bucket[i] == kNotPassed) continue;
        const Range range = BucketOf(*rows.stage, i);
        if (range.low <= e2e.high) out.emplace_back(i, range);
      }
      return out;
    };
    const auto firsts = ranges(stages_[0]), seconds = ranges(stages_[1]);
    std::vector<Corner> corners;
    for (const auto& [i, first] : firsts) {
      for (const auto& [k, second] : seconds) {
        CheckBudget();
        CornersOf(e2e, first, second, &corners);
        for (const Corner& corner : corners) AddKind(b, {i, k}, corner, slow);
      }
    }
  }

  void AddKind(std::size_t b, const std::array<std::size_t, 2>& buckets, const Corner& corner,
               bool slow) {
    std::vector<LinearProgram::Entry>& entries = column_;
    entries = {{bucket_[b], 1}, {sum_, corner.e2e()}, {rest_, corner.rest}};
    const double seconds[] = {corner.first, corner.second};
    for (std::size_t s = 0; s < 2; ++s) {
      if (buckets[s] != kNotPassed) {
        entries.push_back({stages_[s].bucket[buckets[s]], 1});
        entries.push_back({stages_[s].sum, seconds[s]});
      }
      if (slow) entries.push_back({stages_[s].slow, seconds[s]});
    }
    if (slow) {
      if (b == edge_) entries.push_back({slow_, 1});
      entries.push_back({slow_rest_, corner.rest});
      entries.push_back({least_, corner.e2e()});
      entries.push_back({most_, corner.e2e()});
    }
    AddColumn(entries, corner, slow);
  }

  /// In the bucket for what is observed in the window and ends later; out of it for the reverse.
  void AddEdges(const StageRows& rows) {
    const PooledStage& stage = *rows.stage;
    for (std::size_t b = 0; b < rows.bucket.size(); ++b) {
      if (rows.bucket[b] == kNotPassed) continue;
      const Range range = BucketOf(stage, b);
      for (const double v : {range.low, range.high}) {
        if (stage.running_at_end > 0 && stage.buckets[b] > 0) {
          AddColumn({{rows.bucket[b], 1}, {rows.sum, v}, {rows.still_running, 1}}, {}, false);
        }
        if (stage.running_at_start > 0 && b < stage.older.size() && stage.older[b] > 0) {
          AddColumn({{rows.bucket[b], -1}, {rows.sum, -v}, {rows.from_before, 1}}, {}, false);
        }
      }
    }
  }

  template <typename Part>
  double MostOf(Part part) {
    std::vector<double> parts(corners_.size()), e2e(corners_.size()), costs(corners_.size());
    for (std::size_t j = 0; j < corners_.size(); ++j) {
      parts[j] = part(corners_[j]);
      e2e[j] = corners_[j].e2e();
    }
    double ratio = 0, bound = 1;
    for (int i = 0; i < kRounds; ++i) {
      for (std::size_t j = 0; j < costs.size(); ++j) costs[j] = parts[j] - ratio * e2e[j];
      // part - ratio * e2e <= more for all, so part / e2e <= ratio + more / e2e.
      const double more = std::max(0.0, program_.Maximize(costs, total_));
      bound = std::min(bound, ratio + more / whole_.least_of_slow);
      const double reached = program_.At(parts) / program_.At(e2e);
      if (!(reached > ratio + 1e-6)) break;
      ratio = reached;
    }
    return bound;
  }

  const PooledWhole& whole_;
  LinearProgram program_;
  double total_ = 0;  // of all columns
  std::vector<std::size_t> bucket_;
  std::size_t edge_ = 0, slow_ = 0, sum_ = 0, rest_ = 0, slow_rest_ = 0, least_ = 0, most_ = 0;
  double slow_in_edge_ = 0;
  StageRows stages_[2];
  std::vector<LinearProgram::Entry> column_;  // being made
  std::vector<Corner> corners_;  // of each column; nothing for one that is not among the slowest
};

bool IsUsable(const Pooled& p) {
  return !p.bounds.empty() && std::isfinite(p.seconds) && p.seconds >= 0 &&
         std::isfinite(p.largest) && std::isfinite(p.most_of_slow);
}

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

std::optional<WorstCase> FindWorstCase(const PooledWhole& whole, const PooledStage& first,
                                       const PooledStage& second, const PooledRest& rest,
                                       std::size_t m) {
  if (m == 0 || !(whole.least_of_slow > 0)) return {};
  if (!IsUsable(whole) || !IsUsable(first) || !IsUsable(second)) return {};
  Program program(whole, first, second, rest, m);
  if (!program.Start()) return {};
  return WorstCase{program.ShareOf([](const Corner& c) { return c.first; }),
                   program.ShareOf([](const Corner& c) { return c.second; }),
                   program.ShareOf([](const Corner& c) { return c.rest; })};
}

}  // namespace schedlens
