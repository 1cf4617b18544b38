// Label sets and the stale marker.

#include <algorithm>
#include <bit>
#include <cstring>

#include "contract/series.h"
#include "model/label_names.h"
#include "model/same_bytes.h"

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

/// Stands for a length in the four bytes behind it.
constexpr unsigned char kLong = 255;
/// Values from this length on have it in four bytes.
constexpr std::size_t kLongValue = kLong;
/// So do names; bytes from here to kLong stand for usual names.
constexpr std::size_t kLongName = kLong - std::size(kUsualLabelNames);

std::size_t PackedSize(std::string_view text, std::size_t is_long) {
  return text.size() + 1 + (text.size() < is_long ? 0 : sizeof(std::uint32_t));
}

/// Writes PackedSize bytes and returns where they end.
char* WritePacked(std::string_view text, std::size_t is_long, char* at) {
  if (text.size() < is_long) {
    *at++ = static_cast<char>(text.size());
  } else {
    const auto size = static_cast<std::uint32_t>(text.size());
    *at++ = static_cast<char>(kLong);
    std::memcpy(at, &size, sizeof size);
    at += sizeof size;
  }
  std::memcpy(at, text.data(), text.size());
  return at + text.size();
}

char* WriteName(std::string_view name, char* at) {
  if (const auto usual = UsualLabelName(name)) {
    *at++ = static_cast<char>(kLongName + *usual);
    return at;
  }
  return WritePacked(name, kLongName, at);
}

/// The packed text at `*at`, which is moved behind it.
std::string_view TakePacked(const char** at) {
  std::uint32_t size = static_cast<unsigned char>(*(*at)++);
  if (size == kLong) {
    std::memcpy(&size, *at, sizeof size);
    *at += sizeof size;
  }
  const std::string_view text(*at, size);
  *at += size;
  return text;
}

std::string_view TakeName(const char** at) {
  const auto byte = static_cast<unsigned char>(**at);
  if (byte < kLongName || byte == kLong) return TakePacked(at);
  ++*at;
  return kUsualLabelNames[byte - kLongName];
}

unsigned FirstByte(std::string_view text) {
  return text.empty() ? 0 : static_cast<unsigned char>(text.front());
}

/// The pairs whose names are wanted.
SharedBytes OnlyIf(const SharedBytes& packed, const auto& wanted) {
  return SharedBytes(packed.size(), [&](char* to) {
    const char* const end = packed.data() + packed.size();
    for (const char* at = packed.data(); at != end;) {
      const char* const start = at;
      const bool kept = wanted(TakeName(&at));
      TakePacked(&at);
      if (kept) to = std::copy(start, at, to);
    }
    return to;
  });
}

bool Contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

Labels::Labels(std::vector<View> pairs) {
  const auto by_name = [](const View& a, const View& b) { return a.first < b.first; };
  if (!std::is_sorted(pairs.begin(), pairs.end(), by_name)) {
    std::stable_sort(pairs.begin(), pairs.end(), by_name);
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (i + 1 < pairs.size() && pairs[i + 1].first == pairs[i].first) continue;
    if (pairs[i].second.empty()) continue;
    pairs[kept++] = pairs[i];
  }
  *this = OfSorted(std::span(pairs).first(kept));
}

Labels Labels::OfSorted(std::span<const View> pairs, SharedBytes::Room* room) {
  std::size_t bytes = 0;
  for (const View& pair : pairs) {
    bytes += PackedSize(pair.first, kLongName) + PackedSize(pair.second, kLongValue);
  }
  const auto write = [&](char* at) {
    for (const View& pair : pairs) {
      at = WritePacked(pair.second, kLongValue, WriteName(pair.first, at));
    }
    return at;
  };
  Labels labels;
  labels.packed_ = SharedBytes(bytes, write, room);
  return labels;
}

void Labels::Iterator::Read() {
  if (at_ == end_) return;
  next_ = at_;
  pair_.first = TakeName(&next_);
  pair_.second = TakePacked(&next_);
}

std::size_t Labels::size() const { return static_cast<std::size_t>(std::distance(begin(), end())); }

std::string_view Labels::Get(std::string_view name) const {
  const char* at = packed_.data();
  const char* const end = at + packed_.size();
  while (at != end) {
    const std::string_view here = TakeName(&at);
    const std::string_view value = TakePacked(&at);
    if (here == name) return value;
    // Names are in order: most that are absent are known to be so by their first letters.
    if (FirstByte(here) > FirstByte(name)) return {};
  }
  return {};
}

Labels Labels::With(std::string_view name, std::string_view value) const {
  std::vector<View> pairs(begin(), end());
  pairs.emplace_back(name, value);
  return Labels(std::move(pairs));
}

Labels Labels::Without(std::string_view name) const {
  Labels result;
  result.packed_ = OnlyIf(packed_, [&](std::string_view kept) { return kept != name; });
  return result;
}

Labels Labels::Without(const std::vector<std::string>& names) const {
  Labels result;
  result.packed_ = OnlyIf(packed_, [&](std::string_view name) { return !Contains(names, name); });
  return result;
}

Labels Labels::Only(const std::vector<std::string>& names) const {
  Labels result;
  result.packed_ = OnlyIf(packed_, [&](std::string_view name) { return Contains(names, name); });
  return result;
}

/// Neighbours in order have most texts in common: those before the first byte that differs are not
/// compared one by one.
std::strong_ordering Labels::operator<=>(const Labels& other) const {
  const char* a = packed_.data();
  const char* b = other.packed_.data();
  if (a == b) return std::strong_ordering::equal;
  const std::size_t size = std::min(packed_.size(), other.packed_.size());
  const std::size_t same = SameBytes(a, b, size);
  // Each text says how long it is, so the shorter label set ends between two pairs.
  if (same == size) return packed_.size() <=> other.packed_.size();
  const char* const differs = a + same;
  const auto take = [](bool is_name, const char** at) {
    return is_name ? TakeName(at) : TakePacked(at);
  };
  bool is_name = true;
  for (const char* next = a; take(is_name, &next), next <= differs; a = next) {
    b += next - a;
    is_name = !is_name;
  }
  return take(is_name, &a) <=> take(is_name, &b);
}

std::string Labels::ToString() const {
  const std::string_view metric = Get(kMetricName);
  const bool bare = IsBareName(metric, true);
  std::string out(bare ? metric : std::string_view());
  if (bare && size() == 1) return out;
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
  for (const View& pair : *this) {
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
