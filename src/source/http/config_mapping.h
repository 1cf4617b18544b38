#ifndef SCHEDLENS_SOURCE_HTTP_CONFIG_MAPPING_H_
#define SCHEDLENS_SOURCE_HTTP_CONFIG_MAPPING_H_

// The mappings of a YAML file, read strictly: every key is known and each value is of its kind, or
// an Error(kUsage) names the file and the line.

#include <memory>
#include <string>
#include <vector>

namespace YAML {
class Node;
}

namespace schedlens {

using ConfigKeys = std::vector<std::string>;

struct ConfigFile {
  std::string name;       ///< as messages call it
  std::string directory;  ///< where relative paths start
};

[[noreturn]] void FailConfig(const ConfigFile& file, const YAML::Node& at, const std::string& text);

/// A file's content without surrounding blanks. Throws Error(kFailed) when it cannot be read.
std::string ReadTrimmed(const std::string& path);

/// A YAML mapping. An absent one has no keys.
class ConfigMapping {
 public:
  /// `where` names it in messages; any key may stand in it where none is known. `file` must outlive
  /// this object.
  ConfigMapping(const ConfigFile& file, const YAML::Node& node, std::string where,
                const ConfigKeys& known);

  bool given() const;
  const YAML::Node& node() const { return *node_; }
  /// Undefined where there is none.
  YAML::Node At(const std::string& key) const;
  bool Has(const std::string& key) const;
  /// Empty where there is none.
  std::string Text(const std::string& key) const;
  std::string Path(const std::string& key) const;
  bool Flag(const std::string& key, bool fallback) const;
  std::vector<std::string> List(const std::string& key) const;
  /// The secret itself, or what its file holds without surrounding blanks.
  std::string Secret(const std::string& key) const;

 private:
  void CheckKey(const YAML::Node& at, const std::string& key, const ConfigKeys& known) const;
  std::string Scalar(const YAML::Node& value, const std::string& key) const;

  const ConfigFile& file_;
  std::shared_ptr<const YAML::Node> node_;
  std::string where_;
};

}  // namespace schedlens

#endif  // SCHEDLENS_SOURCE_HTTP_CONFIG_MAPPING_H_
