#include "cli/settings.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <ostream>
#include <set>

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

bool HasOption(const CLI::App& command, const std::string& name) {
  return command.get_option_no_throw("--" + name) != nullptr;
}

void CollectNames(const CLI::App& command, std::set<std::string>* names) {
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names->insert(name);
  }
}

/// Every entry must have an option somewhere; a section must be a command.
void CheckKnown(const CLI::App& app, const ConfigEntry& entry) {
  std::set<std::string> commands, options;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    commands.insert(command->get_name());
    if (entry.command.empty() || command->get_name() == entry.command) {
      CollectNames(*command, &options);
      if (HasOption(*command, entry.option)) return;
    }
  }
  if (!entry.command.empty() && !commands.count(entry.command)) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("{}: no command is named {}; did you mean {}?", entry.origin, entry.command,
                    Nearest(entry.command, {commands.begin(), commands.end()})));
  }
  throw Error(ErrorKind::kUsage,
              fmt::format("{}: unknown setting {}; did you mean {}?", entry.origin, entry.option,
                          Nearest(entry.option, {options.begin(), options.end()})));
}

/// The strongest setting of an option; one for this command alone goes before one for all.
const ConfigEntry* Find(const std::vector<ConfigEntry>& settings, const std::string& command,
                        const CLI::Option& option) {
  for (const std::string& section : {command, std::string()}) {
    for (const ConfigEntry& entry : settings) {
      if (entry.command == section && option.check_lname(entry.option)) return &entry;
    }
  }
  return nullptr;
}

bool ExcludesTyped(const CLI::Option& option) {
  for (CLI::Option* other : option.get_excludes()) {
    if (other->count() > 0) return true;
  }
  return false;
}

void Apply(CLI::Option& option, const ConfigEntry& entry) {
  try {
    option.add_result(entry.values);
    option.run_callback();
  } catch (const CLI::ParseError& error) {
    throw Error(ErrorKind::kUsage, fmt::format("{}: {}", entry.origin, error.what()));
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("{}: {}", entry.origin, error.what()));
  }
}

/// `http://user:password@host` without what stands before the @.
std::string WithoutCredentials(const std::string& text) {
  const std::size_t scheme = text.find("://");
  if (scheme == std::string::npos) return text;
  const std::size_t at = text.find('@', scheme);
  if (at == std::string::npos || text.find('/', scheme + 3) < at) return text;
  return text.substr(0, scheme + 3) + "<secret>" + text.substr(at);
}

}  // namespace

std::vector<ConfigEntry> ReadSettings(const CLI::App& app) {
  std::vector<ConfigEntry> settings = FromEnvironment();
  for (const std::string& file : ConfigFiles()) {
    for (ConfigEntry& entry : ParseConfig(ReadFile(file), file)) {
      CheckKnown(app, entry);
      settings.push_back(std::move(entry));
    }
  }
  return settings;
}

void ApplySettings(CLI::App& command, const std::vector<ConfigEntry>& settings) {
  std::vector<std::pair<CLI::Option*, const ConfigEntry*>> chosen;
  for (CLI::Option* option : command.get_options()) {
    if (option->count() > 0 || ExcludesTyped(*option)) continue;
    const ConfigEntry* entry = Find(settings, command.get_name(), *option);
    if (entry != nullptr) chosen.emplace_back(option, entry);
  }
  for (const auto& [option, entry] : chosen) Apply(*option, *entry);
}

void ShowSettings(const std::vector<ConfigEntry>& settings, std::ostream& out) {
  for (const ConfigEntry& entry : settings) {
    const bool secret = entry.option == "header";
    for (const std::string& value : entry.values) {
      const std::string name =
          entry.command.empty() ? entry.option : entry.command + "." + entry.option;
      out << fmt::format(
          "{}: {}  # {}\n", name,
          secret ? value.substr(0, value.find(':')) + ": <secret>" : WithoutCredentials(value),
          entry.origin);
    }
  }
  if (settings.empty()) out << "# no settings: no configuration file, no environment variable\n";
}

}  // namespace schedlens
