#pragma once

// One whole diagnosis as the options ask for it: what `diagnose`, `watch` and `serve` share.

#include <cstddef>
#include <functional>
#include <string>

#include "cli/command.h"
#include "cli/options/investigate.h"
#include "contract/diagnosis.h"

namespace schedlens {

/// The options of an investigation, and BeyondOptionTable.
Options DiagnosingOptionTable(InvestigateOptions* options);
/// What to do beyond the analysis, or to leave out: `--no-cross-check`, `--scheduler-config`, ...
Options BeyondOptionTable(InvestigateOptions* options);

/// Opens the source, investigates, replays and completes. Progress shows on `context.err`. Throws
/// what these throw.
Diagnosis DiagnoseAsAsked(const InvestigateOptions& options, const QuerySet& queries,
                          const Context& context);

/// Sets `made` (by the clock, or the seconds in the variable SOURCE_DATE_EPOCH, so that the same
/// data make the same bytes), `command` and `cluster`, and fills source, selector and window into
/// every next step that is a command of schedlens, so that it can be run as printed. Secrets are
/// not in it. `options.source.selector` is of the schedulers that the diagnosis is about.
void AddMaking(const InvestigateOptions& options, const Context& context, Diagnosis* diagnosis);

/// Calls work(0), ..., work(count - 1), each once, on as many threads as the process may use
/// processors, but at most 8, each of which may hold a part of what is known in memory; returns
/// when all have ended. Where some throw, nothing more is begun, and what the first of them by
/// number threw is thrown. Nothing is called for a count of 0.
void SideBySide(std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace schedlens
