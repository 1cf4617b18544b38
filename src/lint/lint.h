#pragma once

// Judges alert and recording rules over kube-scheduler's metrics and the queries of dashboards, and
// fixes them. Which checks there are: LintChecks() in diagnose/explain/glossary.h.

#include "contract/commands.h"

namespace schedlens {

struct LintOptions {
  /// Kubernetes minor release (24 for 1.24). Without it only what holds in every release is an
  /// error; a metric that some release hides or lacks is a warning.
  std::optional<int> release;
  std::int64_t scrape_ms = 15000;  ///< scrape interval, for windows that are too short
  /// Families of kube-scheduler that the cluster is seen to expose: not judged by the release.
  std::set<std::string> exposed;
  /// Thresholds are put on a bucket bound too. They are a promise to someone, so only when asked.
  bool move_thresholds = false;
  /// The server holds schedulers of several clusters. Rules that group by `cluster` say so too.
  bool several_clusters = false;
  /// Histograms of kube-scheduler that the server is seen to keep as native ones, by bare name.
  std::set<std::string> native = {};
  /// Those of them that it keeps as nothing else: there are no `_bucket` series.
  std::set<std::string> native_only = {};
  /// Names that recording rules beside these make: whatever they look like, they are there.
  std::set<std::string> recorded = {};
  /// The rules are VictoriaMetrics's: what does not parse may be MetricsQL, and is no finding.
  bool metricsql = false;
};

/// An expression that does not parse is the finding "syntax", never an exception: the other rules
/// still count, and in a dashboard, where other query languages stand beside PromQL, it is nothing
/// unless it names a metric of kube-scheduler. Grafana's variables stay as they are written. A
/// fixed expression parses, keeps the blanks, line breaks and comments of what
/// stays, and fixing it again changes nothing.
LintReport Lint(const std::vector<LintRule>& rules, const LintOptions& options);

/// What judging rules needs to know of the cluster they are for, read from a source.
struct ClusterSeen {
  std::optional<int> release;  ///< minor; the newest that fits (oldest where that is open)
  std::string release_text;    ///< "1.24-1.25", or the scheduler's own version
  std::optional<std::int64_t> scrape_ms;  ///< usual distance of two scrapes
  /// Families with samples that not every release shows, and `native`.
  std::set<std::string> exposed;
  std::set<std::string> native;       ///< histograms with samples under their bare names
  std::set<std::string> native_only;  ///< those without any under `_bucket`
  bool several_clusters = false;      ///< schedulers differ in their label `cluster`
};

/// Looks at the half hour before `at`; without it at all the source holds, or the half hour before
/// `now`. Without a selector the schedulers are found. Throws Error(kInsufficientData) when no
/// scheduler is seen, and what the source throws.
ClusterSeen LookAtCluster(Source& source, const QuerySet& queries, const std::string& selector,
                          std::optional<TimeMs> at, TimeMs now);

}  // namespace schedlens
