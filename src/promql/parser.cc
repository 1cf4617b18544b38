// Operators, calls and aggregations: the grammar from the outside down to selectors.

#include "promql/parser.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "promql/parser_durations.h"
#include "promql/parser_operators.h"
#include "promql/parser_selectors.h"
#include "promql/parser_tokens.h"

namespace schedlens::promql {
namespace {

// Deep enough for any rule written by people, shallow enough for the stack.
constexpr int kMaxDepth = 256;
/// A chain of operators is a tree as deep as it is long.
constexpr int kMaxOperators = 2000;

struct AggregateName {
  std::string_view text;
  AggregateOp op;
};

constexpr AggregateName kAggregates[] = {
    {"sum", AggregateOp::kSum},           {"min", AggregateOp::kMin},
    {"max", AggregateOp::kMax},           {"avg", AggregateOp::kAvg},
    {"count", AggregateOp::kCount},       {"group", AggregateOp::kGroup},
    {"stddev", AggregateOp::kStddev},     {"stdvar", AggregateOp::kStdvar},
    {"topk", AggregateOp::kTopk},         {"bottomk", AggregateOp::kBottomk},
    {"quantile", AggregateOp::kQuantile}, {"count_values", AggregateOp::kCountValues},
    {"limitk", AggregateOp::kLimitk},     {"limit_ratio", AggregateOp::kLimitRatio},
};

class Parser {
 public:
  Parser(std::string_view text, const DurationContext& context) : tokens_(text, context) {}

  ExprPtr Run() {
    if (tokens_.Peek().kind == TokenKind::kEnd)
      tokens_.Fail(tokens_.Peek(), "the expression is empty");
    ExprPtr expr = ParseBinary(kLowestPrecedence);
    if (tokens_.Peek().kind != TokenKind::kEnd) {
      tokens_.Fail(tokens_.Peek(), fmt::format("unexpected {} after a complete expression",
                                               Describe(tokens_.Peek())));
    }
    return expr;
  }

 private:
  // --- operators

  ExprPtr ParseBinary(int lowest) {
    Depth depth(*this);
    ExprPtr lhs = ParseUnary();
    while (const BinaryOperator* found = PeekOperator()) {
      if (found->precedence < lowest) break;
      if (++operators_ > kMaxOperators) {
        tokens_.Fail(tokens_.Peek(),
                     fmt::format("the expression has more than {} operators", kMaxOperators));
      }
      tokens_.Take();
      Binary binary;
      binary.op = found->op;
      binary.lhs = lhs;
      ParseModifiers(*found, &binary);
      // Every operator is left associative but the power.
      const int next = found->op == BinaryOp::kPow ? found->precedence : found->precedence + 1;
      binary.rhs = ParseBinary(next);
      const std::size_t begin = binary.lhs->begin;
      const std::size_t end = binary.rhs->end;
      lhs = tokens_.Make(std::move(binary), begin, end);
    }
    return lhs;
  }

  const BinaryOperator* PeekOperator() const {
    const Token& token = tokens_.Peek();
    const bool may = token.kind == TokenKind::kSymbol || token.kind == TokenKind::kIdentifier;
    return may ? FindOperator(Lower(token.text)) : nullptr;
  }

  void ParseModifiers(const BinaryOperator& found, Binary* binary) {
    if (tokens_.IsKeyword("bool")) {
      if (!IsComparison(found.op)) {
        tokens_.Fail(tokens_.Peek(), "\"bool\" can only follow a comparison operator");
      }
      tokens_.Take();
      binary->return_bool = true;
    }
    if (IsSetOperation(found.op)) binary->matching.side = VectorMatching::Side::kManyToMany;
    ParseMatching(found, &binary->matching);
    binary->matching.fill = TakeFills(tokens_);
  }

  void ParseMatching(const BinaryOperator& found, VectorMatching* into) {
    VectorMatching& matching = *into;
    const bool on = tokens_.IsKeyword("on");
    if (!on && !tokens_.IsKeyword("ignoring")) return;
    if (!tokens_.IsSymbol("(", 1)) return;  // a metric of that name
    tokens_.Take();
    matching.on = on;
    matching.labels = tokens_.TakeLabelList();
    const bool left = tokens_.IsKeyword("group_left");
    if (!left && !tokens_.IsKeyword("group_right")) return;
    if (IsSetOperation(found.op)) {
      tokens_.Fail(tokens_.Peek(),
                   fmt::format("no grouping is allowed for the set operation \"{}\"", found.text));
    }
    tokens_.Take();
    matching.side = left ? VectorMatching::Side::kManyToOne : VectorMatching::Side::kOneToMany;
    if (tokens_.IsSymbol("(")) matching.include = tokens_.TakeLabelList();
    for (const std::string& label : matching.include) {
      if (matching.on && std::find(matching.labels.begin(), matching.labels.end(), label) !=
                             matching.labels.end()) {
        tokens_.Fail(
            tokens_.Peek(),
            fmt::format("label \"{}\" is both in on (...) and in the group modifier", label));
      }
    }
  }

  ExprPtr ParseUnary() {
    Depth depth(*this);
    const Token& token = tokens_.Peek();
    if (!tokens_.IsSymbol("-") && !tokens_.IsSymbol("+"))
      return ParseSuffixes(tokens_, ParsePrimary());
    const bool minus = token.text == "-";
    const std::size_t begin = token.begin;
    tokens_.Take();
    // What the sign applies to binds tighter than * and /: powers only.
    ExprPtr operand = ParseBinary(kUnaryPrecedence + 1);
    if (const auto* number = operand->As<NumberLiteral>()) {
      return tokens_.Make(NumberLiteral{minus ? -number->value : number->value}, begin,
                          operand->end);
    }
    const std::size_t end = operand->end;
    return tokens_.Make(Unary{minus, std::move(operand)}, begin, end);
  }

  ExprPtr ParsePrimary() {
    const Token& token = tokens_.Peek();
    switch (token.kind) {
      case TokenKind::kNumber:
      case TokenKind::kDuration:
        tokens_.Take();
        return tokens_.Make(NumberLiteral{token.number}, token.begin, token.end);
      case TokenKind::kString:
        tokens_.Take();
        return tokens_.Make(StringLiteral{token.text}, token.begin, token.end);
      case TokenKind::kIdentifier:
        return ParseNamed();
      case TokenKind::kSymbol:
        if (token.text == "(") return ParseParen();
        if (token.text == "{") return ParseSelector(tokens_, "", token.begin);
        break;
      case TokenKind::kEnd:
        break;
    }
    tokens_.Fail(token, fmt::format("expected a number, a selector, a function or \"(\", found {}",
                                    Describe(token)));
  }

  ExprPtr ParseParen() {
    Depth depth(*this);
    const std::size_t begin = tokens_.Take().begin;
    ExprPtr inner = ParseBinary(kLowestPrecedence);
    tokens_.Expect(")", "to close the parenthesis");
    return tokens_.Make(Paren{std::move(inner)}, begin, tokens_.LastEnd());
  }

  ExprPtr ParseNamed() {
    const Token& token = tokens_.Peek();
    const std::string lower = Lower(token.text);
    const bool called = tokens_.IsSymbol("(", 1);
    if (!called && !tokens_.IsSymbol("{", 1) && (lower == "inf" || lower == "nan")) {
      tokens_.Take();
      const double value = lower == "inf" ? std::numeric_limits<double>::infinity()
                                          : std::numeric_limits<double>::quiet_NaN();
      return tokens_.Make(NumberLiteral{value}, token.begin, token.end);
    }
    const bool grouped =
        (tokens_.IsKeyword("by", 1) || tokens_.IsKeyword("without", 1)) && tokens_.IsSymbol("(", 2);
    for (const AggregateName& aggregate : kAggregates) {
      if (aggregate.text == lower && (called || grouped)) return ParseAggregation(aggregate);
    }
    if (called) return ParseCall();
    tokens_.Take();
    return ParseSelector(tokens_, token.text, token.begin);
  }

  ExprPtr ParseCall() {
    Depth depth(*this);
    const Token& name = tokens_.Take();
    Call call;
    call.function = FindFunction(name.text);
    if (call.function == nullptr) call.function = FindForeignFunction(name.text);
    if (call.function == nullptr) {
      tokens_.Fail(name, fmt::format("function \"{}\" is outside the dialect", name.text));
    }
    tokens_.Expect("(", "after the function name");
    call.args = ParseArguments();
    return tokens_.Make(std::move(call), name.begin, tokens_.LastEnd());
  }

  std::vector<ExprPtr> ParseArguments() {
    std::vector<ExprPtr> args;
    if (tokens_.TakeSymbol(")")) return args;
    while (true) {
      args.push_back(ParseBinary(kLowestPrecedence));
      if (tokens_.TakeSymbol(")")) return args;
      tokens_.Expect(",", "or \")\" after an argument");
    }
  }

  ExprPtr ParseAggregation(const AggregateName& name) {
    Depth depth(*this);
    const Token& token = tokens_.Take();
    Aggregation aggregation;
    aggregation.op = name.op;
    ParseGrouping(&aggregation);
    const Token& open = tokens_.Peek();
    tokens_.Expect("(", "to open the aggregation");
    std::vector<ExprPtr> args = ParseArguments();
    // From topk on aggregations have a parameter.
    const std::size_t wanted = name.op >= AggregateOp::kTopk ? 2 : 1;
    if (args.size() != wanted) {
      tokens_.Fail(open, fmt::format("\"{}\" takes {} argument{}, not {}", name.text, wanted,
                                     wanted == 1 ? "" : "s", args.size()));
    }
    if (wanted == 2) aggregation.param = args.front();
    aggregation.expr = args.back();
    if (aggregation.grouping == Grouping::kNone) ParseGrouping(&aggregation);
    return tokens_.Make(std::move(aggregation), token.begin, tokens_.LastEnd());
  }

  void ParseGrouping(Aggregation* aggregation) {
    const bool by = tokens_.IsKeyword("by");
    if ((!by && !tokens_.IsKeyword("without")) || !tokens_.IsSymbol("(", 1)) return;
    tokens_.Take();
    aggregation->grouping = by ? Grouping::kBy : Grouping::kWithout;
    aggregation->labels = tokens_.TakeLabelList();
  }

  struct Depth {
    explicit Depth(Parser& p) : parser(p) {
      if (++parser.depth_ > kMaxDepth) {
        parser.tokens_.Fail(parser.tokens_.Peek(), "the expression is nested too deeply");
      }
    }
    ~Depth() { --parser.depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;
    Parser& parser;
  };

  TokenStream tokens_;
  int depth_ = 0;
  int operators_ = 0;
};

}  // namespace

ExprPtr Parse(std::string_view text, const DurationContext& context) {
  return Parser(text, context).Run();
}

}  // namespace schedlens::promql
