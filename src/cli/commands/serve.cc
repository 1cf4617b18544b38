// Alertmanager's webhooks in, a report a group out.

#include <fmt/format.h>
#include <signal.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "cli/commands/commands.h"
#include "cli/commands/metrics_page.h"
#include "cli/commands/serve_queue.h"
#include "cli/commands/serve_worker.h"
#include "cli/http_server.h"
#include "cli/interrupt.h"
#include "cli/one_line.h"
#include "cli/options/any_source.h"
#include "cli/options/grafana_link.h"
#include "cli/options/output.h"
#include "cli/options/source.h"
#include "model/text.h"
#include "model/work_budget.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

constexpr std::size_t kLongestWebhook = std::size_t{1} << 20;
constexpr int kLookMs = 100;  // how soon a signal is seen

struct ServeOptions {
  WorkerOptions worker;
  std::string listen;
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

/// Webhooks that the queue never saw; only the server's thread counts.
struct Turned {
  std::uint64_t refused = 0, failed = 0;
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
      counts.queued, counts.known, counts.full, turned.refused, turned.failed, counts.reported,
      counts.given_up, counts.waiting, counts.running);
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
void Note(int status, const std::string& why, Turned* turned,
          const std::function<void(const std::string&)>& log) {
  if (status == 404 || status == 405 || status == 503) return;
  ++(status == 500 ? turned->failed : turned->refused);
  log(fmt::format("a webhook is {} ({}): {}", status == 500 ? "not taken" : "refused", status,
                  why));
}

WebReply Answer(const WebRequest& request, const Turned& turned, WebhookQueue* queue) {
  if (request.method == "POST") return Take(request.body, queue);
  if (request.method != "GET" && request.method != "HEAD") {
    return {.status = 405, .body = "only POST and GET\n"};
  }
  if (request.path == "/healthz") return {.status = 200, .body = "ok\n"};
  if (request.path == "/metrics") {
    return {.status = 200, .body = CountsPage(queue->counts(), turned), .type = kMetricsType};
  }
  return {.status = 404, .body = "POST webhooks here; see /healthz and /metrics\n"};
}

/// Threads that are joined at the end.
class Workers {
 public:
  Workers(int count, const WorkerOptions& options, WebhookQueue* queue,
          const std::function<void(const std::string&)>& log)
      : queue_(queue) {
    for (int i = 0; i < count; ++i) {
      threads_.emplace_back([=, &options, &log] { WorkOnQueue(options, queue, log); });
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

int RunServe(ServeOptions options, const Context& context) {
  WorkerOptions& worker = options.worker;
  SourceOptions& source = worker.diagnosing.investigate.source;
  PostOptions& posts = worker.posts;
  if (posts.grafana_config.empty() && SameServer(posts.grafana, source.prometheus)) {
    posts.grafana_config = source.http_config_file;
  }
  source.total_timeout_seconds = std::min(source.total_timeout_seconds, DeadlineSeconds());
  SetDeadline(kNoDeadline);  // each report has its own
  CheckLive(source);
  CheckPosts(posts);
  const NotesSignals notes({SIGINT, SIGTERM, SIGHUP});
  WebhookQueue queue(worker.folder, static_cast<std::size_t>(options.queue));
  std::mutex mutex;
  const std::function<void(const std::string&)> log = [&](const std::string& line) {
    const std::lock_guard lock(mutex);
    context.err << "schedlens: " << OneLine(line) << "\n" << std::flush;
  };
  Turned turned;
  ServerLimits limits;
  limits.body_bytes = kLongestWebhook;
  HttpServer server(
      ParseListenAddress("--listen", options.listen),
      [&](const WebRequest& request) { return Answer(request, turned, &queue); }, limits,
      [&](int status, const std::string& why) { Note(status, why, &turned, log); });
  if (source.log) source.log = log;  // several workers ask at the same time
  log(fmt::format("webhooks on http://{}, reports in {}", server.address(), worker.folder));
  {
    const Workers workers(options.workers, worker, &queue, log);
    while (NotesSignals::noted() == 0) server.Serve(kLookMs);
    Interrupt(true);
  }
  Interrupt(false);
  if (NotesSignals::noted() == SIGTERM) return 0;
  context.err << "schedlens: interrupted\n";
  return static_cast<int>(ErrorKind::kInterrupted);
}

Options ServeOptionTable(ServeOptions* o) {
  return {
      {.names = "--listen",
       .value = "ADDRESS",
       .help = "[HOST:]PORT that Alertmanager's webhook_configs post to; without HOST 127.0.0.1",
       .target = &o->listen,
       .required = true},
      {.names = "--out",
       .value = "DIR",
       .help = "where the reports go, as HTML and JSON; its folder queue holds what waits, failed "
               "what could not be reported",
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
  return {
      Together({ServeOptionTable(o), SourceOptionTable(&o->worker.diagnosing.investigate.source),
                BeyondOptionTable(&o->worker.diagnosing)}),
      [options](const Context& context) { return RunServe(*options, context); }};
}

}  // namespace schedlens
