// Of whom a rule speaks, and the `for` of alerts.

#include "lint/checks.h"
#include "promql/alert_expression.h"

namespace schedlens::lint {
namespace {

constexpr char kCluster[] = "cluster";

/// The metric that other components have too; null for any other selector.
const MetricRow* SharedMetric(const Selector& selector) {
  const MetricRow* row = kube::FindMetric(selector.name);
  if (row == nullptr || selector.name.starts_with(kube::kOwnPrefix)) return nullptr;
  // One for each lease, and one for each component, that are there to be compared.
  const bool of_each = row->id == kube::Metric::kLeader || row->id == kube::Metric::kBuildInfo;
  return of_each ? nullptr : row;
}

/// topk() and bottomk() choose series and leave their labels.
bool KeepsLabels(const Aggregation& aggregation) {
  return aggregation.op == AggregateOp::kTopk || aggregation.op == AggregateOp::kBottomk;
}

/// Whether the labels kept tell the components apart: one of them is not the metric's own.
bool TellsApart(const Aggregation& aggregation, const MetricRow& row) {
  if (KeepsLabels(aggregation)) return true;
  if (aggregation.grouping == Grouping::kWithout) return !Contains(aggregation.labels, "job");
  const std::vector<std::string> own = kube::LabelsIn(row, std::nullopt);
  return std::ranges::any_of(aggregation.labels, [&](const std::string& label) {
    return label != kLe && label != kCluster && !Contains(own, label);
  });
}

/// The first shared metric below that no matcher and no grouping tells apart.
const Selector* FindMixed(const Expr& expr, bool dropped) {
  if (const auto* selector = expr.As<Selector>()) {
    const MetricRow* row = SharedMetric(*selector);
    if (!dropped || row == nullptr) return nullptr;
    const std::vector<std::string> own = kube::LabelsIn(*row, std::nullopt);
    const auto chooses_processes = [&](const Matcher& matcher) {
      return matcher.name != kMetricName && matcher.name != kCluster && matcher.name != kLe &&
             !Contains(own, matcher.name);
    };
    const auto& all = selector->matchers;
    return std::ranges::any_of(all, chooses_processes) ? nullptr : selector;
  }
  if (const auto* aggregation = expr.As<Aggregation>()) {
    dropped = dropped || FindNode<Selector>(expr, [&](const Selector& selector) {
                const MetricRow* row = SharedMetric(selector);
                return row != nullptr && !TellsApart(*aggregation, *row);
              });
  }
  for (const Expr* child : Children(expr)) {
    if (const Selector* found = FindMixed(*child, dropped)) return found;
  }
  return nullptr;
}

/// Whether all that is below is of kube-scheduler, and no matcher chooses one cluster.
bool IsOfAnyCluster(const Expr& expr) {
  bool own = false, other = false;
  for (const Selector* selector : NodesOf<Selector>(expr)) {
    const bool scheduler = selector->name.starts_with(kube::kOwnPrefix);
    const bool chosen =
        std::ranges::any_of(selector->matchers, [](const auto& m) { return m.name == kCluster; });
    (scheduler && !chosen ? own : other) = true;
  }
  return own && !other;
}

bool DropsCluster(const Aggregation& aggregation) {
  const auto& labels = aggregation.labels;
  if (KeepsLabels(aggregation) || AnyVariable(labels)) return false;
  return Contains(labels, kCluster) == (aggregation.grouping == Grouping::kWithout);
}

void KeepCluster(Aggregation& aggregation) {
  auto& labels = aggregation.labels;
  if (aggregation.grouping == Grouping::kWithout) {
    std::erase(labels, kCluster);
  } else {
    aggregation.grouping = Grouping::kBy;
    labels.insert(labels.begin(), kCluster);
  }
}

}  // namespace

void JudgeFor(const LintRule& rule, const LintNote& note) {
  if (!rule.alerting || !rule.interval_ms || *rule.interval_ms <= 0 || rule.for_ms <= 0) return;
  const std::int64_t least = 2 * *rule.interval_ms;
  if (rule.for_ms >= least) return;
  note("short-for",
       Message("lint.for", {{"for", arg::Duration(MsToSeconds(rule.for_ms))},
                            {"interval", arg::Duration(MsToSeconds(*rule.interval_ms))}}),
       Message("lint.for.fix", {{"for", arg::Duration(MsToSeconds(least))}}));
}

void JudgeJobs(const LintRule& rule, const Expr& tree, const LintNote& note) {
  if (!rule.alerting) return;
  const Selector* mixed = FindMixed(tree, false);
  if (mixed == nullptr) return;
  note("mixed-jobs", About("lint.jobs", mixed->name), Message("lint.jobs.fix"));
}

bool AreOfSeveralClusters(const std::vector<ExprPtr>& rules) {
  return std::ranges::any_of(rules, [](const ExprPtr& tree) {
    return FindNode<Aggregation>(*tree, [](const Aggregation& aggregation) {
      return aggregation.grouping == Grouping::kBy && Contains(aggregation.labels, kCluster) &&
             promql::IsAboutScheduler(*aggregation.expr);
    });
  });
}

ExprPtr FixClusters(const ExprPtr& tree, const LintNote& note) {
  bool noted = false;
  const auto matches_by_name = [](const Binary& binary) {
    return binary.matching.on || !binary.matching.labels.empty();
  };
  const bool fixable = IsOfAnyCluster(*tree) && !FindNode<Binary>(*tree, matches_by_name);
  return Rewrite(tree, [&](Expr& node) {
    auto* aggregation = std::get_if<Aggregation>(&node.node);
    if (aggregation == nullptr || !DropsCluster(*aggregation) ||
        !IsOfAnyCluster(*aggregation->expr)) {
      return;
    }
    if (!noted) {
      note("cluster-dropped",
           Message("lint.cluster", {{"aggregation", std::string(ToString(aggregation->op))}}),
           Message("lint.cluster.fix"));
    }
    noted = true;
    if (fixable) KeepCluster(*aggregation);
  });
}

}  // namespace schedlens::lint
