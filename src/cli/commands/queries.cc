#include <ostream>

#include "cli/command.h"
#include "contract/query.h"
#include "model/text.h"
#include "report/rules.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

struct QueriesOptions {
  std::string action;
  std::string format = "rules";
  std::string release = "1.30";
  double threshold = WatchOptions().threshold;
};

int MinorOf(const std::string& release) {
  const auto minor = release.rfind("1.", 0) == 0 ? ParseNumber(release.substr(2)) : std::nullopt;
  if (!minor || *minor < 19 || *minor > 99 || *minor != static_cast<int>(*minor)) {
    throw Error(ErrorKind::kUsage,
                "--release takes a kube-scheduler release from 1.19 on, like 1.26, not " + release);
  }
  return static_cast<int>(*minor);
}

void List(std::ostream& out) {
  const QuerySet queries = QuerySet::Embedded();
  for (const Question& question : queries.questions()) {
    out << question.name << "\n";
    for (const std::string& statement : question.statements) out << "  " << statement << "\n";
  }
}

int RunQueries(const QueriesOptions& options, const Context& context) {
  if (options.action == "list") {
    List(context.out);
    return 0;
  }
  const WatchOptions watch{MinorOf(options.release), options.threshold};
  context.out << (options.format == "rules" ? RuleFile(watch) : Dashboard(watch));
  return 0;
}

}  // namespace

Declared DeclareQueries() {
  return DeclareWith<QueriesOptions>(
      [](QueriesOptions* o) {
        return Options{
            Option("action", "ACTION", "list or export", &o->action,
                   {.required = true, .choices = {"list", "export"}}),
            Option("--format", "FORMAT", "what to export", &o->format,
                   {.show_default = true, .choices = {"rules", "dashboard"}}),
            Option("--release", "1.NN",
                   "kube-scheduler's release: metric names and what they count depend on it",
                   &o->release, {.show_default = true}),
            Option("--threshold", "SECONDS",
                   "an attempt above this is slow; must be a bucket bound", &o->threshold,
                   {.show_default = true})};
      },
      RunQueries);
}

}  // namespace schedlens
