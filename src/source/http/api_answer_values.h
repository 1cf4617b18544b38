#ifndef SCHEDLENS_SOURCE_HTTP_API_ANSWER_VALUES_H_
#define SCHEDLENS_SOURCE_HTTP_API_ANSWER_VALUES_H_

// Values and times in an answer of the query API. In the header: read for every sample.

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <string_view>
#include <system_error>
#include <vector>

#include "contract/series.h"
#include "model/text.h"
#include "schedlens/error.h"

namespace schedlens {

[[noreturn]] inline void FailShape(std::string_view what) {
  throw Error(ErrorKind::kFailed, fmt::format("not an answer of the Prometheus API: {}", what));
}

/// A value as Prometheus writes it; throws Error(kFailed) for anything else.
inline double ReadValue(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stop == end) return value;
  const auto parsed = ParseNumber(text);
  if (!parsed) FailShape(fmt::format("\"{}\" is not a number", text.substr(0, 40)));
  return *parsed;
}

/// Unix seconds, with at most three decimals as servers write them, without a detour over doubles.
inline TimeMs ReadTime(std::string_view text) {
  TimeMs seconds = 0;
  const char* const end = text.data() + text.size();
  auto [at, error] = std::from_chars(text.data(), end, seconds);
  const bool plain = error == std::errc() && text[0] != '-' && seconds < TimeMs{1} << 50;
  if (plain && at == end) return seconds * 1000;
  if (plain && *at == '.' && end - at <= 4) {
    int fraction = 0;
    int scale = 1000;
    for (++at; at < end && *at >= '0' && *at <= '9'; ++at) {
      fraction = fraction * 10 + (*at - '0');
      scale /= 10;
    }
    if (at == end) return seconds * 1000 + fraction * scale;
  }
  const double value = ReadValue(text);
  if (!(std::fabs(value) < 1e15)) FailShape("a time out of range");
  return std::llround(value * 1000);
}

/// Samples of either kind; throws Error(kFailed) where one is not later than the one before.
template <typename T>
void RequireAscending(const std::vector<T>& samples) {
  for (std::size_t i = 1; i < samples.size(); ++i) {
    if (samples[i].t <= samples[i - 1].t) FailShape("samples that are not in order of time");
  }
}

}  // namespace schedlens

#endif  // SCHEDLENS_SOURCE_HTTP_API_ANSWER_VALUES_H_
