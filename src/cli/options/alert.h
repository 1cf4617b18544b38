#ifndef SCHEDLENS_CLI_OPTIONS_ALERT_H_
#define SCHEDLENS_CLI_OPTIONS_ALERT_H_

// The options that name an alert: the same in every command that is about one.

#include <optional>
#include <string>

#include "analysis/alert/alert.h"
#include "cli/option.h"
#include "source/open_source.h"

namespace schedlens {

struct AlertOptions {
  std::string alert;    ///< name, expression or link
  std::string webhook;  ///< file, `-` for standard input
  /// What that file holds, where it was read before: standard input can be read only once.
  std::string webhook_text = {};
  bool none = false;     ///< not even one that fires
  bool is_name = false;  ///< `alert` is a name, whatever it looks like
};

/// `--alert`, `--webhook` and `--no-alert`. `options` must outlive the table.
Options AlertOptionTable(AlertOptions* options);

/// What the options name, the webhook's file read. Throws what reading it throws.
AlertRequest AlertRequestOf(const AlertOptions& options);

/// The source's options with the server that the alert's link leads to, where no source is given: a
/// link of Prometheus, Thanos or VictoriaMetrics to itself, one of Grafana's Explore to its proxy
/// of the data source. Throws Error(kUsage) rather than send credentials to a server that only a
/// webhook's text names.
SourceOptions WithLinkedServer(SourceOptions source, const AlertRequest& request);

/// Whether requests carry a header, a tenant or a configuration file's credentials.
bool SendsCredentials(const SourceOptions& source);

/// Throws Error(kUsage) where settings hold credentials, which are for the server that settings
/// name, and `url`, which only --alert names, would get them.
void CheckGivenFor(const std::string& url, const SourceOptions& source);

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

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_OPTIONS_ALERT_H_
