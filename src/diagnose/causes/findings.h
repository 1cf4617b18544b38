#pragma once

// Findings: ranked, and held against what contradicts them.

#include "diagnose/causes/window_evidence.h"

namespace schedlens {

/// The causes that the evidence supports, strongest first; remarks about the number come after them
/// and from elsewhere. Empty when nothing is slow and nothing fails. A cause is named only with
/// evidence that would be absent without it; `certain` only where proven bounds say so, and
/// nothing is more than possible where numbers contradict each other.
std::vector<Finding> FindCauses(const WindowEvidence& c);

// Numbers that no scheduler can have exposed: a part larger than its whole, a sum that its own
// buckets rule out. Nothing that rests on them is proven.

/// The contradictions inside the window and inside the baseline, each with the series that disagree
/// and their numbers:
/// - a count that no process reaches, a sum below zero, or one that falls although no counter was
///   reset;
/// - a histogram whose sum its buckets do not allow;
/// - stages that add up to more than all attempts, or extension points to more than the algorithm,
///   beyond what attempts that cross the window's end have paid;
/// - counts of the same attempts that differ by more than the attempts between two histograms.
/// A histogram that is absent, or was scraped in pieces, contradicts nothing.
std::vector<Message> FindContradictions(const Facts& facts, const Histograms& histograms,
                                        const Measurement& now,
                                        const std::optional<Measurement>& baseline);

/// Remarks about the number and the data (`quantile.*`, `data.*`), in that order: what makes a
/// quantile of this window mislead. Made only for an incident or a judged alert; a quiet window
/// needs none.
std::vector<Finding> FindRemarks(const WindowEvidence& c, const std::optional<AlertVerdict>& alert);

/// Algorithm and e2e as cumulative fractions where the algorithm's p99 reads above e2e's:
/// possible only with different populations. The witness is the bound where the fractions are
/// farthest apart. Nothing when the order is as it should be.
std::optional<CdfPair> FindInversion(const WindowIncreases& cells);

// One rule a cause: what it needs, what supports it, what would refute it.

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

/// What one plugin had of the growth of its extension point (without a baseline of its time), by
/// the sampled calls of all plugins there.
struct PluginPart {
  std::string plugin;
  double calls = 0, seconds = 0;        ///< sampled; seconds of a call
  std::optional<double> before;         ///< seconds of a call in the baseline
  double low = 0, share = 0, high = 0;  ///< three standard errors of the sample around the share
};

/// The plugin with the largest part; nothing with fewer than twenty sampled calls of it, and where
/// no plugin's time grew. Calls are taken to vary about as much as their mean.
std::optional<PluginPart> LeadingPlugin(const WindowEvidence& c, kube::ExtensionPoint point);

/// True when VolumeBinding's calls make up most of what the plugin metric saw of PreBind.
bool VolumeBindingLeads(const WindowEvidence& c);

}  // namespace schedlens
