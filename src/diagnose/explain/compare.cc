#include "diagnose/explain/compare.h"

// Two quantiles side by side, and what the cases measure of them: above all when they were counted,
// for one may be shifted against the other, or have other scrapes.

#include "kube/metrics.h"

namespace schedlens {
namespace {

bool HoldsQuantile(const promql::Expr& expr) {
  return promql::FindNode<promql::Call>(expr, [](const promql::Call& call) {
           return call.function->name == "histogram_quantile";
         }) != nullptr;
}

/// The side of the comparisons (and of and, or, unless) that holds the quantile.
std::string WithoutComparison(const promql::AlertExpression& alert) {
  const promql::Expr* node = &promql::WithoutParens(*alert.ast);
  while (const auto* binary = node->As<promql::Binary>()) {
    if (!promql::IsComparison(binary->op) && !promql::IsSetOperation(binary->op)) break;
    node = &promql::WithoutParens(HoldsQuantile(*binary->lhs) ? *binary->lhs : *binary->rhs);
  }
  return promql::ToString(*node);
}

/// What the server's own expressions show for the two sides of a comparison: what an alert sees.
struct Rates {
  /// The highest series of each, at the window's end; absent without one, and for a lifetime.
  std::optional<double> part, whole;
  bool repaired = false;  ///< the server made falling counts monotonic and said so
  std::vector<Message> notes;
  std::vector<std::string> queries;
};

/// Asks the expression, aggregations around the quantile included and comparisons left out; for a
/// metric the one it stands for.
std::optional<double> AskRate(Source& source, const QuantileRequest& request, Rates* out) {
  if (request.lifetime) return std::nullopt;
  const auto& alert = request.expression;
  // With a quantile of its own (-q) the expression's text asks for another one.
  const bool own_q = alert && (!request.q || request.q == alert->quantile);
  const std::string expr = !alert ? ExpressionFor(request) : WithoutComparison(*alert);
  if (alert && !own_q) return std::nullopt;
  out->queries.push_back(expr);
  const Answer answer = source.Ask({expr, request.window.end, request.window.end, 0});
  for (const auto* notes : {&answer.warnings, &answer.infos}) {
    for (const std::string& note : *notes) {
      out->repaired =
          out->repaired || note.find("needed to be fixed for monotonicity") != note.npos;
      out->notes.push_back(SourceNote(note));
    }
  }
  std::optional<double> value;
  for (const Series& series : answer.series) {
    if (series.samples.empty() || std::isnan(series.samples.back().v)) continue;
    double shown = series.samples.back().v;
    if (alert) shown = (shown - alert->added) / alert->scale;
    value = std::max(value.value_or(-HUGE_VAL), shown);
  }
  return value;
}

const HistogramGroup& Highest(const QuantileGroups& fetched, const Semantics& semantics) {
  const auto shown = [&](const HistogramGroup& group) {
    const double v = ServerQuantile(group.children, fetched.q, semantics).value;
    return std::isnan(v) ? -HUGE_VAL : v;
  };
  return *std::ranges::max_element(fetched.groups, {}, shown);
}

/// The clock that all children belong to; null when there is none or several.
const AttemptClock* ClockOfAll(const QuantileGroups& data) {
  const AttemptClock* clock = nullptr;
  for (const ScrapeIncreases& child : data.all.children) {
    const AttemptClock* one = ClockOf(data.family, child.labels);
    if (one == nullptr) continue;
    if (clock != nullptr && clock != one) return nullptr;
    clock = one;
  }
  return clock;
}

/// Every attempt's time in the part contains its time in the whole.
bool GivenTheOtherWayRound(const QuantileGroups& part, const QuantileGroups& whole) {
  const AttemptClock* a = ClockOfAll(part);
  const AttemptClock* b = ClockOfAll(whole);
  if (a == nullptr || b == nullptr || a->reach <= b->reach) return false;
  const std::vector<const AttemptClock*> linked = LinkedTo(*a);
  return std::ranges::find(linked, b) != linked.end();
}

bool Above(const std::optional<double>& a, const std::optional<double>& b) {
  return a && b && *a > *b;
}

/// Finite bounds that every child of both sides has, ascending.
std::vector<double> CommonFiniteBounds(const Side& part, const Side& whole) {
  std::vector<double> common;
  for (const double bound : part.bounds) {
    const auto has = [&](const Side& side) {
      return std::ranges::all_of(side.group->children, [&](const ScrapeIncreases& child) {
        return std::ranges::binary_search(child.bounds, bound);
      });
    };
    if (std::isfinite(bound) && has(part) && has(whole)) common.push_back(bound);
  }
  return common;
}

std::optional<Witness> FindWitness(const Side& part, const Side& whole) {
  std::optional<Witness> found;
  double widest = 0;
  for (const double bound : CommonFiniteBounds(part, whole)) {
    const double a = part.Above(bound), b = whole.Above(bound);
    const double gap = a / part.n - b / whole.n;
    if (gap <= widest) continue;
    widest = gap;
    found = Witness{bound, a, b, 0, 0};
  }
  if (!found) return found;
  found->part_only = std::max(part.n - whole.n, MostInPartOnly(part, whole, whole.group->children));
  found->whole_only = std::max(0.0, whole.n - part.n);
  return found;
}

/// From which bound on the counts above are equal and not zero: there the two tails are the same
/// attempts as far as counting can tell.
void FindSameTail(const Side& part, const Side& whole, Comparison* out) {
  const std::vector<double> bounds = CommonFiniteBounds(part, whole);
  for (auto it = bounds.rbegin(); it != bounds.rend(); ++it) {
    const double above = part.Above(*it);
    if (above != whole.Above(*it)) break;
    if (above > 0) {
      out->same_above = *it;
      out->same_count = above;
    }
  }
}

struct Fetched {
  FetchedHistograms part, whole;
};

/// The two sides over a window of what was fetched.
struct Sides {
  QuantileGroups part, whole;
};

/// Throws Error(kInsufficientData) where either has no samples.
Sides Cut(const Fetched& fetched, const CompareRequest& request) {
  return {GroupsOf(fetched.part, request.part), GroupsOf(fetched.whole, request.whole)};
}

Comparison CompareSides(Source& source, const CompareRequest& request, const Sides& data,
                        const Rates& rates) {
  const Semantics& semantics = request.part.semantics;
  const HistogramGroup& part_group = Highest(data.part, semantics);
  const HistogramGroup& whole_group = Highest(data.whole, semantics);
  Comparison out;
  out.part = ExplainGroup(part_group, data.part.family, data.part.q, semantics);
  out.whole = ExplainGroup(whole_group, data.whole.family, data.whole.q, semantics);
  for (const QuantileGroups* side : {&data.part, &data.whole}) {
    for (const std::string& query : side->queries) out.queries.push_back(query);
    AddNew(side->warnings, &out.warnings);
  }
  out.queries.insert(out.queries.end(), rates.queries.begin(), rates.queries.end());
  AddNew(rates.notes, &out.warnings);
  out.part_rate = rates.part;
  out.whole_rate = rates.whole;
  out.rate_repaired = rates.repaired;
  out.inverted = Above(out.part.shown, out.whole.shown);
  out.rate_inverted = Above(out.part_rate, out.whole_rate);

  const Side part{part_group, data.part, request.part};
  const Side whole{whole_group, data.whole, request.whole};
  if (out.inverted) out.witness = FindWitness(part, whole);
  FindSameTail(part, whole, &out);
  WalkCases(source, part, whole, &out);
  return out;
}

/// The first two scrapes at or after the window's start: where rate() may begin.
std::vector<TimeMs> ScrapesFromStart(const Sides& data, const TimeRange& window) {
  std::set<TimeMs> inside;
  for (const ScrapeIncreases& child : data.part.all.children) {
    for (const TimeMs t : child.edges) {
      if (t >= window.start && t < window.end) inside.insert(t);
    }
  }
  std::vector<TimeMs> first(inside.begin(), inside.end());
  if (first.size() > 2) first.resize(2);
  return first;
}

using EdgesOfProcess = std::map<Labels, std::set<TimeMs>>;

EdgesOfProcess EdgesOf(const Side& side) {
  EdgesOfProcess edges;
  for (const ScrapeIncreases& child : side.group->children) {
    edges[ProcessOf(child.labels)].insert(child.edges.begin(), child.edges.end());
  }
  return edges;
}

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
    std::ranges::set_intersection(edges, other->second, std::back_inserter(common));
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
    const bool usable = std::ranges::any_of(intervals, [&](const CommonInterval& interval) {
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

const std::vector<AttemptClock>& AttemptClocks() {
  static const std::vector<Labels::Pair> bind = {
      {"extension_point", std::string(ToString(kube::ExtensionPoint::kBind))},
      {"status", std::string(ToString(kube::StatusCode::kSuccess))}};
  static const std::vector<Labels::Pair> scheduled = {
      {"result", std::string(ToString(kube::AttemptResult::kScheduled))}};
  static const std::vector<AttemptClock> all = {
      {"extension_point{Bind}", NameOf(kube::Metric::kExtensionPoint), bind, 0, true},
      {"binding_duration", NameOf(kube::Metric::kBinding), {}, 1, true},
      {"scheduling_algorithm_duration", NameOf(kube::Metric::kAlgorithm), {}, 1, false},
      {"e2e_scheduling_duration", NameOf(kube::Metric::kE2e), scheduled, 2, true},
      {"scheduling_attempt_duration", NameOf(kube::Metric::kAttempt), scheduled, 2, true},
      {"pod_scheduling_duration", NameOf(kube::Metric::kPodDuration), {}, 3, true},
      {"pod_scheduling_sli_duration", NameOf(kube::Metric::kPodSli), {}, 3, true},
  };
  return all;
}

}  // namespace

const AttemptClock* ClockOf(std::string_view family, const Labels& labels) {
  for (const AttemptClock& clock : AttemptClocks()) {
    if (clock.family != family) continue;
    const bool fits = std::ranges::all_of(clock.labels, [&](const auto& want) {
      return !labels.Has(want.first) || labels.Get(want.first) == want.second;
    });
    if (fits) return &clock;
  }
  return nullptr;
}

std::vector<const AttemptClock*> LinkedTo(const AttemptClock& clock) {
  std::vector<const AttemptClock*> linked;
  for (const AttemptClock& other : AttemptClocks()) {
    if (other.reach == clock.reach) continue;
    const AttemptClock& longer = other.reach > clock.reach ? other : clock;
    const AttemptClock& shorter = other.reach > clock.reach ? clock : other;
    // Bind and algorithm are parts of one attempt, but neither contains the other.
    if (longer.on_chain && (shorter.on_chain || longer.reach >= 2)) linked.push_back(&other);
  }
  return linked;
}

std::vector<const AttemptClock*> LinkedToFamily(std::string_view family) {
  for (const AttemptClock& clock : AttemptClocks()) {
    if (clock.family == family) return LinkedTo(clock);
  }
  return {};
}

Comparison Compare(Source& source, const CompareRequest& asked) {
  CompareRequest request = asked;
  Fetched fetched = {FetchFor(source, request.part), FetchFor(source, request.whole)};
  Sides data = Cut(fetched, request);
  if (GivenTheOtherWayRound(data.part, data.whole)) {
    std::swap(fetched.part, fetched.whole);
    std::swap(data.part, data.whole);
    std::swap(request.part, request.whole);
  }
  Rates rates;
  rates.part = AskRate(source, request.part, &rates);
  rates.whole = AskRate(source, request.whole, &rates);
  Comparison out = CompareSides(source, request, data, rates);
  if (out.inverted || !out.rate_inverted) return out;
  // rate() sees the scrapes inside the window alone: perhaps that period is the inverted one.
  for (const TimeMs start : ScrapesFromStart(data, request.part.window)) {
    CompareRequest inside = request;
    inside.part.window.start = inside.whole.window.start = start;
    Comparison other = CompareSides(source, inside, Cut(fetched, inside), rates);
    if (!other.inverted) continue;
    other.warnings.emplace_back("compare.inside");
    return other;
  }
  return out;
}

Side::Side(const HistogramGroup& of, const QuantileGroups& all, const QuantileRequest& asked)
    : group(&of), data(&all), request(&asked), bounds(UnionOfBounds(of.children)) {
  one_layout = SameLayout(of.children);
  const Amount counted = Total(of.children);
  n = counted.count;
  sum = counted.seconds;
}

double Side::Above(double bound) const { return CountAbove(group->children, bound).low; }

double ShownOf(std::span<const ScrapeIncreases> children, const Walk& w) {
  return ServerQuantile(children, w.out.whole.q, w.part.request->semantics).value;
}

bool StillInverted(std::span<const ScrapeIncreases> part, std::span<const ScrapeIncreases> whole,
                   const Walk& w) {
  return ShownOf(part, w) > ShownOf(whole, w);
}

std::vector<ScrapeIncreases> BoundChildren(const Side& side) {
  std::vector<ScrapeIncreases> bound = side.group->children;
  std::erase_if(bound,
                [](const ScrapeIncreases& child) { return !kube::IsScheduled(child.labels); });
  return bound;
}

double MostInPartOnly(const Side& part, const Side& whole,
                      std::span<const ScrapeIncreases> whole_children) {
  double most = 0;
  for (const double bound : CommonFiniteBounds(part, whole)) {
    most = std::max(most, part.Above(bound) - CountAbove(whole_children, bound).low);
  }
  return most;
}

Aligned AlignScrapes(const Walk& w) {
  const auto intervals = CommonIntervals(w);
  Aligned out;
  out.differ = EdgesOf(w.part) != EdgesOf(w.whole);
  for (const auto& [process, all] : intervals) {
    out.reset =
        out.reset || std::ranges::any_of(all, [](const CommonInterval& one) { return one.reset; });
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

Shift ShiftExplains(const Walk& w) {
  // What was in flight is a small part of a window, or the window says little about a delay.
  constexpr double kMostDifference = 0.1;
  const std::vector<ScrapeIncreases> bound = BoundChildren(w.whole);
  const double n = TotalCount(bound), in_flight = InFlightAtEnd(w);
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

}  // namespace schedlens
