#pragma once

// JSON. One way in: nlohmann's documents, by ReadJson. One way out: JsonText for what is made here,
// and WriteJson for a document that was read. Two readers are apart, for they read what nlohmann
// cannot hold: answers of hundreds of megabytes as they arrive (source/http/json_stream.h), and
// files whose places are edited (source/yaml_tree.h).

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace schedlens {

/// No document that is read here nests deeper, and no stack overflows at this.
inline constexpr int kDeepestJson = 256;

/// The text, or none where its brackets nest deeper than kDeepestJson: what reads it then finds no
/// JSON. Brackets in strings do not count; whether it is JSON is not looked at.
std::string_view ShallowJson(std::string_view text);

/// Discarded (is_discarded()) for what is no JSON, and for what nests deeper than kDeepestJson.
nlohmann::json ReadJson(std::string_view text);

// Members of what may be no object at all.
/// Null without it.
const nlohmann::json& MemberAt(const nlohmann::json& object, const char* key);
/// Empty where it is no list.
const nlohmann::json& ListAt(const nlohmann::json& object, const char* key);
/// Empty where it is no text.
std::string TextAt(const nlohmann::json& object, const char* key);

/// On one line, members by name. Text becomes well-formed UTF-8.
std::string WriteJson(const nlohmann::json& document);

/// A document whose members keep the order in which they were added.
using Json = nlohmann::ordered_json;

/// How a document is laid out. Every schema has one of these for good.
enum class JsonStyle {
  kReport,    ///< two spaces a level, lists of numbers on one line, 6000 for 6000.0: the diagnosis
  kDocument,  ///< two spaces a level; a double always has a point or an exponent: 6000.0
  kCompact,   ///< one line without blanks, 6000 for 6000.0
};

/// The document's text, without a line end. Numbers are in their shortest form that reads back to
/// the same double; what is not finite becomes null; text becomes well-formed UTF-8.
std::string JsonText(Json document, JsonStyle style);

}  // namespace schedlens
