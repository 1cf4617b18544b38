#pragma once

// JSON out: the reports' values become a tree whose members keep their order (to_json, as
// nlohmann_json asks for it), the tree becomes text.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/message.h"
#include "contract/diagnosis.h"
#include "report/json/fields.h"

/// Absent is null.
template <class T>
struct nlohmann::adl_serializer<std::optional<T>> {
  template <class Json>
  static void to_json(Json& json, const std::optional<T>& value) {
    if (value) {
      json = *value;
    } else {
      json = nullptr;
    }
  }
};

namespace schedlens {

using Json = nlohmann::ordered_json;

/// "text", "metric", "duration", ...: the field that holds an argument of a message, by type.
inline constexpr std::string_view kValueTypes[] = {
    "text", "metric", "promql", "count", "number", "duration", "share", "time", "messages"};

/// The tree as text, and a line end. What is not finite is null.
std::string TextOf(const Json& json, JsonStyle style = JsonStyle::kDocument);

/// The key of what stands behind a sentence, or behind several: `text_detail`, `note_details`.
std::string DetailKey(std::string_view key, bool several);
/// Pairs as an object.
Json JsonOf(const std::vector<std::pair<std::string, std::string>>& labels);

void to_json(Json& json, const Message& message);
void to_json(Json& json, const Value& value);
void to_json(Json& json, const NextStep& step);
void to_json(Json& json, const Labels& labels);
void to_json(Json& json, const Basis& basis);

inline std::string ToString(Semantics::Dialect dialect) {
  return WordOf(dialect, {"prometheus", "victoriametrics"});
}

/// By its word.
template <class Enum>
requires std::is_enum_v<Enum>
void to_json(Json& json, Enum value) { json = std::string(ToString(value)); }

/// Writes the members of one object, as fields.h lists them.
class JsonWriter {
 public:
  explicit JsonWriter(Json* object) : object_(*object) {}

  template <class T>
  void operator()(std::string_view key, const T& value) {
    object_[std::string(key)] = value;
  }
  void operator()(std::string_view key,
                  const std::vector<std::pair<std::string, std::string>>& labels) {
    object_[std::string(key)] = JsonOf(labels);
  }
  void operator()(std::string_view key, TimeMs time);
  void operator()(std::string_view key, const std::optional<TimeMs>& time);
  void operator()(std::string_view key, const std::vector<TimeMs>& times);
  /// `key`, its English sentence, and its detail, {id, args, text} or null; several as two arrays.
  void operator()(std::string_view key, const Message& message);
  void operator()(std::string_view key, const std::vector<Message>& messages);
  void operator()(std::string_view key, const std::vector<NextStep>& steps);
  template <class T>
  void Added(std::string_view key, const T& value) {
    (*this)(key, value);
  }
  void OrNull(std::string_view key, double number) { (*this)(key, number); }
  void Number(std::string_view key, std::optional<double> value, std::string_view unit,
              BasisKind basis);
  // A bound is a plain number here: +Inf is not finite and so becomes null by itself.
  void Bound(std::string_view key, double bound) { (*this)(key, bound); }
  void Bounds(std::string_view key, const std::vector<double>& bounds) { (*this)(key, bounds); }

 private:
  Json& object_;
};

/// What fields.h lists.
template <class T>
requires requires(JsonWriter& writer, const T& value) { Fields(writer, value); }
void to_json(Json& json, const T& value) {
  json = Json::object();
  JsonWriter writer(&json);
  Fields(writer, value);
}

/// An object of these members, each a key and its value.
template <class... Members>
Json Object(const Members&... members) {
  Json json = Json::object();
  JsonWriter writer(&json);
  Each(writer, members...);
  return json;
}

/// An array of what `make` makes of each.
template <class All, class Make>
Json EachOf(const All& all, const Make& make) {
  Json json = Json::array();
  for (const auto& one : all) json.push_back(make(one));
  return json;
}

}  // namespace schedlens
