#ifndef SCHEDLENS_CLI_SETTINGS_H_
#define SCHEDLENS_CLI_SETTINGS_H_

// Settings from outside the command line: the environment takes precedence over the configuration
// files, and a typed option over both.

#include <iosfwd>

#include "cli/command_line.h"
#include "cli/config_file.h"

namespace schedlens {

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

#endif  // SCHEDLENS_CLI_SETTINGS_H_
