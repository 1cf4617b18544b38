// Quantiles: averaged ones, their buckets, thresholds they are compared with.

#include "lint/checks.h"
#include "promql/alert_expression.h"
#include "promql/matcher.h"
#include "promql/parser.h"

namespace schedlens::lint {
namespace {

/// The histogram_quantile that a node is; null for any other.
const Call* AsHistogramQuantile(const Expr& expr) {
  const auto* call = WithoutParens(expr).As<Call>();
  const bool is = call && call->function->name == "histogram_quantile" && call->args.size() == 2;
  return is ? call : nullptr;
}

/// The quantile behind a node: itself, or what its name records. `fixable` is false where the
/// recorded series were chosen by matchers, which need not fit the buckets.
struct Quantile {
  const Call* call = nullptr;
  std::string name = "histogram_quantile(...)";
  bool fixable = true;
};

Quantile QuantileBehind(const Expr& expr, const RecordedRules& recorded) {
  if (const Call* call = AsHistogramQuantile(expr)) return {call};
  const auto* selector = WithoutParens(expr).As<Selector>();
  if (selector == nullptr) return {};
  const auto rule = recorded.find(selector->name);
  if (rule == recorded.end()) return {};
  const std::vector<ExprPtr>& all = rule->second;
  if (!std::ranges::all_of(all, [](const auto& e) { return AsHistogramQuantile(*e); })) return {};
  return {AsHistogramQuantile(*all.front()), selector->name,
          HasOnlyName(*selector) && all.size() == 1};
}

/// The quantile of the buckets, added up by the labels of the average.
void FixOverSeries(Expr& node, const Aggregation& average, const Call& quantile) {
  Aggregation inner = average;
  inner.op = AggregateOp::kSum;
  if (inner.grouping != Grouping::kWithout) {
    inner.grouping = Grouping::kBy;
    if (!Contains(inner.labels, kLe)) inner.labels.emplace_back(kLe);
  }
  const auto* sum = WithoutParens(*quantile.args[1]).As<Aggregation>();
  inner.expr = sum != nullptr ? sum->expr : quantile.args[1];
  Call fixed = quantile;
  fixed.args[1] = MakeExpr(inner, ValueKind::kVector);
  node.node = fixed;
  node.kind = ValueKind::kVector;
}

void Judge(const std::string& outer, const Quantile& quantile, const LintNote& note) {
  note("averaged-quantiles",
       Message("lint.averages", {{"outer", outer}, {"quantile", quantile.name}}),
       WriteInstead("histogram_quantile(q, sum by (le) (rate(...)))"));
}

bool HoldsBuckets(const Expr& expr) {
  return FindNode<Selector>(expr, [](const Selector& s) { return s.name.ends_with("_bucket"); }) ||
         FindNode<Aggregation>(expr, [](const Aggregation& aggregation) {
           return aggregation.grouping == Grouping::kBy && Contains(aggregation.labels, kLe);
         });
}

/// Sums of buckets, and averages as quotients of sums, are again a histogram.
bool AddsUp(AggregateOp op) { return op == AggregateOp::kSum || op == AggregateOp::kAvg; }

/// What stands between the buckets and the quantile. Each bucket counts the ones below it too,
/// which rates, sums and factors leave so.
struct Buckets {
  const LintOptions& options;
  std::int64_t window_ms;
  const LintNote& note;

  ExprPtr Fix(const ExprPtr& expr) const {
    Expr copy = *expr;
    if (auto* selector = std::get_if<Selector>(&copy.node)) {
      FixSelector(*selector);
      if (selector->range_ms == 0 && selector->name.ends_with("_bucket")) return Rated(*selector);
    } else if (auto* paren = std::get_if<promql::Paren>(&copy.node)) {
      paren->expr = Fix(paren->expr);
    } else if (auto* subquery = std::get_if<Subquery>(&copy.node)) {
      const auto has_range = [](const Selector& below) { return below.range_ms > 0; };
      if (FindNode<Selector>(*subquery->expr, has_range)) subquery->expr = Fix(subquery->expr);
    } else if (auto* aggregation = std::get_if<Aggregation>(&copy.node)) {
      if (!AddsUp(aggregation->op))
        return Cut(expr, fmt::format("{}()", ToString(aggregation->op)));
      aggregation->expr = Fix(aggregation->expr);
    } else if (auto* call = std::get_if<Call>(&copy.node)) {
      const Function& function = *call->function;
      if (function.Is({"max_over_time", "min_over_time", "quantile_over_time"})) {
        return Cut(expr, std::string(function.name) + "()");
      }
      FixCall(*call);
    } else if (auto* binary = std::get_if<Binary>(&copy.node)) {
      if (IsComparison(binary->op)) return FixFilter(expr, *binary);
      // A counter minus what it was is an increase made by hand.
      if (binary->op == BinaryOp::kSub) return expr;
      ExprPtr& side = HoldsBuckets(*binary->lhs) ? binary->lhs : binary->rhs;
      side = Fix(side);
    }
    return std::make_shared<const Expr>(std::move(copy));
  }

  /// A bare `x_bucket` counts since process start: the quantile of a lifetime.
  ExprPtr Rated(Selector selector) const {
    selector.range_ms = window_ms;
    note("missing-rate", About("lint.rate", selector.name),
         WriteInstead(CallText("rate", selector)));
    return CallOf("rate", selector);
  }

  /// A matcher of `le` leaves buckets out: without the last one there is no quantile, without
  /// others it is drawn through wider ones.
  void FixSelector(Selector& selector) const {
    std::vector<double> bounds = KnownBounds(selector.name, options.release);
    if (bounds.empty()) bounds = {0.005, 0.1, 0.5, 1, 5, 10};
    std::erase_if(selector.matchers, [&](const Matcher& matcher) {
      if (matcher.name != kLe || HoldsVariableText(matcher.value)) return false;
      const auto accepts = [&](const std::string& text) {
        return promql::CompiledMatcher(matcher).Accepts(std::string_view(text));
      };
      const auto keeps = [&](double bound) {
        const std::string text = FormatNumber(bound);
        // Whole ones with a point or without, by the server.
        return accepts(text) || (text.find('.') == std::string::npos && accepts(text + ".0"));
      };
      const bool last = accepts("+Inf");
      if (last && std::ranges::all_of(bounds, keeps)) return false;
      Cut(nullptr, ToString(matcher), last ? "lint.buckets.some" : "lint.buckets.last",
          Message("lint.buckets.le.fix"));
      return true;
    });
  }

  void FixCall(Call& call) const {
    // What these show of a counter is how far it has come, as the counter itself does.
    if (call.function->Is(
            {"avg_over_time", "sum_over_time", "last_over_time", "first_over_time"})) {
      Expr argument = WithoutParens(*call.args[0]);
      const auto* counter = argument.As<Selector>();
      if (counter != nullptr && counter->name.ends_with("_bucket")) {
        note("missing-rate", About("lint.rate", counter->name),
             WriteInstead(CallText("rate", *counter)));
        call.function = promql::FindFunction("rate");
      } else if (auto* subquery = std::get_if<Subquery>(&argument.node)) {
        subquery->expr = Fix(subquery->expr);
        call.args[0] = std::make_shared<const Expr>(std::move(argument));
      }
      return;
    }
    if (call.function->Is({"irate"})) {
      note("irate-in-quantile", Message("lint.irate"), WriteInstead("rate"));
      call.function = promql::FindFunction("rate");
    }
    for (ExprPtr& argument : call.args) {
      const auto* selector = WithoutParens(*argument).As<Selector>();
      const bool raw = selector != nullptr && selector->range_ms == 0;
      if (!raw && HoldsBuckets(*argument)) argument = Fix(argument);
    }
  }

  /// `> 0` leaves out buckets that add nothing to a sum.
  ExprPtr FixFilter(const ExprPtr& expr, const Binary& filter) const {
    const auto* number = WithoutParens(*filter.rhs).As<NumberLiteral>();
    const bool busy = number != nullptr && number->value == 0 && !filter.return_bool &&
                      (filter.op == BinaryOp::kGreater || filter.op == BinaryOp::kNotEqual);
    const std::string limit = number != nullptr ? FormatNumber(number->value) : "...";
    const std::string text = fmt::format("{} {}", ToString(filter.op), limit);
    if (!busy) return Cut(expr, text, "lint.buckets.cut", Message("lint.buckets.filter.fix"));
    return Fix(Cut(filter.lhs, text, "lint.buckets.cut", WriteInstead(ToString(*filter.lhs))));
  }

  ExprPtr Cut(const ExprPtr& expr, const std::string& operation,
              const char* id = "lint.buckets.cut",
              const Message& fix = Message("lint.buckets.fix")) const {
    note("buckets-cut", Message(id, {{"operation", operation}}), fix);
    return expr;
  }
};

void FixLe(Aggregation& aggregation, const LintNote& note) {
  auto& labels = aggregation.labels;
  // A native histogram has no buckets by name, and so no `le`.
  const Selector* selector = FindNode<Selector>(*aggregation.expr);
  if (selector != nullptr && IsBareHistogram(selector->name)) return;
  if (aggregation.grouping == Grouping::kWithout) {
    if (!Contains(labels, kLe)) return;
    std::erase(labels, kLe);
  } else {
    if (Contains(labels, kLe) || AnyVariable(labels)) return;
    aggregation.grouping = Grouping::kBy;
    labels.emplace_back(kLe);
  }
  note("missing-le", Message("lint.le"),
       WriteInstead(fmt::format("{} by (le, ...)", ToString(aggregation.op))));
}

/// Not fixed: the rule would answer with other series than its readers expect.
void JudgeResults(const Aggregation& aggregation, const LintOptions& options,
                  const LintNote& note) {
  const Selector* selector = FindNode<Selector>(*aggregation.expr);
  if (selector == nullptr) return;
  const MetricRow* row = kube::FindMetric(selector->name);
  if (row == nullptr) return;
  const int release = options.release.value_or(kube::kNewestRelease);
  if (PresenceIn(*row, release) == Presence::kNotYet) return;
  if (!Contains(LabelsIn(*row, release), "result") ||
      !Contains(ValuesIn(*row, "result", release), ToString(kube::AttemptResult::kScheduled))) {
    return;
  }
  const auto& labels = aggregation.labels;
  const bool without = aggregation.grouping == Grouping::kWithout;
  if (Chosen(*selector, "result") || AnyVariable(labels) || Contains(labels, "result") != without)
    return;
  note("mixed-results", About("lint.results", row->name), Message("lint.results.fix"));
}

Message Compared(const char* id, const std::string& comparison, double threshold) {
  return Message(id, {{"comparison", comparison}, {"threshold", arg::Duration(threshold)}});
}

/// The nearest bound first, then the one on the other side.
Message OnEitherSide(const std::string& comparison, const std::vector<double>& bounds,
                     double threshold, double nearest) {
  Message text = Compared("lint.threshold.fix", comparison, nearest);
  const auto above = std::ranges::upper_bound(bounds, threshold);
  if (above == bounds.begin() || above == bounds.end()) return text;
  const double other = *above == nearest ? *(above - 1) : *above;
  text.id = "lint.threshold.fix.either";
  text.args.push_back({"other", arg::Duration(other)});
  return text;
}

bool HoldsQuantile(const Expr& expr, const RecordedRules& recorded) {
  const auto children = Children(expr);
  return QuantileBehind(expr, recorded).call != nullptr ||
         std::ranges::any_of(children,
                             [&](const Expr* child) { return HoldsQuantile(*child, recorded); });
}

/// Changes the number literal next to the comparison that holds the quantile.
ExprPtr ReplaceThreshold(const ExprPtr& tree, const RecordedRules& recorded,
                         const promql::AlertExpression& alert, double better) {
  bool done = false;
  return Rewrite(tree, [&](Expr& node) {
    auto* binary = std::get_if<Binary>(&node.node);
    if (done || binary == nullptr || !IsComparison(binary->op)) return;
    for (ExprPtr* side : {&binary->rhs, &binary->lhs}) {
      const ExprPtr& other = side == &binary->rhs ? binary->lhs : binary->rhs;
      if (!HoldsQuantile(*other, recorded) || WithoutParens(**side).As<NumberLiteral>() == nullptr)
        continue;
      *side = MakeExpr(NumberLiteral{better * alert.scale + alert.added}, ValueKind::kScalar);
      done = true;
      return;
    }
  });
}

}  // namespace

RecordedRules FindRecordedRules(const std::vector<LintRule>& rules) {
  RecordedRules recorded;
  for (const LintRule& rule : rules) {
    if (rule.alerting || rule.panel || rule.name.empty()) continue;
    try {
      const ExprPtr tree = promql::Parse(rule.expr);
      auto& all = recorded[rule.name];
      if (std::ranges::none_of(
              all, [&](const auto& known) { return promql::SameTree(*known, *tree); })) {
        all.push_back(tree);
      }
    } catch (const Error&) {
      // Its own finding, "syntax".
    }
  }
  return recorded;
}

void FixAveragedQuantiles(Expr& node, const RecordedRules& recorded, const LintNote& note) {
  if (const auto* aggregation = std::get_if<Aggregation>(&node.node)) {
    const AggregateOp op = aggregation->op;
    if (!AddsUp(op) && op != AggregateOp::kStddev && op != AggregateOp::kStdvar) return;
    const Quantile quantile = QuantileBehind(*aggregation->expr, recorded);
    if (quantile.call == nullptr) return;
    Judge(std::string(ToString(aggregation->op)), quantile, note);
    if (quantile.fixable) FixOverSeries(node, Aggregation(*aggregation), Call(*quantile.call));
    return;
  }
  const auto* call = std::get_if<Call>(&node.node);
  if (call == nullptr || call->args.empty() ||
      !call->function->Is(
          {"avg_over_time", "sum_over_time", "stddev_over_time", "stdvar_over_time"})) {
    return;
  }
  const Expr& argument = WithoutParens(*call->args[0]);
  const auto* subquery = argument.As<Subquery>();
  const auto* selector = argument.As<Selector>();
  const Quantile quantile =
      QuantileBehind(subquery != nullptr ? *subquery->expr : argument, recorded);
  if (quantile.call == nullptr) return;
  Judge(std::string(call->function->name), quantile, note);
  const std::int64_t range =
      subquery != nullptr ? subquery->range_ms : (selector != nullptr ? selector->range_ms : 0);
  if (!quantile.fixable || range <= 0) return;
  // The quantile over the whole range, instead of the average of those over its parts.
  Call fixed = *quantile.call;
  fixed.args[1] = Rewrite(fixed.args[1], [&](Expr& below) {
    auto* ranged = std::get_if<Selector>(&below.node);
    if (ranged != nullptr && ranged->range_ms > 0) {
      ranged->range_ms = std::max(ranged->range_ms, range);
    }
  });
  node.node = fixed;
  node.kind = ValueKind::kVector;
}

void FixQuantileCall(Call& call, const LintOptions& options, std::int64_t window_ms,
                     const LintNote& note) {
  const auto* rank = WithoutParens(*call.args[0]).As<NumberLiteral>();
  if (rank != nullptr && !(rank->value >= 0 && rank->value <= 1)) {
    // Percent where a fraction is wanted shows +Inf for ever.
    const bool percent = rank->value > 1 && rank->value <= 100;
    const double meant = rank->value / 100;
    note("quantile-out-of-range", Message("lint.rank", {{"rank", arg::Number(rank->value)}}),
         percent ? WriteInstead(FormatNumber(meant)) : Message());
    if (percent) call.args[0] = MakeExpr(NumberLiteral{meant}, ValueKind::kScalar);
  }
  if (HoldsBuckets(*call.args[1])) {
    call.args[1] = Buckets{options, window_ms, note}.Fix(call.args[1]);
  }
  Expr argument = WithoutParens(*call.args[1]);
  auto* aggregation = std::get_if<Aggregation>(&argument.node);
  if (aggregation == nullptr || !AddsUp(aggregation->op)) return;
  FixLe(*aggregation, note);
  JudgeResults(*aggregation, options, note);
  call.args[1] = std::make_shared<const Expr>(argument);
}

ExprPtr FixThreshold(const ExprPtr& tree, const RecordedRules& recorded, std::optional<int> release,
                     const LintNote& note) {
  const ExprPtr seen_through = Rewrite(tree, [&](Expr& node) {
    if (node.As<Selector>() == nullptr) return;
    if (const Call* quantile = QuantileBehind(node, recorded).call) node.node = Call(*quantile);
  });
  const promql::AlertExpression alert = promql::ParseAlertExpression(ToString(*seen_through));
  if (!alert.is_histogram_quantile || !alert.threshold || alert.native) return tree;
  if (FindNode<Selector>(*tree, IsOfAnotherProgram)) return tree;
  const std::vector<double> bounds = KnownBounds(alert.family, release);
  const bool sure = bounds.size() > 1;
  double top = sure ? bounds.back() : 0;
  // Where they differ by release, none shows more than the highest, which only ever rose.
  for (const double bound : KnownBounds(alert.family, kube::kNewestRelease)) {
    if (bounds.empty()) top = std::max(top, bound);
  }
  if (top == 0) return tree;
  const double threshold = *alert.threshold;
  if (IsVariableNumber(threshold * alert.scale + alert.added)) return tree;
  double better = threshold;
  // No value is infinite where a histogram has finite bounds.
  const bool infinite = threshold > top && std::isinf(threshold) && alert.comparison == "==";
  if (infinite || (alert.comparison == ">" && threshold >= top) ||
      (alert.comparison == ">=" && threshold > top)) {
    if (!infinite && sure) better = bounds[bounds.size() - 2];
    Message never = Compared("lint.threshold.over_top", alert.comparison, threshold);
    never.args.push_back({"metric", arg::Metric(alert.family)});
    never.args.push_back({"bound", arg::Duration(top)});
    note(
        "threshold-over-top", never,
        better == threshold ? Message() : Compared("lint.threshold.fix", alert.comparison, better));
  } else if (sure && threshold > 0 && !std::ranges::binary_search(bounds, threshold)) {
    better = *std::ranges::min_element(
        bounds, {}, [&](double bound) { return std::abs(std::log(bound / threshold)); });
    Message inside = Compared("lint.threshold.inside", alert.comparison, threshold);
    inside.args.push_back({"metric", arg::Metric(alert.family)});
    note("threshold-inside-bucket", inside,
         OnEitherSide(alert.comparison, bounds, threshold, better));
  }
  return better == threshold ? tree : ReplaceThreshold(tree, recorded, alert, better);
}

}  // namespace schedlens::lint
