#include "cli/commands/serve_worker.h"

#include <fmt/format.h>

#include <filesystem>
#include <sstream>

#include "cli/commands/serve_child.h"
#include "cli/commands/serve_folder.h"
#include "cli/one_line.h"
#include "contract/report.h"
#include "model/file.h"
#include "model/work_budget.h"
#include "report/messages/wording.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using Outcome = WebhookQueue::Outcome;

constexpr unsigned kReportMode = 0640;
constexpr double kGraceSeconds = 10;

bool MayPass(int code) {
  return code == static_cast<int>(ErrorKind::kFailed) ||
         code == static_cast<int>(ErrorKind::kTimeout) ||
         code == static_cast<int>(ErrorKind::kAuth);
}

class Worker {
 public:
  Worker(const WorkerOptions& options, WebhookQueue* queue, std::atomic<bool>* starts,
         const std::function<void(const std::string&)>& log)
      : options_(options), queue_(queue), starts_(starts), log_(log) {}

  void Run() {
    while (const auto group = queue_->Take()) {
      Handle(*group);
      for (const char* folder : {"", "/failed"}) {
        KeepNewest(options_.folder + folder, static_cast<std::size_t>(options_.keep));
      }
    }
  }

 private:
  ReporterEnd Await(const QueuedGroup& group);
  void Handle(const QueuedGroup& group);

  const WorkerOptions& options_;
  WebhookQueue* queue_;
  std::atomic<bool>* starts_;
  const std::function<void(const std::string&)>& log_;
};

ReporterEnd Worker::Await(const QueuedGroup& group) {
  if (!std::filesystem::exists(group.path)) {
    return {.code = 1, .broken = true, .why = "what was posted is gone from the queue"};
  }
  const Reporter reporter{.program = options_.program,
                          .words = options_.words,
                          .seconds = MostSeconds(options_),
                          .interrupted = Interrupted,
                          .log = log_};
  try {
    const ReporterEnd end = RunReporter(reporter, group.path);
    *starts_ = true;
    return end;
  } catch (const std::exception& error) {
    *starts_ = false;
    return {.code = static_cast<int>(ErrorKind::kFailed), .why = error.what()};
  }
}

/// A disk that is full may be so here too; the text is still in the queue for the next start.
void Worker::Handle(const QueuedGroup& group) {
  const ReporterEnd end = Await(group);
  const std::string path = options_.folder + "/" + group.group.report;
  try {
    if (end.code == 0) {
      std::filesystem::remove(path + ".txt");
      return queue_->Finish(group, Outcome::kReported);
    }
    if (end.stopped) return queue_->Finish(group, Outcome::kStopped);
    const bool later =
        !end.broken && MayPass(end.code) && group.tries + 1 < WebhookQueue::kMostTries;
    log_(fmt::format("{}: {}{}", group.group.report, end.why,
                     later ? "; tried again later" : "; given up, see failed/" + group.id));
    queue_->Finish(group, later ? Outcome::kTryLater : Outcome::kGivenUp, end.why);
    if (later) return;
    const std::string text = fmt::format("{}: no report: {}; what was posted: failed/{}.json",
                                         group.group.report, end.why, group.id);
    WriteTextFile(path + ".txt", OneLine(text) + "\n", kReportMode);
  } catch (const std::exception& error) {
    log_(fmt::format("{}: {}", group.group.report, error.what()));
  }
}

}  // namespace

double MostSeconds(const WorkerOptions& options) {
  const int posts = int{!options.posts.grafana.empty()} + int{!options.posts.notify.empty()};
  return options.diagnosing.investigate.source.total_timeout_seconds + posts * kPostSeconds +
         kGraceSeconds;
}

void Report(WorkerOptions options, const std::string& webhook,
            const std::function<void(const std::string&)>& log) {
  AlertOptions& alert = options.diagnosing.investigate.alert;
  alert.webhook = std::filesystem::path(webhook).stem();
  alert.webhook_text = ReadFile(webhook);
  const std::string path = options.folder + "/" + ReadAlertGroup(alert.webhook_text).report;
  std::istringstream nothing;
  std::ostringstream unread;
  const Context quiet{nothing, unread, unread};
  const Diagnosis diagnosis =
      DiagnoseAsAsked(options.diagnosing, QueriesOf(options.diagnosing.investigate), quiet);
  RenderOptions render;
  render.lang = options.lang;
  MakeFolder(options.folder);
  WriteTextFile(path + ".json", RenderJson(diagnosis), kReportMode);
  WriteTextFile(path + ".html", RenderHtml(diagnosis, render), kReportMode);
  log(fmt::format("{}.html: {}", path, Headline(Messages{"en"}, diagnosis)));
  SetDeadline(kNoDeadline);  // what is posted has its own time
  options.posts.told = WebhookQueue::ToldPath(webhook);
  for (const std::string& failure : PostDiagnosis(diagnosis, options.posts)) {
    log(fmt::format("{}.html: {}", path, failure));
  }
}

void WorkOnQueue(const WorkerOptions& options, WebhookQueue* queue, std::atomic<bool>* starts,
                 const std::function<void(const std::string&)>& log) {
  Worker(options, queue, starts, log).Run();
}

}  // namespace schedlens
