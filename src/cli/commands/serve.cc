// Alertmanager's webhooks in, a report a group out.

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "cli/commands/commands.h"
#include "cli/commands/metrics_page.h"
#include "cli/commands/serve_child.h"
#include "cli/commands/serve_queue.h"
#include "cli/commands/serve_worker.h"
#include "cli/interrupt.h"
#include "cli/one_line.h"
#include "cli/options/any_source.h"
#include "cli/options/grafana_link.h"
#include "cli/options/output.h"
#include "cli/options/size.h"
#include "cli/options/source.h"
#include "cli/web/same_site.h"
#include "cli/web/server.h"
#include "model/url.h"
#include "model/work_budget.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

constexpr std::size_t kLongestWebhook = std::size_t{1} << 20;
constexpr int kLookMs = 100;  // how soon a signal is seen

struct ServeOptions {
  WorkerOptions worker;
  std::string listen, external_url, web_config;
  std::string max_memory = "4Gi";
  int workers = 1;
  int queue = 1000;
};

void CheckLive(const SourceOptions& source) {
  if (!source.prometheus.empty()) {
    OpenAnySource(source);  // refuses a malformed URL or configuration before anything is taken
    return;
  }
  throw Error(ErrorKind::kUsage,
              "serve: alerts that fire now need a server: give --prometheus URL or --service "
              "NAMESPACE/NAME:PORT");
}

/// Webhooks that the queue never saw.
struct Turned {
  std::atomic<std::uint64_t> refused = 0, failed = 0;
};

/// What the pages tell of.
struct Serving {
  WebhookQueue* queue;
  Turned turned = {};
  std::atomic<bool> starts = true;  ///< the last reporting process could be started
  std::function<void(const std::string&)> log = {};
};

std::string CountsPage(const QueueCounts& counts, const Turned& turned) {
  return fmt::format(
      "# TYPE schedlens_webhooks_total counter\n"
      "schedlens_webhooks_total{{outcome=\"queued\"}} {}\n"
      "schedlens_webhooks_total{{outcome=\"known\"}} {}\n"
      "schedlens_webhooks_total{{outcome=\"full\"}} {}\n"
      "schedlens_webhooks_total{{outcome=\"refused\"}} {}\n"
      "schedlens_webhooks_total{{outcome=\"failed\"}} {}\n"
      "# TYPE schedlens_reports_total counter\n"
      "schedlens_reports_total{{outcome=\"written\"}} {}\n"
      "schedlens_reports_total{{outcome=\"failed\"}} {}\n"
      "# TYPE schedlens_groups gauge\n"
      "schedlens_groups{{state=\"waiting\"}} {}\n"
      "schedlens_groups{{state=\"running\"}} {}\n",
      counts.queued, counts.known, counts.full, turned.refused.load(), turned.failed.load(),
      counts.reported, counts.given_up, counts.waiting, counts.running);
}

WebReply Take(const std::string& json, WebhookQueue* queue) {
  AlertGroup group;
  try {
    group = ReadAlertGroup(json);
  } catch (const Error& error) {
    return {.status = 400, .body = fmt::format("{}\n", error.what())};
  }
  const WebhookQueue::Offered offered = queue->Offer(json, std::move(group));
  if (offered == WebhookQueue::Offered::kFull) {
    return {.status = 503, .body = "the queue is full: try later\n"};
  }
  return {.status = 200, .body = offered == WebhookQueue::Offered::kKnown ? "known\n" : "queued\n"};
}

/// What was asked in vain of another page is no webhook, and a full queue counts for itself.
void Note(int status, const std::string& why, Serving* serving) {
  if (status == 404 || status == 405 || status == 503) return;
  Turned& turned = serving->turned;
  ++(status == 500 ? turned.failed : turned.refused);
  serving->log(fmt::format("a webhook is {} ({}): {}", status == 500 ? "not taken" : "refused",
                           status, why));
}

/// Whether a webhook would be taken and reported: folder, disk, room in the queue, processes.
WebReply Ready(Serving* serving) {
  const std::string why =
      serving->starts ? serving->queue->Trouble() : "no process can be started for a diagnosis";
  if (why.empty()) return {.status = 200, .body = "ready\n"};
  serving->log("not ready: " + why);
  return {.status = 503, .body = "not ready: see the log\n"};
}

WebReply Answer(const WebRequest& request, Serving* serving) {
  if (request.method == "POST") return Take(request.body, serving->queue);
  if (request.method != "GET" && request.method != "HEAD") {
    return {.status = 405, .body = "only POST and GET\n"};
  }
  if (request.path == "/-/healthy" || request.path == "/healthz")
    return {.status = 200, .body = "healthy\n"};
  if (request.path == "/-/ready") return Ready(serving);
  if (request.path == "/metrics") {
    return {.status = 200,
            .body = CountsPage(serving->queue->counts(), serving->turned),
            .type = kMetricsType};
  }
  return {.status = 404, .body = "POST webhooks here; see /-/healthy, /-/ready and /metrics\n"};
}

/// Threads that are joined at the end.
class Workers {
 public:
  Workers(int count, const WorkerOptions& options, Serving* serving) : queue_(serving->queue) {
    for (int i = 0; i < count; ++i) {
      threads_.emplace_back([&options, serving] {
        WorkOnQueue(options, serving->queue, &serving->starts, serving->log);
      });
    }
  }
  ~Workers() {
    queue_->Stop();
    for (std::thread& thread : threads_) thread.join();
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

 private:
  WebhookQueue* queue_;
  std::vector<std::thread> threads_;
};

WebServerOptions ServerOptions(const ServeOptions& options, Serving* serving) {
  WebServerOptions server;
  server.address = ParseListenAddress("--listen", options.listen);
  server.limits.body_bytes = kLongestWebhook;
  server.handler = [=](const WebRequest& request) { return Answer(request, serving); };
  server.guard = [listen = server.address, external = options.external_url](
                     const WebRequest& request) { return CheckSite(request, listen, external); };
  server.witness = [=](int status, const std::string& why) { Note(status, why, serving); };
  if (!options.web_config.empty()) {
    server.config = [path = options.web_config] { return ReadWebConfig(path); };
  }
  return server;
}

int Serve(const ServeOptions& options, const std::function<void(const std::string&)>& log,
          const Context& context) {
  const NotesSignals notes({SIGINT, SIGTERM, SIGHUP});
  WebhookQueue queue(options.worker.folder, static_cast<std::size_t>(options.queue), log);
  Serving serving{.queue = &queue, .log = log};
  const auto server = StartWebServer(ServerOptions(options, &serving));
  log(fmt::format("webhooks on {}, reports in {}", server->url(), options.worker.folder));
  {
    const Workers workers(options.workers, options.worker, &serving);
    while (NotesSignals::noted() == 0) poll(nullptr, 0, kLookMs);
    Interrupt(true);
  }
  Interrupt(false);
  if (NotesSignals::noted() == SIGTERM) return 0;
  context.err << "schedlens: interrupted\n";
  return static_cast<int>(ErrorKind::kInterrupted);
}

int RunServe(ServeOptions options, const Context& context) {
  WorkerOptions& worker = options.worker;
  SourceOptions& source = worker.diagnosing.investigate.source;
  PostOptions& posts = worker.posts;
  std::mutex mutex;
  const std::function<void(const std::string&)> log = [&](const std::string& line) {
    const std::lock_guard lock(mutex);
    context.err << "schedlens: " << OneLine(line) << "\n" << std::flush;
  };
  if (source.log) source.log = log;  // several threads ask at the same time
  if (posts.grafana_config.empty() && SameServer(posts.grafana, source.prometheus)) {
    posts.grafana_config = source.http_config_file;
  }
  source.total_timeout_seconds = std::min(source.total_timeout_seconds, DeadlineSeconds());
  const auto memory = static_cast<double>(ParseSize("--max-memory", options.max_memory));
  if (!context.webhook.empty()) {
    LimitThisProcess(MostSeconds(worker), memory);
    Report(worker, context.webhook, log);
    return 0;
  }
  SetDeadline(kNoDeadline);  // each report has its own
  CheckLive(source);
  CheckPosts(posts);
  if (!options.external_url.empty() && !ParseUrl(options.external_url)) {
    throw Error(ErrorKind::kUsage, "--web.external-url: not an http or https URL");
  }
  worker.words = context.words;
  return Serve(options, log, context);
}

Options WebOptions(ServeOptions* o) {
  return {{.names = "--web.config.file",
           .value = "FILE",
           .help = "TLS, users and headers of this server in Prometheus' format",
           .target = &o->web_config},
          {.names = "--web.external-url",
           .value = "URL",
           .help = "how others reach this server: requests under another name are refused",
           .target = &o->external_url}};
}

Options ServeOptionTable(ServeOptions* o) {
  return {
      {.names = "--listen",
       .value = "ADDRESS",
       .help = "[HOST:]PORT that Alertmanager's webhook_configs post to, [::]:PORT for all "
               "addresses; without HOST 127.0.0.1",
       .target = &o->listen,
       .required = true},
      {.names = "--out",
       .value = "DIR",
       .help = "where the reports go, as HTML and JSON; its folder queue holds what waits, failed "
               "what could not be reported, state.json what was",
       .target = &o->worker.folder,
       .required = true},
      {.names = "--grafana",
       .value = "URL",
       .help = "post an annotation for each report to this Grafana",
       .target = &o->worker.posts.grafana},
      {.names = "--grafana-config",
       .value = "FILE",
       .help =
           "its token, in promtool's format (default: --http.config.file where --prometheus is the "
           "same server)",
       .target = &o->worker.posts.grafana_config,
       .needs = {"--grafana"}},
      {.names = "--notify",
       .value = "URL",
       .help = "post the Slack message of each report to this webhook",
       .target = &o->worker.posts.notify},
      {.names = "--workers",
       .value = "N",
       .help = "diagnoses at once, never two of one alert",
       .target = &o->workers,
       .show_default = true,
       .range = {{1, 16}}},
      {.names = "--max-memory",
       .value = "SIZE",
       .help = "of each diagnosis, a process of its own (default 4Gi); its time is --timeout",
       .target = &o->max_memory},
      {.names = "--queue",
       .value = "N",
       .help = "groups that may wait; more are answered 503, and Alertmanager tries again",
       .target = &o->queue,
       .show_default = true,
       .range = {{1, 100'000}}},
      {.names = "--keep",
       .value = "N",
       .help = "reports to keep, and as many of failed; older ones are removed",
       .target = &o->worker.keep,
       .show_default = true,
       .range = {{1, 1'000'000}}},
      LanguageOption(&o->worker.lang),
  };
}

}  // namespace

Declared DeclareServe() {
  const auto options = std::make_shared<ServeOptions>();
  ServeOptions* o = options.get();
  return {Together({ServeOptionTable(o), WebOptions(o),
                    SourceOptionTable(&o->worker.diagnosing.investigate.source),
                    BeyondOptionTable(&o->worker.diagnosing)}),
          [options](const Context& context) { return RunServe(*options, context); }};
}

}  // namespace schedlens
