#include "promql/evaluation.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "base/text.h"
#include "promql/lexer.h"
#include "schedlens/error.h"

namespace schedlens::promql {
namespace {

/// For each row the first row with the same labels; true when some row is not its own first.
bool FirstEqualRows(const StepVector& vector, std::vector<std::size_t>* first) {
  std::vector<std::size_t> order(vector.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return vector.labels(a) < vector.labels(b);
  });
  first->resize(vector.rows());
  bool repeated = false;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool same = i > 0 && vector.labels(order[i]) == vector.labels(order[i - 1]);
    (*first)[order[i]] = same ? (*first)[order[i - 1]] : order[i];
    repeated = repeated || same;
  }
  return repeated;
}

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
  std::vector<std::size_t> first;
  if (!FirstEqualRows(vector, &first)) return vector;
  if (strict) ThrowSameLabels();
  StepVector joined(vector.steps());
  std::vector<std::size_t> place(vector.rows());
  for (std::size_t row = 0; row < vector.rows(); ++row) {
    if (first[row] == row) {
      place[row] = joined.rows();
      joined.Append(vector.labels(row));
    }
    const std::size_t target = place[first[row]];
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

}  // namespace schedlens::promql
