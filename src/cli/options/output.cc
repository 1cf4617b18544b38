#include "cli/options/output.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <optional>
#include <ostream>
#include <string_view>

#include "cli/safe_stream.h"
#include "cli/same_place.h"
#include "messages/catalog.h"
#include "model/file.h"
#include "model/text.h"
#include "model/time_zone.h"
#include "report/escape.h"
#include "report/links.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

struct Format {
  std::string_view name;
  std::string (*render)(const Diagnosis&, const RenderOptions&);
};

// Formats without options take none of them.
template <std::string (*kRender)(const Diagnosis&)>
std::string Plainly(const Diagnosis& diagnosis, const RenderOptions&) {
  return kRender(diagnosis);
}

const std::vector<Format>& Formats() {
  static const std::vector<Format> all = {
      {"text", RenderText},
      {"json", Plainly<RenderJson>},
      {"markdown", RenderMarkdown},
      {"html", RenderHtml},
      {"slack", RenderSlack},
      {"grafana-annotation", Plainly<RenderGrafanaAnnotation>},  // a body to post
  };
  return all;
}

std::string Render(std::string_view name, const Diagnosis& diagnosis,
                   const RenderOptions& options) {
  for (const Format& format : Formats()) {
    if (format.name == name) return format.render(diagnosis, options);
  }
  return RenderText(diagnosis, options);  // the table of options lets no other name through
}

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
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
    std::string value = Environment(name);
    if (value.empty()) continue;
    for (char& c : value) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return value.find("utf-8") != std::string::npos || value.find("utf8") != std::string::npos;
  }
  return false;
}

constexpr int kNarrowest = 40, kWidest = 400;

// As a shell sets it for what it starts; anything else in it is nobody's width.
std::optional<int> ColumnsOfEnvironment() {
  const std::string text = Environment("COLUMNS");
  int columns = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), columns);
  const bool good = error == std::errc() && end == text.data() + text.size() && columns > 0;
  if (!good) return std::nullopt;
  return std::clamp(columns, kNarrowest, kWidest);
}

int Width(const OutputOptions& options, const Context& context) {
  constexpr int kDefault = 100;
  if (options.width) return *options.width;
  if (const auto columns = ColumnsOfEnvironment()) return *columns;
  winsize size{};
  const bool known = IsTerminal(context) && ioctl(1, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : kDefault;
}

void ReadLink(const std::string& text, OutputOptions* options) {
  if (!IsWebLink(text)) {
    throw Error(ErrorKind::kUsage, "--link " + text + ": expected an http or https URL");
  }
  options->link = text;
}

/// Two reports in one file would leave the last one alone.
void ReadExport(const std::string& option, const std::string& file, std::string* own,
                const OutputOptions& options) {
  for (const std::string* other :
       {&options.export_html, &options.export_json, &options.export_markdown}) {
    if (other == own || other->empty() || !SamePlace(*other, file)) continue;
    throw Error(ErrorKind::kUsage,
                fmt::format("{} {}: another report is written to this file", option, file));
  }
  *own = file;
}

/// A target of one of the exports.
std::function<void(const std::string&)> Export(const char* option, std::string OutputOptions::*own,
                                               OutputOptions* o) {
  return [=](const std::string& file) { ReadExport(option, file, &(o->*own), *o); };
}

std::vector<std::string> FormatNames() {
  std::vector<std::string> names;
  for (const Format& format : Formats()) names.emplace_back(format.name);
  return names;
}

Options FormatOptions(OutputOptions* o, const std::string& group) {
  return {
      {.names = "-o,--output",
       .value = "FORMAT",
       .help = "what to print on standard output",
       .target = &o->format,
       .group = group,
       .show_default = true,
       .choices = FormatNames()},
      {.names = "--export-html",
       .value = "FILE",
       .help = "also write the HTML report to this file",
       .target = Export("--export-html", &OutputOptions::export_html, o),
       .group = group},
      {.names = "--export-json",
       .value = "FILE",
       .help = "also write the JSON to this file",
       .target = Export("--export-json", &OutputOptions::export_json, o),
       .group = group},
      {.names = "--export-markdown",
       .value = "FILE",
       .help = "also write the Markdown report to this file",
       .target = Export("--export-markdown", &OutputOptions::export_markdown, o),
       .group = group},
  };
}

Options LookOptions(OutputOptions* o, const std::string& group) {
  return {
      {.names = "--full",
       .help = "print the whole text report: every stage, plugin and quantile with all evidence",
       .target = &o->full,
       .group = group},
      {.names = "-v,--with-queries",
       .help = "the same with the query behind each claim, to be pasted",
       .target = &o->queries,
       .group = group},
      {.names = "--color",
       .value = "WHEN",
       .help = "color in the text report",
       .target = &o->color,
       .group = group,
       .show_default = true,
       .choices = {"auto", "always", "never"}},
      {.names = "--width",
       .value = "COLUMNS",
       .help = "width of the text report (default: $COLUMNS, else the terminal's, else 100)",
       .target = &o->width,
       .group = group,
       .range = {{kNarrowest, kWidest}}},
      {.names = "--ascii",
       .help = "only ASCII characters in bars and plots",
       .target = &o->ascii,
       .group = group},
      {.names = "--lang",
       .value = "LANGUAGE",
       .help = "language of every report but JSON",
       .target = &o->lang,
       .group = group,
       .show_default = true,
       .choices = Catalog::Languages()},
      {.names = "--timezone",
       .value = "ZONE",
       .help = "zone of the times in reports: a name such as Europe/Berlin, or +02:00 (default: "
               "UTC; JSON is in UTC)",
       .target = [o](const std::string& text) { o->zone = ReadZone(text); },
       .group = group},
      {.names = "--link",
       .value = "URL",
       .help = "where the HTML report can be read: a link to it in the Slack message",
       .target = [o](const std::string& text) { ReadLink(text, o); },
       .group = group},
  };
}

}  // namespace

bool IsTerminal(const Context& context) {
  return &Unwrapped(context.out) == &std::cout && isatty(1) == 1;
}

Options OutputOptionTable(OutputOptions* options) {
  return Together({FormatOptions(options, "Output"), LookOptions(options, "Output")});
}

Option LanguageOption(std::string* language) {
  return {.names = "--lang",
          .value = "LANGUAGE",
          .help = "language of the text",
          .target = language,
          .show_default = true,
          .choices = Catalog::Languages()};
}

RenderOptions RenderOptionsFor(const OutputOptions& options, const Context& context) {
  RenderOptions render;
  render.color = WantsColor(options, context);
  render.ascii = options.ascii || !Utf8Locale();
  render.width = Width(options, context);
  render.full = options.full;
  render.queries = options.queries;
  render.lang = options.lang;
  render.link = options.link.empty() ? options.export_html : options.link;
  render.zone = options.zone;
  return render;
}

void WriteReports(const Diagnosis& diagnosis, const OutputOptions& options,
                  const Context& context) {
  const RenderOptions render = RenderOptionsFor(options, context);
  PutReport(context.out, ReportAsAsked(diagnosis, options, render), render.color);
}

std::string ReportAsAsked(const Diagnosis& diagnosis, const OutputOptions& options,
                          const RenderOptions& render) {
  if (!options.export_html.empty()) {
    WriteTextFile(options.export_html, RenderHtml(diagnosis, render));
  }
  if (!options.export_json.empty()) {
    WriteTextFile(options.export_json, RenderJson(diagnosis));
  }
  if (!options.export_markdown.empty()) {
    WriteTextFile(options.export_markdown, RenderMarkdown(diagnosis, render));
  }
  return Render(options.format, diagnosis, render);
}

void CheckSplitOutput(const OutputOptions& options) {
  const std::string& format = options.format;
  if (format == "text" || format == "json" || format == "markdown" || format == "html") return;
  throw Error(ErrorKind::kUsage,
              "--by supports only text, json, markdown and html; for other formats select one "
              "scheduler with --selector");
}

void WriteReports(const SplitDiagnosis& split, const OutputOptions& options,
                  const Context& context) {
  const RenderOptions render = RenderOptionsFor(options, context);
  if (!options.export_html.empty()) {
    WriteTextFile(options.export_html, RenderHtml(split, render));
  }
  if (!options.export_json.empty()) WriteTextFile(options.export_json, RenderJson(split));
  if (!options.export_markdown.empty()) {
    WriteTextFile(options.export_markdown, RenderMarkdown(split, render));
  }
  if (options.format == "json") {
    context.out << RenderJson(split);
  } else if (options.format == "html") {
    context.out << RenderHtml(split, render);
  } else if (options.format == "markdown") {
    context.out << RenderMarkdown(split, render);
  } else {
    PutReport(context.out, RenderText(split, render), render.color);
  }
}

}  // namespace schedlens
