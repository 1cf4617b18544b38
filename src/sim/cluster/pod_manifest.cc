#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <string>
#include <vector>

#include "model/quote.h"
#include "model/yaml_load.h"
#include "schedlens/error.h"
#include "sim/cluster/objects_json.h"

namespace schedlens::sim::core {
namespace {

[[noreturn]] void Fail(std::string_view file, int line, std::string_view why) {
  throw Error(ErrorKind::kUsage, fmt::format("{}:{}: {}", file, line + 1, why));
}

void Collect(const YAML::Node& node, std::vector<YAML::Node>& leaves, int depth) {
  if (depth > 100) return;
  if (node.IsScalar()) leaves.push_back(node);
  if (node.IsSequence()) {
    for (const YAML::Node& item : node) Collect(item, leaves, depth + 1);
  }
  if (node.IsMap()) {
    for (const auto& item : node) Collect(item.second, leaves, depth + 1);
  }
}

// Without the object's kind and name, which come first.
std::string ErrorOf(const YAML::Node& root, Strings& strings) {
  try {
    ReadPodManifest(YAML::Dump(root), "", strings);
    return "";
  } catch (const Error& error) {
    const std::string text = error.what();
    const std::size_t end = text.find("`: ");
    return end == std::string::npos ? text : text.substr(end);
  }
}

// The reader knows values, not lines: the value that is at fault is the one without which the
// complaint is another, or none. -1 if there is no such value.
int LineAtFault(const YAML::Node& root, Strings& strings) {
  const std::string complaint = ErrorOf(root, strings);
  std::vector<YAML::Node> leaves;
  Collect(root, leaves, 0);
  for (YAML::Node& leaf : leaves) {
    const int line = leaf.Mark().line;
    const std::string text = leaf.Scalar();
    const std::string tag = leaf.Tag();
    leaf = YAML::Node(YAML::NodeType::Null);
    const bool at_fault = ErrorOf(root, strings) != complaint;
    leaf = text;
    leaf.SetTag(tag);
    if (at_fault) return line;
  }
  return -1;
}

void CheckShape(const YAML::Node& root, std::string_view file) {
  if (!root.IsMap()) Fail(file, root.Mark().line < 0 ? 0 : root.Mark().line, "not a Pod manifest");
  const YAML::Node kind = root["kind"];
  if (kind && (!kind.IsScalar() || kind.Scalar() != "Pod")) {
    Fail(file, kind.Mark().line,
         "kind must be Pod, not " +
             (kind.IsScalar() ? QuotePromql(kind.Scalar()) : "a list or a map"));
  }
  const YAML::Node spec = root["spec"];
  if (!spec || !spec.IsMap()) {
    Fail(file, spec ? spec.Mark().line : root.Mark().line, "a Pod needs a spec");
  }
  const YAML::Node containers = spec["containers"];
  if (!containers || !containers.IsSequence() || containers.size() == 0) {
    Fail(file, containers ? containers.Mark().line : spec.Mark().line,
         "spec.containers must be a list with at least one container");
  }
  const YAML::Node gates = spec["schedulingGates"];
  if (gates && gates.IsSequence() && gates.size() > 0) {
    Fail(file, gates.Mark().line, "a pod with schedulingGates is not scheduled; remove them");
  }
}

}  // namespace

PodObject ReadPodFile(std::string_view yaml, std::string_view file, Strings& strings) {
  YAML::Node root;
  try {
    root = LoadYaml(std::string(yaml));
  } catch (const YAML::Exception& error) {
    Fail(file, error.mark.line, fmt::format("not YAML: {}", error.msg));
  }
  CheckShape(root, file);
  try {
    return ReadPodManifest(yaml, file, strings);
  } catch (const Error& error) {
    const int line = LineAtFault(root, strings);
    std::string why = error.what();
    if (why.rfind(std::string(file) + ": ", 0) == 0) why.erase(0, file.size() + 2);
    if (line >= 0) Fail(file, line, why);
    throw Error(ErrorKind::kUsage, fmt::format("{}: {}", file, why));
  }
}

}  // namespace schedlens::sim::core
