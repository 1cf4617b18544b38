#include "cli/options/output.h"

#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <system_error>

#include "base/file.h"
#include "cli/options/investigate.h"
#include "cli/safe_stream.h"
#include "report/commands.h"
#include "report/format.h"
#include "source/capture/capture_source.h"

namespace schedlens {
namespace {

namespace fs = std::filesystem;

/// A link to nothing is followed too: whoever writes its target first makes it lead there.
fs::path Place(const std::string& name) {
  constexpr int kMostLinks = 40;  // as Linux follows
  std::error_code none;
  fs::path place = fs::weakly_canonical(fs::absolute(name, none), none);
  for (int i = 0; i < kMostLinks && fs::is_symlink(fs::symlink_status(place, none)); ++i) {
    place = fs::weakly_canonical(place.parent_path() / fs::read_symlink(place, none), none);
  }
  return place;
}

struct Format {
  std::string_view name;
  std::string (*render)(const Diagnosis&, const RenderOptions&);
};

constexpr Format kFormats[] = {
    {"text", RenderText},
    {"json",
     [](const Diagnosis& diagnosis, const RenderOptions&) { return RenderJson(diagnosis); }},
    {"brief",
     [](const Diagnosis& diagnosis, const RenderOptions&) { return RenderBrief(diagnosis); }},
    {"markdown", RenderMarkdown},
    {"html", RenderHtml},
    {"slack", RenderSlack},
    {"grafana-annotation",  // a body to post
     [](const Diagnosis& diagnosis, const RenderOptions&) {
       return RenderGrafanaAnnotation(diagnosis);
     }},
};

std::string Render(const std::string& name, const Diagnosis& diagnosis,
                   const RenderOptions& options) {
  for (const Format& format : kFormats) {
    if (format.name == name) return format.render(diagnosis, options);
  }
  return RenderText(diagnosis, options);  // the table of options lets no other name through
}

/// The forms that several diagnoses together have.
template <class Report>
std::string Render(const std::string& name, const Report& report, const RenderOptions& options) {
  if (name == "json") return RenderJson(report);
  if (name == "markdown") return RenderMarkdown(report, options);
  return name == "html" ? RenderHtml(report, options) : RenderText(report, options);
}

/// The export files; the chosen form is returned.
template <class Report>
std::string Exported(const Report& report, const OutputOptions& options,
                     const RenderOptions& render) {
  for (const auto& [format, file] :
       {std::pair("html", options.export_html), std::pair("json", options.export_json),
        std::pair("markdown", options.export_markdown)}) {
    if (!file.empty()) WriteTextFile(file, Render(format, report, render));
  }
  return Render(options.format, report, render);
}

bool WantsColor(const OutputOptions& options, const Context& context) {
  if (options.color != "auto") return options.color == "always";
  if (!Environment("NO_COLOR").empty()) return false;
  const std::string force = Environment("CLICOLOR_FORCE");
  if (!force.empty() && force != "0") return true;
  return Environment("TERM") != "dumb" && IsTerminal(context);
}

// The first of the three that is set decides, as in the C library.
bool Utf8Locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string value = InSmallLetters(Environment(name));
    if (value.empty()) continue;
    return value.find("utf-8") != std::string::npos || value.find("utf8") != std::string::npos;
  }
  return false;
}

constexpr int kNarrowest = 40, kWidest = 400;

int Width(const OutputOptions& options, const Context& context) {
  constexpr int kDefault = 100;
  if (options.width) return *options.width;
  // As a shell sets it for what it starts; anything else in it is nobody's width.
  const int columns = WholeNumber<int>(Environment("COLUMNS")).value_or(0);
  if (columns > 0) return std::clamp(columns, kNarrowest, kWidest);
  return IsTerminal(context) ? SizeOfTerminal().columns : kDefault;
}

/// Two reports in one file would leave the last one alone.
Option ExportOption(const char* name, std::string* own, OutputOptions* o) {
  return {
      name, [=](const std::string& file) {
        if (file == "-") {
          Raise(ErrorKind::kUsage, "{} -: it writes a file; for standard output give --output",
                name);
        }
        for (const std::string* other : {&o->export_html, &o->export_json, &o->export_markdown}) {
          if (other == own || other->empty() || !SamePlace(*other, file)) continue;
          Raise(ErrorKind::kUsage, "{} {}: another report is written to this file", name, file);
        }
        *own = file;
      }};
}

Options FormatOptions(OutputOptions* o) {
  std::vector<std::string> names;
  for (const Format& format : kFormats) names.emplace_back(format.name);
  return {
      Option("output:-o,--output", &o->format, {.show_default = true, .choices = names}),
      ExportOption("--export-html", &o->export_html, o),
      ExportOption("--export-json", &o->export_json, o),
      ExportOption("--export-markdown", &o->export_markdown, o),
  };
}

Options LookOptions(OutputOptions* o) {
  return {
      {"output:--full", &o->look.full},
      {"-v,--with-queries", &o->look.queries},
      Option("--color", &o->color, {.show_default = true, .choices = {"auto", "always", "never"}}),
      Option("--width", &o->width, {.range = {{kNarrowest, kWidest}}}),
      {"--ascii", &o->look.ascii},
      LanguageOption(&o->look.lang, "output:--lang"),
      {"--link",
       [o](const std::string& text) {
         if (!IsWebLink(text))
           Raise(ErrorKind::kUsage, "--link {}: expected an http or https URL", text);
         o->look.link = text;
       }},
  };
}

/// JSON begins with a brace; of captures only a dump and JSON of a server do.
bool IsSavedDiagnosis(const std::string& text) {
  const std::string_view start = Trimmed(text);
  return start.starts_with('{') && !start.starts_with("{__name__=") && !IsJsonCapture(text);
}

}  // namespace

bool SamePlace(const std::string& a, const std::string& b) {
  if (a == "-" || b == "-") return a == b;
  return Place(a) == Place(b);
}

bool IsTerminal(const Context& context) {
  const auto* safe = dynamic_cast<const SafeStream*>(&context.out);
  return (safe == nullptr ? &context.out : &safe->target()) == &std::cout && isatty(1) == 1;
}

Options OutputOptionTable(OutputOptions* options) {
  return InGroup("Output", Together({FormatOptions(options), LookOptions(options)}));
}

Option LanguageOption(std::string* language, const char* row) {
  return Option(row, language, {.show_default = true, .choices = Catalog::Languages()});
}

Options FormatAndLanguage(std::string* format, std::string* language) {
  return {Option("format:-o,--output", format, {.show_default = true, .choices = {"text", "json"}}),
          LanguageOption(language)};
}

RenderOptions RenderOptionsFor(const OutputOptions& options, const Context& context) {
  RenderOptions look = options.look;
  look.color = WantsColor(options, context);
  look.ascii = look.ascii || !Utf8Locale();
  look.width = Width(options, context);
  // The prompt comes below, and the head of `watch` above.
  if (IsTerminal(context)) look.rows = SizeOfTerminal().rows - 2;
  if (look.link.empty()) look.link = options.export_html;
  return look;
}

/// Names in a text report are escaped, its colours are ours.
template <class Report>
void WriteReports(const Report& report, const OutputOptions& options, const Context& context) {
  const RenderOptions render = RenderOptionsFor(options, context);
  const std::string text = Exported(report, options, render);
  if (render.color && options.format == "text") {
    context.out << Own{text};
  } else {
    context.out << text;
  }
}

template void WriteReports(const Diagnosis&, const OutputOptions&, const Context&);
template void WriteReports(const SplitDiagnosis&, const OutputOptions&, const Context&);
template void WriteReports(const Against&, const OutputOptions&, const Context&);

std::string ReportAsAsked(const Diagnosis& diagnosis, const OutputOptions& options,
                          const RenderOptions& render) {
  return Exported(diagnosis, options, render);
}

void CheckForms(const OutputOptions& options, std::string_view option, std::string_view advice) {
  for (const char* format : {"text", "json", "markdown", "html"}) {
    if (options.format == format) return;
  }
  Raise(ErrorKind::kUsage, "{} supports only text, json, markdown and html{}", option, advice);
}

void WriteTo(const std::string& path, const std::string& text, const Context& context) {
  if (path != "-") return WriteTextFile(path, text);
  if (!(context.out << text << std::flush)) {
    throw Error(ErrorKind::kFailed, "cannot write to standard output");
  }
}

EarlierFile OpenEarlier(const std::string& file) {
  std::error_code none;
  const bool regular = file != "-" && std::filesystem::is_regular_file(file, none);
  if (regular && !IsSavedDiagnosis(ReadAhead(*OpenByteSource(file, file), 4096)))
    return {.saved = {}, .capture = file};
  const std::string text = ReadFile(file);
  if (IsSavedDiagnosis(text)) return {.saved = ParseDiagnosis(text, file), .capture = {}};
  Raise(ErrorKind::kUsage,
        "--against {}: no saved diagnosis, and a capture can only be given as a file: give the "
        "file's name",
        file);
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

}  // namespace schedlens
