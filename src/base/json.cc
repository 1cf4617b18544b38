#include "base/json.h"

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

namespace schedlens {
namespace {

constexpr auto kReplaced = nlohmann::json::error_handler_t::replace;

void WithoutPoints(Json* json) {
  if (json->is_structured()) {
    for (auto& member : *json) WithoutPoints(&member);
  } else if (json->is_number_float()) {
    constexpr double kMost = 1e15;
    const double number = json->get<double>();
    if (std::fabs(number) < kMost && number == std::trunc(number)) {
      *json = static_cast<std::int64_t>(number);
    }
  }
}

/// Lists without text and without lists in them on one line: a timeline has thousands of numbers.
std::string WithFlatLists(const std::string& text) {
  std::string flat;
  std::size_t at = 0;
  // No text of the document holds a line end: there it is escaped.
  for (std::size_t open; (open = text.find("[\n", at)) != std::string::npos;) {
    flat.append(text, at, open + 1 - at);
    at = open + 1;
    const std::size_t end = text.find_first_of("[]{}\"", at);
    if (text[end] != ']') continue;
    for (; at < end; ++at) {
      if (text[at] == '\n' || text[at] == ' ') continue;
      flat += text[at];
      if (text[at] == ',') flat += ' ';
    }
  }
  return flat.append(text, at, text.npos);
}

}  // namespace

std::string_view ShallowJson(std::string_view text) {
  int depth = 0;
  for (std::size_t at = 0; (at = text.find_first_of("[]{}\"", at)) != std::string_view::npos;
       ++at) {
    const char c = text[at];
    if (c == ']' || c == '}') {
      --depth;
    } else if (c != '"') {
      if (++depth > kDeepestJson) return {};
    } else {
      at = text.find_first_of("\"\\", at + 1);
      while (at != std::string_view::npos && text[at] == '\\')
        at = text.find_first_of("\"\\", at + 2);
      if (at == std::string_view::npos) break;
    }
  }
  return text;
}

nlohmann::json ReadJson(std::string_view text) {
  return nlohmann::json::parse(ShallowJson(text), nullptr, false);
}

const nlohmann::json& MemberAt(const nlohmann::json& object, const char* key) {
  static const nlohmann::json none;
  if (!object.is_object()) return none;
  const auto at = object.find(key);
  return at == object.end() ? none : *at;
}

const nlohmann::json& ListAt(const nlohmann::json& object, const char* key) {
  static const nlohmann::json empty = nlohmann::json::array();
  const nlohmann::json& member = MemberAt(object, key);
  return member.is_array() ? member : empty;
}

std::string TextAt(const nlohmann::json& object, const char* key) {
  const nlohmann::json& member = MemberAt(object, key);
  return member.is_string() ? member.get<std::string>() : "";
}

std::string WriteJson(const nlohmann::json& document) {
  return document.dump(-1, ' ', false, kReplaced);
}

std::string JsonText(Json document, JsonStyle style) {
  constexpr int kIndent = 2;
  if (style != JsonStyle::kDocument) WithoutPoints(&document);
  if (style == JsonStyle::kCompact) return document.dump(-1, ' ', false, kReplaced);
  const std::string text = document.dump(kIndent, ' ', false, kReplaced);
  return style == JsonStyle::kReport ? WithFlatLists(text) : text;
}

}  // namespace schedlens
