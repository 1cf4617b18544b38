#include "cli/options/source.h"

#include <fmt/format.h>

#include <iostream>

#include "cli/options/alert.h"
#include "cli/safe_stream.h"
#include "promql/parser.h"
#include "reference/replay.h"
#include "schedlens/error.h"
#include "sim/scenario/scenario.h"
#include "source/http/api_server.h"

namespace schedlens {
namespace {

/// The matchers without braces, however they were typed.
std::string Matchers(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) return "";
  std::string matchers = text.substr(first, text.find_last_not_of(' ') + 1 - first);
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
  throw Error(ErrorKind::kUsage,
              fmt::format("--selector {:.200}: expected matchers such as "
                          "job=\"kube-scheduler\",cluster=\"a\", values in quotes",
                          text));
}

Options Places(SourceOptions* o) {
  return {
      Option("--prometheus,--url,--prometheus.url", "URL",
             "Prometheus-compatible HTTP API: Prometheus, Thanos, Mimir, VictoriaMetrics "
             "(env SCHEDLENS_URL, PROMETHEUS_URL)",
             &o->prometheus,
             {.excludes = {"--service", "--capture", "--scrape-before", "--scenario"}}),
      Option("--service", "SERVICE",
             "NAMESPACE/NAME:PORT of such an API, through the kubeconfig's API server; "
             "NAMESPACE/https:NAME:PORT for one that speaks TLS",
             [o](const std::string& text) {
               ServiceProxyPath(text);  // refuses what names no service
               o->prometheus = kServiceScheme + text;
             },
             {.excludes = {"--capture", "--scrape-before", "--scenario", "--http.config.file"}}),
      Option("--capture", "FILE",
             "a recording: OpenMetrics or Prometheus text, a TSDB dump, saved answers of the query "
             "API, an export of VictoriaMetrics; plain or .gz; - for standard "
             "input",
             &o->capture, {.excludes = {"--scrape-before", "--scenario"}}),
      Option("--scrape-before", "FILE", "a raw /metrics page from before the window",
             &o->scrape_before, {.excludes = {"--scenario"}, .needs = {"--scrape-after"}}),
      Option("--scrape-after", "FILE", "a raw /metrics page from after the window",
             &o->scrape_after, {.needs = {"--scrape-before"}}),
      {"--scenario", "NAME|FILE",
       "run this scenario in the embedded reference scheduler and read its metrics", &o->scenario},
  };
}

Options Server(SourceOptions* o) {
  return {
      {"--selector", "MATCHERS",
       "matchers of the scheduler's series, e.g. 'job=\"kube-scheduler\"'",
       [o](const std::string& text) { o->selector = Matchers(text); }},
      {"--semantics", "VERSION",
       "whose arithmetic to reproduce: 2.20 ... 3.15, main, victoriametrics "
       "(default: the server's)",
       [o](const std::string& text) { o->semantics = ParseSemantics(text); }},
      {"--kubeconfig", "FILE", "where --service is (env KUBECONFIG, else ~/.kube/config)",
       &o->kubeconfig},
      {"--context", "CONTEXT", "of the kubeconfig (default: its current one)", &o->context},
      Option("--header", "HEADER", "`Name: value`, sent with every request; may be repeated",
             &o->headers, {.origin = &o->credentials_from}),
      Option("--tenant", "ID", "tenant of Mimir, Cortex (X-Scope-OrgID) and Thanos (THANOS-TENANT)",
             &o->tenant, {.origin = &o->credentials_from}),
      Option("--http.config.file", "FILE",
             "TLS, authorization and proxy in promtool's format (env SCHEDLENS_HTTP_CONFIG)",
             &o->http_config_file, {.origin = &o->credentials_from}),
      {"--max-answer", "SIZE",
       "refuse a server's response that is larger than this, uncompressed (default 512Mi)",
       [o](const std::string& text) {
         o->max_answer_bytes = static_cast<std::size_t>(ParseSize("--max-answer", text));
       }},
      {"--verbose", kFlag, "log every request and its outcome on standard error, without secrets",
       [o](const std::string&) {
         o->log = [](const std::string& line) { std::cerr << OneLine(line) + '\n'; };
       }},
      Option("--concurrency", "N", "queries in flight at once", &o->concurrency,
             {.show_default = true, .range = {{1, 64}}}),
  };
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

}  // namespace schedlens
