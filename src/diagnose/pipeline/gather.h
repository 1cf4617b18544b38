#pragma once

// What is asked before anything is judged, and the windows that are chosen.

#include <optional>
#include <string>
#include <vector>

#include "base/message.h"
#include "base/source.h"
#include "contract/diagnosis.h"
#include "diagnose/alert/panel.h"
#include "diagnose/breakdown/time_breakdown.h"
#include "diagnose/causes/window_evidence.h"
#include "diagnose/control_plane/control_plane_facts.h"

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
  Histograms histograms;
  AlertPanel alert;                        ///< planned, not yet read
  std::optional<WindowEvidence> evidence;  ///< absent when no scheduler was found
  std::vector<Finding> causes;             ///< what the evidence supports, strongest first
  ControlPlaneFacts control_plane;         ///< asked for by Investigate; empty for replays
  Diagnosis diagnosis;  ///< after Gather only what tells where it is from; all of it in the end
};

/// The raw samples that a diagnosis of the request asks for. It depends on the request alone where
/// a window is given, so that a recording of the answers is asked the very same questions.
TimeRange RangeToFetch(const DiagnoseRequest& request, const SourceInfo& source);

/// What the first half of an investigation rests on: facts alone, and of the diagnosis what tells
/// where they are from. Without a scheduler the diagnosis says why, and that is all.
Investigation GatherFacts(Source& source, const QuerySet& queries, const DiagnoseRequest& request);
/// The rest of the first half, from these facts.
Investigation GatherFrom(const QuerySet& queries, Investigation facts);

/// The first half of an investigation: facts, histograms, evidence and causes are final, of the
/// diagnosis what tells where they are from. Throws as Investigate does.
Investigation Gather(Source& source, const QuerySet& queries, const DiagnoseRequest& request);

// Which minutes are judged, and which they are compared with.

struct WindowRequest {
  std::optional<TimeRange> asked;     ///< the range that was given, if any
  bool exact = false;                 ///< judge all of it, however long
  std::optional<TimeRange> baseline;  ///< as given
  bool want_baseline = true;
  std::int64_t alert_range_ms = 0;         ///< of the alert's rate; 0: 5 m
  std::vector<TimeRange> above_threshold;  ///< when the alert's value was, rate window included
};

struct ChosenWindows {
  TimeRange window;
  bool found = false;  ///< searched for, not given
  std::optional<TimeRange> baseline;
  bool change_point = false;  ///< the baseline was found beyond a change to slower attempts
  /// The part of a given window that lies in an incident which change points mark; at
  /// least a quarter of it and a minute long.
  std::optional<TimeRange> slow_part;
  std::vector<Message> notes;
};

/// A range longer than twice the alert's is searched, unless it is exact or comes with a baseline:
/// the window is where the alert's value was above its threshold, extended to the change points,
/// or else where attempts were slow or failed more than elsewhere, or else all of the range. A
/// window's edges are moved outwards to scrapes. The baseline is never taken from inside the
/// incident: neither from what was above the threshold, nor from slow time that adjoins the window.
ChosenWindows ChooseWindows(const Facts& facts, const Histograms& histograms,
                            const WindowRequest& request);

}  // namespace schedlens
