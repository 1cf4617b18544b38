#include "sim/framework/configuration_file.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <optional>
#include <set>

#include "model/yaml_load.h"
#include "schedlens/error.h"

namespace schedlens::sim::core {
namespace {

using Visit = std::function<void(const YAML::Node&, const std::string&)>;

constexpr int kDeepest = 12;  // lists in lists, texts in objects, maps in their fields

std::string Text(const YAML::Node& map, const char* key) {
  const YAML::Node node = map[key];
  return node && node.IsScalar() ? node.Scalar() : "";
}

std::vector<YAML::Node> Documents(std::string_view text, const std::string& file) {
  try {
    return LoadAllYaml(std::string(text));
  } catch (const YAML::Exception& error) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}:{}: {}", file, error.mark.line + 1, NotYaml(text, error.msg)));
  }
}

/// The configurations of one file, those in texts of other objects too.
class ConfigurationFinder {
 public:
  explicit ConfigurationFinder(const Visit& visit) : visit_(visit) {}

  void Look(const YAML::Node& node, const std::string& place, int depth) {
    if (depth > kDeepest) return;
    if (node.IsSequence()) {
      for (const YAML::Node& item : node) Look(item, place, depth + 1);
    } else if (node.IsMap()) {
      LookInMap(node, place, depth);
    }
  }

  /// Throws for a text that is not YAML, where nothing else was found.
  void End() const {
    if (!found_ && broken_) throw *broken_;
  }

 private:
  void LookInMap(const YAML::Node& map, const std::string& place, int depth) {
    if (Text(map, "kind") == kKind || IsPolicy(map)) {
      found_ = true;
      return visit_(map, place);
    }
    for (const auto& item : map) {
      // What `kubectl apply` wrote down of the object is no second one.
      if (!item.first.IsScalar() || item.first.Scalar() == "metadata") continue;
      if (item.second.IsScalar()) {
        LookInText(item.second.Scalar(), fmt::format("{} ({})", place, item.first.Scalar()), depth);
      } else {
        Look(item.second, place, depth + 1);
      }
    }
  }

  /// Keys hold anything, scripts too; only what looks like ours need be YAML.
  void LookInText(const std::string& text, const std::string& place, int depth) {
    if (text.find(kKind) == std::string::npos && text.find("Policy") == std::string::npos) return;
    try {
      for (const YAML::Node& node : Documents(text, place)) Look(node, place, depth + 1);
    } catch (const Error& error) {
      if (!broken_) broken_ = error;
    }
  }

  static constexpr char kKind[] = "KubeSchedulerConfiguration";

  const Visit& visit_;
  bool found_ = false;
  std::optional<Error> broken_;
};

/// The file that a scheduler's arguments name; empty for none.
std::string FileOfArguments(std::string_view text) {
  constexpr std::string_view kFlag = "--config=";
  const auto at = text.find(kFlag);
  if (at == std::string_view::npos) return "";
  const std::string_view rest = text.substr(at + kFlag.size());
  return std::string(rest.substr(0, rest.find_first_of(" \t\r\n\"',]")));
}

}  // namespace

void ThrowNoConfiguration(std::string_view text, const std::string& file) {
  std::set<std::string> kinds;
  for (const YAML::Node& node : Documents(text, file)) {
    if (node.IsMap() && !Text(node, "kind").empty()) kinds.insert(Text(node, "kind"));
  }
  std::string line = fmt::format(
      "{}:1: kind must be KubeSchedulerConfiguration (or Policy), by itself, in another object's "
      "text or among other documents",
      file);
  if (!kinds.empty()) line += fmt::format(", not {}", fmt::join(kinds, ", "));
  const std::string named = FileOfArguments(text);
  if (!named.empty()) line += fmt::format("; give the file that --config names, {}", named);
  throw Error(ErrorKind::kUsage, line);
}

bool IsPolicy(const YAML::Node& map) {
  const std::string api = Text(map, "apiVersion");
  return Text(map, "kind") == "Policy" &&
         (api.empty() || api == "v1" || api.rfind("kubescheduler.config.k8s.io/", 0) == 0);
}

void EachConfiguration(std::string_view text, const std::string& file, const Visit& visit) {
  ConfigurationFinder finder(visit);
  for (const YAML::Node& node : Documents(text, file)) finder.Look(node, file, 0);
  finder.End();
}

}  // namespace schedlens::sim::core
