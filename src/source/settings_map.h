#pragma once

// Mappings of configuration files that name other files and hold secrets.

#include <utility>

#include "base/yaml_load.h"

namespace schedlens {

/// A file's content without surrounding blanks. Throws Error(kFailed) when it cannot be read.
std::string ReadTrimmed(const std::string& path);

/// A YamlMap whose absent texts are empty.
class SettingsMap : public YamlMap {
 public:
  /// `folder` is where relative paths start.
  SettingsMap(const YamlMap& map, std::string folder) : YamlMap(map), folder_(std::move(folder)) {}

  std::string Text(const std::string& key) {
    std::string text;
    Read(key, &text);
    return text;
  }
  std::string Path(const std::string& key) {
    const std::string text = Text(key);
    return text.empty() ? text : PathOf(text);
  }
  std::string PathOf(const std::string& text) const;
  bool Flag(const std::string& key, bool fallback = false) {
    Read(key, &fallback);
    return fallback;
  }
  std::vector<std::string> Texts(const std::string& key) {
    std::vector<std::string> texts;
    Read(key, &texts);
    return texts;
  }
  /// The secret itself, or what its file holds without surrounding blanks.
  std::string Secret(const std::string& key) {
    const std::string file_key = key + "_file";
    Exclude(key, file_key);
    return Has(file_key) ? ReadTrimmed(Path(file_key)) : Text(key);
  }
  /// Complains where both are given.
  void Exclude(const std::string& one, const std::string& other);
  /// A mapping under a key, or elsewhere in the file with `name` in its path.
  SettingsMap Sub(const std::string& key) { return {YamlMap::Sub(key), folder_}; }
  SettingsMap Child(const YAML::Node& node, const std::string& name) const {
    return {YamlMap::Child(node, name), folder_};
  }

 private:
  std::string folder_;
};

/// The first document of a text. Throws Error(kUsage) naming file and line for what is no mapping.
SettingsMap LoadSettings(const std::string& text, const std::string& name,
                         const std::string& folder);

}  // namespace schedlens
