#include "promql/parser.h"

#include "base/not_finite.h"
#include "promql/matcher.h"

namespace schedlens::promql {
namespace {

// Deep enough for any rule written by people, shallow enough for the stack.
constexpr int kMaxDepth = 256;
constexpr int kMaxDurationDepth = 100;
/// A chain of operators is a tree as deep as it is long.
constexpr int kMaxOperators = 2000;
/// Within +-292 years, the reach of a Go duration.
constexpr double kMostDurationSeconds = 9.2e9;

/// How tightly each operator binds, by BinaryOp; a higher one binds tighter. The last three are
/// MetricsQL's.
constexpr int kPrecedence[] = {1, 2, 2, 3, 3, 3, 3, 3, 3, 4, 4, 5, 5, 5, 6, 5, -1, 0, 0};
constexpr int kLowestPrecedence = -1;
/// That of * and /, as in Prometheus: -1^2 is -(1^2).
constexpr int kUnaryPrecedence = 5;

/// The operator that is printed as `text`, words in lower case; `last` is the enumeration's last.
template <typename Op>
std::optional<Op> OpNamed(std::string_view text, Op last) {
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    if (ToString(static_cast<Op>(i)) == text) return static_cast<Op>(i);
  }
  return std::nullopt;
}

/// The grammar from the outside down to selectors: operators, calls, aggregations, durations.
class Parser : TokenStream {
 public:
  Parser(std::string_view text, const DurationContext& context)
      : TokenStream(text), context_(context) {}

  ExprPtr Run() {
    if (Peek().kind == TokenKind::kEnd) Fail(Peek(), "the expression is empty");
    ExprPtr expr = ParseBinary(kLowestPrecedence);
    if (Peek().kind != TokenKind::kEnd) {
      Fail(Peek(), fmt::format("unexpected {} after a complete expression", Describe(Peek())));
    }
    return expr;
  }

 private:
  /// A node of this text from `begin` up to the last token taken, its types checked.
  ExprPtr Make(decltype(Expr::node) node, std::size_t begin) const {
    return CheckTypes({std::move(node), ValueKind::kScalar, begin, LastEnd()}, text());
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

  ExprPtr ParseBinary(int lowest) {
    Depth depth(*this);
    ExprPtr lhs = ParseUnary();
    while (const std::optional<BinaryOp> op = PeekOperator()) {
      const int precedence = kPrecedence[static_cast<int>(*op)];
      if (precedence < lowest) break;
      if (++operators_ > kMaxOperators) {
        Fail(Peek(), fmt::format("the expression has more than {} operators", kMaxOperators));
      }
      Take();
      Binary binary;
      binary.op = *op;
      binary.lhs = lhs;
      if (IsKeyword("bool")) {
        if (!IsComparison(*op)) Fail(Peek(), "\"bool\" can only follow a comparison operator");
        Take();
        binary.return_bool = true;
      }
      ParseMatching(*op, &binary.matching);
      binary.matching.fill = TakeFills();
      // Every operator is left associative but the power.
      binary.rhs = ParseBinary(*op == BinaryOp::kPow ? precedence : precedence + 1);
      lhs = Make(std::move(binary), lhs->begin);
    }
    return lhs;
  }

  std::optional<BinaryOp> PeekOperator() const {
    const Token& token = Peek();
    const bool may = token.kind == TokenKind::kSymbol || token.kind == TokenKind::kIdentifier;
    return may ? OpNamed(InSmallLetters(token.text), BinaryOp::kIfNot) : std::nullopt;
  }

  void ParseMatching(BinaryOp op, VectorMatching* matching) {
    const bool on = IsKeyword("on");
    if (!on && !IsKeyword("ignoring")) return;
    if (!IsSymbol("(", 1)) return;  // a metric of that name
    Take();
    matching->on = on;
    matching->labels = TakeLabelList();
    const bool left = IsKeyword("group_left");
    if (!left && !IsKeyword("group_right")) return;
    if (IsSetOperation(op)) {
      Fail(Peek(),
           fmt::format("no grouping is allowed for the set operation \"{}\"", ToString(op)));
    }
    Take();
    matching->side = left ? VectorMatching::Side::kManyToOne : VectorMatching::Side::kOneToMany;
    if (IsSymbol("(")) matching->include = TakeLabelList();
    const std::vector<std::string>& labels = matching->labels;
    for (const std::string& label : matching->include) {
      if (!on || std::ranges::find(labels, label) == labels.end()) continue;
      Fail(Peek(),
           fmt::format("label \"{}\" is both in on (...) and in the group modifier", label));
    }
  }

  /// Takes `fill(0)`, or `fill_left` and `fill_right`: what stands for series without a partner. As
  /// text; empty without.
  std::string TakeFills() {
    std::string text;
    while (IsSymbol("(", 1) &&
           (IsKeyword("fill") || IsKeyword("fill_left") || IsKeyword("fill_right"))) {
      const std::string word = InSmallLetters(Take().text);
      Take();
      const double sign = TakeSign();
      const Token& value = Peek();
      if (value.kind != TokenKind::kNumber) {
        Fail(value, fmt::format("expected a number in {}, found {}", word, Describe(value)));
      }
      Take();
      Expect(")", "after the number");
      text +=
          fmt::format("{}{}({})", text.empty() ? "" : " ", word, FormatNumber(sign * value.number));
    }
    return text;
  }

  ExprPtr ParseUnary() {
    Depth depth(*this);
    if (!IsSign()) return ParseSuffixes(ParsePrimary());
    const std::size_t begin = Peek().begin;
    const bool minus = TakeSign() < 0;
    // What the sign applies to binds tighter than * and /: powers only.
    ExprPtr operand = ParseBinary(kUnaryPrecedence + 1);
    if (const auto* number = operand->As<NumberLiteral>()) {
      return Make(NumberLiteral{minus ? -number->value : number->value}, begin);
    }
    return Make(Unary{minus, std::move(operand)}, begin);
  }

  ExprPtr ParsePrimary() {
    const Token& token = Peek();
    if (token.kind == TokenKind::kNumber || token.kind == TokenKind::kDuration) {
      return Make(NumberLiteral{Take().number}, token.begin);
    }
    if (token.kind == TokenKind::kString) return Make(StringLiteral{Take().text}, token.begin);
    if (token.kind == TokenKind::kIdentifier) return ParseNamed();
    if (IsSymbol("(")) return ParseParen();
    if (IsSymbol("{")) return ParseSelector("", token.begin);
    Fail(token, fmt::format("expected a number, a selector, a function or \"(\", found {}",
                            Describe(token)));
  }

  ExprPtr ParseParen() {
    Depth depth(*this);
    const std::size_t begin = Take().begin;
    ExprPtr inner = ParseBinary(kLowestPrecedence);
    Expect(")", "to close the parenthesis");
    return Make(Paren{std::move(inner)}, begin);
  }

  ExprPtr ParseNamed() {
    const Token& token = Peek();
    const std::string lower = InSmallLetters(token.text);
    const bool called = IsSymbol("(", 1);
    if (!called && !IsSymbol("{", 1) && (lower == "inf" || lower == "nan")) {
      Take();
      const double value = lower == "inf" ? kInfinity : kNaN;
      return Make(NumberLiteral{value}, token.begin);
    }
    const bool grouped = (IsKeyword("by", 1) || IsKeyword("without", 1)) && IsSymbol("(", 2);
    if (called || grouped) {
      if (const auto op = OpNamed(lower, AggregateOp::kLimitRatio)) return ParseAggregation(*op);
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
    return Make(std::move(call), name.begin);
  }

  std::vector<ExprPtr> ParseArguments() {
    std::vector<ExprPtr> args;
    if (TakeSymbol(")")) return args;
    while (true) {
      args.push_back(ParseBinary(kLowestPrecedence));
      if (TakeSymbol(")")) return args;
      Expect(",", "or \")\" after an argument");
    }
  }

  ExprPtr ParseAggregation(AggregateOp op) {
    Depth depth(*this);
    const Token& token = Take();
    Aggregation aggregation;
    aggregation.op = op;
    ParseGrouping(&aggregation);
    const Token& open = Peek();
    Expect("(", "to open the aggregation");
    std::vector<ExprPtr> args = ParseArguments();
    // From topk on aggregations have a parameter.
    const std::size_t wanted = op >= AggregateOp::kTopk ? 2 : 1;
    if (args.size() != wanted) {
      Fail(open, fmt::format("\"{}\" takes {} argument{}, not {}", ToString(op), wanted,
                             wanted == 1 ? "" : "s", args.size()));
    }
    if (wanted == 2) aggregation.param = args.front();
    aggregation.expr = args.back();
    if (aggregation.grouping == Grouping::kNone) ParseGrouping(&aggregation);
    return Make(std::move(aggregation), token.begin);
  }

  void ParseGrouping(Aggregation* aggregation) {
    const bool by = IsKeyword("by");
    if ((!by && !IsKeyword("without")) || !IsSymbol("(", 1)) return;
    Take();
    aggregation->grouping = by ? Grouping::kBy : Grouping::kWithout;
    aggregation->labels = TakeLabelList();
  }

  /// Reads `{...}`, if there, of a selector whose metric name ("" for none) began at `begin` and is
  /// taken already.
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
    const bool selective = std::ranges::any_of(selector.matchers, [](const Matcher& matcher) {
      return !CompiledMatcher(matcher).Accepts("");
    });
    if (!selective) {
      Fail(open, "a selector needs at least one matcher that does not match the empty string");
    }
    return Make(std::move(selector), begin);
  }

  void ParseMatcher(Selector* selector) {
    const Token& name = TakeLabelName();
    // A lone quoted string is the metric name (3.0 and newer).
    if (name.kind == TokenKind::kString && (IsSymbol(",") || IsSymbol("}"))) {
      CheckNameOnce(name, *selector, name.text);
      selector->matchers.push_back({MatchOp::kEqual, std::string(kMetricName), name.text});
      return;
    }
    const std::optional<MatchOp> op = OpNamed(Peek().text, MatchOp::kNotRegex);
    if (Peek().kind != TokenKind::kSymbol || !op) {
      Fail(Peek(), fmt::format("expected =, !=, =~ or !~ after label \"{}\", found {}", name.text,
                               Describe(Peek())));
    }
    Take();
    const Token& value = Peek();
    if (value.kind != TokenKind::kString) {
      Fail(value, fmt::format("expected a quoted string, found {}", Describe(value)));
    }
    Take();
    if (name.text == kMetricName) CheckNameOnce(name, *selector, value.text);
    if (op == MatchOp::kRegex || op == MatchOp::kNotRegex) {
      if (const std::string why = TooLongPattern(value.text); !why.empty()) {
        Fail(value, "a regular expression is " + why);
      }
      const MatcherRegex regex(value.text);
      if (!regex.ok()) {
        Fail(value, fmt::format("bad regular expression \"{}\": {}", value.text, regex.error()));
      }
    }
    selector->matchers.push_back({*op, name.text, value.text});
  }

  void CheckNameOnce(const Token& at, const Selector& selector, const std::string& other) const {
    if (selector.name.empty()) return;
    Fail(at, fmt::format("the metric name is set twice: \"{}\" and \"{}\"", selector.name, other));
  }

  /// Reads what may follow a selector or an expression, any number of times: `[5m]`, `[5m:1m]`,
  /// `offset 1h`, `@ 1609746000`, `anchored`, `smoothed`.
  ExprPtr ParseSuffixes(ExprPtr expr) {
    while (true) {
      if (IsSymbol("[")) {
        expr = ParseRange(std::move(expr));
      } else if (IsKeyword("offset")) {
        expr = ParseOffset(expr);
      } else if (IsSymbol("@")) {
        expr = ParseAt(expr);
      } else if (IsKeyword("anchored") || IsKeyword("smoothed")) {
        expr = ParseEdges(expr);
      } else {
        return expr;
      }
    }
  }

  ExprPtr ParseRange(ExprPtr expr) {
    const std::size_t begin = expr->begin;
    const Token& open = Take();
    const std::int64_t range = ParsePositive("in [...]", "a range");
    if (TakeSymbol(":")) {
      Subquery subquery{std::move(expr), range, 0, {}};
      if (!IsSymbol("]")) {
        subquery.step_ms = ParsePositive("as the subquery's step", "a subquery's step");
      }
      Expect("]", "to close the range");
      return Make(std::move(subquery), begin);
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
    return Make(std::move(selector), begin);
  }

  /// The shift of a selector or subquery; anything else cannot be shifted.
  TimeShift& ShiftOf(decltype(Expr::node)& node, const Token& token) const {
    if (auto* selector = std::get_if<Selector>(&node)) return selector->shift;
    if (auto* subquery = std::get_if<Subquery>(&node)) return subquery->shift;
    Fail(token, fmt::format("\"{}\" is only allowed after a selector or a subquery", token.text));
  }

  ExprPtr ParseOffset(const ExprPtr& expr) {
    const Token& token = Take();
    const double sign = TakeSign();
    const std::int64_t duration =
        DurationMs(sign * DurationPrimary("after offset"), "after offset");
    decltype(Expr::node) node = expr->node;
    TimeShift& shift = ShiftOf(node, token);
    if (shift.offset_ms != 0) Fail(token, "offset may not be set twice");
    shift.offset_ms = duration;
    return Make(std::move(node), expr->begin);
  }

  ExprPtr ParseAt(const ExprPtr& expr) {
    const Token& token = Take();
    TimeShift::At at = TimeShift::At::kTime;
    TimeMs time = 0;
    if ((IsKeyword("start") || IsKeyword("end")) && IsSymbol("(", 1)) {
      at = IsKeyword("start") ? TimeShift::At::kStart : TimeShift::At::kEnd;
      Take();
      Take();
      Expect(")", "after start( or end(");
    } else {
      const double sign = TakeSign();
      const Token& number = Peek();
      if (number.kind != TokenKind::kNumber || std::fabs(number.number) > 1e14) {
        Fail(number, fmt::format("expected unix seconds, start() or end() after @, found {}",
                                 Describe(number)));
      }
      Take();
      time = static_cast<TimeMs>(std::llround(sign * number.number * 1000));
    }
    decltype(Expr::node) node = expr->node;
    TimeShift& shift = ShiftOf(node, token);
    if (shift.at != TimeShift::At::kNone) Fail(token, "@ may not be set twice");
    shift.at = at;
    shift.at_time = time;
    return Make(std::move(node), expr->begin);
  }

  ExprPtr ParseEdges(const ExprPtr& expr) {
    const Token& token = Take();
    const auto* plain = expr->As<Selector>();
    if (plain == nullptr) {
      Fail(token, fmt::format("\"{}\" is only allowed after a range selector", token.text));
    }
    if (plain->edges != Edges::kPlain) Fail(token, "anchored and smoothed may not be set twice");
    Selector selector = *plain;
    selector.edges = InSmallLetters(token.text) == "anchored" ? Edges::kAnchored : Edges::kSmoothed;
    return Make(std::move(selector), expr->begin);
  }

  // --- durations, which may be expressions (3.14 and newer by default): arithmetic in seconds, as
  // servers do it; `where` is for the messages

  std::int64_t DurationMs(double seconds, std::string_view where) const {
    if (std::fabs(seconds) < kMostDurationSeconds) return std::llround(seconds * 1000);
    Fail(Peek(), fmt::format("the duration {} is out of range", where));
  }

  /// Milliseconds of `5m`, `300`, `5*1m`, `max_of(step(), 1m)`: everything up to a bracket or
  /// colon.
  std::int64_t ParsePositive(std::string_view where, std::string_view what) {
    const Token& first = Peek();
    const std::int64_t ms = DurationMs(DurationSum(where), where);
    if (ms <= 0) Fail(first, fmt::format("{} must be longer than zero", what));
    return ms;
  }

  double DurationSum(std::string_view where) {
    double value = DurationProduct(where);
    while (IsSign()) {
      const double sign = TakeSign();
      value += sign * DurationProduct(where);
    }
    return value;
  }

  double DurationProduct(std::string_view where) {
    double value = DurationOperand(where);
    while (IsSymbol("*") || IsSymbol("/") || IsSymbol("%")) {
      const Token& token = Take();
      const double other = DurationOperand(where);
      if (token.text != "*" && other == 0) Fail(token, "a duration is divided by zero");
      if (token.text == "*") value *= other;
      if (token.text == "/") value /= other;
      if (token.text == "%") value = std::fmod(value, other);
    }
    return value;
  }

  double DurationOperand(std::string_view where) {
    if (++duration_depth_ > kMaxDurationDepth) Fail(Peek(), "the duration is nested too deeply");
    double value = 0;
    if (IsSign()) {
      const double sign = TakeSign();
      value = sign * DurationOperand(where);
    } else {
      value = DurationPrimary(where);
      if (TakeSymbol("^")) value = std::pow(value, DurationOperand(where));
    }
    --duration_depth_;
    return value;
  }

  double DurationPrimary(std::string_view where) {
    const Token& token = Peek();
    if (token.kind == TokenKind::kDuration) return MsToSeconds(Take().duration_ms);
    if (token.kind == TokenKind::kNumber) return Take().number;
    if (TakeSymbol("(")) {
      const double value = DurationSum(where);
      Expect(")", "to close the parenthesis");
      return value;
    }
    if (token.kind == TokenKind::kIdentifier && IsSymbol("(", 1)) return DurationCall(where);
    Fail(token, fmt::format("expected a duration {}, found {}", where, Describe(token)));
  }

  double DurationCall(std::string_view where) {
    const Token& name = Take();
    const std::string lower = InSmallLetters(name.text);
    Take();
    if (lower == "step" || lower == "range") {
      Expect(")", "after step( or range(");
      return MsToSeconds(lower == "step" ? context_.step_ms : context_.range_ms);
    }
    if (lower != "min_of" && lower != "max_of") {
      Fail(name, fmt::format("\"{}\" is no function of durations", name.text));
    }
    const double a = DurationSum(where);
    Expect(",", "between two durations");
    const double b = DurationSum(where);
    Expect(")", "after the second duration");
    return lower == "min_of" ? std::min(a, b) : std::max(a, b);
  }

  DurationContext context_;
  int depth_ = 0, operators_ = 0, duration_depth_ = 0;
};

}  // namespace

ExprPtr Parse(std::string_view text, const DurationContext& context) {
  // Before a hundred times as much is spent on its tokens.
  if (text.size() > std::size_t{1} << 20) ThrowAt(text, 0, "an expression of more than 1 MiB");
  return Parser(text, context).Run();
}

}  // namespace schedlens::promql
