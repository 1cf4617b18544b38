// Label sets and the stale marker.

#include <algorithm>
#include <bit>

#include "contract/series.h"

namespace schedlens {
namespace {

constexpr std::uint64_t kStaleBits = 0x7ff0000000000002;

bool IsAlpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/// Whether a name may stand in the text format without quotes.
bool IsBareName(std::string_view name, bool colons) {
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return false;
  return std::all_of(name.begin(), name.end(), [&](char c) {
    return IsAlpha(c) || (c >= '0' && c <= '9') || (colons && c == ':');
  });
}

void AppendQuoted(std::string_view value, std::string* out) {
  out->push_back('"');
  for (const char c : value) {
    if (c == '\\' || c == '"') out->push_back('\\');
    if (c == '\n') {
      out->append("\\n");
    } else {
      out->push_back(c);
    }
  }
  out->push_back('"');
}

}  // namespace

Labels::Labels(std::vector<Pair> pairs) : pairs_(std::move(pairs)) {
  const auto by_name = [](const Pair& a, const Pair& b) { return a.first < b.first; };
  if (!std::is_sorted(pairs_.begin(), pairs_.end(), by_name)) {
    std::stable_sort(pairs_.begin(), pairs_.end(), by_name);
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    if (i + 1 < pairs_.size() && pairs_[i + 1].first == pairs_[i].first) continue;
    if (pairs_[i].second.empty()) continue;
    if (kept != i) pairs_[kept] = std::move(pairs_[i]);
    ++kept;
  }
  pairs_.resize(kept);
}

std::string_view Labels::Get(std::string_view name) const {
  for (const Pair& pair : pairs_) {
    if (pair.first == name) return pair.second;
  }
  return {};
}

Labels Labels::With(std::string_view name, std::string_view value) const {
  std::vector<Pair> pairs = pairs_;
  pairs.emplace_back(name, value);
  return Labels(std::move(pairs));
}

Labels Labels::Without(std::string_view name) const {
  Labels result;
  for (const Pair& pair : pairs_) {
    if (pair.first != name) result.pairs_.push_back(pair);
  }
  return result;
}

Labels Labels::Without(const std::vector<std::string>& names) const {
  Labels result;
  for (const Pair& pair : pairs_) {
    if (std::find(names.begin(), names.end(), pair.first) == names.end()) {
      result.pairs_.push_back(pair);
    }
  }
  return result;
}

Labels Labels::Only(const std::vector<std::string>& names) const {
  Labels result;
  for (const Pair& pair : pairs_) {
    if (std::find(names.begin(), names.end(), pair.first) != names.end()) {
      result.pairs_.push_back(pair);
    }
  }
  return result;
}

std::string Labels::ToString() const {
  const std::string_view metric = Get(kMetricName);
  const bool bare = IsBareName(metric, true);
  std::string out(bare ? metric : std::string_view());
  if (bare && pairs_.size() == 1) return out;
  out.push_back('{');
  bool first = true;
  const auto separate = [&] {
    if (!first) out.push_back(',');
    first = false;
  };
  if (!bare && !metric.empty()) {
    separate();
    AppendQuoted(metric, &out);
  }
  for (const Pair& pair : pairs_) {
    if (pair.first == kMetricName) continue;
    separate();
    if (IsBareName(pair.first, false)) {
      out.append(pair.first);
    } else {
      AppendQuoted(pair.first, &out);
    }
    out.push_back('=');
    AppendQuoted(pair.second, &out);
  }
  out.push_back('}');
  return out;
}

bool IsStaleMarker(double v) { return std::bit_cast<std::uint64_t>(v) == kStaleBits; }
double StaleMarker() { return std::bit_cast<double>(kStaleBits); }

}  // namespace schedlens
