#include "cli/report_command.h"

#include <CLI/CLI.hpp>
#include <istream>
#include <iterator>
#include <memory>
#include <ostream>
#include <string>

#include "cli/output_options.h"
#include "contract/report.h"
#include "model/file.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

struct ReportOptions {
  std::string path;
  std::string schema;  ///< "diagnosis", "diagnoses", or empty
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
  const CLI::Option* asked_schema =
      app.add_option(
             "--schema", options->schema,
             "Print the JSON Schema of a diagnosis, and nothing else; with diagnoses that of "
             "`diagnose --by`")
          ->expected(0, 1)
          ->default_str("diagnosis")
          ->check(CLI::IsMember({"diagnosis", "diagnoses"}));
  AddOutputOptions(app, &options->output);
  return [options, asked_schema](const Context& context) {
    if (asked_schema->count() > 0) {
      context.out << (options->schema == "diagnoses" ? DiagnosesSchema() : DiagnosisSchema());
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
