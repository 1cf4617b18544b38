#include "report/json/json_message.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "messages/catalog.h"
#include "model/seconds.h"
#include "model/text.h"
#include "report/json/writer.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using Json = nlohmann::ordered_json;

std::optional<Message> ReadMessage(const Json& json, int depth);

std::optional<Value> ReadValue(const Json& json, int depth) {
  if (!json.is_object() || json.size() != 1) return std::nullopt;
  const std::string& type = json.begin().key();
  const Json& held = json.begin().value();
  Value value;
  while (ValueTypeName(value.type) != type) {
    if (value.type == Value::Type::kMessages) return std::nullopt;
    value.type = static_cast<Value::Type>(static_cast<int>(value.type) + 1);
  }
  if (value.type == Value::Type::kMessages) {
    if (!held.is_array()) return std::nullopt;
    for (const Json& item : held) {
      auto message = ReadMessage(item, depth + 1);
      if (!message) return std::nullopt;
      value.messages.push_back(std::move(*message));
    }
  } else if (value.type <= Value::Type::kPromql) {
    if (!held.is_string()) return std::nullopt;
    value.text = held.get<std::string>();
  } else if (value.type == Value::Type::kTime) {
    const auto time = held.is_number() ? TimeOfSeconds(held.get<double>()) : std::nullopt;
    if (!time) return std::nullopt;
    value.time = *time;
  } else {
    const auto number = held.is_string() ? ParseNumber(held.get<std::string>()) : std::nullopt;
    if (!number && !held.is_number()) return std::nullopt;
    value.number = number ? *number : held.get<double>();
  }
  return value;
}

std::optional<Message> ReadMessage(const Json& json, int depth) {
  if (depth > kDeepestMessage || !json.is_object()) return std::nullopt;
  const auto id = json.find("id"), args = json.find("args");
  if (id == json.end() || !id->is_string() || args == json.end() || !args->is_object()) {
    return std::nullopt;
  }
  Message message(id->get<std::string>());
  for (const auto& [name, held] : args->items()) {
    auto value = ReadValue(held, depth);
    if (!value) return std::nullopt;
    message.args.push_back({name, std::move(*value)});
  }
  return message;
}

}  // namespace

Message MessageOf(const std::string& english, const Json* details) {
  if (english.empty()) return {};
  const auto message = details == nullptr ? std::nullopt : ReadMessage(*details, 0);
  try {
    if (message && InEnglish(*message) == english) return *message;
  } catch (const Error&) {  // an id or an argument of another release
  }
  return Verbatim(english);
}

nlohmann::ordered_json ParseOrdered(std::string_view text) {
  constexpr std::size_t kMostMembers = 256;
  std::vector<std::size_t> members;  // of each object that is open
  const auto count = [&](int, Json::parse_event_t event, Json&) {
    if (event == Json::parse_event_t::object_start) members.push_back(0);
    if (event == Json::parse_event_t::object_end) members.pop_back();
    if (event == Json::parse_event_t::key && ++members.back() > kMostMembers) {
      throw Error(ErrorKind::kFailed,
                  fmt::format("an object has more than {} members", kMostMembers));
    }
    return true;
  };
  return Json::parse(text, count);
}

}  // namespace schedlens
