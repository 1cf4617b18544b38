#include "promql/alert_expression.h"

#include "promql/parser.h"

namespace schedlens::promql {
namespace {

constexpr std::string_view kBucketSuffix = "_bucket";
/// The window of `rate(x)` in an instant query of VictoriaMetrics, as which alerts are evaluated.
constexpr std::int64_t kImpliedRange = 5 * 60 * 1000;

const Call* AsQuantile(const Expr& expr) {
  const auto* call = expr.As<Call>();
  return call != nullptr && call->function->name == "histogram_quantile" ? call : nullptr;
}

bool IsSelector(const Expr& expr) { return expr.As<Selector>() != nullptr; }

/// The way from the root to the first node that `wanted` accepts, root first; empty if none.
template <typename Wanted>
std::vector<const Expr*> PathTo(const Expr& expr, const Wanted& wanted) {
  if (wanted(expr)) return {&expr};
  for (const Expr* child : Children(expr)) {
    std::vector<const Expr*> path = PathTo(*child, wanted);
    if (!path.empty()) {
      path.insert(path.begin(), &expr);
      return path;
    }
  }
  return {};
}

/// The value of a scalar made of literals only: `3`, `(2 * 1.5)`, `-1`.
std::optional<double> Constant(const Expr& expr) {
  const Expr& inner = WithoutParens(expr);
  if (const auto* number = inner.As<NumberLiteral>()) return number->value;
  if (const auto* unary = inner.As<Unary>()) {
    const auto value = Constant(*unary->expr);
    if (!value) return std::nullopt;
    return unary->minus ? -*value : *value;
  }
  const auto* binary = inner.As<Binary>();
  if (binary == nullptr) return std::nullopt;
  const auto lhs = Constant(*binary->lhs);
  const auto rhs = Constant(*binary->rhs);
  if (!lhs || !rhs) return std::nullopt;
  if (binary->op < BinaryOp::kAdd || binary->op > BinaryOp::kDiv) return std::nullopt;
  return ApplyBinary(binary->op, *lhs, *rhs);
}

/// The comparisons that decide whether an expression has a result at all, in the order of the text:
/// below parentheses and set operations only.
void CollectComparisons(const Expr& expr, std::vector<const Binary*>* found) {
  const auto* binary = WithoutParens(expr).As<Binary>();
  if (binary == nullptr) return;
  if (IsComparison(binary->op)) {
    found->push_back(binary);
  } else if (IsSetOperation(binary->op)) {
    CollectComparisons(*binary->lhs, found);
    CollectComparisons(*binary->rhs, found);
  }
}

class Reader {
 public:
  explicit Reader(std::string_view text) {
    result_.expr = WrittenOut(text);
    result_.ast = Parse(result_.expr);
  }

  AlertExpression Run() {
    result_.compared_expression = result_.expr;
    const std::vector<const Expr*> path = PathTo(*result_.ast, AsQuantile);
    if (!path.empty()) {
      const Call& call = *AsQuantile(*path.back());
      result_.is_histogram_quantile = true;
      result_.quantile_expression = Text(*path.back());
      result_.quantile = Constant(*call.args[0]);
      ReadAround(path);
      ReadInner(*call.args[1]);
    } else if (FindNode<Selector>(*result_.ast)) {
      ReadOutermost();
      // The way down starts at the root, so that functions are seen.
      ReadInner(*result_.ast);
    }
    return std::move(result_);
  }

 private:
  std::string Text(const Expr& expr) const {
    return result_.expr.substr(expr.begin, expr.end - expr.begin);
  }

  /// Of an expression without a quantile: its first comparison that is about a scheduler.
  void ReadOutermost() {
    std::vector<const Binary*> all;
    CollectComparisons(*result_.ast, &all);
    const auto own = std::ranges::find_if(all, [](const Binary* one) {
      return IsAboutScheduler(*one->lhs) || IsAboutScheduler(*one->rhs);
    });
    if (all.empty()) return;
    const Binary& binary = own == all.end() ? *all.front() : **own;
    ReadComparison(binary, !Constant(*binary.lhs));
    result_.threshold = result_.compared_with;
  }

  void ReadComparison(const Binary& binary, bool on_left) {
    const bool turned = on_left == (result_.scale < 0);
    result_.comparison = ToString(turned ? Mirrored(binary.op) : binary.op);
    result_.compared_expression = Text(on_left ? *binary.lhs : *binary.rhs);
    const Expr& other = on_left ? *binary.rhs : *binary.lhs;
    result_.other_expression = Text(other);
    result_.compared_with = Constant(other);
  }

  /// From the quantile outwards: factors, aggregations, the comparison.
  void ReadAround(const std::vector<const Expr*>& path) {
    for (std::size_t i = path.size() - 1; i-- > 0;) {
      const Expr& parent = *path[i];
      if (const auto* aggregation = parent.As<Aggregation>()) {
        if (result_.comparison.empty()) {
          result_.outer_aggregations.emplace_back(ToString(aggregation->op));
        }
      } else if (const auto* binary = parent.As<Binary>()) {
        const bool on_left = path[i + 1] == binary->lhs.get();
        if (IsSetOperation(binary->op) || IsConditional(binary->op)) {
          // The other side is a condition of its own.
          result_.outside.push_back(std::string(ToString(binary->op)) + " " +
                                    Text(on_left ? *binary->rhs : *binary->lhs));
        }
        if (!result_.comparison.empty()) continue;
        ReadBinary(*binary, on_left);
      } else if (const auto* unary = parent.As<Unary>()) {
        if (unary->minus && result_.comparison.empty()) Stretch(-1, 0);
      } else if (const auto* call = parent.As<Call>()) {
        result_.outside.push_back(std::string(call->function->name) + "(...)");
      }
    }
  }

  void ReadBinary(const Binary& binary, bool on_left) {
    const auto other = Constant(on_left ? *binary.rhs : *binary.lhs);
    if (IsComparison(binary.op)) {
      ReadComparison(binary, on_left);
      if (other && linear_ && result_.scale != 0) {
        result_.threshold = (*other - result_.added) / result_.scale;
      }
    } else if (other && binary.op == BinaryOp::kMul) {
      Stretch(*other, 0);
    } else if (other && binary.op == BinaryOp::kDiv && on_left) {
      Stretch(1 / *other, 0);
    } else if (other && binary.op == BinaryOp::kAdd) {
      Stretch(1, *other);
    } else if (other && binary.op == BinaryOp::kSub) {
      Stretch(on_left ? 1 : -1, on_left ? -*other : *other);
    } else if (!IsSetOperation(binary.op) && !IsConditional(binary.op)) {
      linear_ = false;  // `1000 / q`, `q * on () group_left () factor`
    }
  }

  /// What was compared so far becomes `factor` times itself plus `more`.
  void Stretch(double factor, double more) {
    result_.scale *= factor;
    result_.added = result_.added * factor + more;
  }

  /// From the quantile's argument inwards: aggregations, the range function, the selector.
  void ReadInner(const Expr& expr) {
    const std::vector<const Expr*> path = PathTo(expr, IsSelector);
    if (path.empty()) return;
    const Expr* inner = path.back();
    for (const Expr* node : path) {
      if (const auto* aggregation = node->As<Aggregation>()) {
        result_.aggregations.emplace_back(ToString(aggregation->op));
        result_.grouping = aggregation->grouping;
        result_.by.clear();
        result_.without.clear();
        if (result_.grouping == Grouping::kBy) result_.by = aggregation->labels;
        if (result_.grouping == Grouping::kWithout) result_.without = aggregation->labels;
      }
      const auto* call = node->As<Call>();
      const bool ranged = call != nullptr && !call->function->arguments.empty() &&
                          call->function->arguments.back() == ValueKind::kMatrix;
      if (ranged && result_.function.empty()) {
        result_.function = call->function->name;
        implied_range_ = call->args.back()->kind == ValueKind::kVector;
        inner = node;
      }
    }
    result_.inner_expression = Text(*inner);
    ReadSelector(*path.back());
  }

  void ReadSelector(const Expr& expr) {
    const Selector& selector = *expr.As<Selector>();
    result_.selector_expression = Text(expr);
    result_.range_ms = implied_range_ ? kImpliedRange : selector.range_ms;
    result_.offset_ms = selector.shift.offset_ms;
    std::string name = selector.name;
    Selector unnamed;
    unnamed.range_ms = selector.range_ms;
    for (const Matcher& matcher : selector.matchers) {
      if (matcher.name != kMetricName) {
        unnamed.matchers.push_back(matcher);
      } else if (matcher.op == MatchOp::kEqual) {
        name = matcher.value;
      }
    }
    result_.matchers = unnamed.matchers;
    result_.selector = MatchersToString(unnamed);
    if (name.empty()) return;
    if (name.ends_with(kBucketSuffix)) {
      result_.family = name.substr(0, name.size() - kBucketSuffix.size());
    } else {
      result_.family = name;
      result_.native = result_.is_histogram_quantile;
    }
  }

  AlertExpression result_;
  bool implied_range_ = false;  ///< MetricsQL's `rate(x)`
  bool linear_ = true;          ///< else the threshold says nothing about the quantile itself
};

constexpr std::size_t kMostAlternatives = 16;

const Binary* AsChoice(const Expr& expr) {
  const auto* binary = expr.As<Binary>();
  const bool both = binary != nullptr && binary->op == BinaryOp::kOr &&
                    IsAboutScheduler(*binary->lhs) && IsAboutScheduler(*binary->rhs);
  return both ? binary : nullptr;
}

/// The tree with one side of the choice in its place.
std::string WithSide(const ExprPtr& tree, const Expr& choice, ExprPtr Binary::*side) {
  const ExprPtr changed = Rewrite(tree, [&](Expr& node) {
    if (node.begin != choice.begin || node.end != choice.end) return;
    const Binary* binary = AsChoice(node);
    if (binary == nullptr) return;
    const ExprPtr kept = binary->*side;
    node = *kept;
  });
  return ToString(*changed);
}

}  // namespace

bool IsAboutScheduler(const Expr& expr) {
  return FindNode<Selector>(
      expr, [](const Selector& selector) { return selector.name.starts_with("scheduler_"); });
}

AlertExpression ParseAlertExpression(std::string_view expr) { return Reader(expr).Run(); }

std::vector<std::string> Alternatives(const std::string& expr) {
  const ExprPtr tree = Parse(expr);
  // Outer choices come before those inside.
  const auto path = PathTo(*tree, AsChoice);
  if (path.empty()) return {expr};
  std::vector<std::string> all;
  for (ExprPtr Binary::*side : {&Binary::lhs, &Binary::rhs}) {
    for (std::string& one : Alternatives(WithSide(tree, *path.back(), side))) {
      if (all.size() < kMostAlternatives) all.push_back(std::move(one));
    }
  }
  return all;
}

}  // namespace schedlens::promql
