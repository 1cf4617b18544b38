#include "cli/options/against.h"

#include <filesystem>
#include <ostream>
#include <utility>

#include "analysis/diagnose/against.h"
#include "cli/safe_stream.h"
#include "cli/version.h"
#include "model/byte_source.h"
#include "model/file.h"
#include "report/commands.h"
#include "report/checked.h"
#include "schedlens/error.h"
#include "source/capture/capture_file.h"

namespace schedlens {
namespace {

/// JSON begins with a brace; of captures only a dump and JSON of a server do.
bool IsSavedDiagnosis(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string::npos && text[first] == '{' &&
         text.compare(first, 10, "{__name__=") != 0 && !IsJsonCapture(text);
}

std::string FirstBytes(const std::string& file) {
  std::string bytes(4096, '\0');
  const auto source = OpenByteSource(file, file);
  std::size_t held = 0;
  while (held < bytes.size()) {
    const std::size_t n = source->Read(bytes.data() + held, bytes.size() - held);
    if (n == 0) break;
    held += n;
  }
  bytes.resize(held);
  return bytes;
}

}  // namespace

Option AgainstOption(std::string* file) {
  return {.names = "--against",
          .value = "FILE",
          .help =
              "set the diagnosis beside an earlier one: JSON that `diagnose -o json` wrote, or "
              "a capture",
          .target = file};
}

EarlierFile OpenEarlier(const std::string& file) {
  std::error_code none;
  const bool regular = file != "-" && std::filesystem::is_regular_file(file, none);
  if (regular && !IsSavedDiagnosis(FirstBytes(file))) return {.saved = {}, .capture = file};
  const std::string text = ReadFile(file);
  if (IsSavedDiagnosis(text)) return {.saved = ParseDiagnosis(text, file), .capture = {}};
  throw Error(ErrorKind::kUsage, "--against " + file +
                                     ": no saved diagnosis, and a capture can only be given as a "
                                     "file: give the file's name");
}

Diagnosis EarlierSide(EarlierFile file, const InvestigateOptions& options, const Diagnosis& now,
                      const Context& context) {
  if (file.saved) return *std::move(file.saved);
  InvestigateOptions earlier = options;
  earlier.source = {};
  earlier.source.capture = file.capture;
  earlier.source.selector = options.source.selector;
  earlier.source.semantics = options.source.semantics;
  earlier.time = {};
  earlier.answer_steps = false;
  earlier.alert = {};
  if (now.alert && now.alert->given) earlier.alert.alert = now.alert->expr;
  earlier.alert.none = earlier.alert.alert.empty();
  Diagnosis then = InvestigateAsAsked(earlier, QueriesOf(earlier), context).diagnosis;
  then.tool_version = Version();
  return Checked(std::move(then));
}

void CheckAgainstOutput(const OutputOptions& options) {
  for (const char* format : {"text", "json", "markdown", "html"}) {
    if (options.format == format) return;
  }
  throw Error(ErrorKind::kUsage, "--against supports only text, json, markdown and html");
}

void WriteAgainst(Diagnosis then, Diagnosis now, const OutputOptions& options,
                  const Context& context) {
  const Against against = SetAgainst(std::move(then), std::move(now));
  const RenderOptions render = RenderOptionsFor(options, context);
  const auto written = [&](const std::string& format) {
    if (format == "json") return RenderJson(against);
    if (format == "markdown") return RenderMarkdown(against, render);
    return format == "html" ? RenderHtml(against, render) : RenderText(against, render);
  };
  for (const auto& [format, file] :
       {std::pair("html", options.export_html), std::pair("json", options.export_json),
        std::pair("markdown", options.export_markdown)}) {
    if (!file.empty()) WriteTextFile(file, written(format));
  }
  PutReport(context.out, written(options.format), render.color);
}

}  // namespace schedlens
