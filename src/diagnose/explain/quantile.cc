#include "diagnose/explain/quantile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>

#include "base/text.h"
#include "kube/words.h"
#include "schedlens/error.h"
#include "stats/not_finite.h"
#include "stats/significance.h"

namespace schedlens {
namespace {

std::vector<BucketCount> CountsOf(std::span<const ScrapeIncreases> children) {
  std::vector<BucketCount> out;
  if (children.empty() || !SameLayout(children)) return out;
  const std::vector<double> bounds = UnionOfBounds(children);
  std::vector<double> counts(bounds.size(), 0.0);
  for (const ScrapeIncreases& child : children) {
    const std::vector<double> total = TotalBuckets(child);
    for (std::size_t b = 0; b < total.size() && b < counts.size(); ++b) counts[b] += total[b];
  }
  for (std::size_t b = 0; b < bounds.size(); ++b) {
    out.push_back({LowerEdge(bounds, b), bounds[b], counts[b]});
  }
  return out;
}

void ExplainShown(const ClassicQuantile& server, const ProvenQuantile& proven,
                  std::vector<Message>* reasons) {
  const Interval& bucket = proven.proof.bucket;
  if (server.forced_monotonic && std::isfinite(server.forced_drop)) {
    reasons->push_back(Message("reason.forced", {{"low", arg::Duration(server.forced_low)},
                                                 {"high", arg::Duration(server.forced_high)},
                                                 {"drop", arg::Count(server.forced_drop)}}));
  }
  if (server.place == ClassicQuantile::Place::kInside && bucket.low && bucket.high) {
    reasons->push_back(Message("reason.interpolated", {{"low", arg::Duration(*bucket.low)},
                                                       {"high", arg::Duration(*bucket.high)}}));
  }
}

/// One quantile over attempts that ended differently answers no question about either kind.
void ExplainMixedResults(std::span<const ScrapeIncreases> children, std::vector<Message>* reasons) {
  std::map<std::string, double> by_result;
  for (const ScrapeIncreases& child : children) {
    const std::string result(child.labels.Get("result"));
    if (const double n = TotalCount(child); n > 0 && !result.empty()) by_result[result] += n;
  }
  if (by_result.size() < 2) return;
  std::vector<Message> results;
  for (const auto& [result, n] : by_result) {
    results.push_back(Message("reason.result", {{"result", result}, {"count", arg::Count(n)}}));
  }
  reasons->push_back(Message("reason.mixed_results", {{"results", std::move(results)}}));
}

/// With the nearest thresholds that can be decided.
Message InsideBucket(const ThresholdVerdict& v, double threshold) {
  Message note("alert.inside", {{"threshold", arg::Duration(threshold)}});
  if (v.decidable_below && v.decidable_above) {
    note.id = "alert.inside.two";
    note.args.push_back({"one", arg::Duration(*v.decidable_below)});
    note.args.push_back({"other", arg::Duration(*v.decidable_above)});
  } else if (v.decidable_below || v.decidable_above) {
    note.id = "alert.inside.one";
    note.args.push_back(
        {"one", arg::Duration(v.decidable_below ? *v.decidable_below : *v.decidable_above)});
  }
  return note;
}

ThresholdExplanation ExplainThreshold(const HistogramGroup& group, double q,
                                      const promql::AlertExpression& alert) {
  ThresholdExplanation out;
  out.comparison = alert.comparison;
  out.threshold = *alert.threshold;
  out.verdict = JudgeThreshold(group.processes, q, out.threshold, out.comparison);
  const ThresholdVerdict& v = out.verdict;
  if (v.can_never_fire) {
    out.notes.push_back(Message("alert.never", {{"bound", arg::Duration(*v.top_bound)}}));
  }
  if (v.inside_bucket) {
    out.notes.push_back(InsideBucket(v, out.threshold));
  }
  return out;
}

struct Plan {
  std::string family;
  std::string selector;
  double q = 0.99;
  promql::Grouping grouping = promql::Grouping::kNone;
  std::vector<std::string> labels;
};

Plan PlanOf(const QuantileRequest& request) {
  Plan plan{FamilyOf(request.metric), request.selector, request.q.value_or(0.99), {}, {}};
  if (request.expression) {
    const promql::AlertExpression& alert = *request.expression;
    if (!alert.is_histogram_quantile || alert.family.empty()) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{}: no histogram_quantile over a named metric in this expression",
                              alert.expr));
    }
    if (alert.native) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{}: native histograms have no buckets of their own to bracket with; "
                              "ask for the classic series {}_bucket",
                              alert.expr, alert.family));
    }
    if (!request.q && !alert.quantile) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{}: q is no number; give it with -q", alert.quantile_expression));
    }
    plan.family = alert.family;
    plan.selector = JoinMatchers(alert.selector, request.selector);
    plan.q = request.q.value_or(alert.quantile.value_or(0.99));
    // Without an aggregation every child is a quantile of its own.
    plan.grouping = alert.aggregations.empty() ? promql::Grouping::kWithout : alert.grouping;
    plan.labels = alert.grouping == promql::Grouping::kBy ? alert.by : alert.without;
  }
  if (plan.family.empty()) throw Error(ErrorKind::kUsage, "which metric? give a histogram family");
  if (std::isnan(plan.q)) throw Error(ErrorKind::kUsage, "-q NaN: give a number from 0 to 1");
  return plan;
}

/// The request's window of a store, of the children that its matchers accept.
LinkedHistograms CutPlan(const StoreView& store, const Plan& plan, const QuantileRequest& request,
                         std::vector<promql::Matcher> matchers = {}) {
  return CutFamily(
      store, {plan.family, std::move(matchers), request.window, request.lifetime, request.inside});
}

QuantileExplanation Explain(const HistogramGroup& group, ProvenQuantile proven,
                            const std::string& family, double q, const Semantics& semantics) {
  QuantileExplanation out;
  out.metric = family;
  out.labels = group.labels;
  out.q = q;
  const ClassicQuantile server = ServerQuantile(group.children, q, semantics);
  if (!std::isnan(server.value)) out.shown = server.value;
  out.proven = std::move(proven);
  out.estimate = EstimateQuantile(group.children, out.proven, q);
  out.sampling = SamplingInterval(group.children, q);
  out.buckets = CountsOf(group.children);
  ExplainShown(server, out.proven, &out.reasons);
  const double n = out.proven.observations;
  if (q < 1 && n > 0 && out.proven.rank >= n) {
    out.reasons.push_back(Message("reason.slowest", {{"count", arg::Count(n)}}));
  }
  ExplainMixedResults(group.children, &out.reasons);
  out.reasons.insert(out.reasons.end(), out.proven.reasons.begin(), out.proven.reasons.end());
  if (out.proven.basis.empty()) return out;
  // Beyond 2^53, and for fractions, there are no ranks to count.
  if (n == std::floor(n) && n < kMostCounted && !out.sampling.high && q > 0 && q < 1) {
    out.reasons.push_back(Message("reason.few", {{"count", arg::Count(n)}, {"q", arg::Share(q)}}));
  }
  return out;
}

/// One explanation a group, the highest value first.
std::vector<QuantileExplanation> ExplainGroups(const std::vector<HistogramGroup>& groups,
                                               const Plan& plan, const QuantileRequest& request) {
  std::vector<QuantileExplanation> rows;
  for (const HistogramGroup& group : groups) {
    rows.push_back(ExplainGroup(group, plan.family, plan.q, request.semantics));
    if (request.expression && request.expression->threshold) {
      rows.back().threshold = ExplainThreshold(group, plan.q, *request.expression);
    }
  }
  std::ranges::stable_sort(rows, [](const auto& a, const auto& b) {
    return a.shown.value_or(-HUGE_VAL) > b.shown.value_or(-HUGE_VAL);
  });
  return rows;
}

std::vector<Bucket> SumByLe(std::span<const ScrapeIncreases> children) {
  std::map<double, double> summed;
  for (const ScrapeIncreases& child : children) {
    for (std::size_t b = 0; b < child.raw_upto.size(); ++b) {
      summed[child.bounds[b]] += child.raw_upto[b];
    }
    if (child.torn) continue;
    double upto = 0;
    const std::vector<double> total = TotalBuckets(child);
    for (std::size_t b = 0; b < total.size(); ++b) {
      upto += total[b];
      summed[child.bounds[b]] += upto;
    }
  }
  std::vector<Bucket> buckets;
  for (const auto& [bound, count] : summed) buckets.push_back({bound, count});
  return buckets;
}

constexpr double kQuantiles[] = {0.5, 0.9, 0.99, 0.999};

}  // namespace

std::vector<QuantileExplanation> ExplainGroup(const HistogramGroup& group,
                                              const std::string& family, std::span<const double> qs,
                                              const Semantics& semantics) {
  std::vector<ProvenQuantile> proven = ProveLinked(group.processes, qs);
  std::vector<QuantileExplanation> out;
  for (std::size_t i = 0; i < qs.size(); ++i) {
    out.push_back(Explain(group, std::move(proven[i]), family, qs[i], semantics));
  }
  return out;
}

QuantileExplanation ExplainGroup(const HistogramGroup& group, const std::string& family, double q,
                                 const Semantics& semantics) {
  return std::move(ExplainGroup(group, family, std::span(&q, 1), semantics).front());
}

FetchedHistograms FetchFor(Source& source, const QuantileRequest& request) {
  const Plan plan = PlanOf(request);
  const HistogramRequest asked{plan.family, plan.selector, request.window, request.lifetime};
  FetchedHistograms fetched = FetchHistograms(source, asked);
  if (CutPlan(fetched.View(), plan, request).children.empty()) {
    fetched.nothing = WhyNothing(source, asked);
  }
  return fetched;
}

QuantileGroups GroupsOf(const FetchedHistograms& fetched, const QuantileRequest& request) {
  const Plan plan = PlanOf(request);
  QuantileGroups out;
  out.family = plan.family;
  out.selector = plan.selector;
  out.q = plan.q;
  out.warnings = fetched.warnings;
  out.queries = fetched.queries;
  out.all = CutPlan(fetched.View(), plan, request);
  if (out.all.children.empty()) {
    const std::string nothing =
        fmt::format("{}_bucket{} has no samples in {} .. {}", plan.family,
                    plan.selector.empty() ? "" : fmt::format("{{{}}}", plan.selector),
                    FormatTime(request.window.start), FormatTime(request.window.end));
    if (!fetched.nothing.empty()) {
      throw ReasonedError(ErrorKind::kInsufficientData, nothing, fetched.nothing);
    }
    if (!out.warnings.empty()) {
      throw ReasonedError(ErrorKind::kInsufficientData, nothing, out.warnings.front());
    }
    throw Error(ErrorKind::kInsufficientData,
                nothing +
                    ": check metric, selector and window (schedlens doctor lists what there "
                    "is)");
  }
  for (Message& line : OdditiesOf(out.all.children)) out.warnings.push_back(std::move(line));
  out.seen = {INT64_MAX, INT64_MIN};
  for (const ScrapeIncreases& child : out.all.children) {
    out.torn_scrapes += child.left_out;
    out.seen.start = std::min(out.seen.start, child.edges.front());
    out.seen.end = std::max(out.seen.end, child.edges.back());
  }
  out.groups = GroupBy(out.all, plan.grouping, plan.labels);
  return out;
}

std::vector<QuantileExplanation> ExplainInStore(const StoreView& store,
                                                const QuantileRequest& request) {
  const Plan plan = PlanOf(request);
  std::vector<promql::Matcher> matchers;
  if (request.expression) matchers = request.expression->matchers;
  const LinkedHistograms all = CutPlan(store, plan, request, std::move(matchers));
  return ExplainGroups(GroupBy(all, plan.grouping, plan.labels), plan, request);
}

QuantileReport ExplainQuantile(Source& source, const QuantileRequest& request) {
  const QuantileGroups found = GroupsOf(FetchFor(source, request), request);
  QuantileReport report;
  report.window = request.window;
  report.seen = found.seen;
  report.warnings = found.warnings;
  report.queries = found.queries;
  report.rows = ExplainGroups(found.groups, PlanOf(request), request);
  return report;
}

QuantileRow RowOf(const QuantileExplanation& explanation) {
  QuantileRow row;
  row.metric = explanation.metric;
  for (const auto& [name, value] : explanation.labels) row.labels.emplace_back(name, value);
  row.q = explanation.q;
  row.shown = explanation.shown;
  row.interval = explanation.proven.proof.interval;
  row.interval_basis = explanation.proven.basis;
  row.estimate = explanation.estimate;
  row.sampling_interval = explanation.sampling;
  row.reasons = explanation.reasons;
  return row;
}

std::string ExpressionFor(const QuantileRequest& request) {
  const std::int64_t length =
      std::max<std::int64_t>(1000, request.window.end - request.window.start);
  return fmt::format("histogram_quantile({}, sum by (le) (rate({}_bucket{{{}}}[{}])))",
                     FormatNumber(request.q.value_or(0.99)), FamilyOf(request.metric),
                     request.selector, FormatDuration(length));
}

ClassicQuantile ServerQuantile(std::span<const ScrapeIncreases> children, double q,
                               const Semantics& semantics) {
  return QuantileOfBuckets(q, SumByLe(children), semantics);
}

std::vector<QuantileRow> QuantileRows(const Histograms& histograms, const WindowIncreases& cells,
                                      const Semantics& semantics) {
  const std::vector<ScrapeIncreases>* const all[] = {&cells.attempt,        &cells.algorithm,
                                                     &cells.binding,        &cells.extension_point,
                                                     &cells.pod_scheduling, &cells.superseded};
  std::vector<QuantileRow> rows;
  // Of the children of the histogram's family that have the label's value; of all without a label.
  const auto add = [&](const HistogramFacts& histogram, const std::vector<ScrapeIncreases>& found,
                       const std::vector<std::string>& by, std::string_view value = "") {
    if (histogram.family.empty()) return;  // composed of others, without buckets
    std::vector<ScrapeIncreases> children;
    for (const ScrapeIncreases* child : Select(found, value.empty() ? "" : by[0], value)) {
      if (child->family == histogram.family) children.push_back(*child);
    }
    const LinkedHistograms linked = LinkHistograms(std::move(children), all);
    for (const HistogramGroup& group : GroupBy(linked, promql::Grouping::kBy, by)) {
      for (const auto& explained : ExplainGroup(group, histogram.family, kQuantiles, semantics)) {
        rows.push_back(RowOf(explained));
      }
    }
  };
  add(histograms.attempt, cells.attempt, {"result"});
  add(histograms.algorithm, cells.algorithm, {});
  add(histograms.binding, cells.binding, {});
  add(histograms.extension_point, cells.extension_point, {"extension_point"},
      ToString(kube::ExtensionPoint::kBind));
  return rows;
}

}  // namespace schedlens
