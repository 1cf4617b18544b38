#include "cli/source_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>

#include "cli/size_option.h"
#include "model/text.h"
#include "promql/parser.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

constexpr const char* kGroup = "Source (one of the first four)";

/// The matchers without braces, however they were typed.
std::string Matchers(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" {");
  const std::size_t last = text.find_last_not_of(" }");
  if (first == std::string::npos || last == std::string::npos) return "";
  const std::string matchers = text.substr(first, last + 1 - first);
  try {
    promql::Parse("x{" + matchers + "}");
  } catch (const Error&) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--selector {}: expected matchers such as "
                            "job=\"kube-scheduler\",cluster=\"a\", values in quotes",
                            text));
  }
  return matchers;
}

void AddPlaces(CLI::App& app, SourceOptions* options) {
  CLI::Option* url = app.add_option("--prometheus,--url,--prometheus.url", options->prometheus,
                                    "Prometheus-compatible HTTP API: Prometheus, Thanos, Mimir, "
                                    "VictoriaMetrics (env SCHEDLENS_URL, PROMETHEUS_URL)");
  CLI::Option* capture = app.add_option("--capture", options->capture,
                                        "OpenMetrics or Prometheus text, .gz read as is, - for "
                                        "standard input");
  CLI::Option* before = app.add_option("--scrape-before", options->scrape_before,
                                       "a raw /metrics page from before the window");
  CLI::Option* after = app.add_option("--scrape-after", options->scrape_after,
                                      "a raw /metrics page from after the window");
  CLI::Option* scenario = app.add_option("--scenario", options->scenario,
                                         "a run of the embedded reference scheduler: name or file");
  before->needs(after);
  after->needs(before);
  const std::vector<CLI::Option*> places = {url, capture, before, scenario};
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (std::size_t j = i + 1; j < places.size(); ++j) places[i]->excludes(places[j]);
  }
  const std::vector<const char*> types = {"URL", "FILE", "FILE", "NAME|FILE"};
  for (std::size_t i = 0; i < places.size(); ++i) places[i]->type_name(types[i])->group(kGroup);
  after->type_name("FILE")->group(kGroup);
}

void AddServerOptions(CLI::App& app, SourceOptions* options) {
  app.add_option("--header", options->headers,
                 "`Name: value`, sent with every request; may be repeated")
      ->type_name("HEADER")
      ->type_size(1)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group(kGroup);
  app.add_option("--tenant", options->tenant, "X-Scope-OrgID of Mimir, Thanos, Cortex")
      ->type_name("ID")
      ->group(kGroup);
  app.add_option("--http.config.file", options->http_config_file,
                 "TLS, authorisation and proxy in promtool's format (env SCHEDLENS_HTTP_CONFIG)")
      ->type_name("FILE")
      ->group(kGroup);
  app.add_option_function<std::string>(
         "--timeout",
         [options](const std::string& text) {
           const auto ms = ParseDuration(text);
           if (!ms || *ms <= 0) {
             throw Error(ErrorKind::kUsage,
                         "--timeout " + text + ": expected a duration such as 30s or 2m");
           }
           options->total_timeout_seconds = static_cast<double>(*ms) / 1000.0;
         },
         "for all questions together (default 5m)")
      ->type_name("DURATION")
      ->group(kGroup);
  app.add_option_function<std::string>(
         "--max-answer",
         [options](const std::string& text) {
           options->max_answer_bytes = static_cast<std::size_t>(ParseSize("--max-answer", text));
         },
         "refuse an answer of a server that is larger, unpacked (default 512Mi)")
      ->type_name("SIZE")
      ->group(kGroup);
  app.add_flag_callback(
         "--verbose",
         [options] { options->log = [](const std::string& line) { std::cerr << line << '\n'; }; },
         "one line on standard error for each request and what came of it, without secrets")
      ->group(kGroup);
  app.add_option("--concurrency", options->concurrency, "questions in flight together")
      ->type_name("N")
      ->check(CLI::Range(1, 64))
      ->capture_default_str()
      ->group(kGroup);
}

}  // namespace

void AddSourceOptions(CLI::App& app, SourceOptions* options) {
  AddPlaces(app, options);
  app.add_option_function<std::string>(
         "--selector", [options](const std::string& text) { options->selector = Matchers(text); },
         "matchers of the scheduler's series, e.g. 'job=\"kube-scheduler\"'")
      ->type_name("MATCHERS")
      ->group(kGroup);
  app.add_option_function<std::string>(
         "--semantics",
         [options](const std::string& text) { options->semantics = ParseSemantics(text); },
         "whose arithmetic to reproduce: 2.20 ... 3.15, main, victoriametrics (default: the "
         "server's)")
      ->type_name("VERSION")
      ->group(kGroup);
  AddServerOptions(app, options);
}

}  // namespace schedlens
