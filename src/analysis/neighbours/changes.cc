#include "analysis/neighbours/changes.h"

#include <algorithm>
#include <utility>

#include "analysis/neighbours/change_log.h"
#include "analysis/neighbours/first_uses.h"
#include "analysis/neighbours/load_changes.h"
#include "analysis/neighbours/object_changes.h"
#include "analysis/neighbours/process_changes.h"

namespace schedlens {
namespace {

TimeMs SchedulerInterval(const Facts& facts) {
  TimeMs widest = 0;
  for (const Target& target : facts.targets) {
    widest = std::max(widest, ScrapeInterval(target.scrapes));
  }
  return widest;
}

}  // namespace

std::vector<ClusterChange> FindChanges(const Facts& facts, const NeighbourFacts& neighbours,
                                       TimeMs onset, const std::optional<LoadWindows>& loads) {
  ChangeLog log(onset, SchedulerInterval(facts));
  NoteProcessChanges(facts, neighbours, &log);
  NoteObjectChanges(neighbours, &log);
  NoteFirstUses(facts, neighbours, &log);
  std::vector<ClusterChange> changes = log.Changes();
  if (loads && loads->before.end <= onset + SchedulerInterval(facts)) {
    for (ClusterChange& change : FindLoadChanges(neighbours, *loads, onset)) {
      changes.push_back(std::move(change));
    }
  }
  return changes;
}

std::vector<ClusterChange> FindChanges(const Facts& facts, const NeighbourFacts& neighbours,
                                       const WindowEvidence& evidence) {
  const TimeRange& window = evidence.now.breakdown.window;
  return FindChanges(facts, neighbours, window.start, LoadWindowsOf(evidence));
}

}  // namespace schedlens
