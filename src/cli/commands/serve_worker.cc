#include "cli/commands/serve_worker.h"

#include <fmt/format.h>

#include <sstream>

#include "cli/commands/serve_folder.h"
#include "contract/report.h"
#include "model/file.h"
#include "report/messages/wording.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using Outcome = WebhookQueue::Outcome;

bool MayPass(ErrorKind kind) {
  return kind == ErrorKind::kFailed || kind == ErrorKind::kTimeout || kind == ErrorKind::kAuth;
}

class Worker {
 public:
  Worker(const WorkerOptions& options, WebhookQueue* queue,
         const std::function<void(const std::string&)>& log)
      : options_(options),
        queue_(queue),
        log_(log),
        queries_(QueriesOf(options.diagnosing.investigate)) {}

  void Run() {
    while (const auto group = queue_->Take()) {
      Handle(*group);
      for (const char* folder : {"", "/failed"}) {
        KeepNewest(options_.folder + folder, static_cast<std::size_t>(options_.keep));
      }
    }
  }

 private:
  void Handle(const QueuedGroup& group);
  void Report(const QueuedGroup& group);
  void Finish(const QueuedGroup& group, Outcome outcome, const std::string& why);

  const WorkerOptions& options_;
  WebhookQueue* queue_;
  const std::function<void(const std::string&)>& log_;
  const QuerySet queries_;
};

void Worker::Report(const QueuedGroup& group) {
  DiagnosingOptions asked = options_.diagnosing;
  AlertOptions& alert = asked.investigate.alert;
  alert.webhook = group.id;
  alert.webhook_text = ReadFile(group.path);
  std::istringstream nothing;
  std::ostringstream unread;
  const Context quiet{nothing, unread, unread};
  const Diagnosis diagnosis = DiagnoseAsAsked(asked, queries_, quiet);
  RenderOptions render;
  render.lang = options_.lang;
  const std::string path = options_.folder + "/" + group.group.report;
  WriteTextFile(path + ".json", RenderJson(diagnosis));
  WriteTextFile(path + ".html", RenderHtml(diagnosis, render));
  log_(fmt::format("{}.html: {}", path, Headline(Messages{"en"}, diagnosis)));
  for (const std::string& failure : PostDiagnosis(diagnosis, options_.posts)) {
    log_(fmt::format("{}.html: {}", path, failure));
  }
}

void Worker::Handle(const QueuedGroup& group) {
  try {
    Report(group);
    Finish(group, Outcome::kReported, "");
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kInterrupted) return Finish(group, Outcome::kStopped, "");
    const bool later = MayPass(error.kind()) && group.tries + 1 < WebhookQueue::kMostTries;
    log_(fmt::format("{}: {}{}", group.group.report, error.what(),
                     later ? "; tried again later" : "; given up, see failed/" + group.id));
    Finish(group, later ? Outcome::kTryLater : Outcome::kGivenUp, error.what());
  } catch (const std::exception& error) {
    log_(
        fmt::format("{}: {}; given up, see failed/{}", group.group.report, error.what(), group.id));
    Finish(group, Outcome::kGivenUp, error.what());
  }
}

/// A disk that is full may be so here too; the text is still in the queue for the next start.
void Worker::Finish(const QueuedGroup& group, Outcome outcome, const std::string& why) {
  try {
    queue_->Finish(group, outcome, why);
  } catch (const std::exception& error) {
    log_(fmt::format("{}: {}", group.group.report, error.what()));
  }
}

}  // namespace

void WorkOnQueue(const WorkerOptions& options, WebhookQueue* queue,
                 const std::function<void(const std::string&)>& log) {
  Worker(options, queue, log).Run();
}

}  // namespace schedlens
