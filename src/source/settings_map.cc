#include "source/settings_map.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <filesystem>

#include "base/file.h"
#include "schedlens/error.h"

namespace schedlens {

std::string ReadTrimmed(const std::string& path) {
  const std::string text = ReadFile(path, std::size_t{1} << 20);
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::string SettingsMap::PathOf(const std::string& text) const {
  return (std::filesystem::path(folder_) / text).lexically_normal().string();
}

void SettingsMap::Exclude(const std::string& one, const std::string& other) {
  if (Has(one) && Has(other)) Fail(Find(one), fmt::format("give {} or {}, not both", one, other));
}

SettingsMap LoadSettings(const std::string& text, const std::string& name,
                         const std::string& folder) {
  try {
    return {YamlMap(LoadYaml(text), {.name = name}), folder};
  } catch (const YAML::Exception& error) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}:{}: not valid YAML: {}", name, error.mark.line + 1, error.msg));
  }
}

}  // namespace schedlens
