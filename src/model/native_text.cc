#include "model/native_text.h"

#include <cstddef>

#include "model/text.h"

namespace schedlens {
namespace {

/// By the number of NativeBucket::boundaries.
constexpr std::string_view kOpening = "([([";
constexpr std::string_view kClosing = "]))]";

/// Takes the text piece by piece; once something is not as expected, `ok` stays false.
struct Pieces {
  std::string_view rest;
  bool ok = true;

  void Literal(std::string_view wanted) {
    ok = ok && rest.starts_with(wanted);
    if (ok) rest.remove_prefix(wanted.size());
  }
  /// A number, up to one of these.
  double Number(std::string_view ends) {
    const std::size_t end = rest.find_first_of(ends);
    const auto number = ParseNumber(rest.substr(0, end));
    ok = ok && end != std::string_view::npos && number;
    if (!ok) return 0;
    rest.remove_prefix(end);
    return *number;
  }
  char Take() {
    ok = ok && !rest.empty();
    if (!ok) return '\0';
    const char c = rest.front();
    rest.remove_prefix(1);
    return c;
  }
};

NativeBucket TakeBucket(Pieces* pieces) {
  NativeBucket bucket;
  const char opening = pieces->Take();
  bucket.lower = pieces->Number(",");
  pieces->Literal(",");
  bucket.upper = pieces->Number("])");
  const char closing = pieces->Take();
  pieces->Literal(":");
  bucket.count = pieces->Number(",}");
  for (std::size_t i = 0; i < kOpening.size(); ++i) {
    if (kOpening[i] != opening || kClosing[i] != closing) continue;
    bucket.boundaries = static_cast<int>(i);
    return bucket;
  }
  pieces->ok = false;
  return bucket;
}

}  // namespace

std::string NativeText(const NativeHistogram& histogram) {
  std::string out =
      "{count:" + FormatNumber(histogram.count) + ", sum:" + FormatNumber(histogram.sum);
  for (const NativeBucket& bucket : histogram.buckets) {
    const auto kind = static_cast<std::size_t>(bucket.boundaries);
    out.append(", ").append(1, kOpening[kind]).append(FormatNumber(bucket.lower)).append(",");
    out.append(FormatNumber(bucket.upper)).append(1, kClosing[kind]).append(":");
    out.append(FormatNumber(bucket.count));
  }
  return out + "}";
}

std::optional<NativeHistogram> ParseNativeText(std::string_view text) {
  NativeHistogram histogram;
  Pieces pieces{text};
  pieces.Literal("{count:");
  histogram.count = pieces.Number(",");
  pieces.Literal(", sum:");
  histogram.sum = pieces.Number(",}");
  while (pieces.ok && pieces.rest.starts_with(", ")) {
    pieces.Literal(", ");
    histogram.buckets.push_back(TakeBucket(&pieces));
  }
  pieces.Literal("}");
  if (!pieces.ok || !pieces.rest.empty()) return std::nullopt;
  return histogram;
}

}  // namespace schedlens
