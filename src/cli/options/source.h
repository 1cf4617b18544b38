#pragma once

// The options that say where samples come from, and which alert is meant: the same in every command
// that reads some.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "diagnose/alert/alert.h"
#include "source/open_source.h"

namespace schedlens {

/// `--prometheus`, `--capture`, `--scrape-before/--scrape-after`, `--scenario` and what belongs to
/// them. That there is exactly one source is checked by
/// OpenSource, not here.
Options SourceOptionTable(SourceOptions* options);

/// Whether the options name a capture, scraped pages or a scenario: what does not change.
bool IsRecorded(const SourceOptions& options);
/// Whether they name any source.
inline bool HasSource(const SourceOptions& options) {
  return !options.prometheus.empty() || IsRecorded(options);
}

/// OpenSource, `--scenario` included: the reference scheduler plays it, always with the same seed.
std::unique_ptr<Source> OpenAnySource(const SourceOptions& options);

struct AlertOptions {
  std::string alert;    ///< name, expression or link
  std::string webhook;  ///< file, `-` for standard input
  /// What that file holds, where it was read before: standard input can be read only once.
  std::string webhook_text = {};
  bool none = false;     ///< not even one that fires
  bool is_name = false;  ///< `alert` is a name, whatever it looks like
};

/// `--alert`, `--webhook` and `--no-alert`.
Options AlertOptionTable(AlertOptions* options);

/// What the options name, the webhook's file read. Throws what reading it throws.
AlertRequest AlertRequestOf(const AlertOptions& options);

/// The source's options with the server that the alert's link leads to, where no source is given: a
/// link of Prometheus, Thanos or VictoriaMetrics to itself, one of Grafana's Explore to its proxy
/// of the data source. Throws Error(kUsage) rather than send credentials to a server that only a
/// webhook's text names.
SourceOptions WithLinkedServer(SourceOptions source, const AlertRequest& request);

/// The alert that is meant; nothing when none is. Rules are fetched from the server of the source's
/// options, where it has one. Throws what ResolveAlert throws.
std::optional<ResolvedAlert> AlertOf(const AlertRequest& request, const SourceOptions& source);

/// The worst alert about schedulers that fired within the range, by the rules of the options'
/// server or capture; nothing where none did, or where they are not known. Throws what FiringAlerts
/// and TakeWorst throw.
std::optional<ResolvedAlert> AlertThatFired(Source& source, const SourceOptions& options,
                                            const TimeRange& range);

/// The expression to judge, recording rules replaced: empty (the default question) where none is
/// known or it cannot be read.
std::string ExpressionOf(const std::optional<ResolvedAlert>& alert);

/// The labels that all firings have with equal values; none without firings.
Labels CommonLabels(const std::vector<Firing>& firings);

/// The time at which to look for the incident on a source that has no last sample of its own: half
/// an hour after the alert ended or began to fire, but no later than `now`.
TimeMs TimeToLook(const std::optional<ResolvedAlert>& alert, TimeMs now);

/// What the server's rules say about the alert; nothing of a source that has no rules, or that does
/// not tell them. Throws Error(kAuth), Error(kTimeout) and Error(kInterrupted) of the server.
RulesOfAlert FetchRulesOf(const SourceOptions& source, const std::string& alert);

/// Header lines for the alert: its name with its expression, and its rules where they are known.
std::vector<std::string> AlertComments(const std::string& alert, const RulesOfAlert& rules);

/// The rules that a capture's header holds. Nothing where it holds none, and for standard input,
/// which can be read only once. Throws Error(kFailed) for a file that cannot be read.
std::optional<std::string> RulesInCapture(const std::string& path);

/// Whether two URLs have the same scheme, host and port; not where one is no URL or a socket.
bool SameServer(const std::string& one, const std::string& other);

/// A server that is the address of an Explore page is replaced by Grafana's proxy of the data
/// source. Throws Error(kUsage) for the address of a dashboard, which names no data source.
void FollowExplore(SourceOptions* source);

/// FollowExplore, and: an alert that is the address of a rule's page is asked from Grafana, with
/// the credentials of `source` that were typed for it, and replaced by the rule's expression or
/// name; where no source is given, Grafana's proxy of the rule's data source becomes it. Throws
/// Error(kUsage) for the address of a dashboard, rather than send the credentials for another
/// server to Grafana, and what fetching throws.
void FollowGrafana(AlertRequest* request, SourceOptions* source);

}  // namespace schedlens
