#include "cli/commands/diagnose_by.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <exception>
#include <mutex>
#include <set>
#include <thread>
#include <tuple>
#include <vector>

#include "analysis/alert/target.h"
#include "analysis/diagnose/severity.h"
#include "contract/notes.h"
#include "promql/alert_expression.h"
#include "promql/parser.h"
#include "promql/rewrite.h"
#include "schedlens/error.h"
#include "source/by_label/aggregated_question.h"
#include "source/by_label/by_label.h"
#include "source/by_label/one_replica.h"
#include "source/capture/recording.h"

namespace schedlens {

void SideBySide(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> failed = false;
  std::vector<std::exception_ptr> thrown(count);
  const auto run = [&] {
    for (std::size_t i = next++; i < count && !failed; i = next++) {
      try {
        work(i);
      } catch (...) {
        thrown[i] = std::current_exception();
        failed = true;
      }
    }
  };
  const std::size_t threads =
      std::min({count, kMostSideBySide, std::size_t{std::thread::hardware_concurrency()}});
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < threads; ++i) others.emplace_back(run);
    run();
  }
  for (const std::exception_ptr& one : thrown) {
    if (one) std::rethrow_exception(one);
  }
}

namespace {

/// So many values with restarts are queried for their own samples, those first whose sums lose the
/// most columns. The rest use sums, to keep the queries few.
constexpr std::size_t kMostAskedAlone = 8;

void CheckLabelName(const std::string& label) {
  const bool good = !label.empty() && std::isdigit(static_cast<unsigned char>(label[0])) == 0 &&
                    std::all_of(label.begin(), label.end(),
                                [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
  if (!good) {
    throw Error(ErrorKind::kUsage, "--by: expected the name of a label, such as cluster");
  }
}

/// The alert's expression, or each wording of the default question, with the label kept.
std::vector<std::string> AlertExpressions(const DiagnoseRequest& request, const QuerySet& queries,
                                          const std::string& label) {
  std::vector<std::string> expressions;
  if (!request.alert_expr.empty()) {
    return {KeepingLabel(NarrowedExpression(request.alert_expr, request.selector), label)};
  }
  for (const std::string& statement : queries.Get("alert").statements) {
    expressions.push_back(KeepingLabel(Substitute(statement, request.selector, "5m"), label));
  }
  return expressions;
}

LabelPlan PlanFor(const std::string& label, const DiagnoseRequest& request, const TimeRange& range,
                  const std::vector<std::string>& expressions) {
  LabelPlan plan;
  plan.label = label;
  plan.selector = request.selector;
  plan.range = range;
  plan.window = request.window;
  for (const std::string& expression : expressions) {
    plan.kept.merge(LabelsOf(expression));
    const auto alert = promql::ParseAlertExpression(expression);
    // The whole and what it compares as well, where it is a condition.
    std::set<std::string> asked = {alert.compared_expression, alert.quantile_expression};
    if (!alert.comparison.empty()) asked.insert(alert.expr);
    asked.erase("");
    plan.expressions.insert(plan.expressions.end(), asked.begin(), asked.end());
  }
  return plan;
}

/// Leaves out what a second replica of Prometheus scraped, and says so.
std::vector<Message> CountOnce(Source& source, const std::string& label, const TimeRange& range,
                               DiagnoseRequest* request) {
  const auto replica = FindOneReplica(source, request->selector, range);
  if (!replica || replica->label == label) return {};
  request->selector = JoinedSelector(request->selector,
                                     {{promql::MatchOp::kEqual, replica->label, replica->value}});
  return {Message("by_label.one_replica", {{"count", arg::Count(replica->processes)},
                                           {"label", replica->label},
                                           {"value", replica->value}})};
}

/// Of several wordings the one whose metric this part has.
std::string ExpressionWithData(const std::vector<std::string>& expressions, Source& source,
                               const TimeRange& range) {
  for (const std::string& expression : expressions) {
    const std::string value = promql::ParseAlertExpression(expression).compared_expression;
    if (!source.Ask({value, range.start, range.end, 1000}).series.empty()) return expression;
  }
  return expressions.front();
}

/// The expression for the series of one value only.
std::string ForValue(const std::string& expression, const std::string& label,
                     const std::string& value) {
  const promql::ExprPtr tree = promql::Rewrite(promql::Parse(expression), [&](promql::Expr& node) {
    auto* selector = std::get_if<promql::Selector>(&node.node);
    if (selector != nullptr) {
      selector->matchers.push_back({promql::MatchOp::kEqual, label, value});
    }
  });
  return promql::ToString(*tree);
}

/// The matchers of one value's schedulers, without braces.
std::string SelectorForValue(const std::string& selector, const std::string& label,
                             const std::string& value) {
  const std::string one = ForValue("x{" + selector + "}", label, value);
  return one.substr(2, one.size() - 3);
}

/// Which slices are queried for their own samples.
std::vector<bool> AskedAlone(const std::vector<LabelSlice>& slices) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    if (!slices[i].lost.empty()) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return slices[a].lost.size() > slices[b].lost.size();
  });
  std::vector<bool> alone(slices.size(), false);
  for (std::size_t i = 0; i < std::min(order.size(), kMostAskedAlone); ++i) alone[order[i]] = true;
  return alone;
}

/// How much of the window the columns cover, in percent.
double PercentLost(const std::vector<TimeRange>& lost, const TimeRange& window) {
  TimeMs sum = 0;
  for (const TimeRange& column : lost) {
    sum += std::max<TimeMs>(
        0, std::min(column.end, window.end) - std::max(column.start, window.start));
  }
  return 100.0 * static_cast<double>(sum) /
         static_cast<double>(std::max<TimeMs>(1, window.end - window.start));
}

/// How one value's part is diagnosed; by several threads at a time.
struct PartDiagnosis {
  const std::string& label;
  const DiagnoseRequest& request;  ///< of all values
  const TimeRange& range;
  const std::vector<std::string>& expressions;
  const QuerySet& queries;
  Source& all;
  std::mutex asking = {};  ///< `all` answers one thread at a time

  std::string SelectorOf(const std::string& value) const {
    return SelectorForValue(request.selector, label, value);
  }
  /// From the slice's sums, or from its own samples where it is queried `alone`.
  Investigation Investigated(const LabelSlice& slice, bool alone);
};

Investigation PartDiagnosis::Investigated(const LabelSlice& slice, bool alone) {
  DiagnoseRequest each = request;
  each.firing = {};        // a part has its own label, and nothing of instances
  each.recompute = false;  // the server's value is of raw samples, a part has their sums
  each.alert_expr = ExpressionWithData(expressions, *slice.source, range);
  Investigation found;
  if (alone) {
    each.selector = SelectorOf(slice.value);
    each.alert_expr = ForValue(each.alert_expr, label, slice.value);
    const std::lock_guard lock(asking);
    found = Investigate(all, queries, each);
  } else {
    found = Investigate(*slice.source, queries, each);
  }
  Diagnosis& diagnosis = found.diagnosis;
  if (request.alert_expr.empty() && diagnosis.alert) diagnosis.alert->given = false;
  if (alone) {
    diagnosis.warnings.push_back(Message("by_label.asked_alone", {{"value", slice.value}}));
  } else if (!slice.lost.empty()) {
    const double percent = PercentLost(slice.lost, diagnosis.window);
    diagnosis.warnings.push_back(
        Message("by_label.lost", {{"percent", arg::Number(percent)},
                                  {"value", slice.value},
                                  {"count", arg::Count(kMostAskedAlone)},
                                  {"selector", arg::Promql(SelectorOf(slice.value))}}));
  }
  return found;
}

bool IsListedBefore(const DiagnosedPart& a, const DiagnosedPart& b) {
  const auto key = [](const DiagnosedPart& part) {
    const Diagnosis& d = part.diagnosis;
    const double shown = d.alert && d.alert->shown ? *d.alert->shown : 0;
    return std::make_tuple(SeverityRank(d.verdict), -shown, part.value);
  };
  return key(a) < key(b);
}

}  // namespace

SplitDiagnosis DiagnoseBy(const std::string& label, const InvestigateOptions& options,
                          const QuerySet& queries, const CompleteDiagnosis& complete,
                          const Context& context) {
  CheckLabelName(label);
  Progress progress(context.err);
  AskedInvestigation asked = OpenAsAsked(options, &progress);
  DiagnoseRequest& request = asked.request;
  const SourceInfo info = asked.source->Describe();
  TimeRange range = RangeToFetch(request, info);
  range.end = std::min(range.end, info.extent ? info.extent->end : Now());
  if (request.selector.empty()) request.selector = FindSchedulers(*asked.source, range);
  std::vector<Message> notes = CountOnce(*asked.source, label, range, &request);
  if (asked.alert) AddNew(asked.alert->notes, &notes);
  const std::vector<std::string> expressions = AlertExpressions(request, queries, label);
  std::vector<LabelSlice> slices =
      SplitByLabel(*asked.source, queries, PlanFor(label, request, range, expressions));
  if (slices.empty()) {
    throw Error(ErrorKind::kInsufficientData,
                "no kube-scheduler metrics were found here: run `schedlens doctor` with the same "
                "source to see what it has");
  }
  PartDiagnosis part{label, request, range, expressions, queries, *asked.source};
  const std::vector<bool> asked_alone = AskedAlone(slices);
  SplitDiagnosis split{.label = label, .parts = std::vector<DiagnosedPart>(slices.size())};
  std::mutex one_at_a_time;
  std::size_t begun = 0;
  SideBySide(slices.size(), [&](std::size_t i) {
    {
      const std::lock_guard lock(one_at_a_time);
      progress.Show("diagnosing", ++begun, slices.size(), slices[i].value);
    }
    Investigation found = part.Investigated(slices[i], asked_alone[i]);
    AddNew(notes, &found.diagnosis.warnings);
    slices[i].source.reset();
    split.parts[i] = {slices[i].value,
                      complete(std::move(found), part.SelectorOf(slices[i].value))};
  });
  std::sort(split.parts.begin(), split.parts.end(), IsListedBefore);
  return split;
}

}  // namespace schedlens
