#ifndef SCHEDLENS_CLI_OPTIONS_OUTPUT_H_
#define SCHEDLENS_CLI_OPTIONS_OUTPUT_H_

// How a diagnosis leaves the process: the same options in `diagnose` and `report`.

#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "contract/diagnosis.h"
#include "contract/report.h"

namespace schedlens {

struct OutputOptions {
  std::string format = "text";
  std::string color = "auto";  ///< "auto", "always", "never"
  std::optional<int> width;    ///< columns; absent: the terminal's, else 100
  bool ascii = false;
  bool full = false;  ///< the text report whole, not on one screen
  bool queries = false;
  std::string lang = "en";
  std::string link;  ///< where the HTML report can be read
  Zone zone;
  std::string export_html, export_json, export_markdown;  ///< files; empty: none
};

/// `-o/--output`, `--export-html|json|markdown FILE`, `--full`, `-v`, `--color`, `--width`,
/// `--ascii`, `--lang`, `--timezone`, `--link`.
/// `options` must outlive the table.
Options OutputOptionTable(OutputOptions* options);

/// `--lang` of a command with one text; `language` must outlive the option.
Option LanguageOption(std::string* language);

/// How to render for `context.out`. Colour: `--color`, then NO_COLOR, CLICOLOR_FORCE, TERM=dumb,
/// then whether the output is a terminal. Width: `--width`, then COLUMNS, the terminal's, 100.
/// ASCII: `--ascii`, or a locale that is not UTF-8.
RenderOptions RenderOptionsFor(const OutputOptions& options, const Context& context);

/// Whether what is written on `context.out` appears on a terminal.
bool IsTerminal(const Context& context);

/// Writes the export files (each whole or not at all), then the chosen format on `context.out`.
/// Throws Error(kFailed) when a file cannot be written.
void WriteReports(const Diagnosis& diagnosis, const OutputOptions& options, const Context& context);
/// The same, the chosen format returned.
std::string ReportAsAsked(const Diagnosis& diagnosis, const OutputOptions& options,
                          const RenderOptions& render);

/// Throws Error(kUsage) when the options ask for a form that many diagnoses together do not have:
/// text, JSON, Markdown and HTML they have.
void CheckSplitOutput(const OutputOptions& options);
/// The same for many diagnoses; the options passed CheckSplitOutput.
void WriteReports(const SplitDiagnosis& split, const OutputOptions& options,
                  const Context& context);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_OPTIONS_OUTPUT_H_
