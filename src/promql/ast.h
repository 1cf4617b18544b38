#pragma once

// The tree of a PromQL expression in our dialect. Plain values; a node is never changed after the
// parser made it, so subtrees are shared.

#include <variant>

#include "base/source.h"

namespace schedlens::promql {

enum class MatchOp { kEqual, kNotEqual, kRegex, kNotRegex };

/// One `name OP "value"`. Regular expressions are RE2, anchored at both ends.
struct Matcher {
  MatchOp op = MatchOp::kEqual;
  std::string name, value;
  bool operator==(const Matcher&) const = default;
};

/// `offset` and `@` of a selector or subquery. The evaluation time is first replaced by `@`, then
/// moved back by the offset.
struct TimeShift {
  enum class At { kNone, kTime, kStart, kEnd };
  std::int64_t offset_ms = 0;  ///< negative looks ahead
  At at = At::kNone;
  TimeMs at_time = 0;  ///< for kTime
  bool operator==(const TimeShift&) const = default;
};

/// How a range function treats the edges of its window (3.7 and newer).
enum class Edges { kPlain, kAnchored, kSmoothed };

struct Expr;
using ExprPtr = std::shared_ptr<const Expr>;

struct NumberLiteral {
  double value = 0;
  /// NaN equals NaN, and 0 is not -0.
  bool operator==(const NumberLiteral& other) const;
};

struct StringLiteral {
  std::string value;
  bool operator==(const StringLiteral&) const = default;
};

/// `name{matchers}[range] modifiers offset ... @ ...`. A metric name is also the first matcher.
struct Selector {
  std::string name;               ///< as written before the braces; empty without
  std::vector<Matcher> matchers;  ///< with `__name__` for the name
  std::int64_t range_ms = 0;      ///< 0: an instant selector
  Edges edges = Edges::kPlain;
  TimeShift shift;
  bool operator==(const Selector&) const = default;
};

/// `expr[range:step]`.
struct Subquery {
  ExprPtr expr;
  std::int64_t range_ms = 0;
  std::int64_t step_ms = 0;  ///< 0: the server's evaluation interval, one minute
  TimeShift shift;
  bool operator==(const Subquery&) const = default;
};

struct Call;
struct Evaluation;
class StepVector;
using ScalarSteps = std::vector<double>;
using StepValue = std::variant<ScalarSteps, StepVector>;

/// One function: what it takes and gives. With `variadic` > 0 that many last arguments are
/// optional; with -1 the last one repeats.
struct Function {
  struct Version {
    int major = 2, minor = 20;
  };
  enum class KnownTo { kAll, kPrometheus, kVictoria };

  std::string_view name;
  std::vector<ValueKind> arguments;
  /// Null: servers know it and this evaluator does not. Its arguments are anything then.
  StepValue (*evaluate)(const Evaluation& evaluation, const Call& call) = nullptr;
  Version since = {};  ///< first Prometheus version that knows it; 2.20 is the oldest asked for
  KnownTo known_to = KnownTo::kAll;
  int variadic = 0;
  ValueKind result = ValueKind::kVector;
  Version until = {99, 0};  ///< first version that no longer knows it

  /// Whether it is called one of these.
  bool Is(std::initializer_list<std::string_view> names) const {
    return std::ranges::find(names, name) != names.end();
  }
};

/// By its name, case sensitive. Null for one that no known server has.
const Function* FindFunction(std::string_view name);

struct Call {
  const Function* function = nullptr;
  std::vector<ExprPtr> args;
  bool operator==(const Call&) const = default;
};

enum class AggregateOp {
  kSum,
  kMin,
  kMax,
  kAvg,
  kCount,
  kGroup,
  kStddev,
  kStdvar,
  kTopk,
  kBottomk,
  kQuantile,
  kCountValues,
  kLimitk,  ///< this and the next: parsed, not evaluated
  kLimitRatio
};
enum class Grouping { kNone, kBy, kWithout };

struct Aggregation {
  AggregateOp op = AggregateOp::kSum;
  Grouping grouping = Grouping::kNone;
  std::vector<std::string> labels;
  ExprPtr param;  ///< of topk, bottomk, quantile, count_values, limitk, limit_ratio; else null
  ExprPtr expr;
  bool operator==(const Aggregation&) const = default;
};

enum class BinaryOp {
  kOr,
  kAnd,
  kUnless,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kAdd,
  kSub,
  kMul,
  kDiv,
  kMod,
  kPow,
  kAtan2,  ///< this and the following: parsed, not evaluated
  kDefault,
  kIf,
  kIfNot
};

/// Which series of two vectors belong together.
struct VectorMatching {
  enum class Side { kOneToOne, kManyToOne, kOneToMany };
  bool on = false;                   ///< `on (labels)`; otherwise `ignoring (labels)`
  std::vector<std::string> labels;   ///< empty with on == false: all labels
  Side side = Side::kOneToOne;       ///< kManyToOne: group_left, kOneToMany: group_right
  std::vector<std::string> include;  ///< labels copied from the "one" side
  std::string fill;  ///< `fill_left(0) fill_right(1)` as it is printed; not evaluated
  bool operator==(const VectorMatching&) const = default;
};

struct Binary {
  BinaryOp op = BinaryOp::kAdd;
  bool return_bool = false;
  VectorMatching matching;
  ExprPtr lhs, rhs;
  bool operator==(const Binary&) const = default;
};

/// Unary minus (or plus) of something that is not a number literal.
struct Unary {
  bool minus = true;
  ExprPtr expr;
  bool operator==(const Unary&) const = default;
};

struct Paren {
  ExprPtr expr;
  bool operator==(const Paren&) const = default;
};

/// One node, with its place in the text: bytes [begin, end).
struct Expr {
  std::variant<NumberLiteral, StringLiteral, Selector, Subquery, Call, Aggregation, Binary, Unary,
               Paren>
      node;
  ValueKind kind = ValueKind::kScalar;
  std::size_t begin = 0, end = 0;

  template <typename T>
  const T* As() const {
    return std::get_if<T>(&node);
  }
};

/// "scalar", "string", "instant vector", "range vector".
std::string_view KindName(ValueKind kind);

/// Whether servers of any version take it for a label's name.
bool IsLabelName(std::string_view name);

/// Canonical text of the tree. Parsing it gives the same tree again.
std::string ToString(const Expr& expr);
/// `a="b"`.
std::string ToString(const Matcher& matcher);
/// `{a="b",c=~"d"}` without the braces, `__name__` left out when it is the selector's name.
std::string MatchersToString(const Selector& selector);
std::string_view ToString(BinaryOp op);
std::string_view ToString(AggregateOp op);
std::string_view ToString(MatchOp op);
/// Empty for the plain ones.
std::string_view ToString(Edges edges);

/// The same tree, wherever it stands in its text.
bool SameTree(const Expr& a, const Expr& b);
/// The same node with as many children, whatever these are.
bool SameNode(const Expr& a, const Expr& b);

/// The expression inside any number of parentheses.
const Expr& WithoutParens(const Expr& expr);

/// `default`, `if` and `ifnot` of MetricsQL: they keep the left side's values or leave them out.
bool IsConditional(BinaryOp op);

/// A comparison (== != < <= > >=), as against arithmetic or a set operation.
bool IsComparison(BinaryOp op);
bool IsSetOperation(BinaryOp op);
/// `3 < q` says the same as `q > 3`; an operator that orders nothing stays.
BinaryOp Mirrored(BinaryOp op);

/// The value of arithmetic or a comparison of two numbers; 0 for any other operator.
double ApplyBinary(BinaryOp op, double a, double b);

/// The direct children of a node, in the order of the text.
std::vector<const Expr*> Children(const Expr& expr);

/// Calls `visit` on the node and everything below it, parents first.
template <typename Visit>
void Walk(const Expr& expr, const Visit& visit) {
  visit(expr);
  for (const Expr* child : Children(expr)) Walk(*child, visit);
}

/// All nodes of the kind, parents first.
template <typename Node>
std::vector<const Node*> NodesOf(const Expr& expr) {
  std::vector<const Node*> all;
  Walk(expr, [&](const Expr& node) {
    if (const auto* one = node.As<Node>()) all.push_back(one);
  });
  return all;
}

/// The first node of the kind that `wanted` accepts, parents first; null without.
template <typename Node, typename Wanted = bool (*)(const Node&)>
const Node* FindNode(
    const Expr& expr, const Wanted& wanted = [](const Node&) { return true; }) {
  if (const auto* node = expr.As<Node>(); node != nullptr && wanted(*node)) return node;
  for (const Expr* child : Children(expr)) {
    if (const Node* found = FindNode<Node>(*child, wanted)) return found;
  }
  return nullptr;
}

/// A copy of the tree in which `change` has seen every node, children before parents. It may alter
/// the node it is given (a copy of its own); the original is untouched.
ExprPtr Rewrite(const ExprPtr& expr, const std::function<void(Expr&)>& change);

/// A node of its own, without a place in any text.
ExprPtr MakeExpr(decltype(Expr::node) node, ValueKind kind);

}  // namespace schedlens::promql
