#include "promql/evaluation.h"

#include <fmt/core.h>

#include <charconv>
#include <cmath>

#include "base/text.h"
#include "promql/lexer.h"
#include "schedlens/error.h"

namespace schedlens::promql {
namespace {

[[noreturn]] void ThrowSameLabels() {
  throw Error(ErrorKind::kFailed, "vector cannot contain metrics with the same labelset");
}

constexpr std::string_view kForced =
    "PromQL info: input to histogram_quantile needed to be fixed for monotonicity";
constexpr std::string_view kForcedSee =
    " (see https://prometheus.io/docs/prometheus/latest/querying/functions/#histogram_quantile)";

}  // namespace

bool StepVector::Empty(std::size_t row) const {
  const std::span<const double> values = Row(row);
  if (!std::all_of(values.begin(), values.end(), IsAbsent)) return false;
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
  char buffer[32];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific).ptr;
  const std::string scientific(buffer, end);
  const int exponent = std::stoi(scientific.substr(scientific.find('e') + 1));
  return exponent < -4 || exponent >= 6 ? scientific : FormatNumber(value);
}

std::string Annotations::Place(std::size_t offset) const {
  return fmt::format(" ({})", PositionText(text_, offset));
}

void Annotations::Warn(const std::string& words, const Expr& at) {
  if (!Silent()) warnings_["PromQL warning: " + words] = at.begin;
}

void Annotations::Inform(const std::string& words, const Expr& at) {
  if (!Silent()) infos_["PromQL info: " + words] = at.begin;
}

void Annotations::Note(const std::string& words, const Expr& at) {
  infos_["schedlens: " + words] = at.begin;
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
  return words + Place(forced.offset);
}

std::vector<std::string> Annotations::Texts(const Places& places) const {
  std::vector<std::string> texts;
  for (const auto& [words, offset] : places) texts.push_back(words + Place(offset));
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
  for (std::vector<std::string>* list : {&warnings, &infos}) {
    std::sort(list->begin(), list->end());
  }
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

}  // namespace schedlens::promql
