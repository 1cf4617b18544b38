#include "cli/options/alert.h"

#include <algorithm>

#include "analysis/alert/firing_rules.h"
#include "analysis/alert/grafana_rule.h"
#include "analysis/alert/webhook.h"
#include "cli/options/kept_rules.h"
#include "model/file.h"
#include "model/url.h"
#include "schedlens/error.h"
#include "source/http/prometheus_source.h"

namespace schedlens {
namespace {

/// Room for the baseline after an incident, where none is before it.
constexpr TimeMs kAfter = 30 * 60 * 1000;

/// The first server that a link in the notification leads to.
std::string ServerOfWebhook(const AlertRequest& request) {
  for (const WebhookAlert& alert : ReadWebhook(request.webhook, request.webhook_name)) {
    const auto linked = ReadGraphUrl(alert.url);
    if (linked && !linked->server.empty()) return linked->server;
    if (!ReadRulePage(alert.url)) continue;
    throw Error(ErrorKind::kUsage,
                "--webhook " + request.webhook_name +
                    " links to a rule's page in Grafana, which is asked only by who names it: give "
                    "that link as --alert, with --header 'Authorization: Bearer TOKEN', or "
                    "--prometheus");
  }
  return "";
}

/// Where rules are looked up; `source` must outlive it. Empty where there are none.
RulesFetcher RulesOf(const SourceOptions& source) {
  if (!source.prometheus.empty()) return [&source] { return FetchRules(source); };
  if (source.capture.empty()) return {};
  const auto kept = RulesInCapture(source.capture);
  return kept ? RulesFetcher([kept] { return *kept; }) : RulesFetcher();
}

/// Whether the server answers an expression; `source` must outlive it.
std::function<bool(const std::string&)> Answers(const SourceOptions& source) {
  return [&source](const std::string& expr) {
    constexpr TimeMs kAnyTime = 1000;
    try {
      NewPrometheusSource(source)->Ask({expr, kAnyTime, kAnyTime, 0});
      return true;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kFailed) throw;
      return false;
    }
  };
}

}  // namespace

Options AlertOptionTable(AlertOptions* options) {
  return {
      {.names = "--alert",
       .value = "NAME|EXPR|URL",
       .help = "the alert's name (looked up on the server), its PromQL, or the URL of its "
               "graph or of its rule in Grafana: sets metric, quantile, range, labels, threshold",
       .target = &options->alert},
      {.names = "--webhook",
       .value = "FILE",
       .help = "the alert's webhook payload from Alertmanager or Grafana; - for standard input",
       .target = &options->webhook,
       .excludes = {"--alert"}},
      {.names = "--no-alert",
       .help = "judge no alert of the server's rules that fires; else the worst one that reads "
               "the scheduler's metrics is taken where neither --alert nor --webhook is given",
       .target = &options->none,
       .excludes = {"--alert", "--webhook"}}};
}

AlertRequest AlertRequestOf(const AlertOptions& options) {
  AlertRequest request{.alert = options.alert,
                       .webhook = options.webhook_text,
                       .webhook_name = options.webhook,
                       .is_name = options.is_name};
  if (!options.webhook.empty() && request.webhook.empty()) {
    request.webhook = ReadFile(options.webhook);
  }
  return request;
}

bool SendsCredentials(const SourceOptions& source) {
  return !source.headers.empty() || !source.http_config_file.empty() || !source.tenant.empty();
}

void CheckGivenFor(const std::string& url, const SourceOptions& source) {
  if (source.credentials_from.empty()) return;
  const auto parsed = ParseUrl(url);
  throw Error(ErrorKind::kUsage,
              "--alert leads to " + (parsed ? parsed->WithoutSecrets() : "?") +
                  ", and credentials from " + source.credentials_from +
                  " are sent to no server that only a link names: give --prometheus, or the "
                  "credentials for it on the command line");
}

SourceOptions WithLinkedServer(SourceOptions source, const AlertRequest& request) {
  const bool given = !source.prometheus.empty() || !source.capture.empty() ||
                     !source.scenario.empty() || !source.scrape_before.empty() ||
                     !source.scrape_after.empty();
  if (given) return source;
  if (!request.webhook.empty()) {
    source.prometheus = ServerOfWebhook(request);
    if (!source.prometheus.empty() && SendsCredentials(source)) {
      const auto url = ParseUrl(source.prometheus);
      throw Error(ErrorKind::kUsage,
                  "--webhook " + request.webhook_name + " names the server " +
                      (url ? url->WithoutSecrets() : "?") +
                      ", and credentials are sent to no server that only a webhook names: give "
                      "--prometheus");
    }
  } else if (const auto linked = ReadGraphUrl(request.alert)) {
    CheckGivenFor(linked->server, source);
    source.prometheus = linked->server;
  }
  return source;
}

std::optional<ResolvedAlert> AlertOf(const AlertRequest& request, const SourceOptions& source) {
  if (request.alert.empty() && request.webhook.empty()) return std::nullopt;
  AlertRequest asked = request;
  if (!source.prometheus.empty()) asked.answered = Answers(source);
  return ResolveAlert(asked, RulesOf(source));
}

std::optional<ResolvedAlert> AlertThatFired(Source& source, const SourceOptions& options,
                                            const TimeRange& range) {
  const RulesFetcher fetch = RulesOf(options);
  std::optional<std::string> text;
  const RulesFetcher once = [&] {
    if (!text) text = fetch();
    return *text;
  };
  const std::vector<std::string> names = FiringAlerts(source, fetch ? once : RulesFetcher(), range);
  if (names.empty()) return std::nullopt;
  return TakeWorst(names, once);
}

std::string ExpressionOf(const std::optional<ResolvedAlert>& alert) {
  return alert ? alert->expression.expr : "";
}

Labels CommonLabels(const std::vector<Firing>& firings) {
  if (firings.empty()) return {};
  Labels common = firings.front().labels;
  for (const Firing& firing : firings) {
    std::vector<std::string> differing;
    for (const auto& [name, value] : common) {
      if (firing.labels.Get(name) != value) differing.emplace_back(name);
    }
    common = common.Without(differing);
  }
  return common;
}

TimeMs TimeToLook(const std::optional<ResolvedAlert>& alert, TimeMs now) {
  if (!alert || !alert->at) return now;
  TimeMs last = *alert->at;
  for (const Firing& firing : alert->firings) last = std::max(last, firing.end.value_or(last));
  return std::min(now, last + kAfter);
}

}  // namespace schedlens
