#ifndef SCHEDLENS_CLI_SOURCE_OPTIONS_H_
#define SCHEDLENS_CLI_SOURCE_OPTIONS_H_

// The options that say where samples come from: the same in every command that reads some.

#include "source/open_source.h"

namespace CLI {
class App;
}

namespace schedlens {

/// Declares `--prometheus`, `--capture`, `--scrape-before/--scrape-after`, `--scenario` and what
/// belongs to them. `options` must live as long as `app`; it is filled while the command line is
/// read. Exactly one source is checked by OpenSource, not here.
void AddSourceOptions(CLI::App& app, SourceOptions* options);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_SOURCE_OPTIONS_H_
