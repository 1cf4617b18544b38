#include "diagnose/explain/quantile.h"

#include "base/not_finite.h"
#include "diagnose/collect/missing.h"
#include "promql/evaluate.h"
#include "promql/matcher.h"
#include "stats/significance.h"

namespace schedlens {
namespace {

using kube::Metric;

/// Both lists of matchers, without braces; either may be empty.
std::string JoinMatchers(const std::string& a, const std::string& b) {
  return a.empty() || b.empty() ? a + b : a + "," + b;
}

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
  if (v.inside_bucket) out.notes.push_back(InsideBucket(v, out.threshold));
  return out;
}

struct Plan {
  std::string family, selector;
  double q = 0.99;
  promql::Grouping grouping = promql::Grouping::kNone;
  std::vector<std::string> labels;
};

Plan PlanOf(const QuantileRequest& request) {
  Plan plan{FamilyOf(request.metric), request.selector, request.q.value_or(0.99), {}, {}};
  if (request.expression) {
    const promql::AlertExpression& alert = *request.expression;
    if (!alert.is_histogram_quantile || alert.family.empty()) {
      Raise(ErrorKind::kUsage, "{}: no histogram_quantile over a named metric in this expression",
            alert.expr);
    }
    if (alert.native) {
      Raise(ErrorKind::kUsage,
            "{}: native histograms have no buckets of their own to bracket with; ask for the "
            "classic series {}_bucket",
            alert.expr, alert.family);
    }
    if (!request.q && !alert.quantile) {
      Raise(ErrorKind::kUsage, "{}: q is no number; give it with -q", alert.quantile_expression);
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
  out.estimate = EstimateQuantile(group.children, out.proven);
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

/// The counters as they stand at the last scrape at or before `at`: one cell since process start.
ScrapeIncreases SinceStart(const HistogramSeries& series, TimeMs at) {
  ScrapeIncreases out;
  out.labels = series.labels;
  out.family = series.family;
  out.target = series.target;
  out.bounds = series.bounds;
  const auto it = std::ranges::upper_bound(series.times, at);
  if (it == series.times.begin()) return out;
  const auto row = static_cast<std::size_t>(it - series.times.begin()) - 1;
  double below = 0;
  for (const double count : series.Row(row)) {
    const double upto = std::isfinite(count) ? std::max(below, count) : below;
    out.buckets.push_back(upto - below);
    below = upto;
  }
  out.edges = {series.times[row] - 1, series.times[row]};
  out.sums = {series.sums[row]};
  out.reset = {false};
  out.torn = !WholeRow(series.Row(row));
  if (out.torn) {
    out.left_out = 1;
    out.raw_upto.assign(series.Row(row).begin(), series.Row(row).end());
  }
  out.count_at = {0, below};
  out.sum_at = {0, series.sums[row]};
  return out;
}

/// The children of a family that `want` accepts; none of a family without buckets.
std::vector<ScrapeIncreases> Cut(const StoreView& store, const FamilyWindow& asked,
                                 std::string_view family, const auto& want) {
  std::vector<ScrapeIncreases> out;
  for (const HistogramFacts* histogram : store.histograms) {
    for (const HistogramSeries& child : histogram->children) {
      if (child.family != family || !want(child.labels)) continue;
      ScrapeIncreases cells = asked.lifetime
                                  ? SinceStart(child, asked.window.end)
                                  : IncreasesIn(child, store.targets[child.target], asked.window);
      if (asked.inside) cells = CellsInside(cells, asked.window);
      if (cells.cells() > 0) out.push_back(std::move(cells));
    }
  }
  return out;
}

/// The part of a selector that names processes: `result="error"` fits no other family.
std::string ProcessSelector(const std::string& selector) {
  std::optional<std::vector<promql::Matcher>> matchers = promql::ParseMatchers(selector);
  if (!matchers) {
    Raise(ErrorKind::kUsage, "--selector: {} is not a list of matchers such as job=\"scheduler\"",
          selector);
  }
  const std::vector<std::string>& names = MeasurementLabels();
  std::erase_if(*matchers, [&](const promql::Matcher& m) {
    return std::ranges::find(names, m.name) != names.end();
  });
  return promql::MatchersToString({.name = {}, .matchers = std::move(*matchers), .shift = {}});
}

std::string FamilyQuery(std::string_view family, const std::string& matchers,
                        const std::string& window) {
  const std::string name = fmt::format("__name__=~\"{}_(bucket|sum|count)\"", family);
  return fmt::format("{{{}}}[{}]", JoinMatchers(name, matchers), window);
}

std::string MatchersOf(const AttemptClock& clock) {
  std::string text;
  for (const auto& [name, value] : clock.labels) {
    // A release without the label must still match.
    text = JoinMatchers(text, fmt::format("{}=~\"{}|\"", name, value));
  }
  return text;
}

/// How many scrapes have a `_count` that is not what the buckets hold.
double CountsThatDiffer(const HistogramSeries& series) {
  double differ = 0;
  for (std::size_t i = 0; i < series.times.size(); ++i) {
    const auto row = series.Row(i);
    differ += !std::isnan(series.counts[i]) && series.counts[i] != row.back() ? 1 : 0;
  }
  return differ;
}

Argument NameOf(const std::string& family, const Labels& labels) {
  return {"series", family + labels.ToString()};
}

/// Why there are no buckets in the request's window; empty where nothing is known.
Message WhyNothing(Source& source, const HistogramRequest& request) {
  std::vector<promql::Matcher> matchers =
      promql::ParseMatchers(request.selector).value_or(std::vector<promql::Matcher>());
  matchers.insert(matchers.begin(),
                  {promql::MatchOp::kEqual, std::string(kMetricName), request.family + "_bucket"});
  return WhyEmpty(source, matchers, request.window);
}

/// One line for each child with scrapes that were left out, and for each with counter resets.
std::vector<Message> OdditiesOf(const std::vector<ScrapeIncreases>& children) {
  std::vector<Message> lines;
  for (const ScrapeIncreases& child : children) {
    const Argument series = NameOf(child.family, child.labels);
    if (child.left_out > 0) {
      lines.push_back(
          Message(child.torn ? "samples.torn" : "samples.repaired",
                  {series, {"count", arg::Count(static_cast<double>(child.left_out))}}));
    }
    const auto resets = std::ranges::count(child.reset, true);
    if (resets > 0) {
      lines.push_back(
          Message("samples.resets", {series, {"count", arg::Count(static_cast<double>(resets))}}));
    }
  }
  return lines;
}

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
    Raise(ErrorKind::kInsufficientData,
          "{}: check metric, selector and window (schedlens doctor lists what there is)", nothing);
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

LinkedHistograms LinkHistograms(std::vector<ScrapeIncreases> children,
                                std::span<const std::vector<ScrapeIncreases>* const> others) {
  LinkedHistograms out;
  // One LinkedProcess for the bound attempts of each process, and one without links for the rest.
  std::map<std::pair<std::size_t, const AttemptClock*>, LinkedProcess> grouped;
  for (const ScrapeIncreases& child : children) {
    grouped[{child.target, ClockOf(child.family, child.labels)}].children.push_back(child);
  }
  for (auto& [key, process] : grouped) {
    const auto [target, clock] = key;
    const auto linked = clock == nullptr ? std::vector<const AttemptClock*>() : LinkedTo(*clock);
    for (const AttemptClock* other : linked) {
      Link link{std::string(other->name), other->reach > clock->reach, {}};
      for (const std::vector<ScrapeIncreases>* histogram : others) {
        for (const ScrapeIncreases& child : *histogram) {
          if (child.target == target && ClockOf(child.family, child.labels) == other) {
            link.children.push_back(child);
          }
        }
      }
      if (!link.children.empty()) process.links.push_back(std::move(link));
    }
    out.processes.push_back(std::move(process));
  }
  out.children = std::move(children);
  return out;
}

LinkedHistograms CutFamily(const StoreView& store, const FamilyWindow& asked) {
  auto children = Cut(store, asked, asked.family,
                      [&](const Labels& labels) { return promql::Accept(asked.matchers, labels); });
  std::vector<ScrapeIncreases> others;
  for (const AttemptClock* clock : LinkedToFamily(asked.family)) {
    auto linked = Cut(store, asked, clock->family, [&](const Labels& labels) {
      return ClockOf(clock->family, labels) == clock;
    });
    std::ranges::move(linked, std::back_inserter(others));
  }
  const std::vector<ScrapeIncreases>* const all[] = {&others};
  return LinkHistograms(std::move(children), all);
}

std::vector<HistogramGroup> GroupBy(const LinkedHistograms& all, promql::Grouping grouping,
                                    const std::vector<std::string>& labels) {
  const auto key = [&](const Labels& child) {
    if (grouping == promql::Grouping::kBy) return child.Only(labels).Without("le");
    if (grouping == promql::Grouping::kWithout) return child.Without(labels);
    return Labels();
  };
  std::map<Labels, HistogramGroup> groups;
  for (const LinkedProcess& process : all.processes) {
    std::map<Labels, LinkedProcess> parts;
    for (const ScrapeIncreases& child : process.children) {
      parts[key(child.labels)].children.push_back(child);
    }
    for (auto& [part_key, part] : parts) {
      part.links = process.links;
      HistogramGroup& group = groups[part_key];
      group.labels = part_key;
      group.children.insert(group.children.end(), part.children.begin(), part.children.end());
      group.processes.push_back(std::move(part));
    }
  }
  std::vector<HistogramGroup> out;
  for (auto& [labels_of, group] : groups) out.push_back(std::move(group));
  return out;
}

StoreView FetchedHistograms::View() const {
  StoreView view{targets, {}};
  for (const HistogramFacts& histogram : histograms) view.histograms.push_back(&histogram);
  return view;
}

FetchedHistograms FetchHistograms(Source& source, const HistogramRequest& request) {
  FetchedHistograms out;
  const std::int64_t length = request.lifetime
                                  ? promql::kLookbackMs
                                  : request.window.end - request.window.start + promql::kLookbackMs;
  const std::string window = FormatDuration(length);
  const std::string process_selector = ProcessSelector(request.selector);
  out.queries.push_back(FamilyQuery(request.family, request.selector, window));
  out.queries.push_back(
      fmt::format("{}{{{}}}[{}]", NameOf(Metric::kProcessStart), process_selector, window));
  for (const AttemptClock* clock : LinkedToFamily(request.family)) {
    out.queries.push_back(
        FamilyQuery(clock->family, JoinMatchers(MatchersOf(*clock), process_selector), window));
  }
  std::vector<Query> questions;
  for (const std::string& text : out.queries) {
    questions.push_back({text, request.window.end, request.window.end, 0});
  }
  const std::vector<Answer> answers = source.AskAll(questions);

  std::vector<const Series*> own;
  for (const Series& series : answers[0].series) own.push_back(&series);
  out.targets = TargetsOf(own);
  for (const Answer& answer : answers) AddToTargets(answer.series, &out.targets);
  AddNotes(answers[0], &out.warnings);
  out.histograms.push_back(GroupByTarget(answers[0].series, out.targets));
  const std::vector<Message>& oddities = out.histograms[0].warnings;
  out.warnings.insert(out.warnings.end(), oddities.begin(), oddities.end());
  for (const HistogramSeries& child : out.histograms[0].children) {
    if (const double differ = CountsThatDiffer(child); differ > 0) {
      out.warnings.push_back(Message("samples.count_differs", {NameOf(child.family, child.labels),
                                                               {"count", arg::Count(differ)}}));
    }
  }
  for (std::size_t i = 2; i < answers.size(); ++i) {
    out.histograms.push_back(GroupByTarget(answers[i].series, out.targets));
  }
  return out;
}

}  // namespace schedlens
