#include "messages/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/text.h"
#include "base/work_budget.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// True at the first byte of a Chinese character; marks like the full-width comma need no space.
bool IsIdeograph(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0xE4 && byte <= 0xE9;
}

std::string_view NameIn(std::string_view placeholder) {
  const auto end = std::find_if_not(placeholder.begin(), placeholder.end(), IsNameCharacter);
  return placeholder.substr(0, static_cast<std::size_t>(end - placeholder.begin()));
}

/// What stands between the braces that open the text; nothing where they are plain text.
std::optional<std::string_view> PlaceholderIn(std::string_view text) {
  if (text.front() != '{') return std::nullopt;
  const std::size_t end = text.find('}');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view inside = text.substr(1, end - 1);
  const std::string_view name = NameIn(inside);
  const bool ends =
      name.size() == inside.size() || inside[name.size()] == ':' || inside[name.size()] == '?';
  return ends && !name.empty() ? std::optional(inside) : std::nullopt;
}

constexpr std::string_view kList = "list", kAt = "at";

/// `1m30s`; the plain number where it is none that a clock shows.
std::string WriteDuration(double seconds) {
  constexpr double kLongest = 1e12;
  if (!(std::fabs(seconds) < kLongest)) return FormatNumber(seconds);
  return FormatDuration(std::llround(1000 * seconds));
}

/// `%` is a fraction in percent, `ms` seconds in milliseconds; the rest is fmt's.
std::string WriteNumber(double number, std::string_view format) {
  if (format == "hms") return WriteDuration(number);
  if (format.starts_with('%')) return WriteNumber(100 * number, format.substr(1));
  if (format.starts_with("ms")) return WriteNumber(1000 * number, format.substr(2));
  if (format.starts_with("us")) return WriteNumber(1e6 * number, format.substr(2));
  if (std::isnan(number)) return "—";
  // A bound may be infinite.
  if (!std::isfinite(number) || format.empty() || format == kAt || format.starts_with(kList)) {
    return FormatNumber(number);
  }
  return fmt::format(fmt::runtime("{:" + std::string(format) + "}"), number);
}

}  // namespace

Catalog::Catalog(std::string_view lines) {
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
    if (line.empty() || line.front() == '#') continue;
    const std::size_t equals = line.find(" = ");
    if (equals == 0 || equals == std::string_view::npos) {
      throw Error(ErrorKind::kFailed, fmt::format("not `id = text`: {}", line));
    }
    const bool fresh = texts_.emplace(line.substr(0, equals), line.substr(equals + 3)).second;
    if (!fresh) {
      throw Error(ErrorKind::kFailed, fmt::format("id {} is there twice", line.substr(0, equals)));
    }
  }
}

const Catalog& Catalog::Of(std::string_view language) {
  static const std::map<std::string, Catalog, std::less<>> all = [] {
    std::map<std::string, Catalog, std::less<>> catalogs;
    for (const EmbeddedFile& file : EmbeddedLanguages()) {
      catalogs.emplace(file.name, Catalog(file.text));
    }
    return catalogs;
  }();
  if (const auto found = all.find(language); found != all.end()) return found->second;
  throw Error(ErrorKind::kUsage, fmt::format("no reports in the language \"{}\"; choose {}",
                                             language, fmt::join(Languages(), " or ")));
}

std::vector<std::string> Catalog::Languages() {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : EmbeddedLanguages()) names.emplace_back(file.name);
  return names;
}

std::string Catalog::WriteValue(const Value& value, std::string_view format,
                                const Zone& zone) const {
  if (format == "l") {
    std::string text = WriteValue(value, "", zone);
    if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z') text[0] += 'a' - 'A';
    return text;
  }
  if (value.type <= Value::Type::kPromql) return value.text;
  if (value.type == Value::Type::kTime) {
    return format == kAt ? Moment(value.time, zone) : FormatTime(value.time, zone);
  }
  if (value.type == Value::Type::kMessages) return WriteList(value.messages, format, zone);
  return WriteNumber(value.number, format);
}

std::string Catalog::WriteList(const std::vector<Message>& messages, std::string_view format,
                               const Zone& zone) const {
  std::string list;
  for (const Message& message : messages) {
    std::string next = Write(message, zone);
    if (list.empty()) {
      list = std::move(next);
    } else if (format.starts_with(kList)) {
      list.append(format.substr(kList.size())).append(next);
    } else {
      list = Write(Message("list.pair", {{"first", list}, {"second", next}}), zone);
    }
  }
  return list;
}

std::string Catalog::WriteArgument(const Message& message, std::string_view placeholder,
                                   const Zone& zone) const {
  const std::string_view name = NameIn(placeholder);
  const auto found = std::ranges::find_if(
      message.args, [&](const Argument& argument) { return argument.name == name; });
  if (found == message.args.end()) {
    throw Error(ErrorKind::kFailed, fmt::format("message {} has no {}", message.id, name));
  }
  const std::string_view rest = placeholder.substr(name.size());
  if (!rest.starts_with('?')) {
    return WriteValue(found->value, rest.substr(rest.empty() ? 0 : 1), zone);
  }
  const std::size_t bar = std::min(rest.find('|'), rest.size());
  const bool one = found->value.number == 1;
  return std::string(one ? rest.substr(1, bar - 1) : rest.substr(std::min(bar + 1, rest.size())));
}

std::string Catalog::Write(const Message& message, const Zone& zone) const {
  CheckBudget();
  if (message.empty()) return "";
  const auto text = texts_.find(message.id);
  if (text == texts_.end()) {
    throw Error(ErrorKind::kFailed, fmt::format("message {} has no text", message.id));
  }
  std::string out;
  bool after_argument = false;
  for (std::string_view left = text->second; !left.empty();) {
    if (const auto placeholder = PlaceholderIn(left)) {
      out += WriteArgument(message, *placeholder, zone);
      left.remove_prefix(placeholder->size() + 2);
      after_argument = true;
      continue;
    }
    const bool space = left.starts_with("\\s");
    if (space || left.starts_with("\\{")) left.remove_prefix(1);
    const char c = space ? ' ' : left.front();
    left.remove_prefix(1);
    // Chinese sets a space between a Latin word and a character.
    if (after_argument && IsIdeograph(c) && !out.empty() && IsLetter(out.back())) out += ' ';
    after_argument = false;
    out += c;
  }
  return out;
}

std::string DateAndTime(TimeMs time, const Zone& zone) {
  // Down to the whole second, also before 1970.
  const TimeMs second = (time % 1000 + 1000) % 1000;
  const TimeMs local = time - second + TimeMs{OffsetMinutes(zone, time)} * 60'000;
  std::string text = FormatTime(local);
  std::replace(text.begin(), text.end(), 'T', ' ');
  std::erase(text, 'Z');
  return text;
}

std::string Moment(TimeMs time, const Zone& zone) {
  return DateAndTime(time, zone) + " " + ZoneText(zone, time);
}

std::string InEnglish(const Message& message) { return Catalog::Of("en").Write(message); }

std::vector<std::string> InEnglish(const std::vector<Message>& messages) {
  std::vector<std::string> texts;
  texts.reserve(messages.size());
  for (const Message& message : messages) texts.push_back(InEnglish(message));
  return texts;
}

}  // namespace schedlens
