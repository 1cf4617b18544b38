#ifndef SCHEDLENS_KUBE_LABEL_VALUES_H_
#define SCHEDLENS_KUBE_LABEL_VALUES_H_

// Which labels kube-scheduler's metrics have, which values those take, and what its metrics were
// called before the oldest release of the table: for judging what people write in rules.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/metrics.h"

namespace schedlens::kube {

/// The metric's own labels in a release, `le` and `quantile` left out; without a release those of
/// any. Empty where it has none.
std::vector<std::string> LabelsIn(const MetricRow& row, std::optional<int> minor);

/// Every value that the label can have in a release (without one: in any). Empty where there is no
/// list of them (plugins, profiles, events), and for a label that the metric lacks.
std::vector<std::string> ValuesIn(const MetricRow& row, std::string_view label,
                                  std::optional<int> minor);

/// Whether a label that the metric lacks can only be taken for one of its own: none that a scrape
/// or a relabelling usually adds to a series is called so. Of the API server's clients these are
/// also the labels that one of their metrics has and another has not.
bool IsOnlyAMetricsLabel(const MetricRow& row, std::string_view label);

/// The label that stands in a release where another one has the label given; empty where the metric
/// never had that one, still has it, or got none in its place.
std::string LabelInPlaceOf(const MetricRow& row, std::string_view label, int minor);

/// The metric that took the place of one of before 1.18; empty for every other name. With or
/// without _bucket, _sum, _count.
std::optional<Metric> SuccessorOfOld(std::string_view name);

/// Whether a target's `job` may be one that kube-scheduler is scraped under: most setups call it
/// so, OpenShift `scheduler`.
bool MayBeSchedulersJob(std::string_view job);

/// The name of a metric that this one is likely meant to be: a series that the metric does not have
/// (the buckets of a counter), or a slip of one or two letters. Empty where no metric is near.
std::string NearestName(std::string_view name);

}  // namespace schedlens::kube

#endif  // SCHEDLENS_KUBE_LABEL_VALUES_H_
