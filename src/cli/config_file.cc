#include "cli/config_file.h"

#include <fmt/format.h>
#include <unistd.h>
#include <yaml-cpp/yaml.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "model/yaml_load.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

[[noreturn]] void Fail(const std::string& name, const YAML::Mark& mark, const std::string& what) {
  throw Error(ErrorKind::kUsage, fmt::format("{}:{}: {}", name, mark.line + 1, what));
}

std::vector<std::string> Values(const YAML::Node& node, const std::string& name) {
  if (node.IsScalar()) return {node.Scalar()};
  if (!node.IsSequence()) Fail(name, node.Mark(), "expected a value or a list of values");
  std::vector<std::string> values;
  for (const YAML::Node& item : node) {
    if (!item.IsScalar()) Fail(name, item.Mark(), "expected a value in this list");
    values.push_back(item.Scalar());
  }
  return values;
}

ConfigEntry Entry(const std::string& command, const YAML::Node& key, const YAML::Node& value,
                  const std::string& name) {
  return {command, key.Scalar(), Values(value, name),
          fmt::format("{}:{}", name, key.Mark().line + 1)};
}

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

std::vector<ConfigEntry> ParseConfig(const std::string& text, const std::string& name) {
  std::vector<ConfigEntry> entries;
  try {
    const YAML::Node root = LoadYaml(text);
    if (root.IsNull()) return entries;
    if (!root.IsMap())
      Fail(name, root.Mark(), "expected option names and values, as in `url: http://...`");
    for (const auto& row : root) {
      if (!row.second.IsMap()) {
        entries.push_back(Entry("", row.first, row.second, name));
        continue;
      }
      for (const auto& inner : row.second) {
        entries.push_back(Entry(row.first.Scalar(), inner.first, inner.second, name));
      }
    }
  } catch (const YAML::Exception& error) {
    Fail(name, error.mark, error.msg);
  }
  return entries;
}

std::vector<std::string> ConfigFiles() {
  const std::string given = Environment("SCHEDLENS_CONFIG");
  if (!given.empty()) return {given};
  std::string home = Environment("XDG_CONFIG_HOME");
  if (home.empty() && !Environment("HOME").empty()) home = Environment("HOME") + "/.config";
  std::vector<std::string> files;
  if (!home.empty()) files.push_back(home + "/schedlens/config.yaml");
  files.emplace_back("/etc/schedlens/config.yaml");
  std::erase_if(files, [](const std::string& file) {
    std::error_code none;
    return !std::filesystem::exists(file, none) || access(file.c_str(), R_OK) != 0;
  });
  return files;
}

}  // namespace schedlens
