#include "source/server_rules.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/json.h"
#include "base/text.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using nlohmann::json;

/// Seconds as a duration; nothing where they are none or zero.
std::optional<std::string> DurationAt(const json& object, const char* key) {
  const json& given = MemberAt(object, key);
  if (!given.is_number()) return std::nullopt;
  const auto seconds = given.get<double>();
  if (!(seconds > 0) || seconds > 1e9) return std::nullopt;
  return FormatDuration(std::llround(seconds * 1000));
}

void EmitText(YAML::Emitter& out, const char* key, const std::string& text) {
  out << YAML::Key << key << YAML::Value;
  // As people write it; a line that ends in blanks has no literal form.
  const bool lines = text.find('\n') != std::string::npos && text.find(" \n") == std::string::npos;
  if (lines) out << YAML::Literal;
  out << text;
}

void EmitTexts(YAML::Emitter& out, const json& object, const char* key) {
  const json& texts = MemberAt(object, key);
  if (!texts.is_object() || texts.empty()) return;
  out << YAML::Key << key << YAML::Value << YAML::BeginMap;
  for (const auto& [name, value] : texts.items()) {
    if (value.is_string()) {
      out << YAML::Key << name << YAML::Value << YAML::DoubleQuoted << value.get<std::string>();
    }
  }
  out << YAML::EndMap;
}

void EmitRule(YAML::Emitter& out, const json& rule) {
  const std::string type = TextAt(rule, "type");
  if (type != "alerting" && type != "recording") return;
  const bool alerting = type == "alerting";
  out << YAML::BeginMap;
  EmitText(out, alerting ? "alert" : "record", TextAt(rule, "name"));
  EmitText(out, "expr", TextAt(rule, "query"));
  if (const auto duration = DurationAt(rule, "duration"); alerting && duration) {
    EmitText(out, "for", *duration);
  }
  if (const auto kept = DurationAt(rule, "keepFiringFor"); alerting && kept) {
    EmitText(out, "keep_firing_for", *kept);
  }
  EmitTexts(out, rule, "labels");
  if (alerting) EmitTexts(out, rule, "annotations");
  out << YAML::EndMap;
}

void EmitGroup(YAML::Emitter& out, const json& group) {
  out << YAML::BeginMap;
  EmitText(out, "name", TextAt(group, "name"));
  if (const auto interval = DurationAt(group, "interval")) EmitText(out, "interval", *interval);
  out << YAML::Key << "rules" << YAML::Value << YAML::BeginSeq;
  for (const json& rule : ListAt(group, "rules")) EmitRule(out, rule);
  out << YAML::EndSeq << YAML::EndMap;
}

}  // namespace

std::vector<ServerRuleFile> RuleFilesOfServer(std::string_view text) {
  const json answer = ReadJson(text);
  const json& groups = MemberAt(MemberAt(answer, "data"), "groups");
  if (!groups.is_array()) {
    throw Error(ErrorKind::kFailed,
                "the server's answer to /api/v1/rules is no list of rules: does it evaluate any?");
  }
  std::vector<ServerRuleFile> files;
  for (const json& group : groups) {
    if (!group.is_object()) continue;
    const std::string name = TextAt(group, "file");
    const bool known = std::any_of(files.begin(), files.end(),
                                   [&](const auto& file) { return file.name == name; });
    if (known) continue;
    YAML::Emitter out;
    out << YAML::BeginMap << YAML::Key << "groups" << YAML::Value << YAML::BeginSeq;
    for (const json& one : groups) {
      if (one.is_object() && TextAt(one, "file") == name) EmitGroup(out, one);
    }
    out << YAML::EndSeq << YAML::EndMap;
    files.push_back({name, std::string(out.c_str()) + "\n"});
  }
  return files;
}

}  // namespace schedlens
