#pragma once

// From options to a Source: a server, a capture file, two scraped pages, or a scenario.

#include <cstddef>
#include <memory>

#include "base/source.h"

namespace schedlens {

struct ApiServerCache;
struct HttpConfig;
/// Keeps what a kubeconfig and its plugins tell for a minute (source/http/prometheus_source.h).
std::shared_ptr<ApiServerCache> NewApiServerCache();

/// How requests are made.
struct RequestLimits {
  double query_timeout_seconds = 60;    ///< one try of one request
  double total_timeout_seconds = 1e9;   ///< everything, inside the deadline of the process
  double first_backoff_seconds = 0.25;  ///< doubled from try to try, jittered to [0.5, 1] of it
  int concurrency = 4;                  ///< requests in flight together
  std::size_t max_answer_bytes = std::size_t{512} << 20;  ///< after decompression
  std::function<void(const std::string&)> log;  ///< one line for each try, without secrets
};

/// Where samples come from and how to get there. Exactly one of `prometheus`, `capture`, the scrape
/// pair and `scenario` is set; the rest applies where it can. Empty means not given.
struct SourceOptions : RequestLimits {
  /// URL of a Prometheus-compatible API, prefix path allowed; or `kubernetes:NAMESPACE/NAME:PORT`,
  /// a service behind the API server of a kubeconfig.
  std::string prometheus;
  std::string capture;                      ///< file, `-` = standard input
  std::string scrape_before, scrape_after;  ///< fetched when they were last written
  /// PromQL that will be asked of the capture, as far as it is known; see capture_source.h.
  std::vector<std::string> questions;
  bool since_start = false;  ///< a single page's counters begin with 0 at its process's start
  std::string scenario;      ///< name or file, for the factory that knows the simulator

  std::vector<std::string> headers;  ///< `Name: value`, sent with every request
  std::string tenant;                ///< X-Scope-OrgID
  std::string http_config_file;      ///< promtool's format
  std::string credentials_from;  ///< the setting that one of these three is from; empty: none is
  std::string kubeconfig;        ///< file; without one as kubectl finds it
  std::string context;           ///< of the kubeconfig; without one its current context
  std::shared_ptr<ApiServerCache> api_server = NewApiServerCache();  ///< shared by copies
  std::shared_ptr<const HttpConfig> access;  ///< instead of the file's; of a kubeconfig

  std::optional<Semantics> semantics;  ///< instead of the server's own
  std::string selector;                ///< matchers without braces; for whoever asks the questions
};

/// Makes the source of `--scenario`: passed in by `cli`, since this layer knows no simulator.
using ScenarioFactory = std::function<std::unique_ptr<Source>(const SourceOptions&)>;

/// Opens what the options name. Throws Error(kUsage) when none or several are named, and what
/// reading a file throws. A server is not contacted before the first question.
std::unique_ptr<Source> OpenSource(const SourceOptions& options,
                                   const ScenarioFactory& scenario = {});

}  // namespace schedlens
