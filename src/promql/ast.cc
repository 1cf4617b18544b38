#include "promql/ast.h"

// Printing trees, walking them, and what they may hold: kinds of values, and what only other
// servers evaluate.

#include "base/exposition_reader.h"
#include "promql/parser.h"

namespace schedlens::promql {
namespace {

std::string LabelName(const std::string& name) {
  return IsLabelName(name) ? name : QuotePromql(name);
}

std::string LabelList(const std::vector<std::string>& labels) {
  std::string out = "(";
  for (const std::string& label : labels) {
    if (out.size() > 1) out += ", ";
    out += LabelName(label);
  }
  return out + ")";
}

std::string ShiftText(const TimeShift& shift) {
  std::string out;
  if (shift.at == TimeShift::At::kStart) out += " @ start()";
  if (shift.at == TimeShift::At::kEnd) out += " @ end()";
  if (shift.at == TimeShift::At::kTime) {
    out += fmt::format(" @ {}{}.{:03}", shift.at_time < 0 ? "-" : "",
                       std::abs(shift.at_time) / 1000, std::abs(shift.at_time) % 1000);
  }
  if (shift.offset_ms > 0) out += " offset " + FormatDuration(shift.offset_ms);
  if (shift.offset_ms < 0) out += " offset -" + FormatDuration(-shift.offset_ms);
  return out;
}

std::string MatchingText(const VectorMatching& matching) {
  std::string out;
  const bool grouped = matching.side != VectorMatching::Side::kOneToOne;
  if (matching.on || !matching.labels.empty() || grouped) {
    out += (matching.on ? " on " : " ignoring ") + LabelList(matching.labels);
  }
  if (grouped) {
    out += matching.side == VectorMatching::Side::kManyToOne ? " group_left " : " group_right ";
    out += LabelList(matching.include);
  }
  if (!matching.fill.empty()) out += " " + matching.fill;
  return out;
}

struct Printer {
  std::string operator()(const NumberLiteral& node) const { return FormatNumber(node.value); }
  std::string operator()(const StringLiteral& node) const { return QuotePromql(node.value); }

  std::string operator()(const Selector& node) const {
    std::string out = node.name;
    const std::string matchers = MatchersToString(node);
    if (!matchers.empty() || node.name.empty()) out += "{" + matchers + "}";
    if (node.range_ms != 0) out += "[" + FormatDuration(node.range_ms) + "]";
    if (node.edges != Edges::kPlain) out += fmt::format(" {}", ToString(node.edges));
    return out + ShiftText(node.shift);
  }

  std::string operator()(const Subquery& node) const {
    return fmt::format("{}[{}:{}]{}", ToString(*node.expr), FormatDuration(node.range_ms),
                       node.step_ms == 0 ? "" : FormatDuration(node.step_ms),
                       ShiftText(node.shift));
  }

  std::string operator()(const Call& node) const {
    std::string out(node.function->name);
    out += "(";
    for (std::size_t i = 0; i < node.args.size(); ++i) {
      if (i > 0) out += ", ";
      out += ToString(*node.args[i]);
    }
    return out + ")";
  }

  std::string operator()(const Aggregation& node) const {
    std::string out(ToString(node.op));
    if (node.grouping != Grouping::kNone) {
      out += (node.grouping == Grouping::kBy ? " by " : " without ") + LabelList(node.labels) + " ";
    }
    out += "(";
    if (node.param) out += ToString(*node.param) + ", ";
    return out + ToString(*node.expr) + ")";
  }

  std::string operator()(const Binary& node) const {
    std::string left = ToString(*node.lhs);
    // The sign of an infinity would be an operator of its own, weaker than `^`.
    if (node.op == BinaryOp::kPow && left == "+Inf") left = "Inf";
    return fmt::format("{} {}{}{} {}", left, ToString(node.op), node.return_bool ? " bool" : "",
                       MatchingText(node.matching), ToString(*node.rhs));
  }

  std::string operator()(const Unary& node) const {
    return (node.minus ? "-" : "+") + ToString(*node.expr);
  }
  std::string operator()(const Paren& node) const { return "(" + ToString(*node.expr) + ")"; }
};

/// Calls `visit` on the pointers to a node's children, in the order of the text.
template <typename Node, typename Visit>
void VisitChildren(Node& node, const Visit& visit) {
  const auto each_of = [&](auto& one) {
    if constexpr (requires { one.args; }) std::ranges::for_each(one.args, visit);
    if constexpr (requires { one.param; }) {
      if (one.param) visit(one.param);
    }
    if constexpr (requires { one.lhs; }) {
      visit(one.lhs);
      visit(one.rhs);
    }
    if constexpr (requires { one.expr; }) visit(one.expr);
  };
  std::visit(each_of, node);
}

/// The kind of a node.
struct Checker {
  const Expr& expr;
  std::string_view text;

  void Want(const Expr& child, ValueKind kind, const std::string& where) const {
    if (child.kind == kind) return;
    ThrowAt(text, child.begin,
            fmt::format("expected {} {}, found {}", KindName(kind), where, KindName(child.kind)));
  }

  ValueKind operator()(const NumberLiteral&) const { return ValueKind::kScalar; }
  ValueKind operator()(const StringLiteral&) const { return ValueKind::kString; }

  ValueKind operator()(const Selector& selector) const {
    return selector.range_ms == 0 ? ValueKind::kVector : ValueKind::kMatrix;
  }

  ValueKind operator()(const Subquery& subquery) const {
    Want(*subquery.expr, ValueKind::kVector, "before a subquery's range");
    return ValueKind::kMatrix;
  }

  ValueKind operator()(const Paren& paren) const { return paren.expr->kind; }

  ValueKind operator()(const Unary& unary) const {
    const ValueKind kind = unary.expr->kind;
    if (kind != ValueKind::kScalar && kind != ValueKind::kVector) {
      ThrowAt(text, expr.begin, fmt::format("a sign is not allowed before a {}", KindName(kind)));
    }
    return kind;
  }

  ValueKind operator()(const Aggregation& aggregation) const {
    const std::string name(ToString(aggregation.op));
    const bool counts = aggregation.op == AggregateOp::kCountValues;
    if (aggregation.param) {
      Want(*aggregation.param, counts ? ValueKind::kString : ValueKind::kScalar,
           "as parameter of " + name);
    }
    Want(*aggregation.expr, ValueKind::kVector, "in aggregation " + name);
    return ValueKind::kVector;
  }

  ValueKind operator()(const Call& call) const {
    const Function& function = *call.function;
    if (function.evaluate == nullptr) return function.result;
    const std::size_t listed = function.arguments.size();
    const std::size_t most = function.variadic < 0 ? call.args.size() + 1 : listed;
    const std::size_t least =
        function.variadic == 0 ? listed
                               : listed - static_cast<std::size_t>(std::max(1, function.variadic));
    if (call.args.size() < least || call.args.size() > most) {
      ThrowAt(text, expr.begin,
              fmt::format("{} takes {}{} argument(s), not {}", function.name,
                          least == most ? "" : "at least ", least, call.args.size()));
    }
    for (std::size_t i = 0; i < call.args.size(); ++i) {
      const ValueKind wanted = function.arguments[std::min(i, listed - 1)];
      // MetricsQL's `rate(x)`: the window is the step.
      if (wanted == ValueKind::kMatrix && call.args[i]->kind == ValueKind::kVector) continue;
      Want(*call.args[i], wanted, fmt::format("as argument {} of {}", i + 1, function.name));
    }
    CheckEdges(call);
    return function.result;
  }

  void CheckEdges(const Call& call) const {
    for (const ExprPtr& arg : call.args) {
      const auto* selector = WithoutParens(*arg).As<Selector>();
      if (selector == nullptr || selector->edges == Edges::kPlain) continue;
      if (selector->range_ms == 0) continue;
      const bool extended = call.function->Is({"rate", "increase", "delta"});
      const bool counted = call.function->Is({"resets", "changes"});
      if (extended || (counted && selector->edges == Edges::kAnchored)) continue;
      ThrowAt(text, arg->begin,
              fmt::format("the {} modifier is not allowed in {}", ToString(selector->edges),
                          call.function->name));
    }
  }

  ValueKind operator()(const Binary& binary) const {
    const std::string name(ToString(binary.op));
    for (const ExprPtr& side : {binary.lhs, binary.rhs}) {
      if (side->kind != ValueKind::kScalar && side->kind != ValueKind::kVector) {
        ThrowAt(text, side->begin,
                fmt::format("expected a scalar or an instant vector as operand of \"{}\", found {}",
                            name, KindName(side->kind)));
      }
    }
    const bool scalars =
        binary.lhs->kind == ValueKind::kScalar && binary.rhs->kind == ValueKind::kScalar;
    const bool vectors =
        binary.lhs->kind == ValueKind::kVector && binary.rhs->kind == ValueKind::kVector;
    const std::size_t at = binary.rhs->begin;
    if (IsSetOperation(binary.op) && !vectors) {
      ThrowAt(text, at, fmt::format("\"{}\" is only allowed between instant vectors", name));
    }
    if (scalars && IsComparison(binary.op) && !binary.return_bool) {
      ThrowAt(text, at, fmt::format("\"{}\" between scalars must use the bool modifier", name));
    }
    const VectorMatching& matching = binary.matching;
    if (!vectors && (matching.on || !matching.labels.empty() || !matching.include.empty())) {
      ThrowAt(text, at, "on and ignoring are only allowed between instant vectors");
    }
    return scalars ? ValueKind::kScalar : ValueKind::kVector;
  }
};

/// What of one node cannot be evaluated; empty when all can.
std::string ForeignPart(const Expr& node) {
  if (const auto* call = node.As<Call>(); call && call->function->evaluate == nullptr) {
    return fmt::format("function \"{}\"", call->function->name);
  }
  if (const auto* aggregation = node.As<Aggregation>()) {
    if (aggregation->op >= AggregateOp::kLimitk) {
      return fmt::format("\"{}\"", ToString(aggregation->op));
    }
  }
  if (const auto* binary = node.As<Binary>()) {
    if (binary->op >= BinaryOp::kAtan2) return fmt::format("\"{}\"", ToString(binary->op));
    if (!binary->matching.fill.empty()) return fmt::format("\"{}\"", binary->matching.fill);
  }
  if (const auto* selector = node.As<Selector>()) {
    if (selector->range_ms == 0 && selector->edges != Edges::kPlain) {
      return fmt::format("\"{}\" of an instant selector", ToString(selector->edges));
    }
  }
  return "";
}

/// Throws for an argument that lacks the range which its function wants; with `of_selectors` a
/// selector may.
void RefuseImpliedRange(const Expr& node, std::string_view text, bool of_selectors) {
  const auto* call = node.As<Call>();
  if (call == nullptr || call->function->evaluate == nullptr) return;
  const std::vector<ValueKind>& wanted = call->function->arguments;
  for (std::size_t i = 0; i < call->args.size() && !wanted.empty(); ++i) {
    const Expr& arg = *call->args[i];
    if (wanted[std::min(i, wanted.size() - 1)] != ValueKind::kMatrix) continue;
    if (arg.kind == ValueKind::kMatrix) continue;
    if (of_selectors && WithoutParens(arg).As<Selector>() != nullptr) continue;
    ThrowAt(text, arg.begin,
            fmt::format("expected range vector as argument {} of {}, found {}", i + 1,
                        call->function->name, KindName(arg.kind)));
  }
}

}  // namespace

std::string ToString(const Expr& expr) { return std::visit(Printer{}, expr.node); }

std::string ToString(const Matcher& matcher) {
  return fmt::format("{}{}{}", LabelName(matcher.name), ToString(matcher.op),
                     QuotePromql(matcher.value));
}

std::string MatchersToString(const Selector& selector) {
  std::string out;
  for (const Matcher& matcher : selector.matchers) {
    if (matcher.name == kMetricName && !selector.name.empty()) continue;
    if (!out.empty()) out += ",";
    out += ToString(matcher);
  }
  return out;
}

std::string_view ToString(BinaryOp op) {
  static constexpr std::string_view kTexts[] = {
      "or", "and", "unless", "==", "!=", "<",     "<=",      ">",  ">=",   "+",
      "-",  "*",   "/",      "%",  "^",  "atan2", "default", "if", "ifnot"};
  return kTexts[static_cast<int>(op)];
}

std::string_view ToString(AggregateOp op) {
  static constexpr std::string_view kTexts[] = {
      "sum",    "min",  "max",     "avg",      "count",        "group",  "stddev",
      "stdvar", "topk", "bottomk", "quantile", "count_values", "limitk", "limit_ratio"};
  return kTexts[static_cast<int>(op)];
}

std::string_view ToString(Edges edges) {
  return edges == Edges::kAnchored ? "anchored" : edges == Edges::kSmoothed ? "smoothed" : "";
}

std::string_view ToString(MatchOp op) {
  static constexpr std::string_view kTexts[] = {"=", "!=", "=~", "!~"};
  return kTexts[static_cast<int>(op)];
}

bool NumberLiteral::operator==(const NumberLiteral& other) const {
  if (std::isnan(value)) return std::isnan(other.value);
  return value == other.value && std::signbit(value) == std::signbit(other.value);
}

bool SameNode(const Expr& a, const Expr& b) {
  if (a.node.index() != b.node.index()) return false;
  decltype(Expr::node) left = a.node, right = b.node;
  for (auto* node : {&left, &right}) VisitChildren(*node, [](ExprPtr& child) { child = nullptr; });
  return left == right;
}

bool SameTree(const Expr& a, const Expr& b) {
  if (!SameNode(a, b)) return false;
  const auto left = Children(a), right = Children(b);
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](const Expr* x, const Expr* y) { return SameTree(*x, *y); });
}

std::string_view KindName(ValueKind kind) {
  static constexpr std::string_view kNames[] = {"scalar", "string", "instant vector",
                                                "range vector"};
  return kNames[static_cast<int>(kind)];
}

bool IsLabelName(std::string_view name) {
  return !name.empty() && NameEnd(name, 0, false) == name.size();
}

const Expr& WithoutParens(const Expr& expr) {
  const Expr* inner = &expr;
  while (const auto* paren = inner->As<Paren>()) inner = paren->expr.get();
  return *inner;
}

bool IsConditional(BinaryOp op) { return op >= BinaryOp::kDefault; }
bool IsComparison(BinaryOp op) { return op >= BinaryOp::kEqual && op <= BinaryOp::kGreaterEqual; }
bool IsSetOperation(BinaryOp op) { return op <= BinaryOp::kUnless; }

BinaryOp Mirrored(BinaryOp op) {
  using enum BinaryOp;
  if (op == kLess || op == kLessEqual) return op == kLess ? kGreater : kGreaterEqual;
  if (op == kGreater || op == kGreaterEqual) return op == kGreater ? kLess : kLessEqual;
  return op;
}

std::vector<const Expr*> Children(const Expr& expr) {
  std::vector<const Expr*> children;
  VisitChildren(expr.node, [&](const ExprPtr& child) { children.push_back(child.get()); });
  return children;
}

ExprPtr Rewrite(const ExprPtr& expr, const std::function<void(Expr&)>& change) {
  if (expr == nullptr) return nullptr;
  Expr copy = *expr;
  VisitChildren(copy.node, [&](ExprPtr& child) { child = Rewrite(child, change); });
  change(copy);
  return std::make_shared<const Expr>(std::move(copy));
}

ExprPtr MakeExpr(decltype(Expr::node) node, ValueKind kind) {
  return std::make_shared<const Expr>(Expr{std::move(node), kind});
}

ExprPtr CheckTypes(Expr expr, std::string_view text) {
  expr.kind = std::visit(Checker{expr, text}, expr.node);
  return std::make_shared<const Expr>(std::move(expr));
}

void RefuseForeign(const Expr& tree, std::string_view text, const Semantics& semantics) {
  Walk(tree, [&](const Expr& node) {
    const std::string part = ForeignPart(node);
    if (!part.empty()) {
      const auto* binary = node.As<Binary>();
      ThrowAt(text, binary ? binary->lhs->end : node.begin,
              part + " is outside the dialect: only a server that knows it can evaluate it");
    }
    RefuseImpliedRange(node, text, semantics.IsVictoriaMetrics());
  });
}

ExprPtr ParsePrometheus(std::string_view text) {
  ExprPtr tree = Parse(text);
  Walk(*tree, [&](const Expr& node) {
    RefuseImpliedRange(node, text, false);
    const auto* binary = node.As<Binary>();
    if (binary == nullptr || !IsConditional(binary->op)) return;
    ThrowAt(text, binary->lhs->end,
            fmt::format("only VictoriaMetrics knows \"{}\"", ToString(binary->op)));
  });
  return tree;
}

}  // namespace schedlens::promql
