#pragma once

// One rule a cause: what it needs, what supports it, what would refute it.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contract/diagnosis.h"
#include "diagnose/causes/window_evidence.h"

namespace schedlens {

/// A cause that a rule holds possible.
struct CauseCandidate {
  std::optional<kube::Stage> stage = {};  ///< whose share is shown, if any
  double growth = 0;                      ///< seconds of the growth it explains
  bool proven_within = false;  ///< the data leave no other reading of that stage's growth
  bool tie = false;            ///< another cause explains the same evidence as well: `possible`
  bool second = false;         ///< of two tied ones the less plausible
  bool by_count = false;       ///< about how many attempts, not about their time
  bool companion = false;      ///< accompanies a cause that it made worse, whatever its growth
  std::vector<Evidence> evidence = {};
  bool stands_alone = false;  ///< an incident also where no attempt is slow
  bool holds_loop = false;    ///< keeps other pods waiting for the scheduling loop
  /// Also what a burst of attempts brings about: a consequence where the loop is held up.
  bool follows_load = false;
};

struct CauseRule {
  std::string_view id;
  std::optional<CauseCandidate> (*judge)(const WindowEvidence&);
};

/// The rules in the order of the scheduling attempt.
const std::vector<CauseRule>& Rules();

/// True where CPU starvation, not a slow API server, explains that binds became slower: the loop is
/// busier on the processor and bind's mean follows it scrape by scrape.
bool CpuStarved(const WindowEvidence& c);

/// True where a stage of the scheduling loop costs several times the baseline, is most of what the
/// loop lost, and pods wait for the loop because of it: it is busy most of the time, or they wait
/// as long again as their attempts became slower.
bool HoldsLoop(const WindowEvidence& c, kube::Stage stage);

/// True when VolumeBinding's calls make up most of what the plugin metric saw of PreBind.
bool VolumeBindingLeads(const WindowEvidence& c);

}  // namespace schedlens
