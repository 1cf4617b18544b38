// Alertmanager's webhooks in, a report a group out.

#include "cli/commands/serve.h"

#include <poll.h>

#include <thread>

#include "base/work_budget.h"
#include "cli/interrupt.h"
#include "cli/options/output.h"
#include "cli/safe_stream.h"

namespace schedlens {
namespace {

constexpr std::size_t kLongestWebhook = std::size_t{1} << 20;
constexpr int kLookMs = 100;  // how soon a signal is seen

struct ServeOptions {
  WorkerOptions worker;
  std::string listen, external_url, web_config;
  std::string max_memory = "4Gi";
  int workers = 1, queue = 1000;
};

struct Serving {
  WebhookQueue* queue;
  const WorkerOptions* worker;
  std::atomic<std::uint64_t> refused = 0, failed = 0;  ///< webhooks that the queue never saw
  std::atomic<bool> starts = true;  ///< the last reporting process could be started
  Log log = {};
};

std::string CountsPage(const Serving& serving) {
  const QueueCounts counts = serving.queue->counts();
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
      counts.queued, counts.known, counts.full, serving.refused.load(), serving.failed.load(),
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
  ++(status == 500 ? serving->failed : serving->refused);
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

WebReply ReplyTo(const WebRequest& request, Serving* serving) {
  if (request.method == "POST") return Take(request.body, serving->queue);
  if (request.method != "GET" && request.method != "HEAD") {
    return {.status = 405, .body = "only POST and GET\n"};
  }
  if (request.path == "/-/healthy" || request.path == "/healthz") {
    return {.status = 200, .body = "healthy\n"};
  }
  if (request.path == "/-/ready") return Ready(serving);
  if (request.path == "/metrics") {
    return {.status = 200, .body = CountsPage(*serving), .type = kMetricsType};
  }
  constexpr std::string_view kReports = "/reports/";
  if (request.path == "/") return ReportsPage(serving->worker->folder, serving->worker->look);
  if (request.path.starts_with(kReports)) {
    return ReportFile(serving->worker->folder, request.path.substr(kReports.size()));
  }
  return {.status = 404, .body = "see /, /-/healthy, /-/ready and /metrics\n"};
}

WebServerOptions ServerOptions(const ServeOptions& options, Serving* serving) {
  WebServerOptions server;
  server.address = ParseListenAddress("--listen", options.listen);
  server.limits.body_bytes = kLongestWebhook;
  server.handler = [=](const WebRequest& request) { return ReplyTo(request, serving); };
  server.guard = [listen = server.address, external = options.external_url](
                     const WebRequest& request) { return CheckSite(request, listen, external); };
  server.witness = [=](int status, const std::string& why) { Note(status, why, serving); };
  if (!options.web_config.empty()) {
    server.config = [path = options.web_config] { return ReadWebConfig(path); };
  }
  return server;
}

int Serve(const ServeOptions& options, const Log& log) {
  const NotesSignals notes({SIGINT, SIGTERM, SIGHUP});
  WebhookQueue queue(options.worker.folder, static_cast<std::size_t>(options.queue), log);
  Serving serving{.queue = &queue, .worker = &options.worker, .log = log};
  const auto server = StartWebServer(ServerOptions(options, &serving));
  log(fmt::format("webhooks on {}, reports in {}", server->url(), options.worker.folder));
  {
    std::vector<std::jthread> workers;
    // Before they are joined.
    const std::unique_ptr<WebhookQueue, void (*)(WebhookQueue*)> stop(
        &queue, [](WebhookQueue* one) { one->Stop(); });
    for (int i = 0; i < options.workers; ++i) {
      workers.emplace_back([&] { WorkOnQueue(options.worker, &queue, &serving.starts, log); });
    }
    while (NotesSignals::noted() == 0) poll(nullptr, 0, kLookMs);
    Interrupt(true);
  }
  Interrupt(false);
  if (NotesSignals::noted() == SIGTERM) return 0;
  throw Error(ErrorKind::kInterrupted, "interrupted");
}

int RunServe(ServeOptions options, const Context& context) {
  WorkerOptions& worker = options.worker;
  SourceOptions& source = worker.diagnosing.source;
  PostOptions& posts = worker.posts;
  std::mutex mutex;
  const Log log = [&](const std::string& line) {
    const std::lock_guard lock(mutex);
    context.err << "schedlens: " << OneLine(line) << "\n" << std::flush;
  };
  if (source.log) source.log = log;  // several threads ask at the same time
  if (posts.grafana_config.empty() && SameServer(posts.grafana, source.prometheus)) {
    posts.grafana_config = source.http_config_file;
  }
  source.total_timeout_seconds = std::min(source.total_timeout_seconds, DeadlineSeconds());
  const std::string& external = options.external_url;
  if (!external.empty()) {
    posts.reports = external.substr(0, external.find_last_not_of('/') + 1) + "/reports/";
  }
  const auto memory = static_cast<double>(ParseSize("--max-memory", options.max_memory));
  if (!context.webhook.empty()) {
    LimitThisProcess(MostSeconds(worker), memory);
    Report(worker, context.webhook, log);
    return 0;
  }
  SetDeadline(kNoDeadline);  // each report has its own
  if (source.prometheus.empty()) {
    throw Error(ErrorKind::kUsage,
                "serve: alerts that fire now need a server: give --prometheus URL or --service "
                "NAMESPACE/NAME:PORT");
  }
  OpenAnySource(source);  // refuses a malformed URL or configuration before anything is taken
  CheckPosts(posts);
  if (!external.empty() && !ParseUrl(external)) {
    throw Error(ErrorKind::kUsage, "--web.external-url: not an http or https URL");
  }
  worker.words = context.words;
  return Serve(options, log);
}

Options ServeOptionTable(ServeOptions* o) {
  return {
      Option("--listen", &o->listen, {.required = true}),
      Option("serve:--out", &o->worker.folder, {.required = true}),
      {"--grafana", &o->worker.posts.grafana},
      Option("--grafana-config", &o->worker.posts.grafana_config, {.needs = {"--grafana"}}),
      {"--notify", &o->worker.posts.notify},
      Option("--workers", &o->workers, {.show_default = true, .range = {{1, 16}}}),
      {"serve:--max-memory", &o->max_memory},
      Option("--queue", &o->queue, {.show_default = true, .range = {{1, 100'000}}}),
      Option("--keep", &o->worker.keep, {.show_default = true, .range = {{1, 1'000'000}}}),
      LanguageOption(&o->worker.look.lang),
      ZoneOption(&o->worker.look.zone),
      {"serve:--web.config.file", &o->web_config},
      {"--web.external-url", &o->external_url},
  };
}

}  // namespace

Declared DeclareServe() {
  return DeclareWith<ServeOptions>(RunServe, [](ServeOptions* o) {
    return Together({ServeOptionTable(o), SourceOptionTable(&o->worker.diagnosing.source),
                     BeyondOptionTable(&o->worker.diagnosing)});
  });
}

}  // namespace schedlens
