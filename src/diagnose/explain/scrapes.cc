// The cases of an inversion that lie in when it was counted: shifted, missing, reset, torn.

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "diagnose/collect/targets.h"
#include "diagnose/explain/cases.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using EdgesOfProcess = std::map<Labels, std::set<TimeMs>>;

EdgesOfProcess EdgesOf(const Side& side) {
  EdgesOfProcess edges;
  for (const ScrapeIncreases& child : side.group->children) {
    edges[ProcessOf(child.labels)].insert(child.edges.begin(), child.edges.end());
  }
  return edges;
}

/// An interval between two scrapes that both sides have.
struct CommonInterval {
  TimeMs start, end;
  bool reset = false;
};

bool Within(const ScrapeIncreases& child, std::size_t i, const CommonInterval& interval) {
  return child.edges[i] >= interval.start && child.edges[i + 1] <= interval.end;
}

std::map<Labels, std::vector<CommonInterval>> CommonIntervals(const Walk& w) {
  const EdgesOfProcess of_part = EdgesOf(w.part);
  const EdgesOfProcess of_whole = EdgesOf(w.whole);
  std::map<Labels, std::vector<CommonInterval>> intervals;
  for (const auto& [process, edges] : of_part) {
    const auto other = of_whole.find(process);
    if (other == of_whole.end()) continue;
    std::vector<TimeMs> common;
    std::set_intersection(edges.begin(), edges.end(), other->second.begin(), other->second.end(),
                          std::back_inserter(common));
    for (std::size_t i = 0; i + 1 < common.size(); ++i) {
      intervals[process].push_back({common[i], common[i + 1], false});
    }
  }
  for (const Side* side : {&w.part, &w.whole}) {
    for (const ScrapeIncreases& child : side->group->children) {
      for (std::size_t i = 0; i < child.cells(); ++i) {
        for (CommonInterval& interval : intervals[ProcessOf(child.labels)]) {
          if (child.reset[i] && Within(child, i, interval)) interval.reset = true;
        }
      }
    }
  }
  return intervals;
}

/// The child with every cell emptied that lies in no usable interval.
ScrapeIncreases Kept(const ScrapeIncreases& child, const std::vector<CommonInterval>& intervals) {
  ScrapeIncreases out = child;
  const std::size_t width = child.bounds.size();
  for (std::size_t i = 0; i < child.cells(); ++i) {
    const bool usable =
        std::any_of(intervals.begin(), intervals.end(), [&](const CommonInterval& interval) {
          return !interval.reset && Within(child, i, interval);
        });
    if (!usable) std::fill_n(out.buckets.begin() + std::ptrdiff_t(i * width), width, 0.0);
  }
  return out;
}

/// The usual distance between the whole's scrapes; 0 where that is not known.
TimeMs StepOf(const Walk& w) {
  const auto& edges = w.whole.group->children.front().edges;
  if (w.whole.request->lifetime || edges.size() < 2) return 0;
  return (edges.back() - edges.front()) / static_cast<TimeMs>(edges.size() - 1);
}

/// The whole, that much later: nothing where there are no samples.
std::optional<double> ShownLater(const Walk& w, const FetchedHistograms& fetched, TimeMs later) {
  QuantileRequest request = *w.whole.request;
  request.window = {request.window.start + later, request.window.end + later};
  try {
    const QuantileGroups found = GroupsOf(fetched, request);
    if (found.seen.end < w.whole.data->seen.end + later / 2) return std::nullopt;
    for (const HistogramGroup& group : found.groups) {
      if (group.labels == w.whole.group->labels) return ShownOf(group.children, w);
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kInsufficientData) throw;
  }
  return std::nullopt;
}

/// Counted by the part and not yet by the whole when the window ends, by the counters themselves.
double InFlightAtEnd(const Walk& w) {
  const auto standing = [](const std::vector<ScrapeIncreases>& children) {
    double n = 0;
    for (const ScrapeIncreases& child : children) {
      if (!child.count_at.empty()) n += child.count_at.back();
    }
    return n;
  };
  return standing(w.part.group->children) - standing(BoundChildren(w.whole));
}

}  // namespace

Aligned AlignScrapes(const Walk& w) {
  const auto intervals = CommonIntervals(w);
  Aligned out;
  out.differ = EdgesOf(w.part) != EdgesOf(w.whole);
  for (const auto& [process, all] : intervals) {
    out.reset = out.reset || std::any_of(all.begin(), all.end(),
                                         [](const CommonInterval& one) { return one.reset; });
  }
  const auto cut = [&](const Side& side, std::vector<ScrapeIncreases>* children) {
    for (const ScrapeIncreases& child : side.group->children) {
      children->push_back(Kept(child, intervals.at(ProcessOf(child.labels))));
    }
  };
  cut(w.part, &out.part);
  cut(w.whole, &out.whole);
  return out;
}

bool ScrapesExplain(const Walk& w) {
  const Aligned aligned = AlignScrapes(w);
  return (aligned.differ || aligned.reset) && !StillInverted(aligned.part, aligned.whole, w);
}

bool TornExplains(const Walk& w) {
  for (const Side* side : {&w.part, &w.whole}) {
    for (const ScrapeIncreases& child : side->group->children) {
      if (child.torn && TotalCount(child) > 0) return true;
    }
  }
  return false;
}

Shift ShiftExplains(const Walk& w) {
  // What was in flight is a small part of a window, or the window says little about a delay.
  constexpr double kMostDifference = 0.1;
  const std::vector<ScrapeIncreases> bound = BoundChildren(w.whole);
  const double n = CountOf(bound);
  const double in_flight = InFlightAtEnd(w);
  if (n < w.whole.n || in_flight <= 0 || in_flight < MostInPartOnly(w.part, w.whole, bound) ||
      std::abs(w.part.n - n) > kMostDifference * std::max(w.part.n, n)) {
    return {};
  }
  const double part = ShownOf(w.part.group->children, w);
  const TimeMs step = StepOf(w);
  if (step == 0) return {};
  constexpr int kMostScrapes = 2;
  QuantileRequest later = *w.whole.request;
  later.window.end += kMostScrapes * step;
  const FetchedHistograms fetched = FetchFor(w.source, later);
  for (int scrapes = 1; scrapes <= kMostScrapes; ++scrapes) {
    const auto shown = ShownLater(w, fetched, scrapes * step);
    if (shown && *shown >= part) return {scrapes, in_flight, *shown};
  }
  return {};
}

Judged JudgeTime(const Walk& w) {
  if (!InvertedAtOneQuantile(w) || TornExplains(w) || ScrapesExplain(w)) {
    return Excluded("compare.time.not");
  }
  const Shift shift = ShiftExplains(w);
  if (shift.scrapes > 0) {
    return Proven("compare.time", {{"whole", WholeName(w)},
                                   {"part", PartName(w)},
                                   {"count", arg::Count(shift.in_flight)},
                                   {"scrapes", arg::Count(shift.scrapes)},
                                   {"shown", arg::Duration(shift.shown)}});
  }
  return Excluded("compare.time.in_flight",
                  {{"count", arg::Count(std::max(0.0, InFlightAtEnd(w)))}});
}

Judged JudgeMissingSamples(const Walk& w) {
  const Aligned aligned = AlignScrapes(w);
  if (!aligned.differ && !aligned.reset) {
    return Excluded("compare.scrapes.same");
  }
  if (InvertedAtOneQuantile(w) && !TornExplains(w) && ScrapesExplain(w)) {
    return Proven(aligned.reset ? "compare.scrapes.reset" : "compare.scrapes.differ",
                  {{"part", PartName(w)},
                   {"part_shown", arg::Duration(ShownOf(aligned.part, w))},
                   {"whole", WholeName(w)},
                   {"whole_shown", arg::Duration(ShownOf(aligned.whole, w))}});
  }
  return Excluded("compare.scrapes.not");
}

Judged JudgeRepair(const Walk& w) {
  if (TornExplains(w)) {
    return Proven("compare.repair.torn");
  }
  const bool repaired =
      w.out.rate_repaired || w.part.data->torn_scrapes > 0 || w.whole.data->torn_scrapes > 0;
  if (!repaired) {
    return Excluded("compare.repair.none");
  }
  if (w.out.rate_inverted && !w.out.inverted) return Proven("compare.repair");
  return Excluded("compare.repair.not");
}

}  // namespace schedlens
