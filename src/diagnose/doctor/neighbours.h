#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"
#include "contract/commands.h"
#include "diagnose/collect/facts.h"
#include "diagnose/collect/missing.h"
#include "kube/metrics.h"

namespace schedlens {

// Which of the scheduler's neighbours a source has, and what each missing one, or each missing
// metric of one, would add to a diagnosis.

struct NeighbourCheckUp {
  std::vector<CheckUp> checks;  ///< in the order of what they cost a diagnosis
  std::vector<NeighbourFound> seen;
  std::vector<ScrapeConfiguration> configurations;  ///< of those that are missing
};

/// Asks the questions that a diagnosis asks of neighbours, but how many series they have at the end
/// of the range instead of their samples. A component is known by its metrics, whatever its job is
/// called. The release of the API servers is their own where they tell it, else the scheduler's.
/// Nothing is asked where no scheduler was found. Throws what the source throws.
NeighbourCheckUp CheckNeighbours(Source& source, const QuerySet& queries, const Facts& facts,
                                 const ReleaseRange& release);

// What makes Prometheus, the chart kube-prometheus-stack, or the OpenTelemetry collector scrape a
// component.

/// One text a tool, for all of these components together, in the order of the enum. Written for a
/// scraper inside a cluster that kubeadm made: other installs change ports and labels. Empty
/// without components, and for those that have no configuration of their own.
std::vector<ScrapeConfiguration> ScrapeConfigurations(
    const std::vector<kube::Component>& components);

}  // namespace schedlens
