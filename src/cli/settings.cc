#include "cli/settings.h"

#include <fmt/format.h>
#include <unistd.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <ostream>
#include <system_error>

#include "cli/secrets.h"
#include "model/file.h"
#include "model/nearest.h"
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

}  // namespace

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

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

namespace {

/// The first variable of an option that is set decides.
std::vector<ConfigEntry> FromEnvironment() {
  std::vector<ConfigEntry> settings;
  for (const auto& [variable, option] : {std::pair{"SCHEDLENS_URL", "prometheus"},
                                         {"PROMETHEUS_URL", "prometheus"},
                                         {"SCHEDLENS_HTTP_CONFIG", "http.config.file"}}) {
    const std::string value = Environment(variable);
    if (value.empty()) continue;
    settings.push_back({"", option, {value}, std::string("environment ") + variable});
  }
  return settings;
}

/// Each once: which of two equally near names is suggested does not depend on the commands.
std::vector<std::string> Sorted(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

/// Every entry must have an option somewhere; a section must be a command.
void CheckKnown(const Program& program, const ConfigEntry& entry) {
  std::vector<std::string> options;
  for (const DeclaredCommand& command : program.commands) {
    if (!entry.command.empty() && command.name != entry.command) continue;
    if (FindOption(command.options, "--" + entry.option) != nullptr) return;
    const std::vector<std::string> names = LongNames(command.options);
    options.insert(options.end(), names.begin(), names.end());
  }
  const bool known = entry.command.empty() || program.Find(entry.command) != nullptr;
  const std::string why =
      known ? fmt::format("unknown setting {}; did you mean {}?", entry.option,
                          Nearest(entry.option, Sorted(options)))
            : fmt::format("no command is named {}; did you mean {}?", entry.command,
                          Nearest(entry.command, Sorted(program.CommandNames())));
  throw Error(ErrorKind::kUsage, fmt::format("{}: {}", entry.origin, why));
}

/// The strongest setting of an option; one for this command alone goes before one for all.
const ConfigEntry* Find(const std::vector<ConfigEntry>& settings, const std::string& command,
                        const Option& option) {
  for (const std::string& section : {command, std::string()}) {
    for (const ConfigEntry& entry : settings) {
      if (entry.command == section && option.Has("--" + entry.option)) return &entry;
    }
  }
  return nullptr;
}

bool Excludes(const Option& one, const Option& other) {
  return std::any_of(one.excludes.begin(), one.excludes.end(),
                     [&](const std::string& name) { return other.Has(name); });
}

bool ExcludesTyped(const Option& option, const Options& options, const CommandLine& line) {
  return std::any_of(options.begin(), options.end(), [&](const Option& other) {
    return (Excludes(option, other) || Excludes(other, option)) && line.Typed(other);
  });
}

void Apply(const Option& option, const ConfigEntry& entry, CommandLine* line) {
  for (const std::string& value : entry.values) RegisterGiven(entry.option, value);
  try {
    line->Set(option, entry.values);
    if (option.origin != nullptr) *option.origin = entry.origin;
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("{}: {}", entry.origin, error.what()));
  }
}

}  // namespace

std::vector<ConfigEntry> ReadSettings(const Program& program) {
  std::vector<ConfigEntry> settings = FromEnvironment();
  for (const std::string& file : ConfigFiles()) {
    for (ConfigEntry& entry : ParseConfig(ReadFile(file), file)) {
      CheckKnown(program, entry);
      settings.push_back(std::move(entry));
    }
  }
  return settings;
}

void ApplySettings(const std::vector<ConfigEntry>& settings, CommandLine* line) {
  const DeclaredCommand& command = *line->chosen();
  std::vector<std::pair<const Option*, const ConfigEntry*>> chosen;
  for (const Option& option : command.options) {
    if (line->Typed(option) || ExcludesTyped(option, command.options, *line)) continue;
    const ConfigEntry* entry = Find(settings, command.name, option);
    if (entry != nullptr) chosen.emplace_back(&option, entry);
  }
  for (const auto& [option, entry] : chosen) Apply(*option, *entry, line);
}

void ShowSettings(const std::vector<ConfigEntry>& settings, std::ostream& out) {
  for (const ConfigEntry& entry : settings) {
    for (const std::string& value : entry.values) {
      const std::string name =
          entry.command.empty() ? entry.option : entry.command + "." + entry.option;
      out << fmt::format("{}: {}  # {}\n", name, Printable(entry.option, value), entry.origin);
    }
  }
  if (settings.empty()) out << "# no settings in a configuration file or the environment\n";
}

}  // namespace schedlens
