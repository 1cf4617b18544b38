#include "diagnose/explain/compare.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "base/source.h"
#include "diagnose/explain/cases.h"
#include "diagnose/explain/linked_histograms.h"
#include "promql/ast.h"

namespace schedlens {
namespace {

bool HoldsQuantile(const promql::Expr& expr) {
  bool holds = false;
  promql::Walk(expr, [&](const promql::Expr& node) {
    const auto* call = node.As<promql::Call>();
    holds = holds || (call != nullptr && call->function->name == "histogram_quantile");
  });
  return holds;
}

bool Joins(promql::BinaryOp op) {
  return promql::IsComparison(op) || op == promql::BinaryOp::kOr || op == promql::BinaryOp::kAnd ||
         op == promql::BinaryOp::kUnless;
}

/// The side of the comparisons (and of and, or, unless) that holds the quantile.
std::string WithoutComparison(const promql::AlertExpression& alert) {
  const promql::Expr* node = &promql::WithoutParens(*alert.ast);
  while (const auto* binary = node->As<promql::Binary>()) {
    if (!Joins(binary->op)) break;
    node = &promql::WithoutParens(HoldsQuantile(*binary->lhs) ? *binary->lhs : *binary->rhs);
  }
  return promql::ToString(*node);
}

std::optional<double> Ask(Source& source, const QuantileRequest& request, Rates* out) {
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
  return *std::max_element(
      fetched.groups.begin(), fetched.groups.end(),
      [&](const HistogramGroup& a, const HistogramGroup& b) { return shown(a) < shown(b); });
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
  return std::find(linked.begin(), linked.end(), b) != linked.end();
}

bool Above(const std::optional<double>& a, const std::optional<double>& b) {
  return a && b && *a > *b;
}

std::optional<Witness> FindWitness(const Side& part, const Side& whole) {
  std::optional<Witness> found;
  double widest = 0;
  for (const double bound : CommonFiniteBounds(part, whole)) {
    const double a = part.Above(bound);
    const double b = whole.Above(bound);
    const double gap = a / part.n - b / whole.n;
    if (gap <= widest) continue;
    widest = gap;
    found = Witness{bound, a, b, 0, 0};
  }
  if (!found) return found;
  for (const double bound : CommonFiniteBounds(part, whole)) {
    found->part_only = std::max(found->part_only, part.Above(bound) - whole.Above(bound));
  }
  found->part_only = std::max({found->part_only, part.n - whole.n, 0.0});
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

}  // namespace

Rates AskRates(Source& source, const CompareRequest& request) {
  Rates rates;
  rates.part = Ask(source, request.part, &rates);
  rates.whole = Ask(source, request.whole, &rates);
  return rates;
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
  const Rates rates = AskRates(source, request);
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

}  // namespace schedlens
