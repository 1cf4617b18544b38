#include "diagnose/tail/worst_case.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/work_budget.h"
#include "diagnose/tail/linear_program.h"
#include "kube/words.h"

namespace schedlens {
namespace {

using kube::AttemptResult;
using kube::ExtensionPoint;

using Kind = LinearProgram::Kind;

/// Sums are rounded doubles.
constexpr std::size_t kNotPassed = static_cast<std::size_t>(-1);
constexpr int kRounds = 8;  // until the ratio stands

struct Range {
  double low = 0, high = 0;
};

template <typename Population>
Range BucketOf(const Population& p, std::size_t b) {
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
      if (bucket_[b] != kNotPassed) AddKinds(b);
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

  void AddKinds(std::size_t b) {
    const Range e2e = BucketOf(whole_, b);
    if (b >= edge_) AddKinds(b, e2e, true);
    if (b <= edge_) AddKinds(b, e2e, false);
  }

  void AddKinds(std::size_t b, const Range& e2e, bool slow) {
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

bool IsUsable(const std::vector<double>& bounds, double seconds, double largest) {
  return !bounds.empty() && std::isfinite(seconds) && seconds >= 0 && std::isfinite(largest);
}

std::vector<const ScrapeIncreases*> Failed(const std::vector<ScrapeIncreases>& attempt) {
  std::vector<const ScrapeIncreases*> out;
  for (const ScrapeIncreases& c : attempt) {
    if (!kube::IsScheduled(c.labels)) out.push_back(&c);
  }
  return out;
}

}  // namespace

std::optional<WorstCase> FindWorstCase(const PooledWhole& whole, const PooledStage& first,
                                       const PooledStage& second, const PooledRest& rest,
                                       std::size_t m) {
  if (m == 0 || !(whole.least_of_slow > 0) || !std::isfinite(whole.most_of_slow)) return {};
  if (!IsUsable(whole.bounds, whole.seconds, whole.largest)) return {};
  for (const PooledStage* stage : {&first, &second}) {
    if (!IsUsable(stage->bounds, stage->seconds, stage->largest)) return {};
    if (!std::isfinite(stage->most_of_slow)) return {};
  }
  Program program(whole, first, second, rest, m);
  if (!program.Start()) return {};
  return WorstCase{program.ShareOf([](const Corner& c) { return c.first; }),
                   program.ShareOf([](const Corner& c) { return c.second; }),
                   program.ShareOf([](const Corner& c) { return c.rest; })};
}

CellView View(const GridCells& cells, std::size_t cell) {
  return {cells.bounds, cells.Buckets(cell), cells.sums[cell]};
}

TailPopulations TailPopulationsOf(std::span<const Target> targets, const WindowIncreases& cells) {
  TailPopulations p;
  p.grids = MakeGrids(targets, cells);
  p.e2e = OnGrids(p.grids, Select(cells.attempt, "", ""));
  p.failed = OnGrids(p.grids, Failed(cells.attempt));
  kube::PartialEnumMap<AttemptResult, std::vector<const ScrapeIncreases*>> results;
  for (const ScrapeIncreases& c : cells.attempt) results[kube::ResultOf(c.labels)].push_back(&c);
  for (const auto& [result, children] : results) p.results[result] = OnGrids(p.grids, children);
  p.algorithm = OnGrids(p.grids, Select(cells.algorithm, "", ""));
  p.binding = OnGrids(p.grids, Select(cells.binding, "", ""));
  p.permit_wait = OnGrids(p.grids, Select(cells.permit_wait, "", ""));
  for (const ExtensionPoint point : kube::All<ExtensionPoint>()) {
    if (!kube::StageOf(point) && point != ExtensionPoint::kUnreserve) continue;
    p.points[point] = OnGrids(p.grids, SelectPoint(cells.extension_point, point));
  }
  auto bind_failed = SelectPoint(cells.extension_point, ExtensionPoint::kBind);
  std::erase_if(bind_failed, [](const auto* c) { return kube::IsSuccess(c->labels); });
  p.bind_failed = OnGrids(p.grids, bind_failed);
  return p;
}

double AlgorithmTop(const TailPopulations& p, const TimeBreakdown& breakdown, std::size_t m) {
  TopTotal top(m);
  ForEachCell(p.grids, [&](std::size_t g, std::size_t i) {
    const double postfilter = p.points[ExtensionPoint::kPostFilter][g].sums[i];
    if (breakdown.algorithm_has_failures && postfilter > 0) {
      top.AddPart(View(p.algorithm[g], i), p.algorithm[g].sums[i] - postfilter);
      return;
    }
    top.AddCell(View(p.algorithm[g], i));
    if (breakdown.algorithm_has_failures) return;
    const double late = p.points[ExtensionPoint::kUnreserve][g].counts[i];
    const std::size_t early = RoundUp(p.failed[g].counts[i] - late);
    if (postfilter > 0) {
      top.AddPart(View(p.failed[g], i), p.failed[g].sums[i] - postfilter, early);
    } else {
      top.AddCell(View(p.failed[g], i), nullptr, early);
    }
  });
  return top.Max();
}

double PointTop(const TailPopulations& p, const OnGridCells& point, std::size_t m,
                bool ends_with_e2e) {
  TopTotal top(m);
  ForEachCell(p.grids, [&](std::size_t g, std::size_t i) {
    const CellView whole = View(p.e2e[g], i);
    top.AddCell(View(point[g], i), ends_with_e2e ? &whole : nullptr);
  });
  return top.Max();
}

double BindTop(const TailPopulations& p, const TimeBreakdown& breakdown, std::size_t m) {
  if (!breakdown.has_binding) return PointTop(p, p.points[ExtensionPoint::kBind], m, true);
  return PointTop(p, p.binding, m, true) + PointTop(p, p.bind_failed, m, true);
}

double BindUnmeasuredTop(const TailPopulations& p, std::size_t m) {
  TopTotal part(m);
  ForEachCell(p.grids, [&](std::size_t g, std::size_t i) {
    part.AddPart(View(p.binding[g], i), p.binding[g].sums[i] -
                                            p.points[ExtensionPoint::kBind][g].sums[i] +
                                            p.bind_failed[g].sums[i]);
  });
  return part.Max();
}

bool IsEarly(const kube::StageRow& row) {
  if (row.stage == kube::Stage::kAlgorithm || row.stage == kube::Stage::kPermitWait) return true;
  return row.point && row.point != ExtensionPoint::kBind;
}

}  // namespace schedlens
