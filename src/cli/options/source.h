#ifndef SCHEDLENS_CLI_OPTIONS_SOURCE_H_
#define SCHEDLENS_CLI_OPTIONS_SOURCE_H_

// The options that say where samples come from: the same in every command that reads some.

#include "cli/option.h"
#include "source/open_source.h"

namespace schedlens {

/// `--prometheus`, `--capture`, `--scrape-before/--scrape-after`, `--scenario` and what belongs to
/// them. `options` must outlive the table. That there is exactly one source is checked by
/// OpenSource, not here.
Options SourceOptionTable(SourceOptions* options);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_OPTIONS_SOURCE_H_
