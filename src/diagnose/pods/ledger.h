#pragma once

// What is told of the pods' time: who held it, what happened, and what led to what.

#include "diagnose/causes/window_evidence.h"
#include "diagnose/pods/holders.h"

namespace schedlens {

struct PodLedger {
  std::vector<Absence> absences;
  std::optional<HeldTime> now, before;  ///< absent where queues have no gauges
  double flushed = 0, woken = 0;        ///< pods that the timer woke, and events
  double again = 0, bound = 0;          ///< pods bound after their first try, and all that were
  double most_gated = 0;                ///< pods behind a gate at any scrape
  double let_go = 0, most_ready = 0;    ///< pods that left gates at once; pods in the active queue
  bool split = true, errors = false;    ///< the loop's parts are known; errors outnumber rejections
  double loop_busy = 0;                 ///< share of the window
  double groups = 0;  ///< pod groups' cycles in what the loop is known to have run
  std::string
      gated;  ///< the workload with most of what pods waited that nothing rejected; or empty

  /// Whose time the shares are of: where the slowest of the bound pods hurt, not of pods that none
  /// of these waited as: behind a gate, or rejected and (but for one in a hundred) not bound later.
  std::array<bool, kHolders> counts = {true, true, true, true, true, true};

  /// Pod-seconds more than calm time of the same length has, or of as many bound pods where these
  /// are fewer; the window's without a baseline.
  BoundedValue Growth(Holder holder) const;
  /// The same of any part of the window's time and of the calm's.
  BoundedValue Growth(const BoundedValue& x, const BoundedValue& calm) const;
  /// Whether they together have more, at best guess, than any other has at most.
  bool Leads(const std::vector<Holder>& holders) const;
  /// Of all growth, by these holders together; no value without any growth.
  Measured Share(const std::vector<Holder>& holders) const;
};

/// Of the evidence's window and baseline.
PodLedger MeasurePods(const Facts& facts, const Histograms& histograms,
                      const ControlPlaneFacts& control_plane, const WindowEvidence& evidence);

/// The holders, then the queue's parts by what the loop did, and the stages of attempts.
std::vector<PodHolder> HoldersOf(const PodLedger& ledger);

/// Of the pods that waited in the window ten seconds and more, by kube-state-metrics, the ten that
/// waited longest: those bound in it, and those that waited at its end. Of each wait what nobody
/// scheduling had, and what it stood unschedulable (half a scrape around each sight of that).
/// Empty without kube-state-metrics.
std::vector<SlowPod> SlowestPods(const ControlPlaneFacts& facts, const TimeRange& window,
                                 const std::vector<Absence>& absences);

/// Schedulers whose memory or goroutines grew until the process ended, in what was fetched: by how
/// much, and where the one that runs now grows too, the seconds until it is there again. `likely`
/// where two ended at much the same level, else possible. Empty where none did.
std::vector<CauseBehind> WhyProcessesDied(const Facts& facts);

/// "namespace/name" of the workload with at least half of the seconds that pods waited in the
/// window, of waits of ten seconds and more in which no scrape of kube-state-metrics had them as
/// unschedulable; empty where none has.
std::string WorkloadThatWaited(const ControlPlaneFacts& facts, const TimeRange& window);

/// The causes with those that hold pods outside of attempts: one that is likely or more comes
/// first, `certain` with half of the growth for sure and `likely` with half of it and a fifth for
/// sure. A cause of attempts that cannot have a fifth of the growth is at most possible and comes
/// last. Pods that queued up while nobody scheduled count with that; the loop is called busy only
/// where nothing else says by what and it is busy, and is no more than possible where its time is
/// not split. What follows bursts of attempts is a consequence of the long absence before it, or of
/// the gates that let most pods go. A first cause that is likely and holds up the loop has what
/// pods waited for that, if it is half of the growth.
/// `doubtful`: numbers contradict each other, none of these is certain.
std::vector<Finding> WithPods(const PodLedger& ledger, std::vector<Finding> causes, bool doubtful);

/// Holders, events and, of an incident, the causes WithPods: but for an alert on attempts that is
/// decided above its threshold, whose whole is the attempts' time. Where attempts are quiet and an
/// alert that counts pods fires, that is an incident if a holder is likely the cause. The alert
/// must be there.
void JudgePods(const PodLedger& ledger, bool doubtful, Diagnosis* diagnosis);

/// First link first: what is behind the first cause, or the cause itself, then what it led to.
std::vector<ChainLink> ChainOf(const PodLedger& ledger, const TimeRange& window,
                               const std::vector<Finding>& findings);

}  // namespace schedlens
