// Functions of scalars and instant vectors. Range and histogram functions have files of their own.

#include <fmt/core.h>
#include <re2/re2.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "base/text.h"
#include "promql/evaluation.h"
#include "promql/lexer.h"
#include "promql/matcher.h"
#include "stats/go_math.h"

namespace schedlens::promql {
namespace {

bool IsWordChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || IsDigit(c) || c == '_';
}

bool IsUtf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const Character next = NextCharacter(text.substr(i));
    if (!next.well_formed) return false;
    i += next.bytes;
  }
  return true;
}

const std::string& StringArg(const Call& call, std::size_t i) {
  return WithoutParens(*call.args[i]).As<StringLiteral>()->value;
}

/// Go's Regexp.Expand: `$1`, `${1}`, `$name`, `${name}`, `$$`. An unknown group is empty; `$1x` is
/// the group named 1x.
class Expansion {
 public:
  Expansion(std::string_view text, const RE2& regex) : text_(text), regex_(regex) {}

  std::string Expand(const std::vector<re2::StringPiece>& groups) const {
    std::string out;
    for (std::size_t i = 0; i < text_.size();) {
      if (text_[i] != '$') {
        out += text_[i++];
      } else if (text_.substr(i).starts_with("$$")) {
        out += '$';
        i += 2;
      } else {
        std::size_t next = i;
        const std::string_view name = Name(i, &next);
        if (name.empty()) {
          out += text_[i++];
          continue;
        }
        const std::size_t group = GroupOf(name);
        if (group < groups.size() && groups[group].data() != nullptr) {
          out.append(groups[group].data(), groups[group].size());
        }
        i = next;
      }
    }
    return out;
  }

 private:
  /// The group name after the `$` at `i`, and where the text goes on; empty when malformed.
  std::string_view Name(std::size_t i, std::size_t* next) const {
    const bool braces = i + 1 < text_.size() && text_[i + 1] == '{';
    const std::size_t begin = i + (braces ? 2 : 1);
    std::size_t end = begin;
    while (end < text_.size() && IsWordChar(text_[end])) ++end;
    if (braces && (end >= text_.size() || text_[end] != '}')) return {};
    *next = end + (braces ? 1 : 0);
    return text_.substr(begin, end - begin);
  }

  std::size_t GroupOf(std::string_view name) const {
    if (std::all_of(name.begin(), name.end(), IsDigit)) {
      return name.size() > 6 ? static_cast<std::size_t>(-1) : std::stoul(std::string(name));
    }
    const auto& names = regex_.NamedCapturingGroups();
    const auto found = names.find(std::string(name));
    return found == names.end() ? static_cast<std::size_t>(-1)
                                : static_cast<std::size_t>(found->second);
  }

  std::string_view text_;
  const RE2& regex_;
};

void CheckTarget(const Evaluation& evaluation, const Call& call, std::string_view name) {
  if (IsLabelName(name)) return;
  if (evaluation.semantics.AtLeast(3, 3) && !name.empty() && IsUtf8(name)) return;
  ThrowAt(evaluation.text, call.args[1]->begin,
          "invalid destination label name in " + std::string(call.function->name) +
              "(): " + std::string(name));
}

void CheckPattern(const Evaluation& evaluation, const Call& call, const RE2& regex,
                  const std::string& too_long) {
  // RE2 keeps the bounds of every group at every place of the pattern.
  constexpr int kMostGroups = 200;
  const std::string where = " regular expression in label_replace(): ";
  const auto fail = [&](const std::string& why) {
    ThrowAt(evaluation.text, call.args[4]->begin, why);
  };
  if (!too_long.empty()) fail("the" + where + too_long);
  if (!regex.ok() || HasAnyByte(StringArg(call, 4))) fail("invalid" + where + StringArg(call, 4));
  if (regex.NumberOfCapturingGroups() > kMostGroups) {
    fail("the" + where + "more than " + std::to_string(kMostGroups) + " groups");
  }
}

StepVector Replace(const Evaluation& evaluation, const Call& call) {
  const std::string& target = StringArg(call, 1);
  const std::string& source = StringArg(call, 3);
  RE2::Options options(RE2::Quiet);
  // From 3.0 on `.` matches a line break too.
  options.set_dot_nl(evaluation.semantics.AtLeast(3, 0));
  const std::string too_long = TooLongPattern(StringArg(call, 4));
  const RE2 regex(too_long.empty() ? StringArg(call, 4) : "", options);
  CheckPattern(evaluation, call, regex, too_long);
  CheckTarget(evaluation, call, target);
  const Expansion expansion(StringArg(call, 2), regex);
  StepVector vector = EvaluateVector(evaluation, *call.args[0]);
  std::vector<re2::StringPiece> groups(static_cast<std::size_t>(regex.NumberOfCapturingGroups()) +
                                       1);
  for (std::size_t row = 0; row < vector.rows(); ++row) {
    const std::string value(vector.labels(row).Get(source));
    if (!regex.Match(value, 0, value.size(), RE2::ANCHOR_BOTH, groups.data(),
                     static_cast<int>(groups.size()))) {
      continue;
    }
    vector.set_labels(row, vector.labels(row).With(target, expansion.Expand(groups)));
  }
  return vector;
}

StepVector Join(const Evaluation& evaluation, const Call& call) {
  const std::string& target = StringArg(call, 1);
  CheckTarget(evaluation, call, target);
  StepVector vector = EvaluateVector(evaluation, *call.args[0]);
  for (std::size_t row = 0; row < vector.rows(); ++row) {
    std::string joined;
    for (std::size_t i = 3; i < call.args.size(); ++i) {
      if (i > 3) joined += StringArg(call, 2);
      joined += vector.labels(row).Get(StringArg(call, i));
    }
    vector.set_labels(row, vector.labels(row).With(target, joined));
  }
  return vector;
}

/// The labels that a plain selector's equality matchers pin down, each named once.
Labels LabelsForAbsent(const Expr& expr) {
  const auto* selector = expr.As<Selector>();
  if (selector == nullptr) return {};
  std::map<std::string, std::size_t> times;
  for (const Matcher& matcher : selector->matchers) ++times[matcher.name];
  std::vector<Labels::Pair> pairs;
  for (const Matcher& matcher : selector->matchers) {
    if (matcher.op == MatchOp::kEqual && times[matcher.name] == 1 && matcher.name != kMetricName) {
      pairs.emplace_back(matcher.name, matcher.value);
    }
  }
  return Labels(pairs);
}

/// Which steps of a range function see any sample.
StepVector PresentOverTime(const Evaluation& evaluation, const Expr& arg) {
  const RangeVector range = EvaluateRange(evaluation, arg);
  StepVector present(evaluation.steps.count);
  for (const RangeSeries& series : range.series) {
    const std::span<double> row = present.Append(*series.labels);
    WindowCursor cursor(evaluation, range, series);
    for (std::size_t i = 0; i < row.size(); ++i) {
      cursor.Move(i);
      if (cursor.end() > cursor.first()) row[i] = 1;
    }
    present.DropIfEmpty();
  }
  return present;
}

StepVector AbsentOf(const Evaluation& evaluation, const Call& call) {
  const Expr& arg = *call.args[0];
  const StepVector vector = call.function->id == FunctionId::kAbsent
                                ? EvaluateVector(evaluation, arg)
                                : PresentOverTime(evaluation, arg);
  StepVector result(evaluation.steps.count);
  const std::span<double> out = result.Append(LabelsForAbsent(WithoutParens(arg)));
  for (std::size_t i = 0; i < out.size(); ++i) {
    bool some = false;
    for (std::size_t row = 0; row < vector.rows() && !some; ++row) {
      some = !IsAbsent(vector.Row(row)[i]);
    }
    if (!some) out[i] = 1;
  }
  result.DropIfEmpty();
  return result;
}

StepVector Relabelled(const Evaluation& evaluation, const Call& call) {
  const bool replaces = call.function->id == FunctionId::kLabelReplace;
  StepVector vector = replaces ? Replace(evaluation, call) : Join(evaluation, call);
  const Semantics& semantics = evaluation.semantics;
  // Up to 3.2 label_join might give two rows of the same labels.
  if (!replaces && !semantics.IsVictoriaMetrics() && !semantics.AtLeast(3, 3)) return vector;
  return JoinEqualRows(std::move(vector), !semantics.AtLeast(3, 9));
}

/// Of hour, day_of_week and their like: a part of a time given in seconds, in UTC.
double DatePart(FunctionId id, double seconds) {
  using std::chrono::days;
  constexpr double kReach = 1e11;  // years of four digits
  if (!(std::fabs(seconds) < kReach)) return std::numeric_limits<double>::quiet_NaN();
  const std::chrono::sys_seconds time(std::chrono::seconds(static_cast<std::int64_t>(seconds)));
  const auto day = std::chrono::floor<days>(time);
  const std::chrono::year_month_day date(day);
  const auto in_day = (time - day).count();
  switch (id) {
    case FunctionId::kMinute:
      return static_cast<double>(in_day / 60 % 60);
    case FunctionId::kHour:
      return static_cast<double>(in_day / 3600);
    case FunctionId::kDayOfWeek:
      return std::chrono::weekday(day).c_encoding();
    case FunctionId::kDayOfMonth:
      return static_cast<unsigned>(date.day());
    case FunctionId::kDayOfYear: {
      const std::chrono::sys_days first = date.year() / std::chrono::January / 1;
      return static_cast<double>((day - first).count() + 1);
    }
    case FunctionId::kDaysInMonth: {
      const std::chrono::year_month_day last = date.year() / date.month() / std::chrono::last;
      return static_cast<unsigned>(last.day());
    }
    case FunctionId::kMonth:
      return static_cast<unsigned>(date.month());
    default:
      return static_cast<int>(date.year());
  }
}

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kCircle = 3.14159265358979323846264338327950288;

/// Go's math.Max and math.Min: NaN if either is NaN, but infinities win; -0 is below 0.
double GoMax(double a, double b) {
  if (a == kInf || b == kInf) return kInf;
  if (std::isnan(a) || std::isnan(b)) return kNaN;
  if (a == 0 && b == 0) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
double GoMin(double a, double b) {
  if (a == -kInf || b == -kInf) return -kInf;
  if (std::isnan(a) || std::isnan(b)) return kNaN;
  if (a == 0 && b == 0) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

/// Applies `change(value, step)` to every value and drops the metric name.
template <typename Change>
StepVector Map(const Evaluation& evaluation, StepVector vector, const Change& change) {
  for (std::size_t row = 0; row < vector.rows(); ++row) {
    const std::span<double> values = vector.Row(row);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!IsAbsent(values[i])) values[i] = change(values[i], i);
    }
    vector.set_labels(row, WithoutName(evaluation, vector.labels(row)));
  }
  return JoinEqualRows(std::move(vector), false);
}

double Sign(double v) {
  if (v < 0) return -1;
  return v > 0 ? 1 : v;
}

/// Functions of each value by itself.
constexpr std::pair<FunctionId, double (*)(double)> kPlainFunctions[] = {
    {FunctionId::kAbs, [](double v) { return std::fabs(v); }},
    {FunctionId::kCeil, [](double v) { return std::ceil(v); }},
    {FunctionId::kFloor, [](double v) { return std::floor(v); }},
    {FunctionId::kSqrt, [](double v) { return std::sqrt(v); }},
    {FunctionId::kExp, go::Exp},
    {FunctionId::kLn, go::Log},
    {FunctionId::kLog2, go::Log2},
    {FunctionId::kLog10, go::Log10},
    {FunctionId::kDeg, [](double v) { return v * 180 / kCircle; }},
    {FunctionId::kRad, [](double v) { return v * kCircle / 180; }},
    {FunctionId::kSgn, Sign},
};

StepVector Round(const Evaluation& evaluation, const Call& call) {
  ScalarSteps nearest(evaluation.steps.count, 1.0);
  if (call.args.size() > 1) nearest = EvaluateScalar(evaluation, *call.args[1]);
  return Map(evaluation, EvaluateVector(evaluation, *call.args[0]), [&](double v, std::size_t i) {
    // Multiplied by the inverse, as the server does: it rounds less.
    const double inverse = 1.0 / nearest[i];
    return std::floor(v * inverse + 0.5) / inverse;
  });
}

StepVector Clamp(const Evaluation& evaluation, const Call& call) {
  const FunctionId id = call.function->id;
  const std::size_t count = evaluation.steps.count;
  ScalarSteps low(count, -kInf);
  ScalarSteps high(count, kInf);
  if (id != FunctionId::kClampMax) low = EvaluateScalar(evaluation, *call.args[1]);
  if (id != FunctionId::kClampMin) high = EvaluateScalar(evaluation, *call.args.back());
  StepVector vector =
      Map(evaluation, EvaluateVector(evaluation, *call.args[0]), [&](double v, std::size_t i) {
        // Where the limits cross there is no result at all.
        return high[i] < low[i] ? Absent() : GoMax(low[i], GoMin(high[i], v));
      });
  return WithoutEmptyRows(vector);
}

StepVector Timestamp(const Evaluation& evaluation, const Call& call) {
  const Expr& arg = WithoutParens(*call.args[0]);
  // Up to 2.22 a selector in parentheses did not count as one.
  const bool seen = &arg == call.args[0].get() || evaluation.semantics.IsVictoriaMetrics() ||
                    evaluation.semantics.AtLeast(2, 23);
  if (const auto* selector = arg.As<Selector>(); selector != nullptr && seen) {
    return Map(evaluation, EvaluateSelector(evaluation, *selector, true),
               [](double v, std::size_t) { return v; });
  }
  return Map(evaluation, EvaluateVector(evaluation, arg),
             [&](double, std::size_t i) { return MsToSeconds(evaluation.steps.At(i)); });
}

/// Go's sort.Sort(sort.Reverse(...)) of a vector by value, descending or ascending, NaN last.
StepVector Sorted(const Evaluation& evaluation, const Call& call) {
  const bool descending = call.function->id == FunctionId::kSortDesc;
  const StepVector vector = EvaluateVector(evaluation, *call.args[0]);
  if (vector.steps() != 1) return vector;  // matrices are ordered by label anyway
  std::vector<std::size_t> order(vector.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const double x = vector.Row(a)[0];
    const double y = vector.Row(b)[0];
    if (std::isnan(x) || std::isnan(y)) return !std::isnan(x) && std::isnan(y);
    return descending ? x > y : x < y;
  });
  StepVector sorted(1);
  for (const std::size_t row : order) sorted.Append(vector.labels(row), vector.Row(row));
  return sorted;
}

ScalarSteps ScalarOf(const StepVector& vector) {
  ScalarSteps result(vector.steps(), kNaN);
  for (std::size_t i = 0; i < vector.steps(); ++i) {
    std::size_t found = 0;
    for (std::size_t row = 0; row < vector.rows(); ++row) {
      const double v = vector.Row(row)[i];
      if (IsAbsent(v)) continue;
      result[i] = ++found == 1 ? v : kNaN;
    }
  }
  return result;
}

StepVector VectorOf(const ScalarSteps& scalar) {
  StepVector vector(scalar.size());
  std::copy(scalar.begin(), scalar.end(), vector.Append(Labels()).begin());
  return vector;
}

/// Prometheus's functions that VictoriaMetrics refuses.
bool LacksVictoria(FunctionId id) {
  using enum FunctionId;
  return id == kHistogramCount || id == kHistogramSum || id == kDoubleSmoothing ||
         id == kTsOfFirstOverTime || id == kTsOfLastOverTime || id == kTsOfMaxOverTime ||
         id == kTsOfMinOverTime;
}

StepVector Date(const Evaluation& evaluation, const Call& call) {
  const FunctionId id = call.function->id;
  if (!call.args.empty()) {
    return Map(evaluation, EvaluateVector(evaluation, *call.args[0]),
               [=](double v, std::size_t) { return DatePart(id, v); });
  }
  StepVector now(evaluation.steps.count);
  const std::span<double> row = now.Append(Labels());
  for (std::size_t i = 0; i < row.size(); ++i) {
    row[i] = DatePart(id, static_cast<double>(evaluation.steps.At(i) / 1000));
  }
  return now;
}

/// Throws Error(kUsage) for a function that the server does not have.
void CheckVersion(const Evaluation& evaluation, const Function& function, const Expr& expr) {
  const Semantics& semantics = evaluation.semantics;
  std::string why;
  if (semantics.IsVictoriaMetrics()) {
    if (!LacksVictoria(function.id)) return;
    why = fmt::format("VictoriaMetrics does not know {}", function.name);
  } else if (function.only_victoria) {
    why = fmt::format(
        "{} is a function of VictoriaMetrics (--semantics victoriametrics); "
        "Prometheus does not know it",
        function.name);
  } else if (semantics.AtLeast(function.until_major, function.until_minor)) {
    why = fmt::format("{} was removed in {}.{}; {} does not know it", function.name,
                      function.until_major, function.until_minor, schedlens::ToString(semantics));
  } else if (!semantics.AtLeast(function.since_major, function.since_minor)) {
    why = fmt::format("{} needs --semantics {}.{} or newer; {} does not know it", function.name,
                      function.since_major, function.since_minor, schedlens::ToString(semantics));
  } else {
    return;
  }
  ThrowAt(evaluation.text, expr.begin, why);
}

}  // namespace

StepValue EvaluateCall(const Evaluation& evaluation, const Call& call, const Expr& expr) {
  using enum FunctionId;
  CheckVersion(evaluation, *call.function, expr);
  const auto vector = [&] { return EvaluateVector(evaluation, *call.args[0]); };
  for (const auto& plain : kPlainFunctions) {
    if (plain.first != call.function->id) continue;
    return Map(evaluation, vector(), [&](double v, std::size_t) { return plain.second(v); });
  }
  switch (call.function->id) {
    case kPi:
      return ScalarSteps(evaluation.steps.count, kCircle);
    case kRound:
      return Round(evaluation, call);
    case kClamp:
    case kClampMax:
    case kClampMin:
      return Clamp(evaluation, call);
    case kTimestamp:
      return Timestamp(evaluation, call);
    case kSort:
    case kSortDesc:
      return Sorted(evaluation, call);
    case kScalar:
      return ScalarOf(vector());
    case kVector:
      return VectorOf(EvaluateScalar(evaluation, *call.args[0]));
    case kTime: {
      ScalarSteps times(evaluation.steps.count);
      for (std::size_t i = 0; i < times.size(); ++i) {
        times[i] = MsToSeconds(evaluation.steps.At(i));
      }
      return times;
    }
    case kDayOfMonth:
    case kDayOfWeek:
    case kDayOfYear:
    case kDaysInMonth:
    case kHour:
    case kMinute:
    case kMonth:
    case kYear:
      return Date(evaluation, call);
    case kAbsent:
    case kAbsentOverTime:
      return AbsentOf(evaluation, call);
    case kLabelJoin:
    case kLabelReplace:
      return Relabelled(evaluation, call);
    case kHistogramAvg:
    case kHistogramCount:
    case kHistogramFraction:
    case kHistogramQuantile:
    case kHistogramQuantiles:
    case kHistogramStddev:
    case kHistogramStdvar:
    case kHistogramSum:
    case kPrometheusBuckets:
      return EvaluateHistogramCall(evaluation, call);
    default:
      return EvaluateRangeCall(evaluation, call);
  }
}

}  // namespace schedlens::promql
