#include "cli/options/typed_time.h"

#include <algorithm>
#include <array>
#include <string>

#include "model/text.h"

namespace schedlens {
namespace {

constexpr TimeMs kDay = 24 * 3600 * 1000;
constexpr TimeMs kFirstMilliseconds = 100'000'000'000;

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// Takes `end` off, and the blanks before it.
bool TakeEnd(std::string_view* text, std::string_view end) {
  if (!text->ends_with(end)) return false;
  *text = Trimmed(text->substr(0, text->size() - end.size()));
  return true;
}

/// `now-1d/d`: down to the whole day.
std::optional<TimeMs> RoundedDown(std::string_view text, TimeMs now) {
  const std::size_t slash = text.find('/');
  if (!text.starts_with("now") || slash == text.npos) return std::nullopt;
  const auto time = ParseTime(text.substr(0, slash), now);
  const std::string_view unit = text.substr(slash + 1);
  if (!time || unit.size() != 1 || std::string_view("smhd").find(unit) == std::string_view::npos) {
    return std::nullopt;
  }
  const TimeMs step = *ParseDuration("1" + std::string(unit));
  return *time - ((*time % step) + step) % step;
}

std::optional<TimeMs> Milliseconds(std::string_view text) {
  if (text.size() < 12 || !std::all_of(text.begin(), text.end(), IsDigit)) return std::nullopt;
  const auto seconds = ParseTime(std::string(text.substr(0, text.size() - 3)) + "." +
                                     std::string(text.substr(text.size() - 3)),
                                 0);
  return seconds && *seconds >= kFirstMilliseconds ? seconds : std::nullopt;
}

/// Takes `UTC+08:00` off the end, as reports in another zone print it: milliseconds east of UTC.
std::optional<TimeMs> TakeZone(std::string_view* text) {
  constexpr std::string_view kShape = "UTC+00:00";
  if (text->size() <= kShape.size()) return std::nullopt;
  const std::string_view end = text->substr(text->size() - kShape.size());
  if (!end.starts_with("UTC+") && !end.starts_with("UTC-")) return std::nullopt;
  const std::string epoch = "1970-01-01T00:00:00" + std::string(end.substr(3));
  const auto time = ParseTime(epoch, 0);
  if (!time) return std::nullopt;
  TakeEnd(text, end);
  return -*time;
}

/// Where the two ends of a range meet, and how long the mark between them is.
struct Middle {
  std::size_t at = std::string_view::npos;
  std::size_t length = 0;
};

Middle MiddleOf(std::string_view text) {
  constexpr std::array<std::string_view, 3> kMarks = {" to ", " 至 ", "/"};
  for (const std::string_view mark : kMarks) {
    if (const std::size_t at = text.find(mark); at != text.npos) return {at, mark.size()};
  }
  return {};
}

}  // namespace

std::optional<TimeMs> TimeAsTyped(std::string_view text, TimeMs now) {
  text = Trimmed(text);
  if (const auto zone = TakeZone(&text)) {
    const bool dated = text.find('-') != text.npos && IsDigit(text.front());
    const auto time = dated ? TimeAsTyped(text, now) : std::nullopt;
    return time ? std::optional(*time - *zone) : std::nullopt;
  }
  if (const auto milliseconds = Milliseconds(text)) return milliseconds;
  if (const auto time = ParseTime(text, now)) return time;
  if (const auto time = RoundedDown(text, now)) return time;
  if (text.starts_with('-')) return ParseTime("now" + std::string(text), now);
  if (!TakeEnd(&text, "UTC")) TakeEnd(&text, "Z");
  if (text.empty() || !IsDigit(text.front()) || text.find('-') == text.npos) return std::nullopt;
  for (const char* rest : {"Z", ":00Z", "T00:00:00Z"}) {
    if (const auto time = ParseTime(std::string(text) + rest, now)) return time;
  }
  return std::nullopt;
}

std::optional<TimeRange> RangeAsTyped(std::string_view text, TimeMs now) {
  text = Trimmed(text);
  if (text.ends_with(')')) text = Trimmed(text.substr(0, text.rfind('(')));
  const Middle middle = MiddleOf(text);
  if (middle.at == text.npos) return std::nullopt;
  if (const auto zone = TakeZone(&text)) {
    std::string_view first = text.substr(0, middle.at);
    const TimeMs own = TakeZone(&first).value_or(*zone);
    const auto range = RangeAsTyped(std::string(first) + std::string(text.substr(middle.at)), now);
    if (!range) return std::nullopt;
    TimeRange utc{range->start - own, range->end - *zone};
    // The hour that comes twice was no midnight.
    const bool dated = text.substr(middle.at + middle.length).find('-') != text.npos;
    if (!dated && utc.end - kDay >= utc.start) utc.end -= kDay;
    return utc;
  }
  const auto start = TimeAsTyped(text.substr(0, middle.at), now);
  if (!start) return std::nullopt;
  const std::string_view last = Trimmed(text.substr(middle.at + middle.length));
  if (const auto end = TimeAsTyped(last, now); end && last.find(':') != 2) {
    return TimeRange{*start, *end};
  }
  const std::string day = FormatTime(*start).substr(0, 10) + " ";
  auto end = TimeAsTyped(day + std::string(last), now);
  if (end && *end < *start) *end += kDay;
  return end ? std::optional(TimeRange{*start, *end}) : std::nullopt;
}

}  // namespace schedlens
