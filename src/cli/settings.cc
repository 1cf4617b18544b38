#include "cli/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ostream>

#include "cli/secrets.h"
#include "model/file.h"
#include "model/nearest.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

struct Variable {
  const char* name;
  const char* option;
};

// The first one that is set decides.
constexpr Variable kVariables[] = {{"SCHEDLENS_URL", "prometheus"},
                                   {"PROMETHEUS_URL", "prometheus"},
                                   {"SCHEDLENS_HTTP_CONFIG", "http.config.file"}};

std::vector<ConfigEntry> FromEnvironment() {
  std::vector<ConfigEntry> settings;
  for (const Variable& variable : kVariables) {
    const char* value = std::getenv(variable.name);
    if (value == nullptr || *value == '\0') continue;
    settings.push_back({"", variable.option, {value}, std::string("environment ") + variable.name});
  }
  return settings;
}

/// Each once: which of two equally near names is suggested does not depend on the commands.
std::vector<std::string> Sorted(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

const Option* Find(const Options& options, const std::string& name) {
  for (const Option& option : options) {
    if (HasLongName(option, name)) return &option;
  }
  return nullptr;
}

/// Every entry must have an option somewhere; a section must be a command.
void CheckKnown(const Program& program, const ConfigEntry& entry) {
  std::vector<std::string> commands, options;
  bool known = entry.command.empty();
  for (const DeclaredCommand& command : program.commands) {
    commands.push_back(command.name);
    known = known || command.name == entry.command;
    if (!entry.command.empty() && command.name != entry.command) continue;
    if (Find(command.options, entry.option) != nullptr) return;
    const std::vector<std::string> names = LongNames(command.options);
    options.insert(options.end(), names.begin(), names.end());
  }
  const std::string why =
      known ? fmt::format("unknown setting {}; did you mean {}?", entry.option,
                          Nearest(entry.option, Sorted(options)))
            : fmt::format("no command is named {}; did you mean {}?", entry.command,
                          Nearest(entry.command, Sorted(commands)));
  throw Error(ErrorKind::kUsage, fmt::format("{}: {}", entry.origin, why));
}

/// The strongest setting of an option; one for this command alone goes before one for all.
const ConfigEntry* Find(const std::vector<ConfigEntry>& settings, const std::string& command,
                        const Option& option) {
  for (const std::string& section : {command, std::string()}) {
    for (const ConfigEntry& entry : settings) {
      if (entry.command == section && HasLongName(option, entry.option)) return &entry;
    }
  }
  return nullptr;
}

bool Excludes(const Option& one, const Option& other) {
  return std::any_of(one.excludes.begin(), one.excludes.end(),
                     [&](const std::string& name) { return HasLongName(other, name.substr(2)); });
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
