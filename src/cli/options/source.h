#ifndef SCHEDLENS_CLI_OPTIONS_SOURCE_H_
#define SCHEDLENS_CLI_OPTIONS_SOURCE_H_

// The options that say where samples come from: the same in every command that reads some.

#include <memory>

#include "cli/option.h"
#include "source/open_source.h"

namespace schedlens {

/// `--prometheus`, `--capture`, `--scrape-before/--scrape-after`, `--scenario` and what belongs to
/// them. `options` must outlive the table. That there is exactly one source is checked by
/// OpenSource, not here.
Options SourceOptionTable(SourceOptions* options);

/// Whether the options name a capture, scraped pages or a scenario: what does not change.
bool IsRecorded(const SourceOptions& options);
/// Whether they name any source.
inline bool HasSource(const SourceOptions& options) {
  return !options.prometheus.empty() || IsRecorded(options);
}

/// OpenSource, `--scenario` included: the reference scheduler plays it, always with the same seed.
std::unique_ptr<Source> OpenAnySource(const SourceOptions& options);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_OPTIONS_SOURCE_H_
