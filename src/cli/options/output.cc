#include "cli/options/output.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <ostream>
#include <string_view>

#include "model/file.h"
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
      {"slack", Plainly<RenderSlack>},
      {"grafana-annotation", Plainly<RenderGrafanaAnnotation>},
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

bool IsTerminal(const Context& context) { return &context.out == &std::cout && isatty(1) == 1; }

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

int Width(const OutputOptions& options, const Context& context) {
  constexpr int kDefault = 100;
  if (options.width) return *options.width;
  winsize size{};
  const bool known = IsTerminal(context) && ioctl(1, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : kDefault;
}

std::vector<std::string> FormatNames() {
  std::vector<std::string> names;
  for (const Format& format : Formats()) names.emplace_back(format.name);
  return names;
}

}  // namespace

Options OutputOptionTable(OutputOptions* options) {
  OutputOptions* o = options;
  const std::string group = "Output";
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
       .target = &o->export_html,
       .group = group},
      {.names = "--export-json",
       .value = "FILE",
       .help = "also write the JSON to this file",
       .target = &o->export_json,
       .group = group},
      {.names = "--export-markdown",
       .value = "FILE",
       .help = "also write the Markdown report to this file",
       .target = &o->export_markdown,
       .group = group},
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
       .help = "width of the text report (default: the terminal's, else 100)",
       .target = &o->width,
       .group = group,
       .range = {{40, 400}}},
      {.names = "--ascii",
       .help = "only ASCII characters in bars and plots",
       .target = &o->ascii,
       .group = group},
      {.names = "--lang",
       .value = "LANGUAGE",
       .help = "language of the text, Markdown and HTML reports",
       .target = &o->lang,
       .group = group,
       .show_default = true,
       .choices = {"en", "zh"}},
  };
}

RenderOptions RenderOptionsFor(const OutputOptions& options, const Context& context) {
  RenderOptions render;
  render.color = WantsColor(options, context);
  render.ascii = options.ascii || !Utf8Locale();
  render.width = Width(options, context);
  render.full = options.full;
  render.queries = options.queries;
  render.lang = options.lang;
  return render;
}

void WriteReports(const Diagnosis& diagnosis, const OutputOptions& options,
                  const Context& context) {
  const RenderOptions render = RenderOptionsFor(options, context);
  if (!options.export_html.empty()) {
    WriteFileAtomically(options.export_html, RenderHtml(diagnosis, render));
  }
  if (!options.export_json.empty()) {
    WriteFileAtomically(options.export_json, RenderJson(diagnosis));
  }
  if (!options.export_markdown.empty()) {
    WriteFileAtomically(options.export_markdown, RenderMarkdown(diagnosis, render));
  }
  context.out << Render(options.format, diagnosis, render);
}

void CheckSplitOutput(const OutputOptions& options) {
  const std::string& format = options.format;
  if (format == "text" || format == "json" || format == "markdown") {
    if (options.export_html.empty()) return;
  }
  throw Error(ErrorKind::kUsage,
              "--by supports only text, json and markdown; for other formats select one scheduler "
              "with --selector");
}

void WriteReports(const SplitDiagnosis& split, const OutputOptions& options,
                  const Context& context) {
  const RenderOptions render = RenderOptionsFor(options, context);
  if (!options.export_json.empty()) WriteFileAtomically(options.export_json, RenderJson(split));
  if (!options.export_markdown.empty()) {
    WriteFileAtomically(options.export_markdown, RenderMarkdown(split, render));
  }
  if (options.format == "json") {
    context.out << RenderJson(split);
  } else {
    context.out << (options.format == "markdown" ? RenderMarkdown(split, render)
                                                 : RenderText(split, render));
  }
}

}  // namespace schedlens
