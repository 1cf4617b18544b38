#include "promql/parser.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "model/text.h"
#include "promql/lexer.h"
#include "promql/regex.h"
#include "promql/type_check.h"
#include "schedlens/error.h"

namespace schedlens::promql {
namespace {

// Deep enough for any rule written by people, shallow enough for the stack.
constexpr int kMaxDepth = 256;

struct Operator {
  std::string_view text;
  BinaryOp op;
  int precedence;
};

constexpr int kUnaryPrecedence = 5;  // that of * and /, as in Prometheus: -1^2 is -(1^2)

constexpr Operator kOperators[] = {
    {"or", BinaryOp::kOr, 1},           {"and", BinaryOp::kAnd, 2},
    {"unless", BinaryOp::kUnless, 2},   {"==", BinaryOp::kEqual, 3},
    {"!=", BinaryOp::kNotEqual, 3},     {"<", BinaryOp::kLess, 3},
    {"<=", BinaryOp::kLessEqual, 3},    {">", BinaryOp::kGreater, 3},
    {">=", BinaryOp::kGreaterEqual, 3}, {"+", BinaryOp::kAdd, 4},
    {"-", BinaryOp::kSub, 4},           {"*", BinaryOp::kMul, 5},
    {"/", BinaryOp::kDiv, 5},           {"%", BinaryOp::kMod, 5},
    {"^", BinaryOp::kPow, 6},
};

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
};

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::string Describe(const Token& token) {
  if (token.kind == TokenKind::kEnd) return "the end of the expression";
  if (token.kind == TokenKind::kString) return fmt::format("the string \"{}\"", token.text);
  return fmt::format("\"{}\"", token.text);
}

bool IsLabelName(const Token& token) {
  return token.kind == TokenKind::kIdentifier && token.text.find(':') == std::string::npos;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text), tokens_(Lex(text)) {}

  ExprPtr Run() {
    if (Peek().kind == TokenKind::kEnd) Fail(Peek(), "the expression is empty");
    ExprPtr expr = ParseBinary(1);
    if (Peek().kind != TokenKind::kEnd) {
      Fail(Peek(), fmt::format("unexpected {} after a complete expression", Describe(Peek())));
    }
    return expr;
  }

 private:
  // --- tokens

  const Token& Peek(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  const Token& Take() {
    const Token& token = Peek();
    if (at_ + 1 < tokens_.size()) ++at_;
    return token;
  }
  bool IsSymbol(std::string_view symbol, std::size_t ahead = 0) const {
    return Peek(ahead).kind == TokenKind::kSymbol && Peek(ahead).text == symbol;
  }
  bool IsKeyword(std::string_view keyword, std::size_t ahead = 0) const {
    return Peek(ahead).kind == TokenKind::kIdentifier && Lower(Peek(ahead).text) == keyword;
  }
  bool TakeSymbol(std::string_view symbol) {
    if (!IsSymbol(symbol)) return false;
    Take();
    return true;
  }
  void Expect(std::string_view symbol, std::string_view where) {
    if (!TakeSymbol(symbol)) {
      Fail(Peek(), fmt::format("expected \"{}\" {}, found {}", symbol, where, Describe(Peek())));
    }
  }
  [[noreturn]] void Fail(const Token& token, const std::string& message) const {
    ThrowAt(text_, token.begin, message);
  }
  std::size_t LastEnd() const { return at_ == 0 ? 0 : tokens_[at_ - 1].end; }

  ExprPtr Make(decltype(Expr::node) node, std::size_t begin, std::size_t end) const {
    Expr expr;
    expr.node = std::move(node);
    expr.begin = begin;
    expr.end = end;
    return CheckTypes(std::move(expr), text_);
  }

  // --- operators

  ExprPtr ParseBinary(int lowest) {
    Depth depth(*this);
    ExprPtr lhs = ParseUnary();
    while (const Operator* found = PeekOperator()) {
      if (found->precedence < lowest) break;
      Take();
      Binary binary;
      binary.op = found->op;
      binary.lhs = lhs;
      ParseModifiers(*found, &binary);
      // Every operator is left associative but the power.
      const int next = found->op == BinaryOp::kPow ? found->precedence : found->precedence + 1;
      binary.rhs = ParseBinary(next);
      const std::size_t begin = binary.lhs->begin;
      const std::size_t end = binary.rhs->end;
      lhs = Make(std::move(binary), begin, end);
    }
    return lhs;
  }

  const Operator* PeekOperator() const {
    const Token& token = Peek();
    if (token.kind != TokenKind::kSymbol && token.kind != TokenKind::kIdentifier) return nullptr;
    const std::string text = Lower(token.text);
    if (text == "atan2") Fail(token, "\"atan2\" is outside the dialect");
    for (const Operator& candidate : kOperators) {
      if (candidate.text == text) return &candidate;
    }
    return nullptr;
  }

  void ParseModifiers(const Operator& found, Binary* binary) {
    if (IsKeyword("bool")) {
      if (!IsComparison(found.op)) {
        Fail(Peek(), "\"bool\" can only follow a comparison operator");
      }
      Take();
      binary->return_bool = true;
    }
    VectorMatching& matching = binary->matching;
    if (IsSetOperation(found.op)) matching.side = VectorMatching::Side::kManyToMany;
    const bool on = IsKeyword("on");
    if (!on && !IsKeyword("ignoring")) return;
    if (!IsSymbol("(", 1)) return;  // a metric of that name
    Take();
    matching.on = on;
    matching.labels = ParseLabelList();
    const bool left = IsKeyword("group_left");
    if (!left && !IsKeyword("group_right")) return;
    if (IsSetOperation(found.op)) {
      Fail(Peek(), fmt::format("no grouping is allowed for the set operation \"{}\"", found.text));
    }
    Take();
    matching.side = left ? VectorMatching::Side::kManyToOne : VectorMatching::Side::kOneToMany;
    if (IsSymbol("(")) matching.include = ParseLabelList();
    for (const std::string& label : matching.include) {
      if (matching.on && std::find(matching.labels.begin(), matching.labels.end(), label) !=
                             matching.labels.end()) {
        Fail(Peek(),
             fmt::format("label \"{}\" is both in on (...) and in the group modifier", label));
      }
    }
  }

  ExprPtr ParseUnary() {
    Depth depth(*this);
    const Token& token = Peek();
    if (!IsSymbol("-") && !IsSymbol("+")) return ParsePostfix();
    const bool minus = token.text == "-";
    const std::size_t begin = token.begin;
    Take();
    // What the sign applies to binds tighter than * and /: powers only.
    ExprPtr operand = ParseBinary(kUnaryPrecedence + 1);
    if (const auto* number = operand->As<NumberLiteral>()) {
      return Make(NumberLiteral{minus ? -number->value : number->value}, begin, operand->end);
    }
    const std::size_t end = operand->end;
    return Make(Unary{minus, std::move(operand)}, begin, end);
  }

  // --- primaries and what may follow them

  ExprPtr ParsePostfix() {
    ExprPtr expr = ParsePrimary();
    while (true) {
      if (IsSymbol("[")) {
        expr = ParseRange(std::move(expr));
      } else if (IsKeyword("offset")) {
        expr = ParseOffset(std::move(expr));
      } else if (IsSymbol("@")) {
        expr = ParseAt(std::move(expr));
      } else if (IsKeyword("anchored") || IsKeyword("smoothed")) {
        expr = ParseEdges(std::move(expr));
      } else {
        return expr;
      }
    }
  }

  ExprPtr ParsePrimary() {
    const Token& token = Peek();
    switch (token.kind) {
      case TokenKind::kNumber:
      case TokenKind::kDuration:
        Take();
        return Make(NumberLiteral{token.number}, token.begin, token.end);
      case TokenKind::kString:
        Take();
        return Make(StringLiteral{token.text}, token.begin, token.end);
      case TokenKind::kIdentifier:
        return ParseNamed();
      case TokenKind::kSymbol:
        if (token.text == "(") return ParseParen();
        if (token.text == "{") return ParseSelector("", token.begin);
        break;
      case TokenKind::kEnd:
        break;
    }
    Fail(token, fmt::format("expected a number, a selector, a function or \"(\", found {}",
                            Describe(token)));
  }

  ExprPtr ParseParen() {
    Depth depth(*this);
    const std::size_t begin = Take().begin;
    ExprPtr inner = ParseBinary(1);
    Expect(")", "to close the parenthesis");
    return Make(Paren{std::move(inner)}, begin, LastEnd());
  }

  ExprPtr ParseNamed() {
    const Token& token = Peek();
    const std::string lower = Lower(token.text);
    const bool called = IsSymbol("(", 1);
    if (!called && !IsSymbol("{", 1) && (lower == "inf" || lower == "nan")) {
      Take();
      const double value = lower == "inf" ? std::numeric_limits<double>::infinity()
                                          : std::numeric_limits<double>::quiet_NaN();
      return Make(NumberLiteral{value}, token.begin, token.end);
    }
    for (const AggregateName& aggregate : kAggregates) {
      const bool grouped = (IsKeyword("by", 1) || IsKeyword("without", 1)) && IsSymbol("(", 2);
      if (aggregate.text == lower && (called || grouped)) return ParseAggregation(aggregate);
    }
    if (called) return ParseCall();
    Take();
    return ParseSelector(token.text, token.begin);
  }

  ExprPtr ParseCall() {
    Depth depth(*this);
    const Token& name = Take();
    Call call;
    call.function = FindFunction(name.text);
    if (call.function == nullptr) {
      Fail(name, fmt::format("function \"{}\" is outside the dialect", name.text));
    }
    Expect("(", "after the function name");
    call.args = ParseArguments();
    return Make(std::move(call), name.begin, LastEnd());
  }

  std::vector<ExprPtr> ParseArguments() {
    std::vector<ExprPtr> args;
    if (TakeSymbol(")")) return args;
    while (true) {
      args.push_back(ParseBinary(1));
      if (TakeSymbol(")")) return args;
      Expect(",", "or \")\" after an argument");
    }
  }

  ExprPtr ParseAggregation(const AggregateName& name) {
    Depth depth(*this);
    const Token& token = Take();
    Aggregation aggregation;
    aggregation.op = name.op;
    ParseGrouping(&aggregation);
    const Token& open = Peek();
    Expect("(", "to open the aggregation");
    std::vector<ExprPtr> args = ParseArguments();
    const bool with_param = name.op == AggregateOp::kTopk || name.op == AggregateOp::kBottomk ||
                            name.op == AggregateOp::kQuantile ||
                            name.op == AggregateOp::kCountValues;
    const std::size_t wanted = with_param ? 2 : 1;
    if (args.size() != wanted) {
      Fail(open, fmt::format("\"{}\" takes {} argument{}, not {}", name.text, wanted,
                             wanted == 1 ? "" : "s", args.size()));
    }
    if (with_param) aggregation.param = args.front();
    aggregation.expr = args.back();
    if (aggregation.grouping == Grouping::kNone) ParseGrouping(&aggregation);
    return Make(std::move(aggregation), token.begin, LastEnd());
  }

  void ParseGrouping(Aggregation* aggregation) {
    const bool by = IsKeyword("by");
    if ((!by && !IsKeyword("without")) || !IsSymbol("(", 1)) return;
    Take();
    aggregation->grouping = by ? Grouping::kBy : Grouping::kWithout;
    aggregation->labels = ParseLabelList();
  }

  std::vector<std::string> ParseLabelList() {
    Expect("(", "to open the label list");
    std::vector<std::string> labels;
    while (!TakeSymbol(")")) {
      const Token& token = Peek();
      if (!IsLabelName(token) && token.kind != TokenKind::kString) {
        Fail(token, fmt::format("expected a label name, found {}", Describe(token)));
      }
      labels.push_back(token.text);
      Take();
      if (!IsSymbol(")")) Expect(",", "or \")\" after a label name");
    }
    return labels;
  }

  // --- selectors

  ExprPtr ParseSelector(const std::string& name, std::size_t begin) {
    Selector selector;
    selector.name = name;
    if (!name.empty()) {
      selector.matchers.push_back({MatchOp::kEqual, std::string(kMetricName), name});
    }
    const Token& open = Peek();
    if (TakeSymbol("{")) {
      while (!TakeSymbol("}")) {
        ParseMatcher(&selector);
        if (!IsSymbol("}")) Expect(",", "or \"}\" after a matcher");
      }
    }
    const bool selective = std::any_of(selector.matchers.begin(), selector.matchers.end(),
                                       [](const Matcher& m) { return !MatchesEmpty(m); });
    if (!selective) {
      Fail(open, "a selector needs at least one matcher that does not match the empty string");
    }
    return Make(std::move(selector), begin, LastEnd());
  }

  static bool MatchesEmpty(const Matcher& matcher) {
    switch (matcher.op) {
      case MatchOp::kEqual:
        return matcher.value.empty();
      case MatchOp::kNotEqual:
        return !matcher.value.empty();
      case MatchOp::kRegex:
        return MatcherRegex(matcher.value).Matches("");
      case MatchOp::kNotRegex:
        return !MatcherRegex(matcher.value).Matches("");
    }
    return true;
  }

  void ParseMatcher(Selector* selector) {
    const Token& name = Peek();
    if (!IsLabelName(name) && name.kind != TokenKind::kString) {
      Fail(name, fmt::format("expected a label name, found {}", Describe(name)));
    }
    Take();
    // A lone quoted string is the metric name (3.0 and newer).
    if (name.kind == TokenKind::kString && (IsSymbol(",") || IsSymbol("}"))) {
      AddName(name, selector);
      return;
    }
    static constexpr std::pair<std::string_view, MatchOp> kOps[] = {{"=", MatchOp::kEqual},
                                                                    {"!=", MatchOp::kNotEqual},
                                                                    {"=~", MatchOp::kRegex},
                                                                    {"!~", MatchOp::kNotRegex}};
    const Token& op = Peek();
    const auto* found = std::find_if(std::begin(kOps), std::end(kOps), [&](const auto& candidate) {
      return op.kind == TokenKind::kSymbol && op.text == candidate.first;
    });
    if (found == std::end(kOps)) {
      Fail(op, fmt::format("expected =, !=, =~ or !~ after label \"{}\", found {}", name.text,
                           Describe(op)));
    }
    Take();
    const Token& value = Peek();
    if (value.kind != TokenKind::kString) {
      Fail(value, fmt::format("expected a quoted string, found {}", Describe(value)));
    }
    Take();
    if (name.text == kMetricName && !selector->name.empty()) {
      Fail(name, fmt::format("the metric name is set twice: \"{}\" and \"{}\"", selector->name,
                             value.text));
    }
    CheckRegex(value, found->second);
    selector->matchers.push_back({found->second, name.text, value.text});
  }

  void AddName(const Token& name, Selector* selector) {
    if (!selector->name.empty()) {
      Fail(name, fmt::format("the metric name is set twice: \"{}\" and \"{}\"", selector->name,
                             name.text));
    }
    selector->matchers.push_back({MatchOp::kEqual, std::string(kMetricName), name.text});
  }

  void CheckRegex(const Token& value, MatchOp op) const {
    if (op != MatchOp::kRegex && op != MatchOp::kNotRegex) return;
    const MatcherRegex regex(value.text);
    if (!regex.ok()) {
      Fail(value, fmt::format("bad regular expression \"{}\": {}", value.text, regex.error()));
    }
  }

  // --- ranges and time shifts

  /// A duration, or (3.0 and newer) a number of seconds.
  std::int64_t ParseDurationToken(std::string_view where) {
    const Token& token = Peek();
    if (token.kind == TokenKind::kDuration) return Take().duration_ms;
    // Within +-292 years, the reach of a Go duration.
    if (token.kind == TokenKind::kNumber && std::fabs(token.number) < 9.2e9) {
      return std::llround(Take().number * 1000);
    }
    Fail(token, fmt::format("expected a duration {}, found {}", where, Describe(token)));
  }

  ExprPtr ParseRange(ExprPtr expr) {
    const Token& open = Take();
    const Token& duration = Peek();
    const std::int64_t range = ParseDurationToken("in [...]");
    if (range <= 0) Fail(duration, "a range must be longer than zero");
    if (TakeSymbol(":")) {
      Subquery subquery;
      subquery.range_ms = range;
      if (!IsSymbol("]")) {
        const Token& step = Peek();
        subquery.step_ms = ParseDurationToken("as the subquery's step");
        if (subquery.step_ms <= 0) Fail(step, "a subquery's step must be longer than zero");
      }
      Expect("]", "to close the range");
      const std::size_t begin = expr->begin;
      subquery.expr = std::move(expr);
      return Make(std::move(subquery), begin, LastEnd());
    }
    Expect("]", "to close the range");
    const auto* plain = expr->As<Selector>();
    if (plain == nullptr || plain->range_ms != 0) {
      Fail(open, "a range is only allowed after a selector (a subquery is written [range:step])");
    }
    if (plain->shift != TimeShift{} || plain->edges != Edges::kPlain) {
      Fail(open, "the range comes before offset, @, anchored and smoothed");
    }
    Selector selector = *plain;
    selector.range_ms = range;
    return Make(std::move(selector), expr->begin, LastEnd());
  }

  /// Rebuilds a selector or subquery with another shift; anything else cannot be shifted.
  template <typename Change>
  ExprPtr Shifted(const Token& token, const ExprPtr& expr, const Change& change) {
    if (const auto* selector = expr->As<Selector>()) {
      Selector changed = *selector;
      change(&changed.shift);
      return Make(std::move(changed), expr->begin, LastEnd());
    }
    if (const auto* subquery = expr->As<Subquery>()) {
      Subquery changed = *subquery;
      change(&changed.shift);
      return Make(std::move(changed), expr->begin, LastEnd());
    }
    Fail(token, fmt::format("\"{}\" is only allowed after a selector or a subquery", token.text));
  }

  ExprPtr ParseOffset(ExprPtr expr) {
    const Token& token = Take();
    bool negative = false;
    if (IsSymbol("-") || IsSymbol("+")) negative = Take().text == "-";
    const std::int64_t duration = ParseDurationToken("after offset");
    return Shifted(token, expr, [&](TimeShift* shift) {
      if (shift->offset_ms != 0) Fail(token, "offset may not be set twice");
      shift->offset_ms = negative ? -duration : duration;
    });
  }

  ExprPtr ParseAt(ExprPtr expr) {
    const Token& token = Take();
    TimeShift at;
    if ((IsKeyword("start") || IsKeyword("end")) && IsSymbol("(", 1)) {
      at.at = IsKeyword("start") ? TimeShift::At::kStart : TimeShift::At::kEnd;
      Take();
      Take();
      Expect(")", "after start( or end(");
    } else {
      double sign = 1;
      if (IsSymbol("-") || IsSymbol("+")) sign = Take().text == "-" ? -1 : 1;
      const Token& number = Peek();
      if (number.kind != TokenKind::kNumber || std::fabs(number.number) > 1e14) {
        Fail(number, fmt::format("expected unix seconds, start() or end() after @, found {}",
                                 Describe(number)));
      }
      Take();
      at.at = TimeShift::At::kTime;
      at.at_time = static_cast<TimeMs>(std::llround(sign * number.number * 1000));
    }
    return Shifted(token, expr, [&](TimeShift* shift) {
      if (shift->at != TimeShift::At::kNone) Fail(token, "@ may not be set twice");
      shift->at = at.at;
      shift->at_time = at.at_time;
    });
  }

  ExprPtr ParseEdges(ExprPtr expr) {
    const Token& token = Take();
    const auto* plain = expr->As<Selector>();
    if (plain == nullptr) {
      Fail(token, fmt::format("\"{}\" is only allowed after a range selector", token.text));
    }
    if (plain->range_ms == 0) {
      Fail(token, fmt::format("\"{}\" of an instant selector is outside the dialect", token.text));
    }
    if (plain->edges != Edges::kPlain) {
      Fail(token, "anchored and smoothed may not be set twice");
    }
    Selector selector = *plain;
    selector.edges = Lower(token.text) == "anchored" ? Edges::kAnchored : Edges::kSmoothed;
    return Make(std::move(selector), expr->begin, LastEnd());
  }

  struct Depth {
    explicit Depth(Parser& p) : parser(p) {
      if (++parser.depth_ > kMaxDepth) {
        parser.Fail(parser.Peek(), "the expression is nested too deeply");
      }
    }
    ~Depth() { --parser.depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;
    Parser& parser;
  };

  std::string_view text_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

ExprPtr Parse(std::string_view text) { return Parser(text).Run(); }

}  // namespace schedlens::promql
