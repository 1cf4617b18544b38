#include "cli/options/source.h"

#include <fmt/format.h>

#include <iostream>

#include "cli/one_line.h"
#include "cli/options/size.h"
#include "model/text.h"
#include "promql/parser.h"
#include "schedlens/error.h"
#include "source/http/api_server.h"

namespace schedlens {
namespace {

constexpr const char* kGroup = "Source (one of the first five)";

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

void ReadService(const std::string& text, SourceOptions* o) {
  ServiceProxyPath(text);  // refuses what names no service
  o->prometheus = kServiceScheme + text;
}

Options Places(SourceOptions* o) {
  return {
      {.names = "--prometheus,--url,--prometheus.url",
       .value = "URL",
       .help = "Prometheus-compatible HTTP API: Prometheus, Thanos, Mimir, VictoriaMetrics "
               "(env SCHEDLENS_URL, PROMETHEUS_URL)",
       .target = &o->prometheus,
       .group = kGroup,
       .excludes = {"--service", "--capture", "--scrape-before", "--scenario"}},
      {.names = "--service",
       .value = "SERVICE",
       .help = "NAMESPACE/NAME:PORT of such an API, through the kubeconfig's API server; "
               "NAMESPACE/https:NAME:PORT for one that speaks TLS",
       .target = [o](const std::string& text) { ReadService(text, o); },
       .group = kGroup,
       .excludes = {"--capture", "--scrape-before", "--scenario", "--http.config.file"}},
      {.names = "--capture",
       .value = "FILE",
       .help =
           "a recording: OpenMetrics or Prometheus text, a TSDB dump, saved answers of the query "
           "API, an export of VictoriaMetrics; plain or .gz; - for standard "
           "input",
       .target = &o->capture,
       .group = kGroup,
       .excludes = {"--scrape-before", "--scenario"}},
      {.names = "--scrape-before",
       .value = "FILE",
       .help = "a raw /metrics page from before the window",
       .target = &o->scrape_before,
       .group = kGroup,
       .excludes = {"--scenario"},
       .needs = {"--scrape-after"}},
      {.names = "--scrape-after",
       .value = "FILE",
       .help = "a raw /metrics page from after the window",
       .target = &o->scrape_after,
       .group = kGroup,
       .needs = {"--scrape-before"}},
      {.names = "--scenario",
       .value = "NAME|FILE",
       .help = "run this scenario in the embedded reference scheduler and read its metrics",
       .target = &o->scenario,
       .group = kGroup},
  };
}

Options Server(SourceOptions* o) {
  return {
      {.names = "--kubeconfig",
       .value = "FILE",
       .help = "where --service is (env KUBECONFIG, else ~/.kube/config)",
       .target = &o->kubeconfig,
       .group = kGroup},
      {.names = "--context",
       .value = "CONTEXT",
       .help = "of the kubeconfig (default: its current one)",
       .target = &o->context,
       .group = kGroup},
      {.names = "--header",
       .value = "HEADER",
       .help = "`Name: value`, sent with every request; may be repeated",
       .target = &o->headers,
       .group = kGroup,
       .origin = &o->credentials_from},
      {.names = "--tenant",
       .value = "ID",
       .help = "tenant of Mimir, Cortex (X-Scope-OrgID) and Thanos (THANOS-TENANT)",
       .target = &o->tenant,
       .group = kGroup,
       .origin = &o->credentials_from},
      {.names = "--http.config.file",
       .value = "FILE",
       .help = "TLS, authorization and proxy in promtool's format (env SCHEDLENS_HTTP_CONFIG)",
       .target = &o->http_config_file,
       .group = kGroup,
       .origin = &o->credentials_from},
      {.names = "--max-answer",
       .value = "SIZE",
       .help = "refuse a server's response that is larger than this, uncompressed (default 512Mi)",
       .target =
           [o](const std::string& text) {
             o->max_answer_bytes = static_cast<std::size_t>(ParseSize("--max-answer", text));
           },
       .group = kGroup},
      {.names = "--verbose",
       .help = "log every request and its outcome on standard error, without secrets",
       .target =
           [o](const std::string&) {
             o->log = [](const std::string& line) { std::cerr << OneLine(line) + '\n'; };
           },
       .group = kGroup},
      {.names = "--concurrency",
       .value = "N",
       .help = "queries in flight at once",
       .target = &o->concurrency,
       .group = kGroup,
       .show_default = true,
       .range = {{1, 64}}},
  };
}

}  // namespace

Options SourceOptionTable(SourceOptions* options) {
  SourceOptions* o = options;
  return Together(
      {Places(o),
       {{.names = "--selector",
         .value = "MATCHERS",
         .help = "matchers of the scheduler's series, e.g. 'job=\"kube-scheduler\"'",
         .target = [o](const std::string& text) { o->selector = Matchers(text); },
         .group = kGroup},
        {.names = "--semantics",
         .value = "VERSION",
         .help = "whose arithmetic to reproduce: 2.20 ... 3.15, main, victoriametrics "
                 "(default: the server's)",
         .target = [o](const std::string& text) { o->semantics = ParseSemantics(text); },
         .group = kGroup}},
       Server(o)});
}

}  // namespace schedlens
