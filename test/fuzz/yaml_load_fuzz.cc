// Any text as YAML: refused, or a document in which a walk that follows every alias ends soon.

#include <yaml-cpp/yaml.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/yaml_load.h"

namespace {

std::size_t Walk(const YAML::Node& node, int depth) {
  if (depth > schedlens::kDeepestYaml) std::abort();
  std::size_t nodes = 1;
  for (const auto& entry : node) {
    if (node.IsMap()) {
      nodes += Walk(entry.first, depth + 1) + Walk(entry.second, depth + 1);
    } else {
      nodes += Walk(entry, depth + 1);
    }
  }
  return nodes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    std::size_t nodes = 0;
    for (const YAML::Node& document : schedlens::LoadAllYaml(text)) nodes += Walk(document, 0);
    if (nodes > size + schedlens::kMostFromAliases) std::abort();
  } catch (const YAML::Exception&) {
  }
  return 0;
}
