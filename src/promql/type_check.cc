// What an expression may hold: kinds of values, and what only other servers evaluate.

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "promql/lexer.h"
#include "promql/parser.h"

namespace schedlens::promql {
namespace {

class Checker {
 public:
  Checker(const Expr& expr, std::string_view text) : expr_(expr), text_(text) {}

  ValueKind Check() const {
    return std::visit([&](const auto& node) { return KindOf(node); }, expr_.node);
  }

 private:
  void Want(const Expr& child, ValueKind kind, const std::string& where) const {
    if (child.kind == kind) return;
    ThrowAt(text_, child.begin,
            fmt::format("expected {} {}, found {}", KindName(kind), where, KindName(child.kind)));
  }

  ValueKind KindOf(const NumberLiteral&) const { return ValueKind::kScalar; }
  ValueKind KindOf(const StringLiteral&) const { return ValueKind::kString; }

  ValueKind KindOf(const Selector& selector) const {
    return selector.range_ms == 0 ? ValueKind::kVector : ValueKind::kMatrix;
  }

  ValueKind KindOf(const Subquery& subquery) const {
    Want(*subquery.expr, ValueKind::kVector, "before a subquery's range");
    return ValueKind::kMatrix;
  }

  ValueKind KindOf(const Paren& paren) const { return paren.expr->kind; }

  ValueKind KindOf(const Unary& unary) const {
    const ValueKind kind = unary.expr->kind;
    if (kind != ValueKind::kScalar && kind != ValueKind::kVector) {
      ThrowAt(text_, expr_.begin, fmt::format("a sign is not allowed before a {}", KindName(kind)));
    }
    return kind;
  }

  ValueKind KindOf(const Aggregation& aggregation) const {
    const std::string name(ToString(aggregation.op));
    const bool counts = aggregation.op == AggregateOp::kCountValues;
    if (aggregation.param) {
      Want(*aggregation.param, counts ? ValueKind::kString : ValueKind::kScalar,
           "as parameter of " + name);
    }
    Want(*aggregation.expr, ValueKind::kVector, "in aggregation " + name);
    return ValueKind::kVector;
  }

  ValueKind KindOf(const Call& call) const {
    const Function& function = *call.function;
    if (function.evaluate == nullptr) return function.result;
    const std::size_t listed = function.arguments.size();
    const std::size_t most = function.variadic < 0 ? call.args.size() + 1 : listed;
    const std::size_t least =
        function.variadic == 0 ? listed
                               : listed - static_cast<std::size_t>(std::max(1, function.variadic));
    if (call.args.size() < least || call.args.size() > most) {
      ThrowAt(text_, expr_.begin,
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
      ThrowAt(text_, arg->begin,
              fmt::format("the {} modifier is not allowed in {}",
                          selector->edges == Edges::kAnchored ? "anchored" : "smoothed",
                          call.function->name));
    }
  }

  ValueKind KindOf(const Binary& binary) const {
    const std::string name(ToString(binary.op));
    for (const ExprPtr& side : {binary.lhs, binary.rhs}) {
      if (side->kind != ValueKind::kScalar && side->kind != ValueKind::kVector) {
        ThrowAt(text_, side->begin,
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
      ThrowAt(text_, at, fmt::format("\"{}\" is only allowed between instant vectors", name));
    }
    if (scalars && IsComparison(binary.op) && !binary.return_bool) {
      ThrowAt(text_, at, fmt::format("\"{}\" between scalars must use the bool modifier", name));
    }
    const VectorMatching& matching = binary.matching;
    if (!vectors && (matching.on || !matching.labels.empty() || !matching.include.empty())) {
      ThrowAt(text_, at, "on and ignoring are only allowed between instant vectors");
    }
    return scalars ? ValueKind::kScalar : ValueKind::kVector;
  }

  const Expr& expr_;
  std::string_view text_;
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
      return fmt::format("\"{}\" of an instant selector",
                         selector->edges == Edges::kAnchored ? "anchored" : "smoothed");
    }
  }
  return "";
}

/// The first argument of the node that lacks the range which its function wants; null without.
const Expr* WithoutRange(const Expr& node, std::size_t* index) {
  const auto* call = node.As<Call>();
  if (call == nullptr || call->function->evaluate == nullptr) return nullptr;
  const std::vector<ValueKind>& wanted = call->function->arguments;
  for (std::size_t i = 0; i < call->args.size() && !wanted.empty(); ++i) {
    if (wanted[std::min(i, wanted.size() - 1)] != ValueKind::kMatrix) continue;
    if (call->args[i]->kind == ValueKind::kMatrix) continue;
    *index = i;
    return call->args[i].get();
  }
  return nullptr;
}

void RefuseImpliedRange(const Expr& node, std::string_view text) {
  std::size_t i = 0;
  const Expr* arg = WithoutRange(node, &i);
  if (arg == nullptr) return;
  ThrowAt(text, arg->begin,
          fmt::format("expected range vector as argument {} of {}, found {}", i + 1,
                      node.As<Call>()->function->name, KindName(arg->kind)));
}

}  // namespace

ExprPtr CheckTypes(Expr expr, std::string_view text) {
  expr.kind = Checker(expr, text).Check();
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
    std::size_t i = 0;
    const Expr* arg = WithoutRange(node, &i);
    const bool implied = arg != nullptr && WithoutParens(*arg).As<Selector>() != nullptr;
    if (!implied || !semantics.IsVictoriaMetrics()) RefuseImpliedRange(node, text);
  });
}

ExprPtr ParsePrometheus(std::string_view text) {
  ExprPtr tree = Parse(text);
  Walk(*tree, [&](const Expr& node) {
    RefuseImpliedRange(node, text);
    const auto* binary = node.As<Binary>();
    if (binary == nullptr || !IsConditional(binary->op)) return;
    ThrowAt(text, binary->lhs->end,
            fmt::format("only VictoriaMetrics knows \"{}\"", ToString(binary->op)));
  });
  return tree;
}

}  // namespace schedlens::promql
