#ifndef SCHEDLENS_SOURCE_HTTP_CONFIG_MAPPING_H_
#define SCHEDLENS_SOURCE_HTTP_CONFIG_MAPPING_H_

// A YAML mapping of the HTTP configuration, with errors that name file and line.

#include <yaml-cpp/yaml.h>

#include <string>
#include <vector>

namespace schedlens {

struct ConfigFile {
  std::string name;       ///< in messages
  std::string directory;  ///< of the paths in it
};

/// Throws Error(kUsage) with file and line.
[[noreturn]] void Fail(const ConfigFile& file, const YAML::Node& at, const std::string& text);

/// A YAML mapping whose keys are known. An absent mapping has no keys.
class Mapping {
 public:
  using Keys = std::vector<std::string>;

  /// `where` names it in messages; without `known` keys any key is accepted. Throws Error(kUsage)
  /// for what is not a mapping, an unknown key, a key given twice.
  Mapping(const ConfigFile& file, YAML::Node node, std::string where, const Keys& known);

  bool given() const { return node_.IsDefined() && !node_.IsNull(); }
  const YAML::Node& node() const { return node_; }
  YAML::Node At(const std::string& key) const;
  bool Has(const std::string& key) const;
  /// "" where the key is absent; throws Error(kUsage) for what is not plain text.
  std::string Text(const std::string& key) const;
  /// A path, relative to the file's directory.
  std::string Path(const std::string& key) const;
  bool Flag(const std::string& key, bool fallback) const;
  std::vector<std::string> List(const std::string& key) const;
  /// The secret itself, or what its file holds without surrounding blanks.
  std::string Secret(const std::string& key) const;
  static std::string Content(const std::string& path);

 private:
  void CheckKey(const YAML::Node& at, const std::string& key, const Keys& known) const;
  std::string Scalar(const YAML::Node& value, const std::string& key) const;

  const ConfigFile& file_;
  YAML::Node node_;
  std::string where_;
};

}  // namespace schedlens

#endif  // SCHEDLENS_SOURCE_HTTP_CONFIG_MAPPING_H_
