#include "contract/report.h"

#include <ostream>
#include <utility>

#include "base/file.h"
#include "cli/command.h"
#include "cli/options/investigate.h"
#include "cli/options/output.h"
#include "diagnose/pipeline/diagnose.h"
#include "report/commands.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

struct ReportOptions {
  std::string path;
  std::string schema;  ///< "diagnosis", "diagnoses", "against", or empty
  std::string against;
  OutputOptions output;
};

std::string SavedJson(const std::string& path, const Context& context) {
  return path == "-" ? ReadStream(context.in, "standard input") : ReadFile(path);
}

int RunReport(const ReportOptions& options, const Context& context) {
  if (!options.schema.empty()) {
    context.out << (options.schema == "diagnoses" ? DiagnosesSchema()
                    : options.schema == "against" ? AgainstSchema()
                                                  : DiagnosisSchema());
    return 0;
  }
  if (options.path.empty()) {
    throw Error(ErrorKind::kUsage,
                "report needs a saved diagnosis: give the file that `diagnose -o json` wrote, or "
                "`-` for standard input. See `schedlens report --help`");
  }
  Diagnosis diagnosis = ParseDiagnosis(SavedJson(options.path, context), options.path);
  if (options.against.empty()) {
    WriteReports(diagnosis, options.output, context);
    return 0;
  }
  CheckForms(options.output, "--against");
  Diagnosis then = EarlierSide(OpenEarlier(options.against), {}, diagnosis, context);
  WriteReports(SetAgainst(std::move(then), std::move(diagnosis)), options.output, context);
  return 0;
}

}  // namespace

Declared DeclareReport() {
  return DeclareWith<ReportOptions>(
      [](ReportOptions* o) {
        return Together(
            {{{"diagnosis", "FILE",
               "JSON that `diagnose -o json` or `--export-json` wrote; `-` for standard input",
               &o->path},
              Option("--schema", "WHICH",
                     "only print the JSON Schema of a diagnosis, of the diagnoses of `diagnose "
                     "--by`, or of `--against`",
                     [o](const std::string& text) { o->schema = text; },
                     {.choices = {"diagnosis", "diagnoses", "against"}, .implied = "diagnosis"}),
              AgainstOption(&o->against)},
             OutputOptionTable(&o->output)});
      },
      RunReport);
}

}  // namespace schedlens
