#include "cli/app.h"

#include <CLI/CLI.hpp>
#include <sstream>

#include "analysis/glossary/glossary.h"
#include "cli/help.h"
#include "cli/version.h"

namespace schedlens {
namespace {

constexpr const char* kSummary =
    "From a kube-scheduler latency alert to a proven cause and an incident report.";

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

/// The values of CLI::IsMember, which CLI11 appends to the label: `FORMAT:{text,json}`.
std::vector<std::string> Choices(const std::string& type_name) {
  const std::size_t open = type_name.find('{');
  const std::size_t close = type_name.rfind('}');
  if (open == std::string::npos || close == std::string::npos || close < open) return {};
  return Split(type_name.substr(open + 1, close - open - 1), ',');
}

OptionSpec Describe(const CLI::Option& option) {
  OptionSpec spec;
  if (option.nonpositional()) {
    for (const std::string& name : option.get_snames()) spec.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) spec.names.push_back("--" + name);
  }
  const std::string type_name = option.get_type_name();
  if (option.get_items_expected_max() > 0) {
    spec.label = type_name.substr(0, type_name.find_first_of(":["));
    if (spec.label.empty() || spec.label.front() == '{') spec.label = "VALUE";
  }
  spec.description = option.get_description();
  spec.group = option.get_group();
  spec.choices = Choices(type_name);
  return spec;
}

void DescribeOptions(const CLI::App& app, std::vector<OptionSpec>* options,
                     std::vector<OptionSpec>* positionals) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    (option->nonpositional() ? options : positionals)->push_back(Describe(*option));
  }
}

CommandSpec Describe(const Command& command, const CLI::App& app) {
  CommandSpec spec;
  spec.name = command.name;
  spec.summary = command.summary;
  spec.examples = Split(std::string(command.examples), '\n');
  DescribeOptions(app, &spec.options, &spec.positionals);
  if (spec.name == "explain") spec.positionals.front().choices = ExplainedWords();
  return spec;
}

}  // namespace

std::vector<Run> SetUpApp(CLI::App& app) {
  app.name("schedlens");
  app.description(kSummary);
  app.set_help_flag("-h,--help", "print this help and exit");
  app.set_version_flag("--version", VersionLine(), "print the version and exit");
  app.add_flag("--show-config")
      ->description("print every setting in force, and where it comes from, and exit");
  app.require_subcommand(0, 1);
  app.footer("`schedlens COMMAND --help` starts with examples that work.");
  std::vector<Run> runs;
  for (const Command& command : Commands()) {
    CLI::App* sub = app.add_subcommand(std::string(command.name), std::string(command.summary));
    SetHelp(*sub, command);
    runs.push_back(command.set_up(*sub));
  }
  return runs;
}

ProgramSpec DescribeProgram() {
  CLI::App app;
  SetUpApp(app);
  ProgramSpec spec;
  spec.summary = kSummary;
  std::vector<OptionSpec> none;
  DescribeOptions(app, &spec.options, &none);
  for (const Command& command : Commands()) {
    spec.commands.push_back(Describe(command, *app.get_subcommand(std::string(command.name))));
  }
  return spec;
}

}  // namespace schedlens
