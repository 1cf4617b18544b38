#include "cli/output_options.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
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
  return RenderText(diagnosis, options);  // CLI11 let no other name through
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

void AddOutputOptions(CLI::App& app, OutputOptions* options) {
  app.add_option("-o,--output", options->format, "What to print on standard output")
      ->check(CLI::IsMember(FormatNames()))
      ->capture_default_str()
      ->group("Output");
  app.add_option("--export-html", options->export_html, "Also write the HTML report to this file")
      ->type_name("FILE")
      ->group("Output");
  app.add_option("--export-json", options->export_json, "Also write the JSON to this file")
      ->type_name("FILE")
      ->group("Output");
  app.add_option("--export-markdown", options->export_markdown,
                 "Also write the Markdown report to this file")
      ->type_name("FILE")
      ->group("Output");
  app.add_option("--color", options->color, "Colour in the text report")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str()
      ->group("Output");
  app.add_option("--width", options->width,
                 "Columns of the text report (default: the terminal's, else 100)")
      ->check(CLI::Range(40, 400))
      ->type_name("COLUMNS")
      ->group("Output");
  app.add_flag("--ascii", options->ascii, "No character beyond ASCII in bars and plots")
      ->group("Output");
  app.add_option("--lang", options->lang, "Language of the text, Markdown and HTML reports")
      ->check(CLI::IsMember({"en", "zh"}))
      ->capture_default_str()
      ->group("Output");
}

RenderOptions RenderOptionsFor(const OutputOptions& options, const Context& context) {
  RenderOptions render;
  render.color = WantsColor(options, context);
  render.ascii = options.ascii || !Utf8Locale();
  render.width = Width(options, context);
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
              "--by prints text, json or markdown: for one page, name one scheduler by --selector");
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
