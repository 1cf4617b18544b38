#include "analysis/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "analysis/attempt_links.h"
#include "analysis/compare_cases.h"

namespace schedlens {
namespace {

const HistogramGroup& Highest(const QuantileGroups& fetched, const Semantics& semantics) {
  const auto shown = [&](const HistogramGroup& group) {
    const double v = ServerQuantile(group.children, fetched.q, semantics).value;
    return std::isnan(v) ? -HUGE_VAL : v;
  };
  return *std::max_element(
      fetched.groups.begin(), fetched.groups.end(),
      [&](const HistogramGroup& a, const HistogramGroup& b) { return shown(a) < shown(b); });
}

/// What the server's own rate() makes of it: the highest series, as Highest takes it.
std::optional<double> AskRate(Source& source, const QuantileRequest& request,
                              std::vector<std::string>* queries) {
  if (request.lifetime) return std::nullopt;
  const std::string expr =
      request.expression ? request.expression->quantile_expression : ExpressionFor(request);
  queries->push_back(expr);
  std::optional<double> value;
  for (const Series& series :
       source.Ask({expr, request.window.end, request.window.end, 0}).series) {
    if (series.samples.empty() || std::isnan(series.samples.back().v)) continue;
    value = std::max(value.value_or(-HUGE_VAL), series.samples.back().v);
  }
  return value;
}

const AttemptClock* ClockOfFamily(const std::string& family) {
  for (const AttemptClock& clock : AttemptClocks()) {
    if (clock.family == family) return &clock;
  }
  return nullptr;
}

bool GivenTheOtherWayRound(const std::string& part, const std::string& whole) {
  const AttemptClock* a = ClockOfFamily(part);
  const AttemptClock* b = ClockOfFamily(whole);
  return a != nullptr && b != nullptr && a->reach > b->reach;
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

}  // namespace

std::string ToString(CaseOutcome outcome) {
  switch (outcome) {
    case CaseOutcome::kProven:
      return "proven";
    case CaseOutcome::kExcluded:
      return "excluded";
    case CaseOutcome::kNotTested:
      return "not-tested";
  }
  return "";
}

Comparison Compare(Source& source, const CompareRequest& asked) {
  CompareRequest request = asked;
  QuantileGroups part_data = FetchQuantileGroups(source, request.part);
  QuantileGroups whole_data = FetchQuantileGroups(source, request.whole);
  if (GivenTheOtherWayRound(part_data.family, whole_data.family)) {
    std::swap(part_data, whole_data);
    std::swap(request.part, request.whole);
  }
  const Semantics& semantics = request.part.semantics;
  const HistogramGroup& part_group = Highest(part_data, semantics);
  const HistogramGroup& whole_group = Highest(whole_data, semantics);

  Comparison out;
  out.part = ExplainGroup(part_group, part_data.family, part_data.q, semantics);
  out.whole = ExplainGroup(whole_group, whole_data.family, whole_data.q, semantics);
  out.queries = part_data.all.queries;
  out.queries.insert(out.queries.end(), whole_data.all.queries.begin(),
                     whole_data.all.queries.end());
  out.warnings = part_data.all.warnings;
  for (const std::string& warning : whole_data.all.warnings) {
    if (std::find(out.warnings.begin(), out.warnings.end(), warning) == out.warnings.end()) {
      out.warnings.push_back(warning);
    }
  }
  out.part_rate = AskRate(source, request.part, &out.queries);
  out.whole_rate = AskRate(source, request.whole, &out.queries);
  out.inverted = Above(out.part.shown, out.whole.shown);
  out.rate_inverted = Above(out.part_rate, out.whole_rate);

  const Side part{part_group, part_data, request.part};
  const Side whole{whole_group, whole_data, request.whole};
  if (out.inverted) out.witness = FindWitness(part, whole);
  FindSameTail(part, whole, &out);
  WalkCases(source, part, whole, &out);
  return out;
}

}  // namespace schedlens
