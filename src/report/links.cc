#include "report/links.h"

#include <algorithm>

#include "model/text.h"
#include "report/escape.h"
#include "report/format.h"

namespace schedlens {
namespace {

/// Shorter than EscapeUrl: what a query part may hold stays, and PromQL is full of it.
std::string QueryPart(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool stays = std::string_view("(),:*!").find(c) != std::string_view::npos;
    out += stays ? std::string(1, c) : EscapeUrl(std::string_view(&c, 1));
  }
  return out;
}

std::string PageOf(const SourceInfo& source, std::string_view promql) {
  const std::string& base = source.name;
  if (!IsWebLink(base) || promql.empty()) return "";
  return base + (base.back() == '/' ? "" : "/") + "graph?g0.expr=" + QueryPart(promql);
}

}  // namespace

std::string TableUrl(const SourceInfo& source, std::string_view promql, TimeMs at) {
  const std::string page = PageOf(source, promql);
  const std::string time = EscapeUrl(DateAndTime(at));
  return page.empty() ? "" : page + "&g0.tab=1&g0.moment_input=" + time + "&g0.end_input=" + time;
}

std::string GraphUrl(const SourceInfo& source, std::string_view promql, const TimeRange& range) {
  const std::string page = PageOf(source, promql);
  if (page.empty()) return "";
  const TimeMs length = std::max<TimeMs>(60'000, (range.end - range.start) / 1000 * 1000);
  return page + "&g0.tab=0&g0.range_input=" + FormatDuration(length) +
         "&g0.end_input=" + EscapeUrl(DateAndTime(range.end));
}

bool IsWebLink(std::string_view text) {
  if (!text.starts_with("http://") && !text.starts_with("https://")) return false;
  return std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return c > ' ' && c < 0x7F &&
           std::string_view("<>|\"'`\\").find(static_cast<char>(c)) == std::string_view::npos;
  });
}

}  // namespace schedlens
