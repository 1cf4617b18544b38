#include "model/time_zone.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <optional>

#include "model/digit.h"
#include "model/text.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

constexpr int kMinutesOfADay = 24 * 60;

/// `+02:00`, `-0330`, `+8`, in minutes.
std::optional<int> ReadOffset(std::string_view text) {
  if (text.empty() || (text[0] != '+' && text[0] != '-')) return std::nullopt;
  const int sign = text[0] == '-' ? -1 : 1;
  text.remove_prefix(1);
  std::string digits;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ':' && i + 3 == text.size()) continue;
    if (!IsDigit(text[i])) return std::nullopt;
    digits += text[i];
  }
  if (digits.empty() || digits.size() > 4 || digits.size() == 3) return std::nullopt;
  const int number = std::stoi(digits);
  const int hours = digits.size() > 2 ? number / 100 : number;
  const int minutes = digits.size() > 2 ? number % 100 : 0;
  if (hours > 14 || minutes > 59) return std::nullopt;
  return sign * (hours * 60 + minutes);
}

/// The installed file of a zone's name; nothing for what is none.
bool IsInstalled(const std::string& name) {
  const bool safe = !name.empty() && std::isalpha(static_cast<unsigned char>(name[0])) != 0 &&
                    name.find("..") == std::string::npos &&
                    std::all_of(name.begin(), name.end(), [](unsigned char c) {
                      return std::isalnum(c) != 0 || c == '/' || c == '_' || c == '-' || c == '+';
                    });
  if (!safe) return false;
  const char* own = std::getenv("TZDIR");
  const std::filesystem::path folder = own != nullptr ? own : "/usr/share/zoneinfo";
  char magic[4] = {};
  std::ifstream(folder / name, std::ios::binary).read(magic, sizeof magic);
  return std::string_view(magic, sizeof magic) == "TZif";
}

}  // namespace

Zone ReadZone(const std::string& text) {
  if (text.empty() || text == "UTC" || text == "utc" || text == "Z") return {};
  if (const auto offset = ReadOffset(text)) return {text, offset};
  if (text.starts_with("UTC")) {
    if (const auto offset = ReadOffset(text.substr(3))) return {text, offset};
  }
  if (!IsInstalled(text)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--timezone {}: no such zone is installed; give a name such as "
                            "Europe/Berlin (package tzdata), UTC, or an offset such as +02:00",
                            text));
  }
  setenv("TZ", (":" + text).c_str(), 1);
  tzset();
  return {text, std::nullopt};
}

int OffsetMinutes(const Zone& zone, TimeMs time) {
  if (zone.offset_minutes) return *zone.offset_minutes;
  const std::time_t seconds = time / 1000 - (time % 1000 < 0 ? 1 : 0);
  std::tm local = {};
  if (localtime_r(&seconds, &local) == nullptr) return 0;
  return static_cast<int>(local.tm_gmtoff / 60) % kMinutesOfADay;
}

std::string ZoneText(const Zone& zone, TimeMs time) {
  if (zone.name.empty()) return "UTC";
  const int minutes = OffsetMinutes(zone, time);
  return fmt::format("UTC{}{:02}:{:02}", minutes < 0 ? '-' : '+', std::abs(minutes) / 60,
                     std::abs(minutes) % 60);
}

std::string FormatTime(TimeMs time, const Zone& zone) {
  if (zone.name.empty()) return FormatTime(time);
  const TimeMs ahead = TimeMs{OffsetMinutes(zone, time)} * 60'000;
  std::string text = FormatTime(time + ahead);
  if (text.ends_with('Z')) text.replace(text.size() - 1, 1, ZoneText(zone, time).substr(3));
  return text;
}

}  // namespace schedlens
