// Label sets, the stale marker, times of samples, and families.

#include <bit>
#include <cstring>
#include <stdexcept>

#include "base/exposition_reader.h"
#include "base/text.h"

namespace schedlens {
namespace {

constexpr std::uint64_t kStaleBits = 0x7ff0000000000002;

/// Whether a name may stand in the text format without quotes.
bool IsBareName(std::string_view name, bool colons) {
  return !name.empty() && NameEnd(name, 0, colons) == name.size();
}

std::string Quoted(std::string_view value) { return '"' + Escaped(value, "\"\\\n") + '"'; }

/// Stands for a length in the four bytes behind it, and is the first length that does.
constexpr unsigned char kLong = 255;

void AppendPacked(std::string_view text, std::string* out) {
  if (text.size() < kLong) {
    out->push_back(static_cast<char>(text.size()));
  } else {
    if (text.size() > UINT32_MAX) throw std::length_error("Labels");
    const auto size = static_cast<std::uint32_t>(text.size());
    out->push_back(static_cast<char>(kLong));
    out->append(reinterpret_cast<const char*>(&size), sizeof size);
  }
  out->append(text);
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

unsigned FirstByte(std::string_view text) {
  return text.empty() ? 0 : static_cast<unsigned char>(text.front());
}

bool Contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

Labels::Labels(std::vector<View> pairs) {
  const auto by_name = [](const View& a, const View& b) { return a.first < b.first; };
  if (!std::ranges::is_sorted(pairs, by_name)) std::ranges::stable_sort(pairs, by_name);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (i + 1 < pairs.size() && pairs[i + 1].first == pairs[i].first) continue;
    if (pairs[i].second.empty()) continue;
    pairs[kept++] = pairs[i];
  }
  *this = OfSorted(std::span(pairs).first(kept));
}

Labels Labels::OfSorted(std::span<const View> pairs) {
  std::size_t bytes = 0;
  for (const View& pair : pairs) {
    bytes += pair.first.size() + pair.second.size() + 2 * (1 + sizeof(std::uint32_t));
  }
  std::string packed;
  packed.reserve(bytes);
  for (const View& pair : pairs) {
    AppendPacked(pair.first, &packed);
    AppendPacked(pair.second, &packed);
  }
  Labels labels;
  if (packed.empty()) return labels;
  packed.shrink_to_fit();
  labels.packed_ = std::make_shared<const std::string>(std::move(packed));
  return labels;
}

void Labels::Iterator::Read() {
  if (at_ == end_) return;
  next_ = at_;
  pair_.first = TakePacked(&next_);
  pair_.second = TakePacked(&next_);
}

std::size_t Labels::size() const { return static_cast<std::size_t>(std::distance(begin(), end())); }

std::string_view Labels::Get(std::string_view name) const {
  const char* at = bytes().data();
  const char* const end = at + bytes().size();
  while (at != end) {
    const std::string_view here = TakePacked(&at), value = TakePacked(&at);
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

Labels Labels::OnlyIf(const std::function<bool(std::string_view name)>& wanted) const {
  std::vector<View> pairs;
  for (const View& pair : *this) {
    if (wanted(pair.first)) pairs.push_back(pair);
  }
  return OfSorted(pairs);
}

Labels Labels::Without(std::string_view name) const {
  return OnlyIf([&](std::string_view kept) { return kept != name; });
}

Labels Labels::Without(const std::vector<std::string>& names) const {
  return OnlyIf([&](std::string_view name) { return !Contains(names, name); });
}

Labels Labels::Only(const std::vector<std::string>& names) const {
  return OnlyIf([&](std::string_view name) { return Contains(names, name); });
}

std::strong_ordering Labels::operator<=>(const Labels& other) const {
  if (packed_ == other.packed_) return std::strong_ordering::equal;
  return std::lexicographical_compare_three_way(begin(), end(), other.begin(), other.end());
}

std::string Labels::ToString() const {
  const std::string_view metric = Get(kMetricName);
  const bool bare = IsBareName(metric, true);
  if (bare && size() == 1) return std::string(metric);
  std::string out(bare ? metric : std::string_view());
  out += '{';
  if (!bare && !metric.empty()) out += Quoted(metric);
  for (const View& pair : *this) {
    if (pair.first == kMetricName) continue;
    if (out.back() != '{') out += ',';
    out += IsBareName(pair.first, false) ? std::string(pair.first) : Quoted(pair.first);
    out += '=' + Quoted(pair.second);
  }
  return out + '}';
}

bool IsStaleMarker(double v) { return std::bit_cast<std::uint64_t>(v) == kStaleBits; }
double StaleMarker() { return std::bit_cast<double>(kStaleBits); }

bool IsPowerEdge(double edge) {
  constexpr double kStepsPerDoubling = 256, kTolerance = 1e-6;
  if (edge == std::numeric_limits<double>::max()) return true;
  const double steps = std::log2(edge) * kStepsPerDoubling;
  return std::fabs(steps - std::round(steps)) <= kTolerance * std::max(1.0, std::fabs(steps));
}

void MergeTimes(const std::vector<Sample>& samples, std::vector<TimeMs>* times) {
  std::vector<TimeMs> own;
  own.reserve(samples.size());
  for (const Sample& sample : samples) own.push_back(sample.t);
  if (!std::ranges::is_sorted(own)) std::ranges::sort(own);
  own.erase(std::unique(own.begin(), own.end()), own.end());
  if (std::includes(times->begin(), times->end(), own.begin(), own.end())) return;
  std::vector<TimeMs> merged;
  merged.reserve(times->size() + own.size());
  std::set_union(times->begin(), times->end(), own.begin(), own.end(), std::back_inserter(merged));
  times->swap(merged);
}

std::string FamilyOf(std::string_view metric) {
  for (const std::string_view suffix : {"_bucket", "_sum", "_count"}) {
    if (metric.size() > suffix.size() && metric.ends_with(suffix)) {
      metric.remove_suffix(suffix.size());
      break;
    }
  }
  return std::string(metric);
}

bool IsCounterName(std::string_view metric) {
  constexpr std::string_view kCounted[] = {"_total", "_sum", "_count", "_bucket"};
  return std::ranges::any_of(kCounted, [&](auto suffix) { return metric.ends_with(suffix); });
}

}  // namespace schedlens
