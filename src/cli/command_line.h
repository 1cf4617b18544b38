#pragma once

// What fills the targets of the options: the command line (the only place that knows CLI11) takes
// precedence over the environment, and that over the configuration files. A file holds long option
// names and values in YAML, for all commands at the top, or for one command below its name.

#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace schedlens {

/// What the command line asks for before anything runs.
enum class Asked { kRun, kHelp, kVersion, kShowConfig };

class CommandLine {
 public:
  /// `program` must outlive the parser.
  explicit CommandLine(const Program& program);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  /// Fills the targets. Throws Error(kUsage) for what no option and no command takes (naming the
  /// nearest that exists), and for a value that its option refuses.
  Asked Parse(int argc, const char* const* argv);

  /// The command of the command line; null when there is none.
  const DeclaredCommand* chosen() const;
  /// Whether this option of the chosen command was typed.
  bool Typed(const Option& option) const;
  /// Gives an option of the chosen command values from elsewhere. Throws Error(kUsage) for a value
  /// that it refuses.
  void Set(const Option& option, const std::vector<std::string>& values);

  /// The help of the chosen command, else of the program.
  std::string Help() const;

 private:
  CLI::Option* Find(const Option& option) const;

  const Program& program_;
  const std::unique_ptr<CLI::App> root_;
};

struct ConfigEntry {
  std::string command;              ///< empty: for every command that has the option
  std::string option;               ///< long name without dashes
  std::vector<std::string> values;  ///< one, or several where the option repeats
  std::string origin;               ///< file:line
  int layer = 0;                    ///< of the file or environment it stands in; 0 is the strongest
};

/// Reads one text. `name` is what errors name. Throws Error(kUsage) with file and line for
/// invalid YAML and for anything but a map of options to values. Which names exist is checked by
/// the caller.
std::vector<ConfigEntry> ParseConfig(const std::string& text, const std::string& name);

/// The files that apply, the strongest first: only $SCHEDLENS_CONFIG when that is set, else
/// $XDG_CONFIG_HOME/schedlens/config.yaml (~/.config without it) and /etc/schedlens/config.yaml.
/// Files that do not exist are left out, except the one that SCHEDLENS_CONFIG names.
std::vector<std::string> ConfigFiles();

/// The variable's value; empty without it.
std::string Environment(const char* name);

/// Everything the environment and the files say, the strongest first. Throws Error(kUsage) for a
/// file that cannot be read, and for an entry that no command has an option for (the nearest is
/// named).
std::vector<ConfigEntry> ReadSettings(const Program& program);

/// Gives each option of the chosen command that was not typed its setting, if there is one. A
/// setting that excludes a typed option (a server when a capture was given) is left out. Throws
/// Error(kUsage) with the origin of a value that the option refuses.
void ApplySettings(const std::vector<ConfigEntry>& settings, CommandLine* line);

/// Prints the settings in force, one a line with its origin. Values of options that carry secrets
/// (headers, credentials in URLs) read `<secret>`.
void ShowSettings(const std::vector<ConfigEntry>& settings, std::ostream& out);

}  // namespace schedlens
