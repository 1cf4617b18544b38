// Texts and files into lines, series into OpenMetrics text, native histograms to and from text.

#include "base/exposition.h"

#include <re2/re2.h>

#include <array>
#include <cstring>
#include <iterator>

#include "base/exposition_reader.h"
#include "base/file.h"
#include "base/text.h"

namespace schedlens {
namespace {

constexpr std::size_t kReadBlock = std::size_t{256} << 10;
/// A longer line is not an exposition; the limit keeps binary junk from filling the memory.
constexpr std::size_t kLongestLine = std::size_t{64} << 20;

/// By the number of NativeBucket::boundaries.
constexpr std::string_view kOpening = "([([";
constexpr std::string_view kClosing = "]))]";

constexpr std::array<std::string_view, 8> kSuffixes = {"_total", "_created", "_bucket", "_count",
                                                       "_sum",   "_info",    "_gcount", "_gsum"};

/// The family a series stands under: a declared one whose name it has, bare or with a suffix of
/// OpenMetrics; otherwise its own name.
std::string FamilyOf(std::string_view metric, const std::map<std::string, std::string>& types) {
  std::string family(metric);
  if (types.contains(family)) return family;
  for (const std::string_view suffix : kSuffixes) {
    if (metric.size() <= suffix.size() || !metric.ends_with(suffix)) continue;
    family = metric.substr(0, metric.size() - suffix.size());
    if (types.contains(family)) return family;
  }
  return std::string(metric);
}

/// Seconds with as many digits after the point as needed, at most three.
void AppendSeconds(TimeMs t, std::string* out) {
  const std::uint64_t size =
      t < 0 ? 0 - static_cast<std::uint64_t>(t) : static_cast<std::uint64_t>(t);
  fmt::format_to(std::back_inserter(*out), "{}{}", t < 0 ? "-" : "", size / 1000);
  if (size % 1000 == 0) return;
  fmt::format_to(std::back_inserter(*out), ".{:03}", size % 1000);
  out->resize(out->find_last_not_of('0') + 1);
}

void AppendSeries(const Series& series, std::string* out) {
  const std::string key = series.labels.ToString();
  for (const Sample& sample : series.samples) {
    if (IsStaleMarker(sample.v)) continue;
    out->append(key).push_back(' ');
    out->append(FormatNumber(sample.v)).push_back(' ');
    AppendSeconds(sample.t, out);
    out->push_back('\n');
  }
}

/// Name of a family in a metadata line, quoted where it must be.
std::string FamilyText(const std::string& family) {
  const std::string text = Labels({{std::string(kMetricName), family}}).ToString();
  return text.front() == '{' ? text.substr(1, text.size() - 2) : text;
}

void AppendHelp(std::string_view family, std::string_view text, std::string* out) {
  *out += fmt::format("# HELP {} {}\n", family, Escaped(text, "\\\n"));
}

}  // namespace

Exposition Whole(LongExposition read) {
  Exposition whole = std::move(read.other);
  whole.series.assign(std::move_iterator(read.series.begin()),
                      std::move_iterator(read.series.end()));
  return whole;
}

Exposition ParseExposition(std::string_view text, const std::string& name,
                           std::optional<TimeMs> default_time, const MetricFilter& wanted) {
  ExpositionReader reader(name, default_time);
  if (wanted) reader.PassOverAllBut(wanted);
  reader.AddLines(text, true);
  return Whole(reader.Finish());
}

Exposition ReadExposition(const std::string& path, std::optional<TimeMs> default_time,
                          const MetricFilter& wanted) {
  const std::string name = InputName(path);
  const std::unique_ptr<ByteSource> source = OpenByteSource(path, name);
  return Whole(ReadLongExposition(*source, name, default_time, wanted));
}

LongExposition ReadLongExposition(ByteSource& source, const std::string& name,
                                  std::optional<TimeMs> default_time, const MetricFilter& wanted,
                                  std::size_t whole_bytes) {
  ExpositionReader reader(name, default_time);
  bool filtered = false;
  std::size_t read = 0;
  std::vector<char> buffer(kReadBlock);
  std::size_t held = 0;  // bytes at the front of the buffer: a line whose end is still to come
  for (;;) {
    const std::size_t n = source.Read(buffer.data() + held, buffer.size() - held);
    if (n == 0) break;
    if (wanted && !filtered && read >= whole_bytes) {
      reader.PassOverAllBut(wanted);
      filtered = true;
    }
    read += n;
    // Only the new bytes can hold the line's end, so a long line is not searched again and again.
    std::size_t taken = 0;
    if (std::memchr(buffer.data() + held, '\n', n) != nullptr) {
      taken = reader.AddLines({buffer.data(), held + n});
    }
    held = held + n - taken;
    std::memmove(buffer.data(), buffer.data() + taken, held);
    if (held == buffer.size()) {
      if (std::memchr(buffer.data(), 0, held) != nullptr) {
        Raise(ErrorKind::kFailed,
              "reading {}: binary data, neither Prometheus text nor OpenMetrics", name);
      }
      if (held >= kLongestLine) {
        Raise(ErrorKind::kFailed, "reading {}: a line is longer than {} MiB", name,
              kLongestLine >> 20);
      }
      buffer.resize(std::min(2 * buffer.size(), kLongestLine));
    }
  }
  reader.AddLines({buffer.data(), held}, true);
  return reader.Finish();
}

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
  static const RE2 kHead("\\{count:([^,]*), sum:([^,}]*)", RE2::Latin1);
  static const RE2 kBucket(", ([\\[(][^,]*),([^\\])]*[\\])]):([^,}]*)", RE2::Latin1);
  re2::StringPiece rest(text), first, second, third;
  bool ok = RE2::Consume(&rest, kHead, &first, &second);
  const auto number = [&](std::string_view digits) {
    const auto value = ParseNumber(digits);
    ok = ok && value;
    return value.value_or(0);
  };
  NativeHistogram histogram{number(first), number(second), {}};
  while (ok && RE2::Consume(&rest, kBucket, &first, &second, &third)) {
    const std::string_view lower = first, upper = second;
    std::size_t kind = 0;  // every pair of brackets is one
    while (kOpening[kind] != lower.front() || kClosing[kind] != upper.back()) ++kind;
    histogram.buckets.push_back({number(lower.substr(1)), number(upper.substr(0, upper.size() - 1)),
                                 number(third), static_cast<int>(kind)});
  }
  if (!ok || rest != "}") return std::nullopt;
  return histogram;
}

std::string WriteOpenMetrics(const Exposition& exposition) {
  std::map<std::string, std::vector<const Series*>> families;
  for (const auto& [family, type] : exposition.types) families[family];
  for (const Series& series : exposition.series) {
    families[FamilyOf(series.labels.Get(kMetricName), exposition.types)].push_back(&series);
  }
  std::string out;
  if (!exposition.comments.empty()) {
    AppendHelp(kCommentFamily, fmt::format("{}", fmt::join(exposition.comments, "\n")), &out);
  }
  for (const auto& [family, members] : families) {
    const auto type = exposition.types.find(family);
    if (type != exposition.types.end()) {
      out += fmt::format("# TYPE {} {}\n", FamilyText(family), type->second);
    }
    for (const Series* series : members) AppendSeries(*series, &out);
  }
  for (const Series& series : exposition.series) {
    const std::string key = series.labels.ToString();
    for (const NativeSample& sample : series.histograms) {
      AppendHelp(kNativeFamily, fmt::format("{} {} {}", key, sample.t, NativeText(sample.h)), &out);
    }
  }
  return out.append("# EOF\n");
}

}  // namespace schedlens
