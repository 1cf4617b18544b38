#pragma once

// What is asked before anything is judged.

#include "diagnose/alert/panel.h"
#include "diagnose/causes/window_evidence.h"
#include "diagnose/control_plane/control_plane_facts.h"
#include "diagnose/episodes/episodes.h"

namespace schedlens {

/// What to diagnose. Everything has a default.
struct DiagnoseRequest {
  std::optional<TimeRange> window;    ///< absent: found in what the source has
  bool whole = false;                 ///< the whole recording is the window
  bool exact = false;                 ///< `window` is judged as it stands, however long
  bool want_baseline = true;          ///< false: `--baseline off`
  std::optional<TimeRange> baseline;  ///< absent: found
  std::string selector;               ///< matchers without braces; absent: the alert's, or found
  std::string alert_expr;             ///< PromQL; empty: the default question
  Labels firing;                      ///< what the alert's firings have in common; may be empty
  bool control_plane = true;          ///< false: nobody but the schedulers is asked
  bool recompute = true;              ///< the alert's value is redone from raw samples
  bool bound_tail = true;             ///< false: nothing is proven of the slowest attempts
  std::optional<TimeMs> at;  ///< the moment it is about; absent: wherever there is an incident
  TimeMs now = 0;            ///< up to when to look for it: the clock, or a while after `at`
};

/// A diagnosis with everything it rests on, for whoever goes on from there.
struct Investigation {
  DiagnoseRequest request;
  Facts facts;
  /// What is searched where no window is given and more was fetched for calm; absent: all of it.
  std::optional<TimeRange> searched;
  Histograms histograms;
  AlertPanel alert;                        ///< planned, not yet read
  std::optional<WindowEvidence> evidence;  ///< absent when no scheduler was found
  std::vector<Finding> causes;             ///< what the evidence supports, strongest first
  std::vector<EpisodeSpan> listed;  ///< the worst of the other episodes, to be judged as well
  ControlPlaneFacts control_plane;  ///< asked for by Investigate; empty for replays
  Diagnosis diagnosis;  ///< after Gather only what tells where it is from; all of it in the end
};

/// The raw samples that a diagnosis of the request asks for. It depends on the request alone where
/// a window is given, so that a recording of the answers is asked the very same questions.
TimeRange RangeToFetch(const DiagnoseRequest& request, const SourceInfo& source);

/// What the first half of an investigation rests on: facts alone, and of the diagnosis what tells
/// where they are from. Without a scheduler the diagnosis says why, and that is all.
Investigation GatherFacts(Source& source, const QuerySet& queries, const DiagnoseRequest& request);
/// The rest of the first half, from these facts. Where all that was looked at hurts, a server is
/// asked once more for the same and the hour before: there may be calm to compare with.
Investigation GatherFrom(Source& source, const QuerySet& queries, Investigation facts);

/// Notes in the evidence of an episode's window what hurts there.
void NoteHurt(const EpisodeSpan& episode, WindowEvidence* evidence);

/// The first half of an investigation: facts, histograms, evidence and causes are final, of the
/// diagnosis what tells where they are from. Throws as Investigate does.
Investigation Gather(Source& source, const QuerySet& queries, const DiagnoseRequest& request);

}  // namespace schedlens
