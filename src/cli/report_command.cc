#include "cli/report_command.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>
#include <string>

#include "cli/output_options.h"
#include "model/file.h"
#include "schedlens/error.h"
#include "schedlens/report.h"

namespace schedlens {
namespace {

struct ReportOptions {
  std::string path;
  bool schema = false;
  OutputOptions output;
};

}  // namespace

Run SetUpReport(CLI::App& app) {
  const auto options = std::make_shared<ReportOptions>();
  app.add_option("diagnosis", options->path,
                 "JSON that `diagnose -o json` or `--export-json` wrote; `-` for standard input");
  app.add_flag("--schema", options->schema,
               "Print the JSON Schema of a diagnosis, and nothing else");
  AddOutputOptions(app, &options->output);
  return [options](const Context& context) {
    if (options->schema) {
      context.out << DiagnosisSchema();
      return 0;
    }
    if (options->path.empty()) {
      throw Error(ErrorKind::kUsage,
                  "report needs a saved diagnosis: give the file that `diagnose -o json` wrote, or "
                  "`-` for standard input. See `schedlens report --help`");
    }
    const Diagnosis diagnosis = ParseDiagnosis(ReadFile(options->path), options->path);
    WriteReports(diagnosis, options->output, context);
    return 0;
  };
}

}  // namespace schedlens
