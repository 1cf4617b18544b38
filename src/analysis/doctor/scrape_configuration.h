#ifndef SCHEDLENS_ANALYSIS_DOCTOR_SCRAPE_CONFIGURATION_H_
#define SCHEDLENS_ANALYSIS_DOCTOR_SCRAPE_CONFIGURATION_H_

// What makes Prometheus, the chart kube-prometheus-stack, or the OpenTelemetry collector scrape a
// component.

#include <vector>

#include "contract/doctor.h"
#include "kube/metrics.h"

namespace schedlens {

/// One text a tool, for all of these components together, in the order of the enum. Written for a
/// scraper inside a cluster that kubeadm made: other installs change ports and labels. Empty
/// without components, and for those that have no configuration of their own.
std::vector<ScrapeConfiguration> ScrapeConfigurations(
    const std::vector<kube::Component>& components);

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_DOCTOR_SCRAPE_CONFIGURATION_H_
