#include "source/settings_map.h"

#include <yaml-cpp/yaml.h>

#include <filesystem>

#include "base/file.h"
#include "base/text.h"

namespace schedlens {

std::string ReadTrimmed(const std::string& path) {
  return std::string(Trimmed(ReadFile(path, std::size_t{1} << 20)));
}

std::string SettingsMap::PathOf(const std::string& text) const {
  return (std::filesystem::path(folder_) / text).lexically_normal().string();
}

void SettingsMap::Exclude(const std::string& one, const std::string& other) {
  if (Has(one) && Has(other)) Fail(Find(one), fmt::format("give {} or {}, not both", one, other));
}

SettingsMap LoadSettings(const std::string& text, const std::string& name,
                         const std::string& folder) {
  const std::vector<YAML::Node> documents = LoadYamlFile(text, name);
  const YAML::Node first = documents.empty() ? YAML::Node() : documents.front();
  return {YamlMap(first, {.name = name}), folder};
}

}  // namespace schedlens
