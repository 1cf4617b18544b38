#include "promql/ast.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/text.h"

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
  const bool grouped = matching.side == VectorMatching::Side::kManyToOne ||
                       matching.side == VectorMatching::Side::kOneToMany;
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
    if (node.edges == Edges::kAnchored) out += " anchored";
    if (node.edges == Edges::kSmoothed) out += " smoothed";
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
  if (auto* call = std::get_if<Call>(&node)) {
    for (auto& arg : call->args) visit(arg);
  } else if (auto* aggregation = std::get_if<Aggregation>(&node)) {
    if (aggregation->param) visit(aggregation->param);
    visit(aggregation->expr);
  } else if (auto* binary = std::get_if<Binary>(&node)) {
    visit(binary->lhs);
    visit(binary->rhs);
  } else if (auto* unary = std::get_if<Unary>(&node)) {
    visit(unary->expr);
  } else if (auto* paren = std::get_if<Paren>(&node)) {
    visit(paren->expr);
  } else if (auto* subquery = std::get_if<Subquery>(&node)) {
    visit(subquery->expr);
  }
}

}  // namespace

std::string ToString(const Expr& expr) { return std::visit(Printer{}, expr.node); }

std::string MatchersToString(const Selector& selector) {
  std::string out;
  for (const Matcher& matcher : selector.matchers) {
    if (matcher.name == kMetricName && !selector.name.empty()) continue;
    if (!out.empty()) out += ",";
    out += LabelName(matcher.name);
    out += ToString(matcher.op);
    out += QuotePromql(matcher.value);
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

std::string_view ToString(MatchOp op) {
  static constexpr std::string_view kTexts[] = {"=", "!=", "=~", "!~"};
  return kTexts[static_cast<int>(op)];
}

bool NumberLiteral::operator==(const NumberLiteral& other) const {
  if (std::isnan(value) || std::isnan(other.value)) {
    return std::isnan(value) && std::isnan(other.value);
  }
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
  if (name.empty() || IsDigit(name[0])) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || IsDigit(c) || c == '_';
  });
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

}  // namespace schedlens::promql
