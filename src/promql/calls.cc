// Functions of scalars and instant vectors, and all functions by name. Range and histogram
// functions have files of their own.

#include <re2/re2.h>

#include <chrono>
#include <numeric>

#include "base/not_finite.h"
#include "promql/evaluation.h"
#include "promql/matcher.h"
#include "promql/parser.h"
#include "stats/go_math.h"

namespace schedlens::promql {
namespace {

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

using Matched = std::vector<re2::StringPiece>;

/// What the group of that name or number matched; null where there is none.
re2::StringPiece GroupNamed(const re2::StringPiece& name, const RE2& regex, const Matched& groups) {
  std::size_t group = groups.size();
  if (std::ranges::all_of(name, IsDigit)) {
    if (name.size() <= 6) group = std::stoul(name.ToString());
  } else {
    const auto& names = regex.NamedCapturingGroups();
    const auto found = names.find(name.ToString());
    if (found != names.end()) group = static_cast<std::size_t>(found->second);
  }
  return group < groups.size() ? groups[group] : re2::StringPiece();
}

/// Go's Regexp.Expand: `$1`, `${1}`, `$name`, `${name}`, `$$`. An unknown group is empty; `$1x` is
/// the group named 1x.
std::string Expand(std::string_view text, const RE2& regex, const Matched& groups) {
  static const RE2 kReference("\\$(?:\\$|(\\w+)|\\{(\\w+)\\})", RE2::Latin1);
  std::string out;
  re2::StringPiece rest(text.data(), text.size());
  re2::StringPiece found[3];
  while (kReference.Match(rest, 0, rest.size(), RE2::UNANCHORED, found, 3)) {
    const auto before = static_cast<std::size_t>(found[0].data() - rest.data());
    out.append(rest.data(), before);
    const re2::StringPiece& name = found[1].data() != nullptr ? found[1] : found[2];
    const re2::StringPiece value =
        name.data() == nullptr ? re2::StringPiece("$") : GroupNamed(name, regex, groups);
    out.append(value.data(), value.size());
    rest.remove_prefix(before + found[0].size());
  }
  return out.append(rest.data(), rest.size());
}

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
  StepVector vector = EvaluateVector(evaluation, *call.args[0]);
  Matched groups(static_cast<std::size_t>(regex.NumberOfCapturingGroups()) + 1);
  for (std::size_t row = 0; row < vector.rows(); ++row) {
    const std::string value(vector.labels(row).Get(source));
    if (!regex.Match(value, 0, value.size(), RE2::ANCHOR_BOTH, groups.data(),
                     static_cast<int>(groups.size()))) {
      continue;
    }
    vector.set_labels(row,
                      vector.labels(row).With(target, Expand(StringArg(call, 2), regex, groups)));
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

StepValue AbsentOf(const Evaluation& evaluation, const Call& call) {
  const Expr& arg = *call.args[0];
  const StepVector vector = call.function->name == "absent" ? EvaluateVector(evaluation, arg)
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

StepValue Relabelled(const Evaluation& evaluation, const Call& call) {
  const bool replaces = call.function->name == "label_replace";
  StepVector vector = replaces ? Replace(evaluation, call) : Join(evaluation, call);
  const Semantics& semantics = evaluation.semantics;
  // Up to 3.2 label_join might give two rows of the same labels.
  if (!replaces && !semantics.IsVictoriaMetrics() && !semantics.AtLeast(3, 3)) return vector;
  return JoinEqualRows(std::move(vector), !semantics.AtLeast(3, 9));
}

/// A part of a time in UTC, by the name of its function.
double DatePart(std::string_view part, double seconds) {
  constexpr double kReach = 1e11;  // years of four digits
  if (!(std::fabs(seconds) < kReach)) return kNaN;
  const std::chrono::sys_seconds time(std::chrono::seconds(static_cast<std::int64_t>(seconds)));
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::int64_t second = (time - day).count();
  if (part == "minute") return static_cast<double>(second / 60 % 60);
  if (part == "hour") return static_cast<double>(second / 3600);
  if (part == "day_of_week") return std::chrono::weekday(day).c_encoding();
  if (part == "day_of_month") return static_cast<unsigned>(date.day());
  if (part == "month") return static_cast<unsigned>(date.month());
  if (part == "year") return static_cast<int>(date.year());
  if (part == "day_of_year") {
    const std::chrono::sys_days first = date.year() / std::chrono::January / 1;
    return static_cast<double>((day - first).count() + 1);
  }
  const auto last = date.year() / date.month() / std::chrono::last;
  return static_cast<unsigned>(std::chrono::year_month_day(last).day());
}

constexpr double kCircle = 3.14159265358979323846264338327950288;

/// Go's math.Max and math.Min: NaN if either is NaN, but infinities win; -0 is below 0.
double GoMax(double a, double b) {
  if (a == kInfinity || b == kInfinity) return kInfinity;
  if (std::isnan(a) || std::isnan(b)) return kNaN;
  if (a == 0 && b == 0) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
double GoMin(double a, double b) { return -GoMax(-a, -b); }

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

double Degrees(double v) { return v * 180 / kCircle; }
double Radians(double v) { return v * kCircle / 180; }
double Sign(double v) {
  if (v < 0) return -1;
  return v > 0 ? 1 : v;
}

/// Each value by itself.
template <double (*kFunction)(double)>
StepValue OfEach(const Evaluation& evaluation, const Call& call) {
  return Map(evaluation, EvaluateVector(evaluation, *call.args[0]),
             [](double v, std::size_t) { return kFunction(v); });
}

/// A part of the times that are the values, or of the evaluation's own.
StepValue Date(const Evaluation& evaluation, const Call& call) {
  const std::string_view part = call.function->name;
  if (!call.args.empty()) {
    return Map(evaluation, EvaluateVector(evaluation, *call.args[0]),
               [&](double v, std::size_t) { return DatePart(part, v); });
  }
  StepVector now(evaluation.steps.count);
  const std::span<double> row = now.Append(Labels());
  for (std::size_t i = 0; i < row.size(); ++i) {
    row[i] = DatePart(part, static_cast<double>(evaluation.steps.At(i) / 1000));
  }
  return now;
}

StepValue Round(const Evaluation& evaluation, const Call& call) {
  ScalarSteps nearest(evaluation.steps.count, 1.0);
  if (call.args.size() > 1) nearest = EvaluateScalar(evaluation, *call.args[1]);
  return Map(evaluation, EvaluateVector(evaluation, *call.args[0]), [&](double v, std::size_t i) {
    // Multiplied by the inverse, as the server does: it rounds less.
    const double inverse = 1.0 / nearest[i];
    return std::floor(v * inverse + 0.5) / inverse;
  });
}

StepValue Clamp(const Evaluation& evaluation, const Call& call) {
  const std::string_view name = call.function->name;
  const std::size_t count = evaluation.steps.count;
  ScalarSteps low(count, -kInfinity);
  ScalarSteps high(count, kInfinity);
  if (name != "clamp_max") low = EvaluateScalar(evaluation, *call.args[1]);
  if (name != "clamp_min") high = EvaluateScalar(evaluation, *call.args.back());
  StepVector vector =
      Map(evaluation, EvaluateVector(evaluation, *call.args[0]), [&](double v, std::size_t i) {
        // Where the limits cross there is no result at all.
        return high[i] < low[i] ? Absent() : GoMax(low[i], GoMin(high[i], v));
      });
  return WithoutEmptyRows(vector);
}

StepValue Timestamp(const Evaluation& evaluation, const Call& call) {
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
StepValue Sorted(const Evaluation& evaluation, const Call& call) {
  const bool descending = call.function->name == "sort_desc";
  const StepVector vector = EvaluateVector(evaluation, *call.args[0]);
  if (vector.steps() != 1) return vector;  // matrices are ordered by label anyway
  std::vector<std::size_t> order(vector.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    const double x = vector.Row(a)[0], y = vector.Row(b)[0];
    if (std::isnan(x) || std::isnan(y)) return !std::isnan(x) && std::isnan(y);
    return descending ? x > y : x < y;
  });
  StepVector sorted(1);
  for (const std::size_t row : order) sorted.Append(vector.labels(row), vector.Row(row));
  return sorted;
}

StepValue ScalarOf(const Evaluation& evaluation, const Call& call) {
  const StepVector vector = EvaluateVector(evaluation, *call.args[0]);
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

StepValue VectorOf(const Evaluation& evaluation, const Call& call) {
  StepVector vector(evaluation.steps.count);
  vector.Append(Labels(), EvaluateScalar(evaluation, *call.args[0]));
  return vector;
}

StepValue Pi(const Evaluation& evaluation, const Call&) {
  return ScalarSteps(evaluation.steps.count, kCircle);
}

StepValue Time(const Evaluation& evaluation, const Call&) {
  ScalarSteps times(evaluation.steps.count);
  for (std::size_t i = 0; i < times.size(); ++i) times[i] = MsToSeconds(evaluation.steps.At(i));
  return times;
}

/// Throws Error(kUsage) for a function that the server does not have.
void CheckVersion(const Evaluation& evaluation, const Function& function, const Expr& expr) {
  const Semantics& semantics = evaluation.semantics;
  std::string why;
  if (semantics.IsVictoriaMetrics()) {
    if (function.known_to != Function::KnownTo::kPrometheus) return;
    why = fmt::format("VictoriaMetrics does not know {}", function.name);
  } else if (function.known_to == Function::KnownTo::kVictoria) {
    why = fmt::format(
        "{} is a function of VictoriaMetrics (--semantics victoriametrics); "
        "Prometheus does not know it",
        function.name);
  } else if (semantics.AtLeast(function.until.major, function.until.minor)) {
    why = fmt::format("{} was removed in {}.{}; {} does not know it", function.name,
                      function.until.major, function.until.minor, schedlens::ToString(semantics));
  } else if (!semantics.AtLeast(function.since.major, function.since.minor)) {
    why = fmt::format("{} needs --semantics {}.{} or newer; {} does not know it", function.name,
                      function.since.major, function.since.minor, schedlens::ToString(semantics));
  } else {
    return;
  }
  ThrowAt(evaluation.text, expr.begin, why);
}

/// The functions of scalars and instant vectors.
std::vector<Function> StepFunctions() {
  using enum Function::KnownTo;
  constexpr ValueKind kS = ValueKind::kScalar;
  constexpr ValueKind kT = ValueKind::kString;
  constexpr ValueKind kV = ValueKind::kVector;
  return {
      {"abs", {kV}, OfEach<::fabs>},
      {"absent", {kV}, AbsentOf},
      {"absent_over_time", {ValueKind::kMatrix}, AbsentOf},
      {"ceil", {kV}, OfEach<::ceil>},
      {"clamp", {kV, kS, kS}, Clamp, {2, 26}},
      {"clamp_max", {kV, kS}, Clamp},
      {"clamp_min", {kV, kS}, Clamp},
      {"day_of_month", {kV}, Date, {}, kAll, 1},
      {"day_of_week", {kV}, Date, {}, kAll, 1},
      {"day_of_year", {kV}, Date, {2, 39}, kAll, 1},
      {"days_in_month", {kV}, Date, {}, kAll, 1},
      {"deg", {kV}, OfEach<Degrees>, {2, 31}},
      {"exp", {kV}, OfEach<go::Exp>},
      {"floor", {kV}, OfEach<::floor>},
      {"hour", {kV}, Date, {}, kAll, 1},
      {"label_join", {kV, kT, kT, kT}, Relabelled, {}, kAll, -1},
      {"label_replace", {kV, kT, kT, kT, kT}, Relabelled},
      {"ln", {kV}, OfEach<go::Log>},
      {"log10", {kV}, OfEach<go::Log10>},
      {"log2", {kV}, OfEach<go::Log2>},
      {"minute", {kV}, Date, {}, kAll, 1},
      {"month", {kV}, Date, {}, kAll, 1},
      {"pi", {}, Pi, {2, 31}, kAll, 0, kS},
      {"rad", {kV}, OfEach<Radians>, {2, 31}},
      {"round", {kV, kS}, Round, {}, kAll, 1},
      {"scalar", {kV}, ScalarOf, {}, kAll, 0, kS},
      {"sgn", {kV}, OfEach<Sign>, {2, 26}},
      {"sort", {kV}, Sorted},
      {"sort_desc", {kV}, Sorted},
      {"sqrt", {kV}, OfEach<::sqrt>},
      {"time", {}, Time, {}, kAll, 0, kS},
      {"timestamp", {kV}, Timestamp},
      {"vector", {kS}, VectorOf},
      {"year", {kV}, Date, {}, kAll, 1},
  };
}

std::map<std::string_view, Function> AllFunctions() {
  std::map<std::string_view, Function> all;
  for (const auto& functions : {StepFunctions(), RangeFunctions(), HistogramFunctions()}) {
    for (const Function& function : functions) all.emplace(function.name, function);
  }
  for (const std::string_view name : SplitAt(OnlyParsed().front().text, '\n')) {
    all.emplace(name, Function{name, {}});
  }
  return all;
}

}  // namespace

const Function* FindFunction(std::string_view name) {
  static const std::map<std::string_view, Function> all = AllFunctions();
  const auto found = all.find(name);
  return found == all.end() ? nullptr : &found->second;
}

StepValue EvaluateCall(const Evaluation& evaluation, const Call& call, const Expr& expr) {
  CheckVersion(evaluation, *call.function, expr);
  return call.function->evaluate(evaluation, call);
}

}  // namespace schedlens::promql
