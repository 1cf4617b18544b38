#include "source/rule_file_fields.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>
#include <vector>

#include "model/nearest.h"

namespace schedlens {
namespace {

using Names = std::vector<std::string>;

constexpr std::string_view kMerge = "<<";

const Names& RuleFields() {
  static const Names all = {"alert", "record", "expr", "for", "keep_firing_for", "labels",
                            "annotations",
                            // vmalert's
                            "debug", "update_entries_limit", "id"};
  return all;
}

/// Of groups that only vmalert takes.
const Names& VmalertFields() {
  static const Names all = {
      "type",       "concurrency",    "params", "headers", "notifier_headers",   "eval_offset",
      "eval_delay", "eval_alignment", "tenant", "debug",   "extra_filter_labels"};
  return all;
}

const Names& GroupFields() {
  static const Names all = {"name", "interval", "query_offset", "limit", "labels", "rules",
                            // Thanos's and Mimir's
                            "partial_response_strategy", "source_tenants", "evaluation_delay",
                            "align_evaluation_time_on_interval", "remote_write"};
  return all;
}

bool Holds(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Letters, digits and _; not a digit first.
bool IsLabelName(const std::string& text) {
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0])) != 0) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  });
}

/// What differs by a slip from a name of the list.
Message Meant(const std::string& name, const Names& names) {
  constexpr std::size_t kSlip = 2;
  const std::string near = Nearest(name, names);
  if (near.empty() || EditDistance(name, near) > kSlip) return {};
  return Message("lint.did_you_mean", {{"words", near}});
}

/// Calls `each` for the names of a map, once each, and notes those that are set twice.
template <typename Each>
void ForEachName(YamlNode map, const FieldNote& note, const Each& each) {
  std::set<std::string> seen;
  for (const auto& member : map) {
    const std::string name = member.first.Scalar();
    // What is merged is judged where it stands.
    if (name == kMerge || member.first.IsNull()) continue;
    if (!seen.insert(name).second) {
      note("bad-field", member.first, Message("lint.file.twice", {{"field", name}}), {});
      continue;
    }
    each(name, member.first, member.second);
  }
}

void JudgeFields(YamlNode map, const Names& known, const char* said, const FieldNote& note) {
  ForEachName(map, note, [&](const std::string& name, YamlNode at, YamlNode) {
    if (Holds(known, name)) return;
    note("bad-field", at, Message(said, {{"field", name}}), Meant(name, known));
  });
}

}  // namespace

YamlNode FieldOf(YamlNode map, const char* field, int depth) {
  constexpr int kDeepestMerge = 8;
  const YamlNode own = map[field];
  const YamlNode merged = map["<<"];
  if (own || !merged || depth > kDeepestMerge) return own;
  if (merged.IsMap()) return FieldOf(merged, field, depth + 1);
  if (!merged.IsSequence()) return own;
  for (const auto& [none, one] : merged) {
    if (const YamlNode found = FieldOf(one, field, depth + 1)) return found;
  }
  return own;
}

bool IsGroupOfVmalert(YamlNode group) {
  const Names& fields = VmalertFields();
  return std::any_of(fields.begin(), fields.end(),
                     [&](const std::string& field) { return FieldOf(group, field.c_str()); });
}

void JudgeGroupFields(YamlNode group, const FieldNote& note) {
  JudgeFields(group, GroupFields(), "lint.file.unknown.group", note);
}

void JudgeRuleFields(YamlNode rule, const FieldNote& note) {
  JudgeFields(rule, RuleFields(), "lint.file.unknown.rule", note);
}

void JudgeFileFields(YamlNode file, const FieldNote& note) {
  if (file["apiVersion"] || file["kind"]) return;
  static const Names known = {"groups",
                              // what Mimir's and Cortex's tools upload the groups to
                              "namespace"};
  JudgeFields(file, known, "lint.file.unknown.file", note);
}

void JudgeTexts(YamlNode map, const char* field, const FieldNote& note) {
  const YamlNode texts = FieldOf(map, field);
  if (!texts || texts.IsNull()) return;
  if (!texts.IsMap()) {
    return note("bad-field", texts, Message("lint.file.not_map", {{"field", field}}), {});
  }
  ForEachName(texts, note, [&](const std::string& name, YamlNode at, YamlNode value) {
    if (!IsLabelName(name) || name == "__name__") {
      note("bad-name", at, Message("lint.file.label", {{"name", name}}), {});
    }
    if (value.IsMap() || value.IsSequence()) {
      note("bad-field", value, Message("lint.file.not_text", {{"field", name}}), {});
    }
  });
}

}  // namespace schedlens
