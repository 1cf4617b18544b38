#include "promql/evaluation.h"

// Vectors at all steps, remarks, and binary operators between scalars and vectors.

#include "promql/parser.h"
#include "stats/go_math.h"

namespace schedlens::promql {
namespace {

[[noreturn]] void ThrowSameLabels() {
  throw RefusedQuery("vector cannot contain metrics with the same labelset");
}

constexpr std::string_view kForced =
    "PromQL info: input to histogram_quantile needed to be fixed for monotonicity";
constexpr std::string_view kForcedSee =
    " (see https://prometheus.io/docs/prometheus/latest/querying/functions/#histogram_quantile)";

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

/// An operand: a float, or a histogram when `native` is not null.
struct Operand {
  double value = 0;
  NativePtr native;
};

/// Result of a binary operator of which at least one side is a histogram.
struct NativeResult {
  bool keep = false;  ///< false: no element
  Operand value;      ///< of a filter, the left side
};

NativeResult OfTwo(const Evaluation& evaluation, const Binary& binary, const Operand& lhs,
                   const Operand& rhs, const Expr& expr) {
  const BinaryOp op = binary.op;
  if (op == BinaryOp::kEqual || op == BinaryOp::kNotEqual) {
    NeedNative(evaluation, 3, 0, "comparison", expr);
    const bool holds = EqualNative(*lhs.native, *rhs.native) == (op == BinaryOp::kEqual);
    if (binary.return_bool) return {true, {holds ? 1.0 : 0.0, nullptr}};
    return {holds, lhs};
  }
  const bool add = op == BinaryOp::kAdd;
  NeedNative(evaluation, 2, add ? 40 : 48, add ? "addition" : "subtraction", expr);
  NativeValue value = *lhs.native;
  const NativeMix mix = AddNative(&value, *rhs.native, add ? 1 : -1);
  if (mix == NativeMix::kFits) return {true, {0, MakeNative(std::move(value))}};
  RefuseMix(evaluation, mix, expr);
  // Up to 2.55 the words are those of an aggregation, with a name that is not known here.
  NeedNative(evaluation, 3, 0, "addition of different layouts", expr);
  evaluation.annotations->Warn(
      fmt::format("incompatible bucket layout encountered for binary operator {}", ToString(op)),
      expr);
  return {};
}

NativeResult ApplyNative(const Evaluation& evaluation, const Binary& binary, const Operand& lhs,
                         const Operand& rhs, const Expr& expr) {
  const BinaryOp op = binary.op;
  const bool both = lhs.native && rhs.native;
  if (both && (op == BinaryOp::kAdd || op == BinaryOp::kSub || op == BinaryOp::kEqual ||
               op == BinaryOp::kNotEqual)) {
    return OfTwo(evaluation, binary, lhs, rhs, expr);
  }
  if (!both && (op == BinaryOp::kMul || (op == BinaryOp::kDiv && lhs.native))) {
    NeedNative(evaluation, 2, 48, "scaling", expr);
    NativeValue value = lhs.native ? *lhs.native : *rhs.native;
    const double number = lhs.native ? rhs.value : lhs.value;
    if (op == BinaryOp::kMul) {
      MultiplyNative(&value, number);
    } else {
      if (number == 0) NeedNative(evaluation, 3, 0, "division by zero", expr);
      DivideNative(&value, number);
    }
    return {true, {0, MakeNative(std::move(value))}};
  }
  NeedNative(evaluation, 3, 1, fmt::format("operator {}", ToString(op)), expr);
  const auto kind = [](const Operand& side) { return side.native ? "histogram" : "float"; };
  evaluation.annotations->Inform(
      fmt::format("incompatible sample types encountered for binary operator \"{}\": {} {} {}",
                  ToString(op), kind(lhs), ToString(op), kind(rhs)),
      expr);
  return {};
}

/// What two series must share to match.
Labels MatchLabels(const Labels& labels, const VectorMatching& matching) {
  if (matching.on) return labels.Only(matching.labels);
  std::vector<std::string> dropped = matching.labels;
  dropped.emplace_back(kMetricName);
  return labels.Without(dropped);
}

/// Match groups of both sides, numbered together.
struct Groups {
  std::vector<std::size_t> lhs;  // group of each row
  std::vector<std::size_t> rhs;
  std::size_t count = 0;
};

Groups NumberGroups(const StepVector& lhs, const StepVector& rhs, const VectorMatching& matching) {
  Groups groups;
  std::map<Labels, std::size_t> numbers;
  const auto number = [&](const StepVector& side, std::vector<std::size_t>* out) {
    for (std::size_t row = 0; row < side.rows(); ++row) {
      out->push_back(numbers.try_emplace(MatchLabels(side.labels(row), matching), numbers.size())
                         .first->second);
    }
  };
  number(lhs, &groups.lhs);
  number(rhs, &groups.rhs);
  groups.count = numbers.size();
  return groups;
}

class VectorMatch {
 public:
  VectorMatch(const Evaluation& evaluation, const Binary& binary, const StepVector& lhs,
              const StepVector& rhs, const Expr& expr)
      : evaluation_(evaluation),
        semantics_(evaluation.semantics),
        binary_(binary),
        expr_(expr),
        swapped_(binary.matching.side == VectorMatching::Side::kOneToMany),
        many_(swapped_ ? rhs : lhs),
        one_(swapped_ ? lhs : rhs),
        groups_(NumberGroups(many_, one_, binary.matching)),
        result_(lhs.steps()) {}

  StepVector Run() {
    std::vector<std::size_t> one_of(groups_.count);
    for (std::size_t i = 0; i < many_.steps(); ++i) {
      CheckBudget();
      // The row of the "one" side of each group at this step.
      std::ranges::fill(one_of, kNone);
      for (std::size_t row = 0; row < one_.rows(); ++row) {
        if (!one_.Has(row, i)) continue;
        std::size_t& place = one_of[groups_.rhs[row]];
        if (place != kNone) ThrowDuplicate(row, place);
        place = row;
      }
      MatchStep(i, one_of);
    }
    return WithoutEmptyRows(result_);
  }

 private:
  bool one_to_one() const { return binary_.matching.side == VectorMatching::Side::kOneToOne; }

  [[noreturn]] void ThrowDuplicate(std::size_t row, std::size_t before) const {
    throw RefusedQuery(fmt::format(
        "found duplicate series for the match group {} on the {} hand-side of the operation: "
        "[{}, {}];many-to-many matching not allowed: matching labels must be unique on one side",
        MatchLabels(one_.labels(row), binary_.matching).ToString(), swapped_ ? "left" : "right",
        one_.labels(row).ToString(), one_.labels(before).ToString()));
  }

  void MatchStep(std::size_t i, const std::vector<std::size_t>& one_of) {
    std::vector<bool> matched(one_to_one() ? groups_.count : 0);
    for (std::size_t row = 0; row < many_.rows(); ++row) {
      if (!many_.Has(row, i)) continue;
      const std::size_t group = groups_.lhs[row], one = one_of[group];
      if (one == kNone) continue;
      const Operand many_value{many_.Row(row)[i], many_.Native(row, i)};
      const Operand one_value{one_.Row(one)[i], one_.Native(one, i)};
      NativeResult result = swapped_ ? Apply(one_value, many_value) : Apply(many_value, one_value);
      const bool keep = result.keep;
      // From 3.9 on what a filter drops counts as a match too.
      if (!keep && !semantics_.AtLeast(3, 9)) continue;
      if (one_to_one() && matched[group]) {
        throw RefusedQuery(
            "multiple matches for labels: many-to-one matching must be explicit "
            "(group_left/group_right)");
      }
      if (one_to_one()) matched[group] = true;
      const std::size_t result_row = ResultRow(row, one);
      if (!one_to_one() && std::exchange(taken_[result_row], i + 1) == i + 1) {
        throw RefusedQuery(
            "multiple matches for labels: grouping labels must ensure unique matches");
      }
      if (!keep) continue;
      if (result_.Has(result_row, i)) ThrowSameLabels();
      if (result.value.native) {
        result_.SetNative(result_row, i, std::move(result.value.native));
      } else {
        result_.Row(result_row)[i] = result.value.value;
      }
    }
  }

  NativeResult Apply(const Operand& left, const Operand& right) const {
    if (left.native || right.native) return ApplyNative(evaluation_, binary_, left, right, expr_);
    const double value = ApplyBinary(binary_.op, left.value, right.value);
    if (IsComparison(binary_.op) && !binary_.return_bool) {
      return {value != 0, {left.value, nullptr}};
    }
    return {true, {value, nullptr}};
  }

  std::size_t ResultRow(std::size_t many, std::size_t one) {
    const auto [pair, added] = pairs_.try_emplace({many, one}, kNone);
    if (!added) return pair->second;
    Labels labels = ResultLabels(many_.labels(many), one_.labels(one));
    const auto [place, new_labels] = rows_.try_emplace(labels, result_.rows());
    if (new_labels) {
      result_.Append(std::move(labels));
      taken_.push_back(0);
    }
    pair->second = place->second;
    return pair->second;
  }

  Labels ResultLabels(const Labels& many, const Labels& one) const {
    const VectorMatching& matching = binary_.matching;
    // 2.20 kept the name with `bool`.
    const bool drops_name =
        !IsComparison(binary_.op) ||
        (binary_.return_bool && (semantics_.AtLeast(2, 21) || semantics_.IsVictoriaMetrics()));
    Labels labels = drops_name ? WithoutName(evaluation_, many) : many;
    if (one_to_one()) {
      return matching.on ? labels.Only(matching.labels) : labels.Without(matching.labels);
    }
    for (const std::string& name : matching.include) labels = labels.With(name, one.Get(name));
    return labels;
  }

  const Evaluation& evaluation_;
  const Semantics& semantics_;
  const Binary& binary_;
  const Expr& expr_;
  bool swapped_;  // group_right: the "many" side is the right one
  const StepVector& many_;
  const StepVector& one_;
  Groups groups_;  // lhs: of the many side, rhs: of the one side
  StepVector result_;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> pairs_;
  std::map<Labels, std::size_t> rows_;
  std::vector<std::size_t> taken_;  // for each row of the result the last step (from 1) it matched
};

/// Which groups have a row at step i.
std::vector<bool> Present(const StepVector& side, const std::vector<std::size_t>& group,
                          std::size_t count, std::size_t i) {
  std::vector<bool> present(count);
  for (std::size_t row = 0; row < side.rows(); ++row) {
    if (side.Has(row, i)) present[group[row]] = true;
  }
  return present;
}

/// Takes out the values of `side` whose group is (or, with `keep_if` true, is not) present.
void Filter(StepVector* side, const std::vector<std::size_t>& group,
            const std::vector<bool>& present, std::size_t i, bool keep_if) {
  for (std::size_t row = 0; row < side->rows(); ++row) {
    if (present[group[row]] == keep_if) continue;
    side->Row(row)[i] = Absent();
    side->SetNative(row, i, nullptr);
  }
}

/// A vector and one number a step. A filter keeps the vector's own value, on whichever side it is.
StepVector WithScalar(const Evaluation& evaluation, const Binary& binary, StepVector vector,
                      const ScalarSteps& scalar, bool scalar_left, const Expr& expr) {
  const bool filter = IsComparison(binary.op) && !binary.return_bool;
  bool natives = false;
  for (std::size_t row = 0; row < vector.rows(); ++row) {
    const std::span<double> values = vector.Row(row);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (NativePtr native = vector.Native(row, i)) {
        const Operand histogram{0, std::move(native)};
        const Operand number{scalar[i], nullptr};
        NativeResult result = ApplyNative(evaluation, binary, scalar_left ? number : histogram,
                                          scalar_left ? histogram : number, expr);
        natives = true;
        vector.SetNative(row, i, result.keep ? std::move(result.value.native) : nullptr);
        continue;
      }
      if (IsAbsent(values[i])) continue;
      const double result = scalar_left ? ApplyBinary(binary.op, scalar[i], values[i])
                                        : ApplyBinary(binary.op, values[i], scalar[i]);
      if (!filter) {
        values[i] = result;
      } else if (result == 0) {
        values[i] = Absent();
      }
    }
    if (!filter) vector.set_labels(row, WithoutName(evaluation, vector.labels(row)));
  }
  DropNaNs(evaluation, &vector);
  if (filter) return WithoutEmptyRows(vector);
  if (natives) vector = WithoutEmptyRows(vector);
  return JoinEqualRows(std::move(vector), false);
}

}  // namespace

bool StepVector::Empty(std::size_t row) const {
  const std::span<const double> values = Row(row);
  if (!std::ranges::all_of(values, IsAbsent)) return false;
  const auto first = natives_.lower_bound(row * steps_);
  return first == natives_.end() || first->first >= (row + 1) * steps_;
}

void StepVector::SetNative(std::size_t row, std::size_t i, NativePtr native) {
  if (native == nullptr) {
    natives_.erase(row * steps_ + i);
    return;
  }
  Row(row)[i] = Absent();
  natives_[row * steps_ + i] = std::move(native);
}

void StepVector::CopyRow(const StepVector& from, std::size_t from_row, std::size_t row) {
  const std::span<const double> values = from.Row(from_row);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!IsAbsent(values[i])) Row(row)[i] = values[i];
    if (NativePtr native = from.Native(from_row, i)) SetNative(row, i, std::move(native));
  }
}

StepVector JoinEqualRows(StepVector vector, bool strict) {
  std::map<Labels, std::size_t> places;
  for (std::size_t row = 0; row < vector.rows(); ++row) {
    places.try_emplace(vector.labels(row), places.size());
  }
  if (places.size() == vector.rows()) return vector;
  if (strict) ThrowSameLabels();
  StepVector joined(vector.steps());
  for (std::size_t row = 0; row < vector.rows(); ++row) {
    const std::size_t target = places.at(vector.labels(row));
    if (target == joined.rows()) joined.Append(vector.labels(row));
    for (std::size_t i = 0; i < vector.steps(); ++i) {
      if (vector.Has(row, i) && joined.Has(target, i)) ThrowSameLabels();
    }
    joined.CopyRow(vector, row, target);
  }
  return joined;
}

StepVector WithoutEmptyRows(const StepVector& vector) {
  StepVector kept(vector.steps());
  kept.Reserve(vector.rows());
  for (std::size_t row = 0; row < vector.rows(); ++row) {
    if (vector.Empty(row)) continue;
    kept.Append(vector.labels(row));
    kept.CopyRow(vector, row, kept.rows() - 1);
  }
  return kept;
}

std::string FormatG(double value, int digits) {
  if (!std::isfinite(value)) return FormatNumber(value);
  if (digits > 0) return fmt::format("{:.{}g}", value, digits);
  const std::string scientific = Scientific(value);
  const int exponent = std::stoi(scientific.substr(scientific.find('e') + 1));
  return exponent < -4 || exponent >= 6 ? scientific : FormatNumber(value);
}

void Annotations::CheckQuantiles(std::span<const double> quantiles, const Expr& at) {
  for (const double q : quantiles) {
    if (q >= 0 && q <= 1) continue;
    Warn("quantile value should be between 0 and 1, got " + FormatG(q), at);
  }
}

void Annotations::BadBucketLabel(std::string_view metric, std::string_view le, const Expr& at) {
  std::string words =
      "bucket label \"le\" is missing or has a malformed value of " + QuotePromql(le);
  // Up to 3.6 the name was quoted even when it was not known.
  if (!metric.empty() || !semantics_.AtLeast(3, 7))
    words += " for metric name " + QuotePromql(metric);
  Warn(words, at);
}

void Annotations::ForcedMonotonicity(const ClassicQuantile& quantile, std::string_view metric,
                                     TimeMs t, const Expr& at) {
  if (Silent()) return;
  const auto [entry, added] = forced_.try_emplace(std::string(metric));
  Forced& forced = entry->second;
  if (added) {
    forced = {at.begin, quantile.forced_low, quantile.forced_high, quantile.forced_drop, 0, t, t};
  }
  if (!semantics_.AtLeast(3, 10)) forced.offset = at.begin;
  forced.low = std::min(forced.low, quantile.forced_low);
  forced.high = std::max(forced.high, quantile.forced_high);
  forced.drop = std::max(forced.drop, quantile.forced_drop);
  forced.first = std::min(forced.first, t);
  forced.last = std::max(forced.last, t);
  ++forced.samples;
}

std::string Annotations::ForcedText(const std::string& metric, const Forced& forced) const {
  std::string words(kForced);
  words += semantics_.AtLeast(2, 49) ? kForcedSee : " (and may give inaccurate results)";
  if (!semantics_.AtLeast(3, 7)) words += " for metric name " + QuotePromql(metric);
  if (semantics_.AtLeast(3, 10)) {
    words += fmt::format(
        ", from buckets {} to {}, with a max diff of {}, over {} samples from {} to {}",
        FormatG(forced.low), FormatG(forced.high), FormatG(forced.drop, 2), forced.samples,
        FormatTime(forced.first / 1000 * 1000), FormatTime(forced.last / 1000 * 1000));
  }
  return fmt::format("{} ({})", words, PositionText(text_, forced.offset));
}

std::vector<std::string> Annotations::Texts(const Places& places) const {
  std::vector<std::string> texts;
  for (const auto& [words, offset] : places) {
    texts.push_back(fmt::format("{} ({})", words, PositionText(text_, offset)));
  }
  return texts;
}

void Annotations::MoveTo(Answer* answer) const {
  std::vector<std::string> infos = Texts(infos_);
  for (const auto& [metric, forced] : forced_) infos.push_back(ForcedText(metric, forced));
  std::vector<std::string> warnings = Texts(warnings_);
  if (!semantics_.AtLeast(2, 54)) {
    warnings.insert(warnings.end(), infos.begin(), infos.end());
    infos.clear();
  }
  std::ranges::sort(warnings);
  std::ranges::sort(infos);
  answer->warnings.insert(answer->warnings.end(), warnings.begin(), warnings.end());
  answer->infos.insert(answer->infos.end(), infos.begin(), infos.end());
}

void RefuseNatives(const Evaluation& evaluation, const Expr& at) {
  ThrowAt(evaluation.text, at.begin,
          "native histograms are evaluated here only as themselves, in histogram_*(), rate() and "
          "its relatives, sum, avg, count and group, and by + - * / == !=; ask their server");
}

void NeedNative(const Evaluation& evaluation, int major, int minor, std::string_view operation,
                const Expr& at) {
  const Semantics& semantics = evaluation.semantics;
  if (!semantics.IsVictoriaMetrics() && semantics.AtLeast(major, minor)) return;
  ThrowAt(evaluation.text, at.begin,
          fmt::format("{} of native histograms is known here for --semantics {}.{} and newer, not "
                      "for {}; ask their server",
                      operation, major, minor, schedlens::ToString(semantics)));
}

void RefuseMix(const Evaluation& evaluation, NativeMix mix, const Expr& at) {
  if (mix == NativeMix::kUnclear) {
    ThrowAt(evaluation.text, at.begin,
            "a native histogram shows only buckets cut by its zero bucket, so its schema is "
            "unknown; ask its server");
  }
  if (mix == NativeMix::kBounds && evaluation.semantics.AtLeast(3, 8)) {
    ThrowAt(evaluation.text, at.begin,
            "from 3.8 on servers bring differing custom bounds together, but their answers do not "
            "show all bounds; ask the server");
  }
}

void RemarkOnMix(const Evaluation& evaluation, NativeMix mix, std::string_view metric,
                 const Expr& at) {
  RefuseMix(evaluation, mix, at);
  if (mix != NativeMix::kSchemas && mix != NativeMix::kBounds) return;
  const char* what = mix == NativeMix::kSchemas
                         ? "a mix of histograms with exponential and custom buckets schemas"
                         : "histograms with incompatible custom buckets";
  evaluation.annotations->Warn(
      fmt::format("vector contains {} for metric name {}", what, QuotePromql(metric)), at);
}

double ApplyBinary(BinaryOp op, double a, double b) {
  using enum BinaryOp;
  if (op == kAdd) return a + b;
  if (op == kSub) return a - b;
  if (op == kMul) return a * b;
  if (op == kDiv) return a / b;
  if (op == kMod) return std::fmod(a, b);
  if (op == kPow) return go::Pow(a, b);
  if (op == kEqual) return a == b ? 1 : 0;
  if (op == kNotEqual) return a != b ? 1 : 0;
  if (op == kLess) return a < b ? 1 : 0;
  if (op == kLessEqual) return a <= b ? 1 : 0;
  if (op == kGreater) return a > b ? 1 : 0;
  return op == kGreaterEqual && a >= b ? 1 : 0;
}

/// and, or, unless.
StepVector CombineSets(const Binary& binary, const StepVector& lhs, const StepVector& rhs) {
  const Groups groups = NumberGroups(lhs, rhs, binary.matching);
  StepVector left = lhs;
  StepVector right = rhs;
  for (std::size_t i = 0; i < lhs.steps(); ++i) {
    CheckBudget();
    if (binary.op == BinaryOp::kOr) {
      Filter(&right, groups.rhs, Present(lhs, groups.lhs, groups.count, i), i, false);
    } else {
      Filter(&left, groups.lhs, Present(rhs, groups.rhs, groups.count, i), i,
             binary.op == BinaryOp::kAnd);
    }
  }
  if (binary.op != BinaryOp::kOr) return WithoutEmptyRows(left);
  for (std::size_t row = 0; row < right.rows(); ++row) {
    left.Append(right.labels(row));
    left.CopyRow(right, row, left.rows() - 1);
  }
  return JoinEqualRows(WithoutEmptyRows(left), false);
}

StepValue EvaluateBinary(const Evaluation& evaluation, const Binary& binary, const Expr& expr) {
  if (expr.kind == ValueKind::kScalar) {
    ScalarSteps lhs = EvaluateScalar(evaluation, *binary.lhs);
    const ScalarSteps rhs = EvaluateScalar(evaluation, *binary.rhs);
    for (std::size_t i = 0; i < lhs.size(); ++i) lhs[i] = ApplyBinary(binary.op, lhs[i], rhs[i]);
    return lhs;
  }
  const bool left = binary.lhs->kind == ValueKind::kScalar;
  if (left || binary.rhs->kind == ValueKind::kScalar) {
    const ScalarSteps scalar = EvaluateScalar(evaluation, left ? *binary.lhs : *binary.rhs);
    StepVector vector = EvaluateMixed(evaluation, left ? *binary.rhs : *binary.lhs);
    return WithScalar(evaluation, binary, std::move(vector), scalar, left, expr);
  }
  const StepVector lhs = EvaluateMixed(evaluation, *binary.lhs);
  const StepVector rhs = EvaluateMixed(evaluation, *binary.rhs);
  StepVector result = IsSetOperation(binary.op)
                          ? CombineSets(binary, lhs, rhs)
                          : VectorMatch(evaluation, binary, lhs, rhs, expr).Run();
  DropNaNs(evaluation, &result);
  return result;
}

}  // namespace schedlens::promql
