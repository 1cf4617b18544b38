#pragma once

#include "base/exposition.h"
#include "promql/matcher.h"

namespace schedlens {

// Everything a diagnosis may ask of a source, as raw samples for one file.

struct RecordingPlan {
  TimeRange range;       ///< both edges included
  std::string selector;  ///< matchers without braces; empty: the jobs that expose scheduler metrics
  std::string alert;     ///< name of an alert whose ALERTS series are recorded too; may be empty
  std::vector<std::string> recorded;       ///< names of recording rules whose series are too
  std::vector<std::string> control_plane;  ///< matchers of other processes' series, recorded too
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

/// How the header's line begins that holds the rules of an alert, as `/api/v1/rules` answers.
inline constexpr std::string_view kRulesWord = "rules: ";

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

// A capture without names, so that it can be shown to others.

/// Keeps what kube/public_words.txt knows: metrics, labels, numbers, words of Kubernetes. All else
/// becomes a code of the form `n0123456789abcdef`, the same for equal names wherever they stand: in
/// labels and their names, in names of metrics, and in the header's selector, alert and rules.
/// A port stays, and of a URL the scheme and the words of the API. Regular expressions become lists
/// of the coded values that they match in these samples, so every question keeps its answer. Of the
/// header's lines only those that RecordFrom writes are kept, without the source's name.
///
/// The codes depend on `salt`: the same salt gives the same codes in another capture. They hide
/// names from readers, not from attackers: the hash is fast and not cryptographic, and whoever
/// knows the salt can try names.
Exposition Redacted(Exposition exposition, std::string_view salt);

/// What Redacted puts in the place of a name: of a node, of an alert.
std::string RedactedName(std::string_view name, std::string_view salt);

/// 128 random bits as text.
std::string RandomSalt();

}  // namespace schedlens
