#ifndef SCHEDLENS_SIM_FRAMEWORK_PLUGIN_NAMES_H_
#define SCHEDLENS_SIM_FRAMEWORK_PLUGIN_NAMES_H_

// Which names of plugins a configuration may use.

#include <string>
#include <string_view>
#include <vector>

#include "sim/framework/plugin_table.h"
#include "sim/framework/yaml_fields.h"

namespace schedlens::sim::core {

/// Whether that release, or only others, have `plugin` in-tree while nothing here plays it.
bool IsUnplayed(std::string_view plugin, int minor);
bool IsUnplayedElsewhere(std::string_view plugin, int minor);

class PluginNames {
 public:
  /// `own` are known beside those in-tree. With `found` unknown ones are put down there and kept.
  PluginNames(std::vector<std::string> own, FoundInFile* found)
      : own_(std::move(own)), found_(found) {}

  /// Whether the plugin named at `node` may run at any of `points`. False, and put down as a
  /// remark, where it has none of them; without `found` that and an unknown name throw as
  /// YamlFields::Fail.
  bool Check(const YamlFields& yaml, const YAML::Node& node, const std::string& name, Points points,
             int minor);

  const std::vector<std::string>& own() const { return own_; }
  bool IsOwn(const std::string& name) const;

 private:
  bool Accept(const std::string& name, const std::vector<std::string>& known, int minor);

  std::vector<std::string> own_;
  FoundInFile* found_;
};

}  // namespace schedlens::sim::core

#endif  // SCHEDLENS_SIM_FRAMEWORK_PLUGIN_NAMES_H_
