#pragma once

// How a diagnosis leaves the process: the same options in `diagnose` and `report`.

#include "cli/command.h"
#include "contract/report.h"

namespace schedlens {

struct InvestigateOptions;

struct OutputOptions {
  std::string format = "text";
  std::string color = "auto";  ///< "auto", "always", "never"
  std::optional<int> width;    ///< columns; absent: the terminal's, else 100
  RenderOptions look;          ///< the rest, as it was asked for
  std::string export_html, export_json, export_markdown;  ///< files; empty: none
};

/// `-o/--output`, `--export-html|json|markdown FILE`, `--full`, `-v`, `--color`, `--width`,
/// `--ascii`, `--lang`, `--link`; the zone is TimeOptionTable's.
Options OutputOptionTable(OutputOptions* options);

/// `--lang` of a command with one text.
Option LanguageOption(std::string* language, const char* row = "text:--lang");
/// `-o text|json` and `--lang` of such a command.
Options FormatAndLanguage(std::string* format, std::string* language);

/// How to render for `context.out`. Colour: `--color`, then NO_COLOR, CLICOLOR_FORCE, TERM=dumb,
/// then whether the output is a terminal. Width: `--width`, then COLUMNS, the terminal's, 100.
/// ASCII: `--ascii`, or a locale that is not UTF-8.
RenderOptions RenderOptionsFor(const OutputOptions& options, const Context& context);

/// Whether what is written on `context.out` appears on a terminal.
bool IsTerminal(const Context& context);

/// Writes the export files (each whole or not at all), then the chosen format on `context.out`.
/// Throws Error(kFailed) when a file cannot be written. Of several diagnoses together the options
/// passed CheckForms.
template <class Report>
void WriteReports(const Report& report, const OutputOptions& options, const Context& context);
extern template void WriteReports(const Diagnosis&, const OutputOptions&, const Context&);
extern template void WriteReports(const SplitDiagnosis&, const OutputOptions&, const Context&);
extern template void WriteReports(const Against&, const OutputOptions&, const Context&);
/// The same, the chosen format returned.
std::string ReportAsAsked(const Diagnosis& diagnosis, const OutputOptions& options,
                          const RenderOptions& render);

/// Throws Error(kUsage) when the options ask for a form that several diagnoses together do not
/// have: text, JSON, Markdown and HTML they have. `option` made it several; `advice` is what to do.
void CheckForms(const OutputOptions& options, std::string_view option,
                std::string_view advice = "");

/// A text for somebody else to read: `-` is standard output, `.gz` packs. Throws Error(kFailed) if
/// it cannot be written.
void WriteTo(const std::string& path, const std::string& text, const Context& context);

/// What `--against` names: a saved diagnosis, or a capture that is still to be diagnosed.
struct EarlierFile {
  std::optional<Diagnosis> saved;
  std::string capture;  ///< its file; empty with `saved`
};

/// Reads the diagnosis that `diagnose -o json` saved in the file; of a capture, which may be large,
/// the first bytes alone. Throws Error(kFailed) for a file that cannot be read or begins as JSON
/// and is no diagnosis, and Error(kUsage) for a capture on standard input or in a pipe.
EarlierFile OpenEarlier(const std::string& file);

/// The earlier side: the saved diagnosis, else that of the capture, its window found, for the same
/// schedulers and the same alert as `now`. Throws what diagnosing throws.
Diagnosis EarlierSide(EarlierFile file, const InvestigateOptions& options, const Diagnosis& now,
                      const Context& context);

/// Whether two names of files to write lead to one file, by `./`, links or folders that are links,
/// also where it is not there yet. `-`, standard output, is a place of its own.
bool SamePlace(const std::string& a, const std::string& b);

}  // namespace schedlens
