#ifndef SCHEDLENS_CLI_SETTINGS_H_
#define SCHEDLENS_CLI_SETTINGS_H_

// Settings that come from elsewhere than the command line: the environment goes before the
// configuration files, and an option that was typed before both.

#include <iosfwd>

#include "cli/config_file.h"

namespace CLI {
class App;
}

namespace schedlens {

/// Everything the environment and the files say, the strongest first. Throws Error(kUsage) for a
/// file that cannot be read, and for an entry that no command has an option for (the nearest is
/// named). `app` is the whole program.
std::vector<ConfigEntry> ReadSettings(const CLI::App& app);

/// Gives each option of `command` that was not typed its setting, if there is one. A setting that
/// excludes a typed option (a server when a capture was given) is left out. Throws Error(kUsage)
/// with the origin of a value that the option refuses.
void ApplySettings(CLI::App& command, const std::vector<ConfigEntry>& settings);

/// Prints the settings in force, one a line with its origin. Values of options that carry secrets
/// (headers, credentials in URLs) read `<secret>`.
void ShowSettings(const std::vector<ConfigEntry>& settings, std::ostream& out);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_SETTINGS_H_
