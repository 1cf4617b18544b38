// label_replace, label_join, absent: functions that make labels.

#include <re2/re2.h>

#include <algorithm>
#include <map>

#include "model/utf8.h"
#include "promql/evaluation.h"
#include "promql/lexer.h"
#include "promql/parser_selectors.h"
#include "promql/regex.h"

namespace schedlens::promql {
namespace {

bool IsWordChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool IsLabelName(std::string_view name) {
  return !name.empty() && !(name[0] >= '0' && name[0] <= '9') &&
         std::all_of(name.begin(), name.end(), IsWordChar);
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
    if (std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; })) {
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

}  // namespace

StepVector EvaluateAbsent(const Evaluation& evaluation, const Call& call) {
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

StepVector EvaluateLabelCall(const Evaluation& evaluation, const Call& call) {
  const bool replaces = call.function->id == FunctionId::kLabelReplace;
  StepVector vector = replaces ? Replace(evaluation, call) : Join(evaluation, call);
  const Semantics& semantics = evaluation.semantics;
  // Up to 3.2 label_join might give two rows of the same labels.
  if (!replaces && !semantics.IsVictoriaMetrics() && !semantics.AtLeast(3, 3)) return vector;
  return JoinEqualRows(std::move(vector), !semantics.AtLeast(3, 9));
}

}  // namespace schedlens::promql
