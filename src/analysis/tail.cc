#include "analysis/tail.h"

#include <algorithm>
#include <cmath>

namespace schedlens {
namespace {

/// Cells of one population on every target's grid.
using Population = std::vector<GridCells>;

Population OnGrids(const std::vector<Grid>& grids,
                   const std::vector<const HistogramCells*>& children) {
  Population out;
  for (const Grid& grid : grids) out.push_back(OnGrid(grid, children));
  return out;
}

CellView View(const GridCells& cells, std::size_t i) {
  return {cells.bounds, cells.Buckets(i), cells.sums[i]};
}

template <typename Visit>
void ForEachCell(const std::vector<Grid>& grids, Visit visit) {
  for (std::size_t g = 0; g < grids.size(); ++g) {
    for (std::size_t i = 0; i < grids[g].cells(); ++i) visit(g, i);
  }
}

std::vector<const HistogramCells*> Failed(const std::vector<HistogramCells>& attempt) {
  std::vector<const HistogramCells*> out;
  for (const HistogramCells& c : attempt) {
    if (c.labels.Has("result") && c.labels.Get("result") != "scheduled") out.push_back(&c);
  }
  return out;
}

/// The populations of one window on its grids.
struct Populations {
  std::vector<Grid> grids;
  Population e2e, failed, algorithm, binding, permit_wait, unreserve, postfilter, bind_failed;
  std::map<std::string, Population> points;
};

Populations Prepare(const Facts& facts, const WindowCells& cells) {
  Populations p;
  p.grids = MakeGrids(facts, cells);
  p.e2e = OnGrids(p.grids, Select(cells.attempt, "", ""));
  p.failed = OnGrids(p.grids, Failed(cells.attempt));
  p.algorithm = OnGrids(p.grids, Select(cells.algorithm, "", ""));
  p.binding = OnGrids(p.grids, Select(cells.binding, "", ""));
  p.permit_wait = OnGrids(p.grids, Select(cells.permit_wait, "", ""));
  for (const char* point : {"PreFilter", "Filter", "PreScore", "Score", "PostFilter", "Reserve",
                            "Permit", "PreBind", "Bind", "Unreserve"}) {
    p.points[point] = OnGrids(p.grids, Select(cells.extension_point, "extension_point", point));
  }
  auto bind_failed = Select(cells.extension_point, "extension_point", "Bind");
  std::erase_if(bind_failed, [](const auto* c) { return c->labels.Get("status") == "Success"; });
  p.bind_failed = OnGrids(p.grids, bind_failed);
  return p;
}

std::size_t RoundUp(double count) {
  return static_cast<std::size_t>(std::ceil(std::max(0.0, count)));
}

/// The most that the top m runs of the algorithm can total, failed attempts' included.
double AlgorithmTop(const Populations& p, const Account& account, std::size_t m) {
  TopTotal top(m);
  ForEachCell(p.grids, [&](std::size_t g, std::size_t i) {
    const double postfilter = p.points.at("PostFilter")[g].sums[i];
    if (account.algorithm_has_failures && postfilter > 0) {
      top.AddPart(View(p.algorithm[g], i), p.algorithm[g].sums[i] - postfilter);
      return;
    }
    top.AddCell(View(p.algorithm[g], i));
    if (account.algorithm_has_failures) return;
    const double late = p.points.at("Unreserve")[g].counts[i];
    const std::size_t early = RoundUp(p.failed[g].counts[i] - late);
    if (postfilter > 0) {
      top.AddPart(View(p.failed[g], i), p.failed[g].sums[i] - postfilter, early);
    } else {
      top.AddCell(View(p.failed[g], i), nullptr, early);
    }
  });
  return top.Max();
}

double PointTop(const Populations& p, const Population& point, std::size_t m, bool ends_with_e2e) {
  TopTotal top(m);
  ForEachCell(p.grids, [&](std::size_t g, std::size_t i) {
    const CellView whole = View(p.e2e[g], i);
    top.AddCell(View(point[g], i), ends_with_e2e ? &whole : nullptr);
  });
  return top.Max();
}

double BindTop(const Populations& p, const Account& account, std::size_t m) {
  if (!account.has_binding) return PointTop(p, p.points.at("Bind"), m, true);
  return PointTop(p, p.binding, m, true) + PointTop(p, p.bind_failed, m, true);
}

/// A stage that is observed before the attempt ends, and the extension point that is its histogram.
struct EarlyStage {
  const char* id;
  const char* point;  // empty: not an extension point
};
constexpr EarlyStage kEarlyStages[] = {
    {"algorithm", ""},
    {"algorithm.prefilter", "PreFilter"},
    {"algorithm.filter", "Filter"},
    {"algorithm.prescore", "PreScore"},
    {"algorithm.score", "Score"},
    {"postfilter", "PostFilter"},
    {"reserve", "Reserve"},
    {"permit", "Permit"},
    {"permit-wait", ""},
    {"prebind", "PreBind"},
};

/// What the top attempts can have of every early stage; `most(stage)` says how many attempts.
template <typename Most>
std::map<std::string, double> EarlyTops(const Populations& p, const Account& account, Most most) {
  std::map<std::string, double> tops;
  for (const EarlyStage& stage : kEarlyStages) {
    const std::size_t m = most(stage);
    double& top = tops[stage.id];
    if (m == 0) continue;
    if (stage.id == std::string_view("algorithm")) {
      top = AlgorithmTop(p, account, m);
    } else if (stage.id == std::string_view("permit-wait")) {
      top = PointTop(p, p.permit_wait, m, false);
    } else {
      top = PointTop(p, p.points.at(stage.point), m, false);
    }
  }
  return tops;
}

constexpr std::string_view kAlgorithmChildren[] = {"algorithm.prefilter", "algorithm.filter",
                                                   "algorithm.prescore", "algorithm.score"};

/// The seconds that a remainder has at most: attempts still running at the end have paid their
/// early stages in the window but are not in e2e yet, so the subtraction may take too much off.
double RemainderMost(const Account& account, const std::string& id,
                     const std::map<std::string, double>& running_tops) {
  double most = std::max(0.0, account.Seconds(id));
  for (const char* stage : {"algorithm", "reserve", "permit", "permit-wait", "prebind"}) {
    most += running_tops.at(stage);
  }
  return most;
}

double LifetimeCount(const HistogramFacts& histogram, const Target& target, TimeMs t,
                     std::string_view label, std::string_view value) {
  double count = 0;
  for (const HistogramSeries& child : histogram.children) {
    if (TargetId(child.labels) != target.id) continue;
    if (!label.empty() && child.labels.Get(label) != value) continue;
    const auto it = std::upper_bound(child.times.begin(), child.times.end(), t);
    if (it == child.times.begin()) continue;
    count += child.Row(static_cast<std::size_t>(it - child.times.begin()) - 1).back();
  }
  return count;
}

WindowCells History(const Histograms& histograms, const Facts& facts, TimeMs until) {
  WindowCells cells;
  Facts from_birth = facts;
  for (Target& target : from_birth.targets) {
    target.scrapes.insert(target.scrapes.begin(), target.scrapes.front() - 1);
  }
  const TimeRange range{from_birth.fetched.start - 1, until};
  return CutWindow(histograms, from_birth, range);
}

}  // namespace

double GapAt(const Histograms& histograms, const Facts& facts, const Account& account, TimeMs t,
             std::string_view point) {
  double gap = 0;
  for (const Target& target : facts.targets) {
    const auto count = [&](const HistogramFacts& histogram, std::string_view label,
                           std::string_view value) {
      return LifetimeCount(histogram, target, t, label, value);
    };
    const double passed = point.empty()
                              ? count(histograms.algorithm, "", "")
                              : count(histograms.extension_point, "extension_point", point);
    double ended = 0;
    if (account.algorithm_has_failures && point.empty()) {
      ended = count(histograms.attempt, "", "");
    } else if (account.by_result.contains("scheduled") || account.failed() > 0) {
      ended = count(histograms.attempt, "result", "scheduled") +
              count(histograms.extension_point, "extension_point", "Unreserve");
    } else {
      continue;
    }
    gap += std::max(0.0, passed - ended);
  }
  return gap;
}

TailShares BoundTail(const Histograms& histograms, const Facts& facts, const WindowCells& window,
                     const Account& account, double fraction) {
  TailShares out;
  if (account.e2e.count < 1 || window.extension_point.empty() || window.algorithm.empty()) {
    return out;
  }
  const Populations p = Prepare(facts, window);
  const std::size_t m = RoundUp(fraction * account.e2e.count - 1e-9);
  out.attempts = m;
  std::vector<CellView> e2e;
  ForEachCell(p.grids, [&](std::size_t g, std::size_t i) { e2e.push_back(View(p.e2e[g], i)); });
  out.least_seconds = LeastTopTotal(e2e, m);
  if (!(out.least_seconds > 0) || std::isnan(account.e2e.seconds)) return out;

  // The points of the algorithm are passed by failed attempts too: their gap is the algorithm's,
  // and one more attempt a target that is between a point and the algorithm's own observation.
  const auto passed_by = [&](const EarlyStage& stage, TimeMs t) {
    const bool within = std::string_view(stage.id).starts_with("algorithm.");
    const bool whole = std::string_view(stage.id) == "algorithm";
    const bool waits = std::string_view(stage.id) == "permit-wait";
    const double gap = GapAt(histograms, facts, account, t,
                             within || whole ? "" : (waits ? "Permit" : stage.point));
    return RoundUp(gap) + (within ? p.grids.size() : 0);
  };
  std::map<std::string, double> tops = EarlyTops(p, account, [&](const EarlyStage&) { return m; });
  if (GapAt(histograms, facts, account, window.window.start) > 0) {
    const Populations before = Prepare(facts, History(histograms, facts, window.window.start));
    const auto most = [&](const EarlyStage& stage) {
      return stage.id == std::string_view("postfilter")
                 ? 0
                 : std::min(m, passed_by(stage, window.window.start));
    };
    for (const auto& [id, top] : EarlyTops(before, account, most)) tops[id] += top;
  }
  const auto running_tops = EarlyTops(
      p, account, [&](const EarlyStage& stage) { return passed_by(stage, window.window.end); });
  tops["bind"] = BindTop(p, account, m);
  tops["bind.plugins"] = PointTop(p, p.points.at("Bind"), m, true);
  if (account.has_binding) {
    TopTotal part(m);
    ForEachCell(p.grids, [&](std::size_t g, std::size_t i) {
      part.AddPart(View(p.binding[g], i), p.binding[g].sums[i] - p.points.at("Bind")[g].sums[i] +
                                              p.bind_failed[g].sums[i]);
    });
    tops["bind.unmeasured"] = part.Max();
    tops["unmeasured"] = RemainderMost(account, "unmeasured", running_tops);
  } else if (account.extender_binds > 0) {
    tops["bind.unmeasured"] = RemainderMost(account, "bind.unmeasured", running_tops);
    tops["bind"] = tops["bind.plugins"] + tops["bind.unmeasured"];
  } else {
    tops["unmeasured"] = RemainderMost(account, "unmeasured", running_tops);
  }
  // One attempt a target may straddle an edge between its points and the algorithm's observation.
  double inside = std::max(0.0, account.Seconds("algorithm.unmeasured"));
  const auto straddling = [&](const EarlyStage&) { return p.grids.size(); };
  for (const auto& [id, top] : EarlyTops(p, account, straddling)) {
    if (std::find(std::begin(kAlgorithmChildren), std::end(kAlgorithmChildren), id) !=
        std::end(kAlgorithmChildren)) {
      inside += top;
    }
  }
  tops["algorithm.unmeasured"] = std::min(tops["algorithm"], inside);

  double all = 0;
  for (const char* id : {"algorithm", "postfilter", "reserve", "permit", "permit-wait", "prebind",
                         "bind", "unmeasured"}) {
    if (tops.contains(id)) all += tops[id];
  }
  double children = tops["algorithm.unmeasured"];
  for (const std::string_view id : kAlgorithmChildren) children += tops[std::string(id)];
  for (const auto& [id, top] : tops) {
    double others = all - top;
    if (id.starts_with("algorithm.")) others = all - tops["algorithm"] + children - top;
    if (id == "bind.plugins") others = all - tops["bind"] + tops["bind.unmeasured"];
    if (id == "bind.unmeasured") others = all - tops["bind"] + tops["bind.plugins"];
    const double low = std::isfinite(others) ? 1 - others / out.least_seconds : 0;
    out.shares[id] = {std::clamp(low, 0.0, 1.0), std::clamp(top / out.least_seconds, 0.0, 1.0)};
  }
  return out;
}

}  // namespace schedlens
