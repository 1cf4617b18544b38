#pragma once

// What is missing, and why: by the release, by another name or label, by time.

#include "diagnose/collect/facts.h"
#include "kube/metrics.h"
#include "promql/ast.h"

namespace schedlens {

/// The first `most` names, and dots for those left out. One that is empty reads `(none)`.
std::string FirstNames(std::vector<std::string> names, std::size_t most);

// Where no scheduler's metrics are found as asked: whether they are there under other labels or
// under other names.

struct RelabelledMetrics {
  Message text;        ///< what is there, and under which labels or names
  Message fix;         ///< what to do about it
  std::string promql;  ///< the question that showed it
  /// Why it could not be looked for; the others are empty then.
  Message failure;
};

/// Looks for names that end as those of the scheduler's own histograms do, first under the selector
/// that found nothing (matchers without braces, may be empty), then under any labels, within the
/// range. Empty when there are none. Throws Error(kAuth) and Error(kInterrupted) of the source; its
/// other failures are told, since they must not hide that nothing was found.
std::optional<RelabelledMetrics> FindRelabelledMetrics(Source& source, const std::string& selector,
                                                       const TimeRange& range);

/// Which Kubernetes releases a scheduler's metrics fit. The minor versions of 1.x, both inclusive.
struct ReleaseRange {
  int oldest = kube::kOldestRelease;
  int newest = kube::kNoEnd;  ///< kNoEnd: no upper end is known
  std::string exact;          ///< git version where kubernetes_build_info tells it
  bool known() const { return oldest > kube::kOldestRelease || newest < kube::kNoEnd; }
};

/// Narrowed by each metric that is present; absence says little, since relabelling drops metrics.
/// kubernetes_build_info, where scraped, decides.
ReleaseRange DetectRelease(const Facts& facts);

/// "1.20", "1.24-1.25", "1.34 or later", or "" when nothing is known.
std::string ToString(const ReleaseRange& release);

// Metrics that a diagnosis asks for and did not get: by which name, whether the release explains
// it, and what their absence costs.

struct MissingMetric {
  std::string question;
  std::string metric;  ///< as the release names it; the newest name where that is unknown
  Message text;  ///< one sentence without its full stop: metric, its other name, why it may be
                 ///< absent, the cost
  bool expected = false;  ///< the release has no such metric, or it is idle
  bool quiet = false;     ///< nothing to do about it and little lost: not for a report
  /// One of the histograms that the split of the time rests on, in every release.
  bool cornerstone = false;
};

/// In the order of what they cost. Empty without targets: then everything is missing.
std::vector<MissingMetric> MissingMetrics(const Facts& facts, const ReleaseRange& release);

/// What to say of a metric that this release hides, has removed or does not have yet: with its
/// successor or predecessor. Empty when the release shows it, or when the metric is not known.
Message WhyAbsent(std::string_view metric, const ReleaseRange& release);

/// One sentence about a selector without samples in the range: which of its matchers nothing fits,
/// with the nearest value or label; when it was scraped instead; of a scheduler's metric that its
/// release does not have, the name that takes its place; of any other name the nearest one here.
/// `what` stands for the selector's metric in the sentence where the matchers name it by no
/// equality; empty: by its regular expression. Empty where the selector has samples and where
/// nothing is known. Throws Error(kAuth) and Error(kInterrupted) of the source; its other failures
/// leave the sentence out, since they must not hide what it was to explain.
Message WhyEmpty(Source& source, const std::vector<promql::Matcher>& matchers,
                 const TimeRange& range, const std::string& what = "");

/// The same of every selector of an expression that is evaluated within the range, each sentence
/// once. Selectors with an offset or `@` are left out. Throws Error(kUsage), too, where the
/// expression does not parse.
std::vector<Message> WhyEmptyOf(Source& source, const std::string& promql, const TimeRange& range);

/// The scrape nearest to a range that has none.
struct NearestScrape {
  TimeMs at = 0;  ///< the last one before the range, or the first one after it
  bool before = true;
  std::string promql;  ///< the question that showed it
};

/// When `selector`, an instant selector, had samples last before the range: within a day, else
/// within fifteen; else when it had the first ones after it, within a day. On a source that knows
/// its extent these days are the data's last before the range's start, and first after its end.
/// Nothing where there are none, or where it has samples until the range's start. Throws what the
/// source throws.
std::optional<NearestScrape> FindNearestScrape(Source& source, const std::string& selector,
                                               const TimeRange& range);

}  // namespace schedlens
