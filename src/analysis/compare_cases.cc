#include "analysis/compare_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "model/text.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

/// What a case finds: proven, or why not.
struct Judged {
  CaseOutcome outcome = CaseOutcome::kExcluded;
  std::string text;
};

struct Walk {
  Source& source;
  const Side& part;
  const Side& whole;
  Comparison& out;
};

std::string Count(double n) { return fmt::format("{:.10g}", n); }
std::string Short(const std::string& family) {
  constexpr std::string_view kPrefix = "scheduler_";
  return family.rfind(kPrefix, 0) == 0 ? family.substr(kPrefix.size()) : family;
}
std::string PartName(const Walk& w) { return Short(w.out.part.metric); }
std::string WholeName(const Walk& w) { return Short(w.out.whole.metric); }

double Shown(std::span<const HistogramCells> children, const Walk& w) {
  return ServerQuantile(children, w.out.whole.q, w.part.request->semantics).value;
}

/// Children of `side` that satisfy `keep`.
template <typename Keep>
std::vector<HistogramCells> Filter(const Side& side, Keep keep) {
  std::vector<HistogramCells> kept;
  for (const HistogramCells& child : side.group->children) {
    if (keep(child)) kept.push_back(child);
  }
  return kept;
}

bool StillInverted(std::span<const HistogramCells> part, std::span<const HistogramCells> whole,
                   const Walk& w) {
  return Shown(part, w) > Shown(whole, w);
}

double CountOf(std::span<const HistogramCells> children) {
  double n = 0;
  for (const HistogramCells& child : children) n += TotalCount(child);
  return n;
}

Judged Layouts(const Walk& w) {
  if (w.part.one_layout && w.whole.one_layout && w.part.bounds == w.whole.bounds) {
    return {CaseOutcome::kExcluded, "both histograms have the same bounds"};
  }
  const Interval& a = w.out.part.proven.proof.interval;
  const Interval& b = w.out.whole.proven.proof.interval;
  const bool apart = a.low && b.high && *a.low > *b.high;
  if (apart) {
    return {CaseOutcome::kExcluded,
            "the bounds differ, but the proven intervals do not overlap: the order is real"};
  }
  return {CaseOutcome::kProven,
          "the two histograms have different bounds and their proven intervals overlap: no order "
          "was observed, each number is interpolated in a bucket of its own"};
}

Labels ProcessOf(const HistogramCells& child) { return child.labels.Without(AttemptLabels()); }

Judged LabelSets(const Walk& w) {
  std::set<Labels> in_part, in_whole;
  for (const HistogramCells& child : w.part.group->children) in_part.insert(ProcessOf(child));
  for (const HistogramCells& child : w.whole.group->children) in_whole.insert(ProcessOf(child));
  if (in_part == in_whole) {
    return {CaseOutcome::kExcluded, fmt::format("both come from the same {} process{}",
                                                in_part.size(), in_part.size() == 1 ? "" : "es")};
  }
  const auto common = [&](const HistogramCells& child) {
    return in_part.count(ProcessOf(child)) > 0 && in_whole.count(ProcessOf(child)) > 0;
  };
  if (StillInverted(Filter(w.part, common), Filter(w.whole, common), w)) {
    return {CaseOutcome::kExcluded,
            "the selectors take different processes, but the inversion is in the common ones too"};
  }
  return {CaseOutcome::kProven,
          fmt::format("the selectors take different processes ({} and {}); over the common ones "
                      "there is no inversion",
                      in_part.size(), in_whole.size())};
}

/// The children of the whole that end as the part's attempts do.
std::vector<HistogramCells> Bound(const Side& side) {
  return Filter(side, [](const HistogramCells& child) {
    return !child.labels.Has("result") || child.labels.Get("result") == "scheduled";
  });
}

std::string OtherResults(const Side& side) {
  std::map<std::string, double> by_result;
  for (const HistogramCells& child : side.group->children) {
    const std::string result(child.labels.Get("result"));
    if (!result.empty() && result != "scheduled") by_result[result] += TotalCount(child);
  }
  std::string text;
  for (const auto& [result, n] : by_result) {
    if (n > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", Count(n), result);
  }
  return text;
}

/// The whole, a few scrapes later: nothing where the source has no samples there.
std::optional<double> ShiftedWhole(const Walk& w, int scrapes) {
  QuantileRequest later = *w.whole.request;
  const auto& edges = w.whole.group->children.front().edges;
  if (later.lifetime || edges.size() < 2) return std::nullopt;
  const TimeMs step = (edges.back() - edges.front()) / static_cast<TimeMs>(edges.size() - 1);
  later.window = {later.window.start + scrapes * step, later.window.end + scrapes * step};
  try {
    const QuantileGroups fetched = FetchQuantileGroups(w.source, later);
    if (fetched.all.seen.end < w.whole.data->all.seen.end + scrapes * step / 2) return std::nullopt;
    for (const HistogramGroup& group : fetched.groups) {
      if (group.labels == w.whole.group->labels) return Shown(group.children, w);
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kInsufficientData) throw;
  }
  return std::nullopt;
}

/// Later observation explains at most what was in flight: a small difference of the counts.
bool ShiftExplains(const Walk& w) {
  const double difference = std::abs(w.part.n - w.whole.n);
  if (difference > 0.1 * std::max(w.part.n, w.whole.n)) return false;
  for (const int scrapes : {1, 2}) {
    const auto shifted = ShiftedWhole(w, scrapes);
    if (shifted && *shifted >= w.out.part.shown.value_or(HUGE_VAL)) return true;
  }
  return false;
}

Judged Population(const Walk& w) {
  const std::string counts = fmt::format("{} holds {} attempts, {} holds {}", PartName(w),
                                         Count(w.part.n), WholeName(w), Count(w.whole.n));
  const double part_only = w.out.witness ? w.out.witness->part_only : 0;
  if (w.part.n == w.whole.n && part_only == 0) {
    return {CaseOutcome::kExcluded, counts};
  }
  std::string text = counts;
  if (part_only > 0) {
    text += fmt::format("; at least {} attempts are in {} and not in {}", Count(part_only),
                        PartName(w), WholeName(w));
  }
  if (w.whole.n > w.part.n) {
    text += fmt::format("; at least {} are in {} and not in {}", Count(w.whole.n - w.part.n),
                        WholeName(w), PartName(w));
    const std::string others = OtherResults(w.whole);
    if (!others.empty()) text += fmt::format(" ({})", others);
  }
  const std::vector<HistogramCells> bound = Bound(w.whole);
  if (!bound.empty() && bound.size() < w.whole.group->children.size() &&
      !StillInverted(w.part.group->children, bound, w)) {
    text += fmt::format(
        "; over result=\"scheduled\" alone ({} attempts) {} reads {:.4g} s, not below {}",
        Count(CountOf(bound)), WholeName(w), Shown(bound, w), PartName(w));
    return {CaseOutcome::kProven, text};
  }
  if (ShiftExplains(w)) {
    return {CaseOutcome::kExcluded, text + "; few enough to have been in flight (next case)"};
  }
  return {CaseOutcome::kProven, text};
}

Judged Time(const Walk& w) {
  if (w.part.n == w.whole.n) {
    return {CaseOutcome::kExcluded, "the counts are equal: nothing is observed later"};
  }
  if (ShiftExplains(w)) {
    return {CaseOutcome::kProven,
            fmt::format("{} is observed later (after the asynchronous binding): one or two scrapes "
                        "on, the inversion is gone",
                        WholeName(w))};
  }
  return {CaseOutcome::kExcluded, "a later window does not remove the inversion"};
}

Judged MissingSamples(const Walk& w) {
  std::set<TimeMs> part_edges, whole_edges;
  bool reset = false;
  for (const Side* side : {&w.part, &w.whole}) {
    for (const HistogramCells& child : side->group->children) {
      auto& edges = side == &w.part ? part_edges : whole_edges;
      edges.insert(child.edges.begin(), child.edges.end());
      reset = reset || std::count(child.reset.begin(), child.reset.end(), true) > 0;
    }
  }
  if (part_edges == whole_edges && !reset) {
    return {CaseOutcome::kExcluded, "both have samples at the same scrapes, without a reset"};
  }
  std::set<TimeMs> common;
  std::set_intersection(part_edges.begin(), part_edges.end(), whole_edges.begin(),
                        whole_edges.end(), std::inserter(common, common.begin()));
  const auto kept = [&](const Side& side) {
    std::vector<HistogramCells> cut;
    for (const HistogramCells& child : side.group->children) {
      HistogramCells out = child;
      const std::size_t width = child.bounds.size();
      for (std::size_t i = 0; i < child.cells(); ++i) {
        const bool usable = common.count(child.edges[i]) > 0 &&
                            common.count(child.edges[i + 1]) > 0 && !child.reset[i];
        if (!usable) std::fill_n(out.buckets.begin() + std::ptrdiff_t(i * width), width, 0.0);
      }
      cut.push_back(std::move(out));
    }
    return cut;
  };
  if (!StillInverted(kept(w.part), kept(w.whole), w)) {
    return {CaseOutcome::kProven,
            reset
                ? "a counter reset lies in the window; without its interval the inversion is gone"
                : "the two were not scraped together; on the common scrapes there is no inversion"};
  }
  return {CaseOutcome::kExcluded, "samples are missing or reset, but the inversion stays without"};
}

Judged Rate(const Walk& w) {
  if (!w.out.part_rate || !w.out.whole_rate) {
    return {CaseOutcome::kNotTested, "the server's rate() gave no value"};
  }
  if (w.out.rate_inverted && !w.out.inverted) {
    return {CaseOutcome::kProven,
            "exact increases are in order and rate() is not: it extrapolates each bucket's series "
            "by itself (zero clip), which happens in the window after a start"};
  }
  return {CaseOutcome::kExcluded, "exact increases show the inversion too"};
}

Judged Repair(const Walk& w) {
  for (const Side* side : {&w.part, &w.whole}) {
    const ClassicQuantile server =
        ServerQuantile(side->group->children, w.out.part.q, side->request->semantics);
    if (server.forced_monotonic) {
      return {CaseOutcome::kProven,
              "cumulative counts fell from one bound to the next and the server raised them"};
    }
  }
  return {CaseOutcome::kExcluded, "no cumulative count falls from one bound to the next"};
}

Judged Saturation(const Walk& w) {
  for (const QuantileExplanation* row : {&w.out.part, &w.out.whole}) {
    const Interval& bucket = row->proven.proof.bucket;
    if (!bucket.high) {
      return {CaseOutcome::kProven,
              fmt::format("{} is saturated: {:.4g} s is its highest finite bound and means more "
                          "than that; the proven intervals are {:.4g} .. {} and {:.4g} .. {}",
                          Short(row->metric), bucket.low.value_or(0),
                          w.out.part.proven.proof.interval.low.value_or(0),
                          w.out.part.proven.proof.interval.high
                              ? fmt::format("{:.4g}", *w.out.part.proven.proof.interval.high)
                              : "unknown",
                          w.out.whole.proven.proof.interval.low.value_or(0),
                          w.out.whole.proven.proof.interval.high
                              ? fmt::format("{:.4g}", *w.out.whole.proven.proof.interval.high)
                              : "unknown")};
    }
  }
  return {CaseOutcome::kExcluded, "neither is at its highest finite bound"};
}

Judged Sums(const Walk& w) {
  if (std::isnan(w.part.sum) || std::isnan(w.whole.sum)) {
    return {CaseOutcome::kNotTested, "a _sum is missing"};
  }
  if (w.part.n == w.whole.n && w.whole.sum < w.part.sum * (1 - 1e-9)) {
    return {CaseOutcome::kProven,
            fmt::format("equal counts, but {} adds up to {:.6g} s and {} to {:.6g} s: means cannot "
                        "invert either, so the attempts differ",
                        PartName(w), w.part.sum, WholeName(w), w.whole.sum)};
  }
  return {CaseOutcome::kExcluded, "the sums are in order"};
}

Judged Expressions(const Walk& w) {
  std::string text;
  if (w.part.data->q != w.whole.data->q) {
    text = fmt::format("the expressions ask for different quantiles ({} and {})", w.part.data->q,
                       w.whole.data->q);
  }
  for (const Side* side : {&w.part, &w.whole}) {
    const auto& expression = side->request->expression;
    if (expression && !expression->outer_aggregations.empty()) {
      text = fmt::format("{}({}) of quantiles is no quantile and keeps no order",
                         expression->outer_aggregations.front(), "histogram_quantile(...)");
    }
  }
  const auto& a = w.part.request->expression;
  const auto& b = w.whole.request->expression;
  if (a && b && a->range_ms != b->range_ms) {
    text = fmt::format("the expressions look at different windows ({} and {})",
                       FormatDuration(a->range_ms), FormatDuration(b->range_ms));
  }
  if (text.empty()) return {CaseOutcome::kExcluded, "same quantile, window and aggregation"};
  return {CaseOutcome::kProven, text};
}

Judged Premise(const Walk& w) {
  double pairs = 0;
  for (const double bound : CommonFiniteBounds(w.part, w.whole)) {
    pairs = std::max(pairs, w.part.Above(bound) - w.whole.Above(bound));
  }
  return {CaseOutcome::kProven,
          fmt::format("nothing else is left: at least {} attempts took longer in {} than in {}, so "
                      "the one does not contain the other",
                      Count(pairs), PartName(w), WholeName(w))};
}

struct CaseRow {
  const char* id;
  Judged (*judge)(const Walk&);
};

constexpr CaseRow kCases[] = {
    {"layouts", Layouts},
    {"labels", LabelSets},
    {"population", Population},
    {"time", Time},
    {"missing-samples", MissingSamples},
    {"rate", Rate},
    {"repair", Repair},
    {"saturation", Saturation},
    {"sums", Sums},
    {"expressions", Expressions},
    {"premise", Premise},
};

/// Which number answers which question, by the case that explains the two.
void SayWhatToBelieve(const std::string& id, const Walk& w) {
  auto& believe = w.out.believe;
  const std::string part = PartName(w);
  const std::string whole = WholeName(w);
  if (id == "population" || id == "labels" || id == "sums") {
    believe.push_back(fmt::format("how slow is {} for the attempts it counts: {}", part, part));
    believe.push_back(fmt::format("how slow is an attempt of any result: {}, as it stands", whole));
    const std::vector<HistogramCells> bound = Bound(w.whole);
    if (!bound.empty() && bound.size() < w.whole.group->children.size()) {
      believe.push_back(fmt::format(
          "which part of a slow pod is {}: compare with {}{{result=\"scheduled\"}}, {:.4g} s", part,
          whole, Shown(bound, w)));
    }
  } else if (id == "layouts" || id == "saturation" || id == "repair" || id == "rate") {
    believe.push_back("neither number to the digit: take the proven intervals");
  } else {
    believe.push_back("both numbers, each for its own attempts and its own time; not their order");
  }
}

}  // namespace

Side::Side(const HistogramGroup& group_in, const QuantileGroups& data_in,
           const QuantileRequest& request_in)
    : group(&group_in), data(&data_in), request(&request_in) {
  bounds = UnionOfBounds(group->children);
  one_layout = SameLayout(group->children);
  for (const HistogramCells& child : group->children) {
    n += TotalCount(child);
    sum += TotalSum(child);
  }
}

double Side::Above(double bound) const { return CountAbove(group->children, bound).low; }

std::vector<double> CommonFiniteBounds(const Side& part, const Side& whole) {
  std::vector<double> common;
  for (const double bound : part.bounds) {
    const auto has = [&](const Side& side) {
      return std::all_of(side.group->children.begin(), side.group->children.end(),
                         [&](const HistogramCells& child) {
                           return std::binary_search(child.bounds.begin(), child.bounds.end(),
                                                     bound);
                         });
    };
    if (std::isfinite(bound) && has(part) && has(whole)) common.push_back(bound);
  }
  return common;
}

void WalkCases(Source& source, const Side& part, const Side& whole, Comparison* out) {
  const Walk w{source, part, whole, *out};
  if (!out->inverted && !out->rate_inverted) {
    out->verdict = fmt::format("no inversion: {} reads {} s and {} reads {} s", PartName(w),
                               FormatNumber(out->part.shown.value_or(std::nan(""))), WholeName(w),
                               FormatNumber(out->whole.shown.value_or(std::nan(""))));
    const Interval& a = out->part.proven.proof.interval;
    const Interval& b = out->whole.proven.proof.interval;
    if (a.low && a.high && b.low && b.high && *a.high >= *b.low && *b.high >= *a.low) {
      out->verdict += fmt::format(
          "; proven are {:.4g} .. {:.4g} and {:.4g} .. {:.4g} s, which overlap: readings this "
          "close "
          "do not tell how much longer the whole takes",
          *a.low, *a.high, *b.low, *b.high);
    }
    if (out->same_above) {
      out->verdict += fmt::format("; above {} s both count the same {} attempts",
                                  FormatNumber(*out->same_above), Count(out->same_count));
    }
    return;
  }
  int number = 0;
  for (const CaseRow& row : kCases) {
    const Judged found = row.judge(w);
    out->cases.push_back({++number, row.id, found.outcome, found.text});
    if (found.outcome != CaseOutcome::kProven) continue;
    out->verdict = found.text;
    SayWhatToBelieve(row.id, w);
    return;
  }
}

}  // namespace schedlens
