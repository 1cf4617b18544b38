#include "model/yaml_load.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

namespace schedlens {
namespace {

/// Walks a document as its readers do, and goes into an alias each time.
class Limits {
 public:
  /// Without aliases a text never has more nodes than bytes, nor more bytes of scalars.
  explicit Limits(const std::string& text)
      : nodes_(text.size() + kMostFromAliases), bytes_(text.size() + kMostTextFromAliases) {}

  void Check(const YAML::Node& node, int depth = 0) {
    const std::size_t bytes = node.IsScalar() ? node.Scalar().size() : 0;
    if (nodes_ == 0 || bytes_ < bytes) {
      throw YAML::Exception(node.Mark(),
                            fmt::format("its aliases stand for more than {} entries or {} bytes",
                                        kMostFromAliases, kMostTextFromAliases));
    }
    --nodes_;
    bytes_ -= bytes;
    if (!node.IsSequence() && !node.IsMap()) return;
    if (depth == kDeepestYaml) {
      throw YAML::Exception(node.Mark(),
                            fmt::format("lists and maps nest deeper than {}", kDeepestYaml));
    }
    for (const auto& entry : node) {
      if (node.IsMap()) {
        Check(entry.first, depth + 1);
        Check(entry.second, depth + 1);
      } else {
        Check(entry, depth + 1);
      }
    }
  }

 private:
  std::size_t nodes_;
  std::size_t bytes_;
};

}  // namespace

YAML::Node LoadYaml(const std::string& text) {
  YAML::Node root = YAML::Load(text);
  Limits(text).Check(root);
  return root;
}

std::vector<YAML::Node> LoadAllYaml(const std::string& text) {
  std::vector<YAML::Node> documents = YAML::LoadAll(text);
  Limits limits(text);
  for (const YAML::Node& document : documents) limits.Check(document);
  return documents;
}

}  // namespace schedlens
