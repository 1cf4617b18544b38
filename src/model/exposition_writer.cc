// Series into OpenMetrics text.

#include <algorithm>
#include <array>
#include <charconv>

#include "model/exposition.h"
#include "model/native_text.h"
#include "model/text.h"

namespace schedlens {
namespace {

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
  if (t < 0) out->push_back('-');
  char digits[24];
  out->append(digits, std::to_chars(digits, digits + sizeof digits, size / 1000).ptr);
  std::uint64_t rest = size % 1000;
  if (rest == 0) return;
  out->push_back('.');
  for (std::uint64_t unit = 100; rest > 0; unit /= 10) {
    out->push_back(static_cast<char>('0' + rest / unit));
    rest %= unit;
  }
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

/// A line of help text.
void AppendHelp(std::string_view family, const std::string& text, std::string* out) {
  out->append("# HELP ").append(family).push_back(' ');
  for (const char c : text) {
    if (c == '\\') out->push_back('\\');
    if (c == '\n') {
      out->append("\\n");
    } else {
      out->push_back(c);
    }
  }
  out->push_back('\n');
}

/// OpenMetrics has no comments; they travel as the help text of a family of their own.
void AppendComments(const std::vector<std::string>& comments, std::string* out) {
  if (comments.empty()) return;
  std::string text;
  for (std::size_t i = 0; i < comments.size(); ++i) text += (i > 0 ? "\n" : "") + comments[i];
  AppendHelp(kCommentFamily, text, out);
}

void AppendNatives(const Series& series, std::string* out) {
  const std::string key = series.labels.ToString();
  for (const NativeSample& sample : series.histograms) {
    AppendHelp(kNativeFamily, key + ' ' + std::to_string(sample.t) + ' ' + NativeText(sample.h),
               out);
  }
}

}  // namespace

std::string WriteOpenMetrics(const Exposition& exposition) {
  std::map<std::string, std::vector<const Series*>> families;
  for (const auto& [family, type] : exposition.types) families[family];
  for (const Series& series : exposition.series) {
    families[FamilyOf(series.labels.Get(kMetricName), exposition.types)].push_back(&series);
  }
  std::string out;
  AppendComments(exposition.comments, &out);
  for (const auto& [family, members] : families) {
    const auto type = exposition.types.find(family);
    if (type != exposition.types.end()) {
      out.append("# TYPE ")
          .append(FamilyText(family))
          .append(" ")
          .append(type->second)
          .append("\n");
    }
    for (const Series* series : members) AppendSeries(*series, &out);
  }
  for (const Series& series : exposition.series) AppendNatives(series, &out);
  return out.append("# EOF\n");
}

}  // namespace schedlens
