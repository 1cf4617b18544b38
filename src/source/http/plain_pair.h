#ifndef SCHEDLENS_SOURCE_HTTP_PLAIN_PAIR_H_
#define SCHEDLENS_SOURCE_HTTP_PLAIN_PAIR_H_

// A sample as servers write nearly all of them: [1795223207.552,"42"]. In the header: read for
// every sample.

#include <cstdint>

#include "contract/series.h"
#include "source/http/api_answer_values.h"

namespace schedlens {

/// Reads the pair that begins at `at`, and returns where it ends. Null, and nothing read, where it
/// is not whole, has spaces, another form of time or what no number has: JsonStream reads those, or
/// says what is wrong with them.
inline const char* ReadPlainPair(const char* at, const char* end, Sample* sample) {
  constexpr std::int64_t kMostDigits = 15;  // every such number is a double
  const auto digits = [&](std::int64_t* number) {
    const char* const first = at;
    while (at < end && *at >= '0' && *at <= '9' && at - first <= kMostDigits) {
      *number = 10 * *number + (*at++ - '0');
    }
    return at - first;
  };
  const auto skip = [&](char wanted) { return at < end && *at == wanted && ++at != nullptr; };
  std::int64_t seconds = 0, fraction = 0, value = 0;
  if (!skip('[') || at == end || *at == '0') return nullptr;
  if (const auto n = digits(&seconds); n == 0 || n > 12) return nullptr;
  if (skip('.')) {
    const auto n = digits(&fraction);
    if (n == 0 || n > 3) return nullptr;
    fraction *= n == 1 ? 100 : n == 2 ? 10 : 1;
  }
  if (!skip(',') || !skip('"')) return nullptr;
  const char* const text = at;
  if (const auto n = digits(&value); n > 0 && n <= kMostDigits && at < end && *at == '"') {
    sample->v = static_cast<double>(value);
  } else {
    const auto of_number = [](char c) {
      return (c >= '0' && c <= '9') || c == '.' || c == 'e' || c == '-' || c == '+';
    };
    while (at < end && of_number(*at)) ++at;
    if (at == text || at == end || *at != '"') return nullptr;
    sample->v = ReadValue({text, static_cast<std::size_t>(at - text)});
  }
  ++at;
  if (!skip(']')) return nullptr;
  sample->t = seconds * 1000 + fraction;
  return at;
}

}  // namespace schedlens

#endif  // SCHEDLENS_SOURCE_HTTP_PLAIN_PAIR_H_
