#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contract/diagnosis.h"
#include "diagnose/causes/window_evidence.h"
#include "diagnose/collect/facts.h"
#include "diagnose/control_plane/loads.h"
#include "diagnose/control_plane/neighbour_facts.h"

namespace schedlens {

// What changed around the onset: by whom it is told, each change once, and whose cause it is.

/// What changed close to `onset`, nearest first: within two minutes of it, or three scrapes where
/// those are longer; what came more than a scrape after it is listed behind all others and is no
/// cause. A thing changed only if its process was scraped before and after: what was there at the
/// first scrape was there already. Loads (FindLoadChanges), which have no time of their own, come
/// last, and need a baseline from before the onset. Of more than three objects that changed alike
/// the nearest stands for all.
std::vector<ClusterChange> FindChanges(const Facts& facts, const NeighbourFacts& neighbours,
                                       TimeMs onset, const std::optional<LoadWindows>& loads);

/// Around the start of the evidence's window.
std::vector<ClusterChange> FindChanges(const Facts& facts, const NeighbourFacts& neighbours,
                                       const WindowEvidence& evidence);

// The changes around one moment, each once.

/// A change between two moments, of which the middle is the best guess, that the metric `source`
/// shows; with values where there are any.
ClusterChange ChangeBetween(const char* what, std::string object, TimeMs earliest, TimeMs latest,
                            std::string_view source, std::string before = "",
                            std::string after = "");

/// Median time between scrapes; 0 of fewer than two.
TimeMs ScrapeInterval(const std::vector<TimeMs>& scrapes);

class ChangeLog {
 public:
  /// `interval` is that of the schedulers' scrapes: the onset lies within one of it.
  ChangeLog(TimeMs onset, TimeMs interval) : onset_(onset), interval_(interval) {}

  TimeMs onset() const { return onset_; }

  /// Notes a change that happened between two moments, if they are close enough to the onset:
  /// before it, or after it, which is said.
  /// `interval` is that of the scrapes that show it. The best guess is the middle; `at` sets it.
  void Note(ClusterChange change, TimeMs interval);

  /// Those that may be from before the onset first, nearest first; at most twenty, alike ones
  /// together.
  std::vector<ClusterChange> Changes() const;

 private:
  TimeMs onset_, interval_;
  std::vector<ClusterChange> changes_;
};

/// Where what is behind a finding is also what changed around the onset, its evidence says so, the
/// nearest change only. A webhook is its configuration's where kube-state-metrics says that.
/// Changes after the onset, and loads over the whole window, are nobody's cause and not told.
void SayWhatChanged(const std::vector<ClusterChange>& changes, const NeighbourFacts& facts,
                    std::vector<Finding>* findings);

// Changes of objects and of processes that the scrapes show.

/// What kube-state-metrics shows to have changed: workloads, nodes, webhooks, admission policies.
void NoteObjectChanges(const NeighbourFacts& facts, ChangeLog* log);

/// What changed of the processes: schedulers, API servers, etcd that started again, other releases
/// and feature gates of schedulers and API servers, leaders, targets that are scraped no longer.
void NoteProcessChanges(const Facts& facts, const NeighbourFacts& neighbours, ChangeLog* log);

}  // namespace schedlens
