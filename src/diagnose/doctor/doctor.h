#pragma once

// Can a diagnosis be made from this source, what stands in its way, and what to do about it.

#include "contract/commands.h"
#include "diagnose/collect/missing.h"

namespace schedlens {

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

/// The wording of a question that was answered, or its first, as evidence; empty for one that was
/// not asked.
Message QueryOf(const Facts& facts, std::string_view question);
Message Shown(std::string_view promql);

/// A line with nothing to do about it.
CheckUp CheckLine(Health health, std::string subject, Message text, Message evidence);

CheckUp CheckSource(const SourceInfo& info);
CheckUp CheckClock(double skew_seconds);
CheckUp CheckRelease(const Facts& facts, const ReleaseRange& release);
/// And a problem where counters step back though no process started anew.
std::vector<CheckUp> CheckRestarts(const Facts& facts);
/// One line a question that nothing answered, with what that costs and whether the release explains
/// it.
std::vector<CheckUp> CheckMissing(const Facts& facts, const ReleaseRange& release);

// Which parts of the control plane a source has, and what each missing one, or each
// missing metric of one, would add to a diagnosis.

struct ControlPlaneCheckUp {
  std::vector<CheckUp> checks;  ///< in the order of what they cost a diagnosis
  std::vector<ComponentFound> seen;
  std::vector<ScrapeConfiguration> configurations;  ///< of those that are missing
};

/// Asks the questions that a diagnosis asks of the control plane, but how many series they have at
/// the end of the range instead of their samples. A component is known by its metrics, whatever its
/// job is called. The release of the API servers is their own where they tell it, else the
/// scheduler's. Nothing is asked where no scheduler was found. Throws what the source throws.
ControlPlaneCheckUp CheckControlPlane(Source& source, const QuerySet& queries, const Facts& facts,
                                      const ReleaseRange& release);

// What makes Prometheus, the chart kube-prometheus-stack, or the OpenTelemetry collector scrape a
// component.

/// One text a tool, for all of these components together, in the order of the enum. Written for a
/// scraper inside a cluster that kubeadm made: other installs change ports and labels. Empty
/// without components, and for those that have no configuration of their own.
std::vector<ScrapeConfiguration> ScrapeConfigurations(
    const std::vector<kube::Component>& components);

/// The files of doctor/scrape_jobs: a component each.
const std::vector<EmbeddedFile>& ScrapeJobs();

}  // namespace schedlens
