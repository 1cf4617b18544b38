#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/source.h"
#include "contract/commands.h"
#include "diagnose/collect/facts.h"
#include "kube/metrics.h"

namespace schedlens {

// Can a diagnosis be made from this source, what stands in its way, and what to do about it.

struct DoctorRequest {
  std::string selector;            ///< matchers without braces; empty: found
  std::optional<TimeRange> range;  ///< absent: the source's extent, or the half hour before `now`
  TimeMs now = 0;
  Message access;  ///< how the source was reached, without secrets; may be empty
  /// The server's clock less ours in seconds, where its answers told it.
  std::optional<double> clock_skew;
};

/// Asks what a diagnosis would ask, and judges the answers. Throws what the source throws.
DoctorReport Examine(Source& source, const QuerySet& queries, const DoctorRequest& request);

// What makes Prometheus, the chart kube-prometheus-stack, or the OpenTelemetry collector scrape a
// component.

/// One text a tool, for all of these components together, in the order of the enum. Written for a
/// scraper inside a cluster that kubeadm made: other installs change ports and labels. Empty
/// without components, and for those that have no configuration of their own.
std::vector<ScrapeConfiguration> ScrapeConfigurations(
    const std::vector<kube::Component>& components);

}  // namespace schedlens
