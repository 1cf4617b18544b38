#include "promql/ast.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "model/quote.h"
#include "model/text.h"

namespace schedlens::promql {
namespace {

bool IsPlainLabel(std::string_view name) {
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

std::string LabelName(const std::string& name) {
  return IsPlainLabel(name) ? name : QuotePromql(name);
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
  switch (shift.at) {
    case TimeShift::At::kNone:
      break;
    case TimeShift::At::kTime:
      out += fmt::format(" @ {}{}.{:03}", shift.at_time < 0 ? "-" : "",
                         std::abs(shift.at_time) / 1000, std::abs(shift.at_time) % 1000);
      break;
    case TimeShift::At::kStart:
      out += " @ start()";
      break;
    case TimeShift::At::kEnd:
      out += " @ end()";
      break;
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

bool SamePtr(const ExprPtr& a, const ExprPtr& b) {
  if (!a || !b) return !a && !b;
  return SameTree(*a, *b);
}

struct Comparer {
  const Expr& other;

  template <typename T>
  const T& Other() const {
    return *other.As<T>();
  }

  bool operator()(const NumberLiteral& a) const {
    const double b = Other<NumberLiteral>().value;
    if (std::isnan(a.value) || std::isnan(b)) return std::isnan(a.value) && std::isnan(b);
    return a.value == b && std::signbit(a.value) == std::signbit(b);
  }
  bool operator()(const StringLiteral& a) const { return a.value == Other<StringLiteral>().value; }
  bool operator()(const Selector& a) const {
    const auto& b = Other<Selector>();
    return a.name == b.name && a.matchers == b.matchers && a.range_ms == b.range_ms &&
           a.edges == b.edges && a.shift == b.shift;
  }
  bool operator()(const Subquery& a) const {
    const auto& b = Other<Subquery>();
    return a.range_ms == b.range_ms && a.step_ms == b.step_ms && a.shift == b.shift &&
           SamePtr(a.expr, b.expr);
  }
  bool operator()(const Call& a) const {
    const auto& b = Other<Call>();
    return a.function == b.function &&
           std::equal(a.args.begin(), a.args.end(), b.args.begin(), b.args.end(), SamePtr);
  }
  bool operator()(const Aggregation& a) const {
    const auto& b = Other<Aggregation>();
    return a.op == b.op && a.grouping == b.grouping && a.labels == b.labels &&
           SamePtr(a.param, b.param) && SamePtr(a.expr, b.expr);
  }
  bool operator()(const Binary& a) const {
    const auto& b = Other<Binary>();
    return a.op == b.op && a.return_bool == b.return_bool && a.matching == b.matching &&
           SamePtr(a.lhs, b.lhs) && SamePtr(a.rhs, b.rhs);
  }
  bool operator()(const Unary& a) const {
    const auto& b = Other<Unary>();
    return a.minus == b.minus && SamePtr(a.expr, b.expr);
  }
  bool operator()(const Paren& a) const { return SamePtr(a.expr, Other<Paren>().expr); }
};

}  // namespace

std::string ToString(const Expr& expr) { return std::visit(Printer{}, expr.node); }

std::string MatchersToString(const Selector& selector) {
  static constexpr std::string_view kOps[] = {"=", "!=", "=~", "!~"};
  std::string out;
  for (const Matcher& matcher : selector.matchers) {
    if (matcher.name == kMetricName && !selector.name.empty()) continue;
    if (!out.empty()) out += ",";
    out += LabelName(matcher.name);
    out += kOps[static_cast<int>(matcher.op)];
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

bool SameTree(const Expr& a, const Expr& b) {
  return a.node.index() == b.node.index() && std::visit(Comparer{b}, a.node);
}

const Expr& WithoutParens(const Expr& expr) {
  const Expr* inner = &expr;
  while (const auto* paren = inner->As<Paren>()) inner = paren->expr.get();
  return *inner;
}

bool IsConditional(BinaryOp op) { return op >= BinaryOp::kDefault; }
bool IsComparison(BinaryOp op) { return op >= BinaryOp::kEqual && op <= BinaryOp::kGreaterEqual; }
bool IsSetOperation(BinaryOp op) { return op <= BinaryOp::kUnless; }

std::vector<const Expr*> Children(const Expr& expr) {
  std::vector<const Expr*> children;
  if (const auto* subquery = expr.As<Subquery>()) children = {subquery->expr.get()};
  if (const auto* paren = expr.As<Paren>()) children = {paren->expr.get()};
  if (const auto* unary = expr.As<Unary>()) children = {unary->expr.get()};
  if (const auto* binary = expr.As<Binary>()) children = {binary->lhs.get(), binary->rhs.get()};
  if (const auto* call = expr.As<Call>()) {
    for (const ExprPtr& arg : call->args) children.push_back(arg.get());
  }
  if (const auto* aggregation = expr.As<Aggregation>()) {
    if (aggregation->param) children.push_back(aggregation->param.get());
    children.push_back(aggregation->expr.get());
  }
  return children;
}

}  // namespace schedlens::promql
