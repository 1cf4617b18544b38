#ifndef SCHEDLENS_CLI_CONFIG_FILE_H_
#define SCHEDLENS_CLI_CONFIG_FILE_H_

// The configuration file: long option names and values in YAML, for all commands at the top, or for
// one command below its name.

#include <string>
#include <vector>

namespace schedlens {

struct ConfigEntry {
  std::string command;              ///< empty: for every command that has the option
  std::string option;               ///< long name without dashes
  std::vector<std::string> values;  ///< one, or several where the option repeats
  std::string origin;               ///< file:line
};

/// Reads one text. `name` is what errors name. Throws Error(kUsage) with file and line for
/// invalid YAML and for anything but a map of options to values. Which names exist is checked by
/// the caller.
std::vector<ConfigEntry> ParseConfig(const std::string& text, const std::string& name);

/// The files that apply, the strongest first: only $SCHEDLENS_CONFIG when that is set, else
/// $XDG_CONFIG_HOME/schedlens/config.yaml (~/.config without it) and /etc/schedlens/config.yaml.
/// Files that do not exist are left out, except the one that SCHEDLENS_CONFIG names.
std::vector<std::string> ConfigFiles();

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_CONFIG_FILE_H_
