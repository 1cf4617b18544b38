#include "source/http/config_mapping.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "model/file.h"
#include "model/nearest.h"
#include "schedlens/error.h"

namespace schedlens {

void FailConfig(const ConfigFile& file, const YAML::Node& at, const std::string& text) {
  const YAML::Mark mark = at.Mark();
  const std::string line = mark.is_null() ? "" : fmt::format(":{}", mark.line + 1);
  throw Error(ErrorKind::kUsage, fmt::format("{}{}: {}", file.name, line, text));
}

std::string ReadTrimmed(const std::string& path) {
  std::string text = ReadFile(path, std::size_t{1} << 20);
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

ConfigMapping::ConfigMapping(const ConfigFile& file, const YAML::Node& node, std::string where,
                             const ConfigKeys& known)
    : file_(file), node_(std::make_shared<const YAML::Node>(node)), where_(std::move(where)) {
  if (!given()) return;
  if (!node_->IsMap()) FailConfig(file_, *node_, where_ + " must be a mapping of keys to values");
  std::set<std::string> seen;
  for (const auto& entry : *node_) {
    const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "?";
    if (!known.empty()) CheckKey(entry.first, key, known);
    if (!seen.insert(key).second) {
      FailConfig(file_, entry.first, fmt::format("{} is given twice", key));
    }
  }
}

bool ConfigMapping::given() const { return node_->IsDefined() && !node_->IsNull(); }

YAML::Node ConfigMapping::At(const std::string& key) const {
  return given() ? (*node_)[key] : YAML::Node(YAML::NodeType::Undefined);
}

bool ConfigMapping::Has(const std::string& key) const {
  const YAML::Node value = At(key);
  return value.IsDefined() && !value.IsNull();
}

std::string ConfigMapping::Text(const std::string& key) const {
  return Has(key) ? Scalar(At(key), key) : "";
}

std::string ConfigMapping::Path(const std::string& key) const {
  const std::string text = Text(key);
  if (text.empty()) return text;
  return (std::filesystem::path(file_.directory) / text).lexically_normal().string();
}

bool ConfigMapping::Flag(const std::string& key, bool fallback) const {
  if (!Has(key)) return fallback;
  bool value = false;
  if (!At(key).IsScalar() || !YAML::convert<bool>::decode(At(key), value)) {
    FailConfig(file_, At(key), key + " must be true or false");
  }
  return value;
}

std::vector<std::string> ConfigMapping::List(const std::string& key) const {
  std::vector<std::string> values;
  if (!Has(key)) return values;
  if (!At(key).IsSequence()) FailConfig(file_, At(key), key + " must be a list");
  for (const auto& entry : At(key)) values.push_back(Scalar(entry, key));
  return values;
}

std::string ConfigMapping::Secret(const std::string& key) const {
  const std::string file_key = key + "_file";
  if (Has(key) && Has(file_key)) {
    FailConfig(file_, At(key), fmt::format("give {} or {}, not both", key, file_key));
  }
  return Has(file_key) ? ReadTrimmed(Path(file_key)) : Text(key);
}

void ConfigMapping::CheckKey(const YAML::Node& at, const std::string& key,
                             const ConfigKeys& known) const {
  if (std::find(known.begin(), known.end(), key) != known.end()) return;
  if (key.ends_with("_ref")) {
    FailConfig(file_, at,
               fmt::format("{}: secret stores are not supported, use the _file key", key));
  }
  FailConfig(
      file_, at,
      fmt::format("unknown key {} in {}: did you mean {}?", key, where_, Nearest(key, known)));
}

std::string ConfigMapping::Scalar(const YAML::Node& value, const std::string& key) const {
  if (!value.IsScalar()) FailConfig(file_, value, key + " must be plain text");
  return value.Scalar();
}

}  // namespace schedlens
