// DeviceClasses, ResourceSlices and ResourceClaims.

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "schedlens/error.h"
#include "sim/base/quantity.h"
#include "sim/cluster/json_fields.h"
#include "sim/cluster/object_reader.h"

namespace schedlens::sim::core {
namespace {

using Json = nlohmann::json;

DeviceSelectors ReadSelectors(const Json& json) {
  DeviceSelectors out;
  for (const Json& selector : ListAt(json, "selectors")) {
    out.push_back(std::make_shared<const cel::Expression>(
        Text(At(At(selector, "cel"), "expression"), "expression")));
  }
  return out;
}

// A name without a domain is the driver's.
std::string FullName(const std::string& name, const std::string& driver) {
  return name.find('/') == std::string::npos ? driver + "/" + name : name;
}

cel::Value ReadAttribute(const Json& json, const std::string& name) {
  if (const Json& text = At(json, "string"); !text.is_null()) return Text(text, "string");
  if (!At(json, "int").is_null()) return Integer(json, "int", 0);
  if (!At(json, "bool").is_null()) return Truth(json, "bool");
  if (const Json& text = At(json, "version"); !text.is_null()) return Text(text, "version");
  Bad(fmt::format("attribute `{}` is neither string, int, bool nor version", name));
}

cel::Device ReadFacts(const Json& json, const std::string& driver) {
  cel::Device out;
  out.driver = driver;
  if (const Json& attributes = At(json, "attributes"); attributes.is_object()) {
    for (const auto& item : attributes.items()) {
      out.attributes[FullName(item.key(), driver)] = ReadAttribute(item.value(), item.key());
    }
  }
  if (const Json& capacity = At(json, "capacity"); capacity.is_object()) {
    for (const auto& item : capacity.items()) {
      const std::string text = Text(At(item.value(), "value"), "value");
      const auto milli = QuantityMilli(text);
      if (!milli) Bad(fmt::format("capacity `{}` is not a quantity", text));
      out.capacity[FullName(item.key(), driver)] = cel::Quantity{*milli};
    }
  }
  return out;
}

}  // namespace

std::optional<std::vector<NodeSelectorTerm>> ObjectReader::ReadNodeSelector(const Json& json) {
  if (json.is_null()) return std::nullopt;
  std::vector<NodeSelectorTerm> out;
  for (const Json& term : ListAt(json, "nodeSelectorTerms")) out.push_back(ReadNodeTerm(term));
  return out;
}

DeviceClass ObjectReader::ReadDeviceClass(const Json& json) {
  NoteIgnored(At(json, "spec"), "DeviceClasses with spec.", "extendedResourceName");
  return {Intern(At(At(json, "metadata"), "name"), "name"), ReadSelectors(At(json, "spec"))};
}

ResourceSlice ObjectReader::ReadResourceSlice(const Json& json) {
  ResourceSlice out;
  const Json& spec = At(json, "spec");
  const Json& pool = At(spec, "pool");
  const std::string driver = Text(At(spec, "driver"), "driver");
  out.name = Intern(At(At(json, "metadata"), "name"), "name");
  out.driver = strings_.Intern(driver);
  out.pool = Intern(At(pool, "name"), "name");
  out.generation = Integer(pool, "generation", 0);
  out.slices_of_pool = Integer(pool, "resourceSliceCount", 1);
  out.node = Intern(At(spec, "nodeName"), "nodeName");
  out.all_nodes = Truth(spec, "allNodes");
  out.node_selector = ReadNodeSelector(At(spec, "nodeSelector"));
  for (const char* field : {"perDeviceNodeSelection", "sharedCounters"}) {
    NoteIgnored(spec, "ResourceSlices with spec.", field);
  }
  for (const Json& device : ListAt(spec, "devices")) {
    // Until v1beta1 a device's facts are below `basic`.
    const Json& facts = At(device, "basic").is_null() ? device : At(device, "basic");
    for (const char* field : {"taints", "consumesCounters", "bindsToNode", "bindingConditions",
                              "allowMultipleAllocations"}) {
      NoteIgnored(facts, "devices with ", field);
    }
    out.devices.push_back({Intern(At(device, "name"), "name"), ReadFacts(facts, driver)});
  }
  return out;
}

ResourceClaim::Request ObjectReader::ReadDeviceRequest(const Json& json) {
  ResourceClaim::Request out;
  out.name = Intern(At(json, "name"), "name");
  if (!At(json, "firstAvailable").is_null()) {
    Bad(fmt::format("request `{}`: firstAvailable is not supported; use exactly",
                    strings_.Text(out.name)));
  }
  // Until v1beta1 the request itself says it.
  const Json& exactly = At(json, "exactly").is_null() ? json : At(json, "exactly");
  out.device_class = Intern(At(exactly, "deviceClassName"), "deviceClassName");
  const std::string mode = Text(At(exactly, "allocationMode"), "allocationMode");
  if (!mode.empty() && mode != "All" && mode != "ExactCount") {
    Bad(fmt::format("request `{}`: unknown allocationMode `{}`", strings_.Text(out.name), mode));
  }
  out.all = mode == "All";
  out.count = Integer(exactly, "count", 1);
  out.selectors = ReadSelectors(exactly);
  for (const char* field : {"adminAccess", "capacity", "tolerations"}) {
    NoteIgnored(exactly, "device requests with ", field);
  }
  return out;
}

// A claim made from a template is the pod's own; its name is known once the status has it.
void ObjectReader::ReadResourceClaims(const Json& spec, const Json& status, PodSpec& out) {
  const std::string prefix = strings_.Text(out.namespace_name) + "/";
  for (const Json& item : ListAt(spec, "resourceClaims")) {
    std::string name = Text(At(item, "resourceClaimName"), "resourceClaimName");
    for (const Json& made : ListAt(status, "resourceClaimStatuses")) {
      if (!name.empty() || Text(At(made, "name"), "name") != Text(At(item, "name"), "name"))
        continue;
      name = Text(At(made, "resourceClaimName"), "resourceClaimName");
    }
    if (name.empty()) {
      const std::string made_from =
          Text(At(item, "resourceClaimTemplateName"), "resourceClaimTemplateName");
      if (!made_from.empty()) out.claim_templates.push_back(strings_.Intern(prefix + made_from));
      continue;
    }
    out.resource_claims.push_back(strings_.Intern(prefix + name));
  }
}

// A template's spec.spec is the spec of its claims.
ResourceClaim ObjectReader::ReadClaimTemplate(const Json& json) {
  ResourceClaim out;
  out.key = KeyOf(json);
  ReadClaimSpec(At(At(json, "spec"), "spec"), out);
  return out;
}

void ObjectReader::ReadClaimSpec(const Json& spec, ResourceClaim& out) {
  const Json& devices = At(spec, "devices");
  for (const Json& request : ListAt(devices, "requests")) {
    out.requests.push_back(ReadDeviceRequest(request));
  }
  for (const Json& constraint : ListAt(devices, "constraints")) {
    NoteIgnored(constraint, "device constraints with ", "distinctAttribute");
    if (At(constraint, "matchAttribute").is_null()) continue;
    auto& match = out.matches.emplace_back();
    match.attribute = Text(At(constraint, "matchAttribute"), "matchAttribute");
    for (const Json& name : ListAt(constraint, "requests")) {
      match.requests.push_back(Intern(name, "requests"));
    }
  }
}

ResourceClaim ObjectReader::ReadResourceClaim(const Json& json) {
  ResourceClaim out;
  const Json& metadata = At(json, "metadata");
  const Json& status = At(json, "status");
  const Json& allocation = At(status, "allocation");
  out.key = KeyOf(json);
  out.name = Intern(At(metadata, "name"), "name");
  out.deleting = !At(metadata, "deletionTimestamp").is_null();
  ReadClaimSpec(At(json, "spec"), out);
  out.allocated = !allocation.is_null();
  for (const Json& result : ListAt(At(allocation, "devices"), "results")) {
    AllocatedDevice& device = out.devices.emplace_back();
    device.request = Intern(At(result, "request"), "request");
    device.device = {Intern(At(result, "driver"), "driver"), Intern(At(result, "pool"), "pool"),
                     Intern(At(result, "device"), "device")};
  }
  out.node_selector = ReadNodeSelector(At(allocation, "nodeSelector"));
  for (const Json& user : ListAt(status, "reservedFor")) {
    out.reserved_for.push_back(Intern(At(user, "uid"), "uid"));
  }
  return out;
}

}  // namespace schedlens::sim::core
