#include "cli/report_command.h"

#include <CLI/CLI.hpp>
#include <istream>
#include <iterator>
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

std::string SavedJson(const std::string& path, const Context& context) {
  if (path != "-") return ReadFile(path);
  return {std::istreambuf_iterator<char>(context.in), {}};
}

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
    const Diagnosis diagnosis = ParseDiagnosis(SavedJson(options->path, context), options->path);
    WriteReports(diagnosis, options->output, context);
    return 0;
  };
}

}  // namespace schedlens
