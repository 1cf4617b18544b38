// Rates, sums, counts and ratios; of whom a rule speaks, and the `for` of alerts.

#include <fmt/format.h>

#include <variant>

#include "base/series.h"
#include "base/text.h"
#include "lint/checks.h"
#include "promql/alert_expression.h"

namespace schedlens::lint {
namespace {

bool IsRate(const Function& function) { return function.Is({"rate", "irate", "rate_prometheus"}); }

bool IsIncrease(const Function& function) {
  return function.Is({"increase", "increase_prometheus"});
}

/// The function of gauges in place of one of counters, and the other way round; empty for others.
const char* OfGauges(const Function& function) {
  return IsRate(function) ? "deriv" : IsIncrease(function) ? "delta" : "";
}

const char* OfCounters(const Function& function) {
  if (function.Is({"delta", "delta_prometheus"})) return "increase";
  if (function.Is({"idelta"})) return "irate";
  return function.Is({"deriv"}) ? "rate" : "";
}

bool HasSelector(const Expr& expr) { return FindNode<Selector>(expr) != nullptr; }

/// A sum of counters as they stand.
struct RawSum {
  const Aggregation* sum = nullptr;
  const Selector* counter = nullptr;
};

RawSum RawSumIn(const Expr& expr) {
  const auto* sum = WithoutParens(expr).As<Aggregation>();
  if (sum == nullptr || (sum->op != AggregateOp::kSum && sum->op != AggregateOp::kAvg)) return {};
  const auto* counter = WithoutParens(*sum->expr).As<Selector>();
  if (counter == nullptr || counter->range_ms > 0) return {};
  const bool counts =
      KindOfSeries(counter->name) == SeriesKind::kCounter ||
      (KindOfSeries(counter->name) == SeriesKind::kUnknown && IsCounterName(counter->name));
  return counts ? RawSum{sum, counter} : RawSum{};
}

/// Gives the raw counters of one comparison their rate.
struct RawCounters {
  std::int64_t window_ms;
  const LintNote& note;

  ExprPtr Fix(const ExprPtr& expr, bool ratio) const {
    Expr copy = *expr;
    if (const auto* selector = copy.As<Selector>()) return FixSelector(expr, *selector, ratio);
    if (auto* paren = std::get_if<promql::Paren>(&copy.node)) {
      paren->expr = Fix(paren->expr, ratio);
    } else if (auto* unary = std::get_if<promql::Unary>(&copy.node)) {
      unary->expr = Fix(unary->expr, ratio);
    } else if (auto* aggregation = std::get_if<Aggregation>(&copy.node)) {
      if (!KeepsValues(aggregation->op)) return expr;
      aggregation->expr = Fix(aggregation->expr, ratio);
    } else if (auto* call = std::get_if<Call>(&copy.node)) {
      if (!KeepsValues(*call->function)) return expr;
      call->args[0] = Fix(call->args[0], ratio);
    } else if (auto* binary = std::get_if<Binary>(&copy.node)) {
      FixSides(*binary, ratio);
    } else {
      return expr;
    }
    return std::make_shared<const Expr>(std::move(copy));
  }

  static bool KeepsValues(AggregateOp op) {
    return op != AggregateOp::kCount && op != AggregateOp::kGroup &&
           op != AggregateOp::kCountValues;
  }

  static bool KeepsValues(const Function& function) {
    return function.Is({"abs", "ceil", "floor", "round", "scalar", "sort", "sort_desc",
                        "label_replace", "label_join"});
  }

  void FixSides(Binary& binary, bool ratio) const {
    // A counter minus what it was is an increase made by hand; a comparison is judged by itself.
    if (binary.op == BinaryOp::kSub || IsComparison(binary.op)) return;
    const bool left = HasSelector(*binary.lhs), right = HasSelector(*binary.rhs);
    const bool inner = ratio || (binary.op == BinaryOp::kDiv && left && right);
    if (left) binary.lhs = Fix(binary.lhs, inner);
    const bool only_there = binary.op == BinaryOp::kAnd || binary.op == BinaryOp::kUnless;
    if (right && !only_there) binary.rhs = Fix(binary.rhs, inner);
  }

  ExprPtr FixSelector(const ExprPtr& expr, const Selector& selector, bool ratio) const {
    if (selector.range_ms > 0 || KindOfOwnSeries(selector.name) != SeriesKind::kCounter) {
      return expr;
    }
    Selector ranged = selector;
    ranged.range_ms = window_ms;
    const char* function = ratio ? "rate" : "increase";
    note("counter-without-rate", Message("lint.counter", {{"metric", arg::Metric(selector.name)}}),
         WriteInstead(CallText(function, ranged)));
    return CallOf(function, ranged);
  }
};

/// Comparisons of a counter that ask whether there is something, not how much.
struct Conditions {
  using Places = std::set<std::pair<std::size_t, std::size_t>>;
  Places behind, beside;

  explicit Conditions(const Expr& tree) {
    const auto add = [](const Expr& side, Places* places) {
      Walk(side, [&](const Expr& node) { places->emplace(node.begin, node.end); });
    };
    Walk(tree, [&](const Expr& node) {
      const auto* binary = node.As<Binary>();
      if (binary == nullptr) return;
      const bool both = binary->op == BinaryOp::kAnd;
      if (!both && binary->op != BinaryOp::kUnless) return;
      add(*binary->rhs, &behind);
      if (both) add(*binary->lhs, &beside);
    });
  }

  /// `x == 0`, what stands behind `and` or `unless`, and `x > 0 and ...`.
  bool Excuse(const Expr& node, const Binary& comparison, const Expr& limit) const {
    const auto* number = WithoutParens(limit).As<NumberLiteral>();
    const bool zero = number != nullptr && number->value == 0;
    if (comparison.op == BinaryOp::kEqual && zero) return true;
    const std::pair place(node.begin, node.end);
    if (node.end == node.begin) return false;
    return behind.count(place) > 0 || (zero && beside.count(place) > 0);
  }
};

/// Whether `count OP number` asks for a count below 1.
bool AsksForNone(BinaryOp op, double number) {
  return (op == BinaryOp::kEqual && number == 0) ||
         (op == BinaryOp::kLess && number > 0 && number <= 1) ||
         (op == BinaryOp::kLessEqual && number >= 0 && number < 1);
}

/// Of the scheduler's own metrics, or with a `job` that is called after it.
bool IsOfScheduler(const Expr& expr) {
  return FindNode<Selector>(expr, [](const Selector& selector) {
    return selector.name.starts_with(kube::kOwnPrefix) || HasJobOf(selector, "scheduler");
  });
}

constexpr char kPlugin[] = "plugin";

/// Series as they stand or under one function, scaled by numbers at most: their labels are all
/// there.
struct PlainSeries {
  ExprPtr expr;
  const Call* call = nullptr;
  const Selector* selector = nullptr;
};

PlainSeries PlainSeriesIn(const ExprPtr& expr) {
  if (const auto* paren = expr->As<promql::Paren>()) return PlainSeriesIn(paren->expr);
  if (const auto* binary = expr->As<Binary>()) {
    if (binary->op != BinaryOp::kMul && binary->op != BinaryOp::kDiv) return {};
    if (binary->rhs->As<NumberLiteral>() != nullptr) return PlainSeriesIn(binary->lhs);
    if (binary->op == BinaryOp::kMul && binary->lhs->As<NumberLiteral>() != nullptr) {
      return PlainSeriesIn(binary->rhs);
    }
    return {};
  }
  if (const auto* selector = expr->As<Selector>()) return {expr, nullptr, selector};
  const auto* call = expr->As<Call>();
  if (call == nullptr || call->args.size() != 1) return {};
  return {expr, call, WithoutParens(*call->args[0]).As<Selector>()};
}

bool Has(const Selector& selector, const Matcher& matcher) {
  return std::ranges::find(selector.matchers, matcher) != selector.matchers.end();
}

/// The labels that choose the part of the whole; nothing where it is no part of it.
std::optional<std::vector<std::string>> Choosing(const PlainSeries& part,
                                                 const PlainSeries& whole) {
  if (part.selector == nullptr || whole.selector == nullptr) return std::nullopt;
  const Selector& left = *part.selector;
  const Selector& right = *whole.selector;
  const bool same_call = (part.call == nullptr) == (whole.call == nullptr) &&
                         (part.call == nullptr || part.call->function == whole.call->function);
  if (!same_call || left.name.empty() || left.name != right.name ||
      left.range_ms != right.range_ms || !(left.shift == right.shift)) {
    return std::nullopt;
  }
  for (const Matcher& matcher : right.matchers) {
    if (!Has(left, matcher)) return std::nullopt;
  }
  std::vector<std::string> labels;
  for (const Matcher& matcher : left.matchers) {
    if (!Has(right, matcher) && !Contains(labels, matcher.name)) labels.push_back(matcher.name);
  }
  return labels;
}

/// The tree with the series added up without these labels.
ExprPtr AddedUp(const ExprPtr& tree, const ExprPtr& series,
                const std::vector<std::string>& labels) {
  if (tree == series) {
    return MakeExpr(Aggregation{AggregateOp::kSum, Grouping::kWithout, labels, nullptr, series},
                    ValueKind::kVector);
  }
  Expr copy = *tree;
  if (auto* paren = std::get_if<promql::Paren>(&copy.node)) {
    paren->expr = AddedUp(paren->expr, series, labels);
  } else if (auto* binary = std::get_if<Binary>(&copy.node)) {
    ExprPtr& side = binary->rhs->As<NumberLiteral>() != nullptr ? binary->lhs : binary->rhs;
    side = AddedUp(side, series, labels);
  }
  return std::make_shared<const Expr>(std::move(copy));
}

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
  Walk(expr, [&](const Expr& node) {
    const auto* selector = node.As<Selector>();
    if (selector == nullptr) return;
    const bool scheduler = selector->name.starts_with(kube::kOwnPrefix);
    const bool chosen =
        std::ranges::any_of(selector->matchers, [](const auto& m) { return m.name == kCluster; });
    (scheduler && !chosen ? own : other) = true;
  });
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

void FixRangeFunction(Expr& node, const LintNote& note) {
  auto* call = std::get_if<Call>(&node.node);
  if (call == nullptr || call->args.size() != 1) return;
  const auto* selector = WithoutParens(*call->args[0]).As<Selector>();
  if (selector == nullptr || selector->range_ms == 0) return;
  const SeriesKind kind = KindOfSeries(selector->name);
  const bool gauge = kind == SeriesKind::kGauge;
  const std::string better = gauge                          ? OfGauges(*call->function)
                             : kind == SeriesKind::kCounter ? OfCounters(*call->function)
                                                            : "";
  if (better.empty()) return;
  note(gauge ? "rate-of-gauge" : "delta-of-counter",
       Message(gauge ? "lint.gauge_rate" : "lint.counter_delta",
               {{"metric", arg::Metric(selector->name)},
                {"function", std::string(call->function->name)}}),
       WriteInstead(CallText(better, *selector)));
  // What changed between two scrapes has no counterpart per second over the range.
  if (call->function->name != "idelta") call->function = promql::FindFunction(better);
}

void FixSumBeforeRate(Expr& node, const RecordedRules& recorded, const LintNote& note) {
  const auto* call = std::get_if<Call>(&node.node);
  if (call == nullptr || call->args.size() != 1) return;
  if (!IsRate(*call->function) && !IsIncrease(*call->function)) return;
  const Expr& argument = WithoutParens(*call->args[0]);
  const auto* subquery = argument.As<Subquery>();
  const auto* recorded_range = argument.As<Selector>();
  const auto rule =
      recorded_range != nullptr ? recorded.find(recorded_range->name) : recorded.end();
  if (subquery == nullptr && (rule == recorded.end() || rule->second.size() != 1)) return;
  const RawSum raw = RawSumIn(subquery != nullptr ? *subquery->expr : *rule->second.front());
  if (raw.counter == nullptr) return;
  Selector ranged = *raw.counter;
  ranged.range_ms = subquery != nullptr ? subquery->range_ms : recorded_range->range_ms;
  const std::string op(ToString(raw.sum->op));
  const std::string function(call->function->name);
  note("sum-before-rate",
       Message("lint.sum_first",
               {{"aggregation", op}, {"function", function}, {"metric", arg::Metric(ranged.name)}}),
       WriteInstead(fmt::format("{}({})", op, CallText(function, ranged))));
  const promql::TimeShift& shift = subquery != nullptr ? subquery->shift : recorded_range->shift;
  if (shift != promql::TimeShift{} || (subquery == nullptr && !HasOnlyName(*recorded_range)))
    return;
  Aggregation outer = *raw.sum;
  outer.expr = CallOf(function, ranged);
  node.node = outer;
}

ExprPtr FixRawCounters(const ExprPtr& tree, std::int64_t window_ms, const LintNote& note) {
  const RawCounters counters{window_ms, note};
  const Conditions conditions(*tree);
  return Rewrite(tree, [&](Expr& node) {
    if (auto* aggregation = std::get_if<Aggregation>(&node.node)) {
      if (aggregation->op == AggregateOp::kQuantile) {
        aggregation->expr = counters.Fix(aggregation->expr, false);
      }
      return;
    }
    auto* binary = std::get_if<Binary>(&node.node);
    if (binary == nullptr || !IsComparison(binary->op) || binary->return_bool) return;
    const auto compare = [&](ExprPtr& side, const ExprPtr& other) {
      if (HasSelector(*other) || conditions.Excuse(node, *binary, *other)) return;
      side = counters.Fix(side, false);
    };
    compare(binary->lhs, binary->rhs);
    compare(binary->rhs, binary->lhs);
  });
}

void FixCountOfNothing(Expr& node, const LintNote& note) {
  const auto* binary = std::get_if<Binary>(&node.node);
  if (binary == nullptr || binary->return_bool || !IsComparison(binary->op)) return;
  const Expr* counted = &WithoutParens(*binary->lhs);
  const Expr* limit = &WithoutParens(*binary->rhs);
  BinaryOp op = binary->op;
  if (counted->As<NumberLiteral>() != nullptr) {
    std::swap(counted, limit);
    op = Mirrored(op);
  }
  const auto* number = limit->As<NumberLiteral>();
  const auto* count = counted->As<Aggregation>();
  if (number == nullptr || count == nullptr || count->op != AggregateOp::kCount) return;
  if (!AsksForNone(op, number->value) || !IsOfScheduler(*count->expr)) return;
  const std::string absent = fmt::format("absent({})", ToString(*count->expr));
  note("count-of-nothing",
       Message("lint.count_zero",
               {{"comparison", std::string(ToString(op))}, {"number", arg::Number(number->value)}}),
       WriteInstead(absent));
  if (count->grouping != Grouping::kNone) return;
  node.node = Call{promql::FindFunction("absent"), {count->expr}};
  node.kind = ValueKind::kVector;
}

void FixSelfRatio(Expr& node, const LintNote& note) {
  auto* binary = std::get_if<Binary>(&node.node);
  if (binary == nullptr || binary->op != BinaryOp::kDiv ||
      !(binary->matching == promql::VectorMatching{})) {
    return;
  }
  const PlainSeries part = PlainSeriesIn(binary->lhs);
  const PlainSeries whole = PlainSeriesIn(binary->rhs);
  const auto labels = Choosing(part, whole);
  if (!labels) return;
  const Message said("lint.self_ratio", {{"metric", arg::Metric(part.selector->name)}});
  if (labels->empty()) return note("divided-by-itself", said, Message());
  binary->lhs = AddedUp(binary->lhs, part.expr, *labels);
  binary->rhs = AddedUp(binary->rhs, whole.expr, *labels);
  note("divided-by-itself", said, WriteInstead(ToString(node)));
}

void JudgePerPlugin(const Expr& node, const LintNote& note) {
  const auto* sum = node.As<Aggregation>();
  if (sum == nullptr || sum->op != AggregateOp::kSum) return;
  const auto* selector = WithoutParens(*sum->expr).As<Selector>();
  if (selector == nullptr || selector->name != NameOf(kube::Metric::kUnschedulablePods)) return;
  const bool named = Contains(sum->labels, kPlugin);
  const bool kept = sum->grouping == Grouping::kWithout ? !named : named;
  if (kept || Chosen(*selector, kPlugin)) return;
  note("counted-per-plugin", Message("lint.per_plugin", {{"metric", arg::Metric(selector->name)}}),
       Message("lint.per_plugin.fix"));
}

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
  note("mixed-jobs", Message("lint.jobs", {{"metric", arg::Metric(mixed->name)}}),
       Message("lint.jobs.fix"));
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
