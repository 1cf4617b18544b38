#include "cli/options/source.h"

#include <strings.h>

#include <iostream>

#include "base/file.h"
#include "cli/safe_stream.h"
#include "promql/parser.h"
#include "replay/readings.h"
#include "source/capture/recording.h"
#include "source/http/client.h"
#include "source/http/prometheus_source.h"

namespace schedlens {
namespace {

/// The matchers without braces, however they were typed.
std::string ReadMatchers(const std::string& text) {
  std::string matchers(Trimmed(text, " "));
  if (matchers.empty()) return "";
  if (matchers.size() > 1 && matchers.front() == '{' && matchers.back() == '}') {
    matchers = matchers.substr(1, matchers.size() - 2);
  }
  try {
    // More than matchers would end up in the middle of every query.
    const std::string whole = "x{" + matchers + "}";
    const promql::ExprPtr expr = promql::Parse(whole);
    const auto* selector = expr->As<promql::Selector>();
    const bool more = selector == nullptr || expr->end != whole.size() || selector->range_ms != 0;
    if (!more) return matchers;
  } catch (const Error&) {
  }
  Raise(ErrorKind::kUsage,
        "--selector {:.200}: expected matchers such as job=\"kube-scheduler\",cluster=\"a\", "
        "values in quotes",
        text);
}

Options Places(SourceOptions* o) {
  return {
      Option("--prometheus,--url,--prometheus.url", &o->prometheus,
             {.excludes = {"--service", "--capture", "--scrape-before", "--scenario"}}),
      Option("--service",
             [o](const std::string& text) {
               ServiceProxyPath(text);  // refuses what names no service
               o->prometheus = kServiceScheme + text;
             },
             {.excludes = {"--capture", "--scrape-before", "--scenario", "--http.config.file"}}),
      Option("--capture", &o->capture, {.excludes = {"--scrape-before", "--scenario"}}),
      Option("--scrape-before", &o->scrape_before,
             {.excludes = {"--scenario"}, .needs = {"--scrape-after"}}),
      Option("--scrape-after", &o->scrape_after, {.needs = {"--scrape-before"}}),
      {"--scenario", &o->scenario},
  };
}

Options Server(SourceOptions* o) {
  return {
      {"--selector", [o](const std::string& text) { o->selector = ReadMatchers(text); }},
      {"--semantics", [o](const std::string& text) { o->semantics = ParseSemantics(text); }},
      {"--kubeconfig", &o->kubeconfig},
      {"--context", &o->context},
      Option("--header", &o->headers, {.origin = &o->credentials_from}),
      Option("--tenant", &o->tenant, {.origin = &o->credentials_from}),
      Option("--http.config.file", &o->http_config_file, {.origin = &o->credentials_from}),
      {"--max-answer",
       [o](const std::string& text) {
         o->max_answer_bytes = static_cast<std::size_t>(ParseSize("--max-answer", text));
       }},
      {"--verbose",
       [o](const std::string&) {
         o->log = [](const std::string& line) { std::cerr << OneLine(line) + '\n'; };
       }},
      Option("--concurrency", &o->concurrency, {.show_default = true, .range = {{1, 64}}}),
  };
}

bool SendsCredentials(const SourceOptions& source) {
  return !source.headers.empty() || !source.http_config_file.empty() || !source.tenant.empty();
}

/// Refuses where settings hold credentials, which are for the server that settings name, and `url`,
/// which only --alert names, would get them.
void CheckGivenFor(const std::string& url, const SourceOptions& source) {
  if (source.credentials_from.empty()) return;
  Raise(ErrorKind::kUsage,
        "--alert leads to {}, and credentials from {} are sent to no server that only a link "
        "names: give --prometheus, or the credentials for it on the command line",
        PrintableUrl(url), source.credentials_from);
}

std::string ServerOfWebhook(const AlertRequest& request) {
  for (const WebhookAlert& alert : ReadWebhook(request.webhook, request.webhook_name)) {
    const auto linked = ReadGraphUrl(alert.url);
    if (linked && !linked->server.empty()) return linked->server;
    if (!ReadRulePage(alert.url)) continue;
    Raise(ErrorKind::kUsage,
          "--webhook {} links to a rule's page in Grafana, which is asked only by who names it: "
          "give that link as --alert, with --header 'Authorization: Bearer TOKEN', or --prometheus",
          request.webhook_name);
  }
  return "";
}

/// Where rules are looked up, on the server or among those that the capture has `kept`; `source`
/// must outlive it. Empty where there are none.
RulesFetcher RulesOf(const SourceOptions& source, const std::optional<std::string>& kept) {
  if (!source.prometheus.empty()) return [&source] { return FetchRules(source); };
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

/// What --header and its like hold is for the server that is named next to them.
void CheckMayAsk(const GrafanaRulePage& page, const SourceOptions& source) {
  if (source.prometheus.empty()) return CheckGivenFor(page.grafana, source);
  if (!SendsCredentials(source)) return;
  if (SameServer(source.prometheus, page.grafana)) return;
  Raise(ErrorKind::kUsage,
        "--alert is a rule's page at {}, and credentials for --prometheus are sent to no other "
        "server: give the rule's expression as --alert",
        PrintableUrl(page.grafana));
}

void FollowRule(const GrafanaRulePage& page, AlertRequest* request, SourceOptions* source) {
  std::string uid;
  if (page.uid.empty()) {
    request->alert = page.name;
    request->is_name = true;
    if (HasSource(*source)) return;
    CheckMayAsk(page, *source);
    uid = ReadDatasourceUid(FetchPage(
        *source, page.grafana + "/api/datasources/name/" + PercentEncode(page.datasource)));
  } else {
    CheckMayAsk(page, *source);
    const GrafanaRule rule = ReadGrafanaRule(
        FetchPage(*source, page.grafana + "/api/v1/provisioning/alert-rules/" + page.uid));
    request->alert = rule.expr;
    uid = rule.datasource_uid;
  }
  if (!HasSource(*source)) {
    source->prometheus = fmt::format("{}/api/datasources/proxy/uid/{}", page.grafana, uid);
  }
}

void RefuseDashboard(const char* option, const std::string& text) {
  const auto url = text.find("://") == std::string::npos ? std::nullopt : ParseUrl(text);
  if (!url || url->path.find("/d/") == std::string::npos) return;
  if (url->path.find("/api/") != std::string::npos) return;
  Raise(ErrorKind::kUsage,
        "{}: a Grafana dashboard's address names no data source: give the address of a panel's "
        "Explore, or --prometheus GRAFANA/api/datasources/proxy/uid/UID",
        option);
}

}  // namespace

Options SourceOptionTable(SourceOptions* options) {
  return InGroup("Source (one of the first five)", Together({Places(options), Server(options)}));
}

bool IsRecorded(const SourceOptions& options) {
  return !options.capture.empty() || !options.scrape_before.empty() ||
         !options.scrape_after.empty() || !options.scenario.empty();
}

std::unique_ptr<Source> OpenAnySource(const SourceOptions& options) {
  constexpr std::uint64_t kSeed = 1;
  SourceOptions followed = options;
  FollowExplore(&followed);
  return OpenSource(followed, [](const SourceOptions& asked) {
    return ReplayAsSource(sim::LoadScenario(asked.scenario), kSeed, nullptr);
  });
}

RulesOfAlert FetchRulesOf(const SourceOptions& source, const std::string& alert) {
  if (source.prometheus.empty() || alert.empty()) return {};
  try {
    return PickRules(FetchRules(source), alert);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kFailed) throw;  // no rules there, but samples all the same
    return {};
  }
}

std::vector<std::string> AlertComments(const std::string& alert, const RulesOfAlert& rules) {
  std::vector<std::string> lines = {"alert: " + alert};
  if (!rules.expr.empty()) lines.front() += ": " + rules.expr;
  std::replace(lines.front().begin(), lines.front().end(), '\n', ' ');
  if (!rules.json.empty()) lines.push_back(std::string(kRulesWord) + rules.json);
  return lines;
}

Options AlertOptionTable(AlertOptions* options) {
  return {{"source:--alert", &options->alert},
          Option("--webhook", &options->webhook, {.excludes = {"--alert"}}),
          Option("--no-alert", &options->none, {.excludes = {"--alert", "--webhook"}})};
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

SourceOptions WithLinkedServer(SourceOptions source, const AlertRequest& request) {
  if (HasSource(source)) return source;
  if (!request.webhook.empty()) {
    source.prometheus = ServerOfWebhook(request);
    if (!source.prometheus.empty() && SendsCredentials(source)) {
      Raise(ErrorKind::kUsage,
            "--webhook {} names the server {}, and credentials are sent to no server that only a "
            "webhook names: give --prometheus",
            request.webhook_name, PrintableUrl(source.prometheus));
    }
  } else if (const auto linked = ReadGraphUrl(request.alert)) {
    CheckGivenFor(linked->server, source);
    source.prometheus = linked->server;
  }
  return source;
}

std::optional<ResolvedAlert> AlertOf(const AlertRequest& request, const SourceOptions& source,
                                     const std::optional<std::string>& kept_rules) {
  if (request.alert.empty() && request.webhook.empty()) return std::nullopt;
  AlertRequest asked = request;
  if (!source.prometheus.empty()) asked.answered = Answers(source);
  return ResolveAlert(asked, RulesOf(source, kept_rules));
}

std::optional<ResolvedAlert> AlertThatFired(Source& source, const SourceOptions& options,
                                            const TimeRange& range) {
  const RulesFetcher fetch = RulesOf(options, source.Describe().rules);
  std::optional<std::string> text;
  const RulesFetcher once = [&] {
    if (!text) text = fetch();
    return *text;
  };
  const std::vector<std::string> names = FiringAlerts(source, fetch ? once : RulesFetcher(), range);
  if (names.empty()) return std::nullopt;
  return TakeWorst(names, once);
}

TimeMs TimeToLook(const std::optional<ResolvedAlert>& alert, TimeMs now) {
  // Room for the baseline after an incident, where none is before it.
  constexpr TimeMs kAfter = 30 * 60 * 1000;
  if (!alert || !alert->at) return now;
  TimeMs last = *alert->at;
  for (const Firing& firing : alert->firings) last = std::max(last, firing.end.value_or(last));
  return std::min(now, last + kAfter);
}

bool SameServer(const std::string& one, const std::string& other) {
  const auto a = ParseUrl(one), b = ParseUrl(other);
  return a && b && a->unix_socket.empty() && b->unix_socket.empty() && a->scheme == b->scheme &&
         strcasecmp(a->host.c_str(), b->host.c_str()) == 0 &&
         a->PortOrDefault() == b->PortOrDefault();
}

void FollowExplore(SourceOptions* source) {
  RefuseDashboard("--prometheus", source->prometheus);
  if (source->prometheus.find("/explore?") == std::string::npos) return;
  const auto linked = ReadGraphUrl(source->prometheus);
  if (linked && !linked->server.empty()) source->prometheus = linked->server;
}

void FollowGrafana(AlertRequest* request, SourceOptions* source) {
  FollowExplore(source);
  if (request->is_name) return;
  RefuseDashboard("--alert", request->alert);
  if (const auto page = ReadRulePage(request->alert)) FollowRule(*page, request, source);
}

}  // namespace schedlens
