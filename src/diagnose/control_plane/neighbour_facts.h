#pragma once

// What the API servers and etcd of the scheduler's cluster measured, as it was answered. All of it
// is optional: what is missing makes the answer smaller, never different.

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "diagnose/collect/facts.h"

namespace schedlens {

struct SeenPods;

struct NeighbourFacts {
  /// When each process was scraped, ascending, by ProcessLabels.
  std::map<Labels, std::vector<TimeMs>> scrapes;
  /// By question, without its prefix: `bindings`, `requests`, ...
  std::map<std::string, std::vector<Series>> answers;
  std::string cluster;     ///< matchers of the schedulers' cluster; empty where they name none
  std::string apiservers;  ///< matchers of the API servers that answered bindings; may be empty
  std::vector<AskedQuery> queries;
  std::vector<Message> warnings;
  /// What PodsOf made of the answers, for whoever asks again.
  mutable std::shared_ptr<const SeenPods> pods;

  const std::vector<Series>& Of(std::string_view question) const;
  bool Has(std::string_view question) const { return !Of(question).empty(); }
};

/// The labels by which a neighbour's process is told apart: cluster, job, instance.
Labels ProcessLabels(const Labels& labels);
/// Whether ProcessLabels has the same of both, which is quicker to ask than to take them: most
/// series of an answer are one process's, one after the other.
bool OfOneProcess(const Labels& a, const Labels& b);

/// A matcher of the cluster that all schedulers share; empty where they name none, or several.
std::string ClusterSelector(const Facts& facts);

/// Asks the questions of the set that are about neighbours for the range of the facts, that about
/// pods for `pods`, within the cluster of their schedulers where all have the same one. The
/// processes' own metrics are asked of the jobs that answered as API servers. Nothing is asked
/// where no scheduler was found. Throws what the source throws.
NeighbourFacts CollectNeighbours(Source& source, const QuerySet& queries, const Facts& facts,
                                 const TimeRange& pods);

}  // namespace schedlens
