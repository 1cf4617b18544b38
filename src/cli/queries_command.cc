#include "cli/queries_command.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>
#include <string>

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

}  // namespace

Run SetUpQueries(CLI::App& app) {
  const auto options = std::make_shared<QueriesOptions>();
  app.add_option("action", options->action, "list or export")
      ->required()
      ->check(CLI::IsMember({"list", "export"}));
  app.add_option("--format", options->format, "What to export")
      ->check(CLI::IsMember({"rules", "dashboard"}))
      ->capture_default_str();
  app.add_option("--release", options->release,
                 "kube-scheduler's release: names of metrics and what they count differ")
      ->type_name("1.NN")
      ->capture_default_str();
  app.add_option("--threshold", options->threshold,
                 "Seconds over which an attempt is slow; a bucket bound")
      ->capture_default_str();
  return [options](const Context& context) {
    if (options->action == "list") {
      List(context.out);
      return 0;
    }
    const WatchOptions watch{MinorOf(options->release), options->threshold};
    context.out << (options->format == "rules" ? RuleFile(watch) : Dashboard(watch));
    return 0;
  };
}

}  // namespace schedlens
