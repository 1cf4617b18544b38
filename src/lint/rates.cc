// Rates, sums, counts and ratios.

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
  const std::string& recorded;  ///< the name of the rule, where it records
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
    if (selector.range_ms > 0 || KindOfSeries(selector.name) != SeriesKind::kCounter) {
      return expr;
    }
    Selector ranged = selector;
    ranged.range_ms = window_ms;
    const bool rate = ratio || BeginsAWord(recorded, "i?rate|(burn|error).?rate");
    const char* function = rate ? "rate" : "increase";
    note("counter-without-rate",
         About(recorded.empty() ? "lint.counter" : "lint.counter.recorded", selector.name),
         WriteInstead(CallText(function, ranged)));
    // Whoever reads a recorded sum may take its rate.
    const bool open = !recorded.empty() && !rate && !BeginsAWord(recorded, "increase");
    return open ? expr : CallOf(function, ranged);
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
    for (const Binary* binary : NodesOf<Binary>(tree)) {
      const bool both = binary->op == BinaryOp::kAnd;
      if (!both && binary->op != BinaryOp::kUnless) continue;
      add(*binary->rhs, &behind);
      if (both) add(*binary->lhs, &beside);
    }
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

/// `series OP number`, turned round where the number stands first; without a side for all else.
struct Limited {
  const ExprPtr* side = nullptr;
  BinaryOp op = BinaryOp::kEqual;
  double number = 0;
};

Limited LimitedIn(const Expr& node) {
  const auto* binary = node.As<Binary>();
  if (binary == nullptr || binary->return_bool || !IsComparison(binary->op)) return {};
  const auto* right = WithoutParens(*binary->rhs).As<NumberLiteral>();
  if (right != nullptr) return {&binary->lhs, binary->op, right->value};
  const auto* left = WithoutParens(*binary->lhs).As<NumberLiteral>();
  return left == nullptr ? Limited{} : Limited{&binary->rhs, Mirrored(binary->op), left->value};
}

const std::vector<std::string>& ReplicaLabels() {
  static const std::vector<std::string> kLabels = {"instance", "pod"};
  return kLabels;
}

/// The rate of what only the leader counts, of whichever replica: all of them hear of events.
bool IsIdleOnStandby(const PlainSeries& series) {
  if (series.selector == nullptr || series.call == nullptr) return false;
  const std::string& name = series.selector->name;
  return name.starts_with(kube::kOwnPrefix) && KindOfSeries(name) == SeriesKind::kCounter &&
         !Contains(LabelsIn(*kube::FindMetric(name), std::nullopt), "event") &&
         (IsRate(*series.call->function) || IsIncrease(*series.call->function)) &&
         std::ranges::none_of(series.selector->matchers,
                              [](const auto& m) { return Contains(ReplicaLabels(), m.name); });
}

bool KeepsReplicas(const Aggregation& sum) {
  const bool named = std::ranges::any_of(
      sum.labels, [](const std::string& label) { return Contains(ReplicaLabels(), label); });
  return named == (sum.grouping == Grouping::kBy) && sum.grouping != Grouping::kNone &&
         !AnyVariable(sum.labels);
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
      left.range_ms != right.range_ms || !(left.shift == right.shift) ||
      !std::ranges::all_of(right.matchers, [&](const Matcher& m) { return Has(left, m); })) {
    return std::nullopt;
  }
  std::vector<std::string> labels;
  for (const Matcher& matcher : left.matchers) {
    if (!Has(right, matcher) && !Contains(labels, matcher.name)) labels.push_back(matcher.name);
  }
  return labels;
}

/// The two series of `x_sum / x_count`, whatever stands around each of them; null for all else.
struct Mean {
  const Selector* sum = nullptr;
  const Selector* count = nullptr;
};

Mean MeanIn(const Expr& node) {
  const auto* binary = node.As<Binary>();
  if (binary == nullptr || binary->op != BinaryOp::kDiv) return {};
  const auto sums = NodesOf<Selector>(*binary->lhs), counts = NodesOf<Selector>(*binary->rhs);
  if (sums.size() != 1 || counts.size() != 1) return {};
  const std::string family = FamilyOf(sums[0]->name);
  const bool mean = sums[0]->name == family + "_sum" && counts[0]->name == family + "_count";
  return mean ? Mean{sums[0], counts[0]} : Mean{};
}

/// Whether a side of a quotient adds up series that a matcher of the other side leaves out. Without
/// a sum, series meet only those with the same labels.
bool IsWider(const Expr& side, const Selector& own, const Selector& other) {
  return std::ranges::any_of(other.matchers, [&](const Matcher& matcher) {
    return matcher.name != kMetricName && !Has(own, matcher) &&
           FindNode<Aggregation>(side, [&](const Aggregation& sum) {
             return Contains(sum.labels, matcher.name) == (sum.grouping == Grouping::kWithout);
           });
  });
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

/// Whether what the node shows is held to another number than 0: how often something changed is
/// then another question than by how much.
bool IsLimited(const Expr& whole, const Expr& node) {
  bool limited = false;
  Walk(whole, [&](const Expr& around) {
    const auto [side, op, number] = LimitedIn(around);
    limited = limited || (side != nullptr && number != 0 && (*side)->begin <= node.begin &&
                          node.end <= (*side)->end);
  });
  return limited;
}

/// What is to be written for a gauge under rate() or increase(); nothing where the name of the rule
/// does not say what it wants.
std::optional<Expr> ReadAsGauge(Call call, Selector gauge, const std::string& rule) {
  const std::string_view reads = FindAnyMetric(gauge.name)->reads;
  const auto level = NamesLevel(rule);
  if (reads.empty() && !level) return std::nullopt;
  gauge.range_ms = 0;
  if (reads.empty() && *level) return *MakeExpr(gauge, ValueKind::kVector);
  call.function = promql::FindFunction(reads.empty() ? OfGauges(*call.function) : reads);
  return *MakeExpr(call, ValueKind::kVector);
}

}  // namespace

void FixRangeFunction(Expr& node, const Expr& whole, const std::string& rule,
                      const LintNote& note) {
  auto* call = std::get_if<Call>(&node.node);
  if (call == nullptr || call->args.size() != 1) return;
  const auto* selector = WithoutParens(*call->args[0]).As<Selector>();
  if (selector == nullptr || selector->range_ms == 0) return;
  const SeriesKind kind = KindOfSeries(selector->name);
  const std::vector<Argument> said = {{"metric", arg::Metric(selector->name)},
                                      {"function", std::string(call->function->name)}};
  if (kind == SeriesKind::kGauge && *OfGauges(*call->function) != '\0') {
    if (FindAnyMetric(selector->name)->reads == "counter") {
      return note("gauge-that-counts", Message("lint.gauge_counts", said), Message());
    }
    const auto better = ReadAsGauge(*call, *selector, rule);
    const bool other = better && better->As<Call>() != nullptr &&
                       better->As<Call>()->function->name == "changes" && IsLimited(whole, node);
    note("rate-of-gauge", Message("lint.gauge_rate", said),
         better ? WriteInstead(ToString(*better) + (other ? " > 0" : ""))
                : Message("lint.gauge_rate.fix", said));
    if (other) return note("not-mended", Message("lint.gauge_rate.limit", said), Message());
    if (!better) return note("not-mended", Message("lint.gauge_rate.open", said), Message());
    node = *better;
    return;
  }
  const std::string better = kind == SeriesKind::kCounter ? OfCounters(*call->function) : "";
  if (better.empty()) return;
  note("delta-of-counter", Message("lint.counter_delta", said),
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

void FixMeans(Expr& node, const LintNote& note) {
  const auto* outer = node.As<Aggregation>();
  const bool average = outer != nullptr && outer->op == AggregateOp::kAvg;
  if (!average && (outer == nullptr || outer->op != AggregateOp::kQuantile)) return;
  const Expr& divided = WithoutParens(*outer->expr);
  const auto [sum, count] = MeanIn(divided);
  const std::string family = sum != nullptr ? FamilyOf(sum->name) : "";
  if (!TellsItsComponent(family)) return;
  const Message said("lint.means", {{"aggregation", std::string(ToString(outer->op))},
                                    {"metric", arg::Metric(family)}});
  Binary all = *divided.As<Binary>();
  bool plain = all.matching == promql::VectorMatching{};
  for (ExprPtr* side : {&all.lhs, &all.rhs}) {
    plain = plain && PlainSeriesIn(*side).selector != nullptr;
    Aggregation added = *outer;
    added.op = AggregateOp::kSum;
    added.expr = *side;
    *side = MakeExpr(added, ValueKind::kVector);
  }
  if (average && plain) node.node = promql::Paren{MakeExpr(all, ValueKind::kVector)};
  note("quantile-of-means", said,
       average && plain ? WriteInstead(ToString(node)) : About("lint.means.fix", family));
}

void JudgeMean(const Expr& node, const LintNote& note) {
  const auto [sum, count] = MeanIn(node);
  if (sum == nullptr) return;
  const auto& mean = *node.As<Binary>();
  const bool alike = sum->range_ms == count->range_ms && sum->shift == count->shift;
  if (alike && !IsWider(*mean.lhs, *sum, *count) && !IsWider(*mean.rhs, *count, *sum)) return;
  const auto text = [](const Selector& one) {
    return arg::Promql(ToString(*MakeExpr(one, ValueKind::kVector)));
  };
  note("mismatched-mean", Message("lint.mean", {{"sum", text(*sum)}, {"count", text(*count)}}),
       Message("lint.mean.fix"));
}

ExprPtr FixOnStandby(const ExprPtr& tree, const LintNote& note) {
  Expr copy = *tree;
  auto* binary = std::get_if<Binary>(&copy.node);
  if (auto* paren = std::get_if<promql::Paren>(&copy.node)) {
    paren->expr = FixOnStandby(paren->expr, note);
  } else if (binary != nullptr && binary->op == BinaryOp::kOr) {
    binary->lhs = FixOnStandby(binary->lhs, note);
    binary->rhs = FixOnStandby(binary->rhs, note);
  } else if (const Limited limited = LimitedIn(copy); limited.side != nullptr) {
    ExprPtr& rate = limited.side == &binary->lhs ? binary->lhs : binary->rhs;
    const auto* sum = WithoutParens(*rate).As<Aggregation>();
    const PlainSeries series = PlainSeriesIn(sum != nullptr ? sum->expr : rate);
    const bool holds = promql::ApplyBinary(limited.op, 0, limited.number) != 0;
    if (!holds || !IsIdleOnStandby(series) || (sum != nullptr && !KeepsReplicas(*sum))) return tree;
    note("fires-on-standby", About("lint.standby", series.selector->name),
         Message("lint.standby.fix"));
    if (sum == nullptr) rate = AddedUp(rate, series.expr, ReplicaLabels());
  }
  return std::make_shared<const Expr>(std::move(copy));
}

ExprPtr FixRawCounters(const ExprPtr& given, std::int64_t window_ms, const std::string& recorded,
                       const LintNote& note) {
  const RawCounters counters{window_ms, recorded, note};
  const Expr& whole = WithoutParens(*given);
  const bool combined = whole.As<Aggregation>() != nullptr || whole.As<Binary>() != nullptr;
  const ExprPtr tree = combined && !recorded.empty() ? counters.Fix(given, false) : given;
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
  const Limited limited = LimitedIn(node);
  if (limited.side == nullptr || !AsksForNone(limited.op, limited.number)) return;
  const auto* count = WithoutParens(**limited.side).As<Aggregation>();
  if (count == nullptr || count->op != AggregateOp::kCount || !IsOfScheduler(*count->expr)) return;
  const std::string absent = fmt::format("absent({})", ToString(*count->expr));
  note("count-of-nothing",
       Message("lint.count_zero", {{"comparison", std::string(ToString(limited.op))},
                                   {"number", arg::Number(limited.number)}}),
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
  const Message said = About("lint.self_ratio", part.selector->name);
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
  const bool without = sum->grouping == Grouping::kWithout;
  if (Contains(sum->labels, kPlugin) != without || Chosen(*selector, kPlugin)) return;
  note("counted-per-plugin", About("lint.per_plugin", selector->name),
       Message("lint.per_plugin.fix"));
}

}  // namespace schedlens::lint
