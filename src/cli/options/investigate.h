#pragma once

// What every command that diagnoses something first asks for: a source, a window, an alert.

#include "cli/options/source.h"
#include "cli/progress.h"
#include "diagnose/pipeline/diagnose.h"

namespace schedlens {

struct InvestigateOptions {
  SourceOptions source;
  TimeOptions time;
  std::string queries;  ///< directory of overriding queries
  AlertOptions alert;
  bool no_control_plane = false;
  bool answer_steps = false;  ///< run the next steps that are queries
  bool no_answers = false;    ///< of a whole diagnosis: do not
  bool no_cross_check = false;
  std::string scheduler_config;  ///< file; empty: none
};

Options InvestigateOptionTable(InvestigateOptions* options, Zone* shown = nullptr);

/// What the options ask for, with the source open and the alert looked up.
struct AskedInvestigation {
  std::unique_ptr<Source> source;
  std::optional<ResolvedAlert> alert;
  Message taken;  ///< that nobody named the alert, and why it is this one; or empty
  DiagnoseRequest request;
};

/// Opens the source (a scenario runs in the reference scheduler) and looks up the alert. Questions
/// show on `progress`, which must outlive the result. Throws what they throw.
AskedInvestigation OpenAsAsked(const InvestigateOptions& options, Progress* progress);

/// Work on what was gathered, in a thread of its own while the server is asked for the rest: all
/// but `control_plane` may be read.
using Meanwhile = std::function<void(const Investigation&)>;

/// Opens the source and investigates; a long run shows its progress on `context.err`.
/// `meanwhile`, where given, is done on return; what it throws is thrown.
Investigation InvestigateAsAsked(const InvestigateOptions& options, const QuerySet& queries,
                                 const Context& context, const Meanwhile& meanwhile = {});

QuerySet QueriesOf(const InvestigateOptions& options);

}  // namespace schedlens
