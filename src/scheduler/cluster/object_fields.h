#pragma once

// Fields of an object's JSON, with one clear error for each thing that they may not be.

#include <algorithm>
#include <nlohmann/json.hpp>

#include "scheduler/base/quantity.h"
#include "scheduler/cluster/objects_json.h"

namespace schedlens::sim::core {

using Json = nlohmann::json;

/// Plain scalars as YAML 1.2 types them; quoted ones stay text.
Json FromYaml(const YAML::Node& node);
/// The fields that the API type has, of a mapping that may have other keys (see YamlFile::skip).
/// The map complains of keys, lists and mappings; no other value is looked at.
Json TypedFrom(YamlMap& map, std::string_view type);

/// Throws Error(kFailed). The caller adds which object and file it was.
[[noreturn]] inline void Bad(const std::string& what) { throw Error(ErrorKind::kFailed, what); }

// Null if `object` is null or has no such key.
inline const Json& At(const Json& object, const char* key) {
  static const Json kNull;
  if (object.is_null()) return kNull;
  if (!object.is_object()) Bad(fmt::format("expected an object containing `{}`", key));
  const auto it = object.find(key);
  return it == object.end() ? kNull : *it;
}

// The value at a path: null where it ends before.
template <typename... Keys>
inline const Json& At(const Json& object, const char* key, Keys... path) {
  return At(At(object, key), path...);
}

// Empty where At gives null.
inline const Json& ListAt(const Json& object, const char* key) {
  static const Json kEmpty = Json::array();
  const Json& list = At(object, key);
  if (list.is_null()) return kEmpty;
  if (!list.is_array()) Bad(fmt::format("`{}` must be a list", key));
  return list;
}

// "" for null; numbers and booleans as JSON prints them. `key` names the value in the error.
inline std::string Text(const Json& value, const char* key) {
  if (value.is_null()) return {};
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() || value.is_boolean()) return value.dump();
  Bad(fmt::format("`{}` must be a string", key));
}

/// The text at a path; errors name its last key.
template <typename... Keys>
std::string TextAt(const Json& object, Keys... path) {
  const char* const keys[] = {path...};
  return Text(At(object, path...), keys[sizeof...(path) - 1]);
}

inline std::int64_t Integer(const Json& object, const char* key, std::int64_t fallback) {
  const Json& value = At(object, key);
  if (value.is_null()) return fallback;
  if (!value.is_number_integer()) Bad(fmt::format("`{}` must be a whole number", key));
  return value.get<std::int64_t>();
}

inline bool Truth(const Json& object, const char* key) {
  const Json& value = At(object, key);
  if (value.is_null()) return false;
  if (!value.is_boolean()) Bad(fmt::format("`{}` must be true or false", key));
  return value.get<bool>();
}

// A quantity that is not negative, in thousandths if `milli`.
inline std::int64_t Amount(const Json& value, const std::string& name, bool milli) {
  const std::string text = Text(value, name.c_str());
  const auto amount = milli ? QuantityMilli(text) : QuantityValue(text);
  if (!amount) Bad(fmt::format("{} `{}` is not a quantity", name, text));
  if (*amount < 0) Bad(fmt::format("{} `{}` is negative", name, text));
  return *amount;
}

// Extended resources have a domain that is not kubernetes.io; hugepages and attachable volumes
// count like them. The scheduler ignores anything else.
inline bool IsScalar(std::string_view name) {
  if (name.starts_with("hugepages-") || name.starts_with("attachable-volumes-")) return true;
  return name.find('/') != std::string_view::npos && !name.starts_with("requests.");
}

/// Counts what objects say that nobody plays in `ignored`, by words such as `pods with spec.xyz`.
class ObjectFields {
 public:
  ObjectFields(Strings& strings, std::map<std::string, int>& ignored)
      : strings_(strings), ignored_(ignored) {}

 protected:
  Id Intern(const Json& value, const char* key) { return strings_.Intern(Text(value, key)); }

  template <typename... Keys>
  Id InternAt(const Json& object, Keys... path) {
    return strings_.Intern(TextAt(object, path...));
  }

  // Of a list of texts, in its order.
  std::vector<Id> Ids(const Json& json, const char* key) {
    std::vector<Id> out;
    for (const Json& item : ListAt(json, key)) out.push_back(Intern(item, key));
    return out;
  }

  // Of an object's metadata.
  Id NamespaceOf(const Json& metadata) {
    const std::string text = TextAt(metadata, "namespace");
    return strings_.Intern(text.empty() ? "default" : text);
  }

  ObjectLabels ReadLabels(const Json& json) {
    ObjectLabels out;
    if (json.is_null()) return out;
    if (!json.is_object()) Bad("labels must be an object");
    for (const auto& item : json.items()) {
      out.push_back({strings_.Intern(item.key()), Intern(item.value(), "label")});
    }
    std::ranges::sort(out, {}, &Label::key);
    return out;
  }

  std::vector<Requirement> AsRequirements(const ObjectLabels& labels) {
    std::vector<Requirement> out;
    for (const Label& label : labels) out.push_back({label.key, Operator::kIn, {label.value}});
    return out;
  }

  // `invalid` gets true if the operator or the number of its values does not parse.
  Requirement ReadRequirement(const Json& json, bool of_nodes, bool& invalid) {
    using enum Operator;
    Requirement out{InternAt(json, "key"), kIn, Ids(json, "values")};
    std::ranges::sort(out.values);
    // In the order of Operator.
    constexpr std::string_view kWords[] = {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"};
    const auto* word = std::ranges::find(kWords, TextAt(json, "operator"));
    bool fits = word != std::end(kWords);
    if (fits) out.op = static_cast<Operator>(word - kWords);
    if (fits && (out.op == kIn || out.op == kNotIn)) fits = !out.values.empty();
    if (out.op == kExists || out.op == kDoesNotExist) fits = out.values.empty();
    if (out.op == kGt || out.op == kLt) {
      fits = of_nodes && out.values.size() == 1 && strings_.Integer(out.values[0]).has_value();
    }
    invalid = invalid || !fits;
    return out;
  }

  LabelSelector ReadSelector(const Json& json) {
    LabelSelector out;
    if (json.is_null()) return out;
    out.nothing = false;
    out.requirements = AsRequirements(ReadLabels(At(json, "matchLabels")));
    for (const Json& expression : ListAt(json, "matchExpressions")) {
      out.requirements.push_back(ReadRequirement(expression, false, out.nothing));
    }
    return out;
  }

  NodeSelectorTerm ReadNodeTerm(const Json& json) {
    NodeSelectorTerm out;
    for (const Json& expression : ListAt(json, "matchExpressions")) {
      out.expressions.push_back(ReadRequirement(expression, true, out.invalid));
    }
    for (const Json& field : ListAt(json, "matchFields")) {
      const Requirement read = ReadRequirement(field, true, out.invalid);
      // A field must be compared with exactly one value, and only the name is known.
      const bool known = read.values.size() == 1 && read.key == strings_.Intern("metadata.name") &&
                         (read.op == Operator::kIn || read.op == Operator::kNotIn);
      out.invalid = out.invalid || !known;
      out.fields.push_back(read);
    }
    return out;
  }

  // The terms under `nodeSelectorTerms`; nothing for null.
  std::optional<std::vector<NodeSelectorTerm>> ReadNodeTerms(const Json& json) {
    if (json.is_null()) return std::nullopt;
    std::vector<NodeSelectorTerm> out;
    for (const Json& term : ListAt(json, "nodeSelectorTerms")) out.push_back(ReadNodeTerm(term));
    return out;
  }

  Effect ReadEffect(const Json& json) {
    const std::string text = Text(json, "effect");
    if (text.empty()) return Effect::kAny;
    if (text == "NoSchedule") return Effect::kNoSchedule;
    if (text == "PreferNoSchedule") return Effect::kPreferNoSchedule;
    return text == "NoExecute" ? Effect::kNoExecute : Effect::kOther;
  }

  Resources ReadResources(const Json& json) {
    using Plain = std::pair<std::string_view, std::int64_t Resources::*>;
    static constexpr Plain kPlain[] = {{"cpu", &Resources::milli_cpu},
                                       {"memory", &Resources::memory},
                                       {"ephemeral-storage", &Resources::ephemeral_storage},
                                       {"pods", &Resources::pods}};
    Resources out;
    if (json.is_null()) return out;
    if (!json.is_object()) Bad("resources must be an object");
    for (const auto& item : json.items()) {
      const std::string& name = item.key();
      const auto* plain = std::ranges::find(kPlain, name, &Plain::first);
      if (plain != std::end(kPlain)) {
        out.*plain->second = Amount(item.value(), name, name == "cpu");
      } else if (IsScalar(name)) {
        out.AddScalar(strings_.Intern(name), Amount(item.value(), name, false));
      }
    }
    return out;
  }

  Controller ReadController(const Json& json) {
    return {InternAt(json, "apiVersion"), InternAt(json, "kind"), InternAt(json, "name"),
            InternAt(json, "uid")};
  }

  Strings& strings_;
  std::map<std::string, int>& ignored_;
};

// Objects as structs. All throw Error(kFailed) for what the object may not be, PodFrom
// Error(kUsage) too for what is not modelled.
PodObject PodFrom(const Json& json, Strings& strings, std::map<std::string, int>& ignored);
Node NodeFrom(const Json& json, Strings& strings);
/// Puts an object of any kind but Pod into the cluster, and counts it.
void PutFrom(const Json& json, Cluster& cluster, Loaded& loaded);

}  // namespace schedlens::sim::core
