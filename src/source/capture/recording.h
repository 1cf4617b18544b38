#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/exposition.h"
#include "base/source.h"
#include "promql/ast.h"
#include "promql/matcher.h"

namespace schedlens {

// Everything a diagnosis may ask of a source, as raw samples for one file.

struct RecordingPlan {
  TimeRange range;       ///< both edges included
  std::string selector;  ///< matchers without braces; empty: the jobs that expose scheduler metrics
  std::string alert;     ///< name of an alert whose ALERTS series are recorded too; may be empty
  std::vector<std::string> recorded;    ///< names of recording rules whose series are too
  std::vector<std::string> neighbours;  ///< matchers of other processes' series, recorded too
  /// What one question covers at first; one that meets a limit of the server is halved and asked
  /// again, down to a minute.
  std::int64_t chunk_ms = 60 * 60 * 1000;
  std::function<void(std::size_t done, std::size_t planned)> progress;
};

/// The samples, by series in label order, with types told by their names, comments left empty and
/// the server's warnings. Nothing there is an empty exposition. Throws what the source throws, but
/// an answer that is too large only when a single minute is, and Error(kFailed) when more than 20
/// 000 questions would be needed.
Exposition Record(Source& source, const RecordingPlan& plan);

/// `job=~"a|b"` of whatever exposes kube-scheduler's own metrics at the end of the range or within
/// it; empty when nothing does, or something does without a job.
std::string FindSchedulers(Source& source, const TimeRange& range);

/// The same for API servers that answered bindings, within these matchers (may be empty).
std::string FindApiServers(Source& source, const std::string& within, const TimeRange& range);

struct ScrapePlan {
  std::int64_t duration_ms = 2 * 60 * 1000;
  std::int64_t interval_ms = 5000;
  std::string instance;  ///< label of every series, in addition to job="kube-scheduler"
  std::function<std::string()> fetch;      ///< one page
  std::function<TimeMs()> now;             ///< the clock
  std::function<void(TimeMs)> wait_until;  ///< may throw Error(kInterrupted)
  std::function<void(std::size_t done, std::size_t planned)> progress;
};

/// Scrapes a page every interval for the duration, first and last included, as Prometheus would:
/// a page that cannot be fetched or read, or that is refused, is a sample `up 0`; pages that fail
/// one after the other are one warning. Throws the failure itself when the first page fails and
/// when interrupted.
Exposition RecordScrapes(const ScrapePlan& plan);

/// The comment that tells whose arithmetic the recorded server had, and back: the first of the
/// comments that does. A capture is evaluated as its server would have.
std::string SemanticsComment(const Semantics& semantics);
std::optional<Semantics> SemanticsOf(const std::vector<std::string>& comments);

// Which metrics questions select, by what their selectors say of the name alone.

class AskedMetrics {
 public:
  /// What the PromQL texts select; one that does not parse selects nothing.
  explicit AskedMetrics(const std::vector<std::string>& questions);

  /// Whether some selector accepts the name.
  bool Wants(std::string_view metric) const;

  /// Whether every selector says the same of the name, word for word, as one of `other`: then it
  /// wants nothing else. May be false although it wants nothing else.
  bool IsWithin(const AskedMetrics& other) const;

 private:
  void Add(const promql::Selector& selector);

  bool everything_ = false;  // a selector says nothing of the name
  std::set<std::string, std::less<>> names_;
  std::set<std::string, std::less<>> patterns_;
  std::optional<promql::MatcherRegex> pattern_;  // all of them as one
  std::vector<std::vector<promql::Matcher>> others_;
};

}  // namespace schedlens
