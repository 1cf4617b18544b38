#include "sim/framework/yaml_fields.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <set>

#include "model/nearest.h"
#include "model/text.h"
#include "schedlens/error.h"

namespace schedlens::sim::core {

namespace {

constexpr std::size_t kMistyped = 2;

std::string Lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

std::string DidYouMean(const std::string& word, const std::vector<std::string>& known) {
  const std::string nearest = Nearest(word, known);
  return nearest.empty() ? "" : fmt::format("; did you mean `{}`?", nearest);
}

void YamlFields::Fail(const YAML::Node& node, const std::string& what) const {
  throw Error(ErrorKind::kUsage, fmt::format("{}: {}", PlaceOf(node), what));
}

std::string YamlFields::PlaceOf(const YAML::Node& node) const {
  return fmt::format("{}:{}", file_, node.Mark().line + 1);
}

const YamlFields::Field* YamlFields::FieldOf(const YAML::Node& key, std::string_view what,
                                             const Fields& fields) const {
  const std::string& word = key.Scalar();
  const auto field = fields.find(word);
  if (field != fields.end()) return &field->second;
  std::vector<std::string> known;
  for (const auto& [name, read] : fields) {
    if (skip_ && Lower(name) == Lower(word)) return &read;
    known.push_back(name);
  }
  const std::string nearest = Nearest(word, known);
  if (!skip_ || (!nearest.empty() && EditDistance(word, nearest) <= kMistyped)) {
    Fail(key, fmt::format("{} has no field `{}`{}", what, word, DidYouMean(word, known)));
  }
  skip_(word, PlaceOf(key));
  return nullptr;
}

void YamlFields::ReadFields(const YAML::Node& node, std::string_view what,
                            const Fields& fields) const {
  if (node.IsNull()) return;
  if (!node.IsMap()) Fail(node, fmt::format("{} must be a map", what));
  std::set<std::string> seen;
  for (const auto& item : node) {
    const std::string& key = item.first.Scalar();
    const Field* field = FieldOf(item.first, what, fields);
    if (!seen.insert(key).second) {
      Fail(item.first, fmt::format("{}: field `{}` is given twice", what, key));
    }
    // As in Go, null leaves what is there by default.
    if (field != nullptr && !item.second.IsNull()) (*field)(item.second);
  }
}

void YamlFields::ReadList(const YAML::Node& node, std::string_view what, const Field& each) const {
  if (node.IsNull()) return;
  if (!node.IsSequence()) Fail(node, fmt::format("{} must be a list", what));
  for (const auto& item : node) each(item);
}

std::string YamlFields::Text(const YAML::Node& node) const {
  if (!node.IsScalar()) Fail(node, "expected a string");
  return node.Scalar();
}

std::int64_t YamlFields::Integer(const YAML::Node& node, std::int64_t low,
                                 std::int64_t high) const {
  const std::string text = Text(node);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    Fail(node, fmt::format("`{}` is not a whole number", text));
  }
  if (value < low || value > high) {
    Fail(node, fmt::format("{} is out of range {} to {}", text, low, high));
  }
  return value;
}

double YamlFields::Number(const YAML::Node& node, double low, double high) const {
  const auto value = ParseNumber(Text(node));
  if (!value || !std::isfinite(*value)) Fail(node, fmt::format("`{}` is not a number", Text(node)));
  if (*value < low || *value > high) {
    Fail(node, fmt::format("{} is out of range {} to {}", Text(node), low, high));
  }
  return *value;
}

bool YamlFields::Truth(const YAML::Node& node) const {
  // The words of YAML 1.1, which is what Kubernetes reads.
  constexpr std::string_view kTrue[] = {"true", "True", "TRUE", "yes", "Yes", "YES",
                                        "on",   "On",   "ON",   "y",   "Y"};
  constexpr std::string_view kFalse[] = {"false", "False", "FALSE", "no", "No", "NO",
                                         "off",   "Off",   "OFF",   "n",  "N"};
  const std::string text = Text(node);
  const auto one_of = [&](const auto& words) {
    return std::find(std::begin(words), std::end(words), text) != std::end(words);
  };
  const bool yes = one_of(kTrue);
  if (!yes && !one_of(kFalse)) Fail(node, "expected true or false");
  return yes;
}

double YamlFields::Duration(const YAML::Node& node) const {
  const std::string text = Text(node);
  if (!text.empty() && text.find_first_not_of("0123456789") == std::string::npos) {
    return Number(node, 0, 1e18) / 1e9;
  }
  const auto ms = ParseDuration(text);
  if (!ms) Fail(node, fmt::format("`{}` is not a duration; write e.g. 5s", Text(node)));
  return static_cast<double>(*ms) / 1000;
}

}  // namespace schedlens::sim::core
