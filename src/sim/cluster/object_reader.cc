// Nodes, workloads, budgets, and what several kinds of objects have.

#include "sim/cluster/object_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "model/json_depth.h"
#include "model/text.h"
#include "schedlens/error.h"
#include "sim/cluster/json_fields.h"

namespace schedlens::sim::core {
namespace {

// Extended resources have a domain that is not kubernetes.io; hugepages and attachable volumes
// count like them. The scheduler ignores anything else.
bool IsScalar(std::string_view name) {
  if (name.starts_with("hugepages-") || name.starts_with("attachable-volumes-")) return true;
  return name.find('/') != std::string_view::npos && !name.starts_with("requests.");
}

}  // namespace

Node ObjectReader::ReadNode(const Json& json) {
  Node out;
  const Json& metadata = At(json, "metadata");
  const Json& spec = At(json, "spec");
  const Json& status = At(json, "status");
  out.name = Intern(At(metadata, "name"), "name");
  out.labels = ReadLabels(At(metadata, "labels"));
  out.unschedulable = Truth(spec, "unschedulable");
  for (const Json& taint : ListAt(spec, "taints")) {
    out.taints.push_back({Intern(At(taint, "key"), "key"), Intern(At(taint, "value"), "value"),
                          ReadEffect(At(taint, "effect"))});
  }
  const Json& allocatable = At(status, "allocatable");
  out.allocatable = ReadResources(allocatable.is_null() ? At(status, "capacity") : allocatable);
  for (const Json& image : ListAt(status, "images")) {
    Image& added = out.images.emplace_back();
    added.size_bytes = Integer(image, "sizeBytes", 0);
    for (const Json& name : ListAt(image, "names")) added.names.push_back(Intern(name, "names"));
  }
  const Json& avoid =
      At(At(metadata, "annotations"), "scheduler.alpha.kubernetes.io/preferAvoidPods");
  if (avoid.is_string()) out.avoids = ReadAvoids(avoid.get<std::string>());
  return out;
}

Workload ObjectReader::ReadWorkload(const Json& json, Workload::Kind kind) {
  Workload out;
  out.kind = kind;
  out.name = Intern(At(At(json, "metadata"), "name"), "name");
  out.namespace_name = NamespaceOf(json);
  const Json& selector = At(At(json, "spec"), "selector");
  const bool plain =
      kind == Workload::Kind::kService || kind == Workload::Kind::kReplicationController;
  if (!plain) {
    out.selector = ReadSelector(selector);
  } else if (!selector.is_null()) {
    out.selector.nothing = false;
    out.selector.requirements = AsRequirements(ReadLabels(selector));
  }
  return out;
}

DisruptionBudget ObjectReader::ReadBudget(const Json& json) {
  DisruptionBudget out;
  out.name = Intern(At(At(json, "metadata"), "name"), "name");
  out.namespace_name = NamespaceOf(json);
  out.selector = ReadSelector(At(At(json, "spec"), "selector"));
  const Json& status = At(json, "status");
  out.disruptions_allowed = Integer(status, "disruptionsAllowed", 0);
  if (const Json& pods = At(status, "disruptedPods"); pods.is_object()) {
    for (const auto& item : pods.items()) out.disrupted_pods.push_back(strings_.Intern(item.key()));
  }
  std::sort(out.disrupted_pods.begin(), out.disrupted_pods.end());
  return out;
}

Namespace ObjectReader::ReadNamespace(const Json& json) {
  const Json& metadata = At(json, "metadata");
  return {Intern(At(metadata, "name"), "name"), ReadLabels(At(metadata, "labels"))};
}

Id ObjectReader::Intern(const Json& value, const char* key) {
  return strings_.Intern(Text(value, key));
}

void ObjectReader::NoteIgnored(const Json& where, const std::string& what, const char* field) {
  if (!At(where, field).is_null()) ++ignored_[what + field];
}

Id ObjectReader::NamespaceOf(const Json& json) {
  const std::string text = Text(At(At(json, "metadata"), "namespace"), "namespace");
  return strings_.Intern(text.empty() ? "default" : text);
}

ObjectLabels ObjectReader::ReadLabels(const Json& json) {
  ObjectLabels out;
  if (json.is_null()) return out;
  if (!json.is_object()) Bad("labels must be an object");
  for (const auto& item : json.items()) {
    out.push_back({strings_.Intern(item.key()), Intern(item.value(), "label")});
  }
  std::sort(out.begin(), out.end(), [](const Label& a, const Label& b) { return a.key < b.key; });
  return out;
}

std::vector<Requirement> ObjectReader::AsRequirements(const ObjectLabels& labels) {
  std::vector<Requirement> out;
  for (const Label& label : labels) {
    out.push_back({label.key, Operator::kIn, {label.value}});
  }
  return out;
}

bool ObjectReader::ReadRequirement(const Json& json, bool of_nodes, Requirement& out) {
  out.key = Intern(At(json, "key"), "key");
  for (const Json& value : ListAt(json, "values")) out.values.push_back(Intern(value, "values"));
  std::sort(out.values.begin(), out.values.end());
  const std::string op = Text(At(json, "operator"), "operator");
  constexpr std::pair<std::string_view, Operator> kOperators[] = {
      {"In", Operator::kIn},         {"NotIn", Operator::kNotIn},
      {"Exists", Operator::kExists}, {"DoesNotExist", Operator::kDoesNotExist},
      {"Gt", Operator::kGt},         {"Lt", Operator::kLt},
  };
  const auto* known = std::find_if(std::begin(kOperators), std::end(kOperators),
                                   [&](const auto& o) { return o.first == op; });
  if (known == std::end(kOperators)) return false;
  out.op = known->second;
  switch (out.op) {
    case Operator::kIn:
    case Operator::kNotIn:
      return !out.values.empty();
    case Operator::kExists:
    case Operator::kDoesNotExist:
      return out.values.empty();
    case Operator::kGt:
    case Operator::kLt:
      return of_nodes && out.values.size() == 1 && strings_.Integer(out.values[0]).has_value();
  }
  return false;
}

LabelSelector ObjectReader::ReadSelector(const Json& json) {
  LabelSelector out;
  if (json.is_null()) return out;
  out.nothing = false;
  out.requirements = AsRequirements(ReadLabels(At(json, "matchLabels")));
  for (const Json& expression : ListAt(json, "matchExpressions")) {
    Requirement requirement;
    if (!ReadRequirement(expression, false, requirement)) out.nothing = true;
    out.requirements.push_back(std::move(requirement));
  }
  return out;
}

Effect ObjectReader::ReadEffect(const Json& json) {
  const std::string text = Text(json, "effect");
  if (text.empty()) return Effect::kAny;
  if (text == "NoSchedule") return Effect::kNoSchedule;
  if (text == "PreferNoSchedule") return Effect::kPreferNoSchedule;
  return text == "NoExecute" ? Effect::kNoExecute : Effect::kOther;
}

Resources ObjectReader::ReadResources(const Json& json) {
  Resources out;
  if (json.is_null()) return out;
  if (!json.is_object()) Bad("resources must be an object");
  for (const auto& item : json.items()) {
    const std::string& name = item.key();
    if (name == "cpu") {
      out.milli_cpu = Amount(item.value(), name, true);
    } else if (name == "memory") {
      out.memory = Amount(item.value(), name, false);
    } else if (name == "ephemeral-storage") {
      out.ephemeral_storage = Amount(item.value(), name, false);
    } else if (name == "pods") {
      out.pods = Amount(item.value(), name, false);
    } else if (IsScalar(name)) {
      out.AddScalar(strings_.Intern(name), Amount(item.value(), name, false));
    }
  }
  return out;
}

Controller ObjectReader::ReadController(const Json& json) {
  return {Intern(At(json, "apiVersion"), "apiVersion"), Intern(At(json, "kind"), "kind"),
          Intern(At(json, "name"), "name"), Intern(At(json, "uid"), "uid")};
}

std::vector<Controller> ObjectReader::ReadAvoids(const std::string& text) {
  std::vector<Controller> out;
  const Json json = Json::parse(ShallowJson(text), nullptr, false);
  if (json.is_discarded()) return out;
  try {
    for (const Json& avoid : ListAt(json, "preferAvoidPods")) {
      out.push_back(ReadController(At(At(avoid, "podSignature"), "podController")));
    }
  } catch (const Error&) {
    out.clear();
  }
  return out;
}

}  // namespace schedlens::sim::core
