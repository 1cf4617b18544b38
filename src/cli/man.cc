#include <fmt/format.h>
#include <fmt/ranges.h>

#include <initializer_list>
#include <ostream>
#include <utility>

#include "cli/command.h"

namespace schedlens {
namespace {

/// Text that roff prints as it is: no escapes, no requests at the start of a line.
std::string Roff(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\' || c == '-') escaped += '\\';
    escaped += c == '\\' ? 'e' : c;
  }
  if (!escaped.empty() && (escaped.front() == '.' || escaped.front() == '\'')) {
    escaped.insert(0, "\\&");
  }
  return escaped;
}

std::string Entry(const std::string& term, const std::string& text) {
  return ".TP\n\\fB" + Roff(term) + "\\fR\n" + Roff(text) + "\n";
}

std::string Entries(const Options& options) {
  std::string text;
  for (const Option& option : options) {
    std::vector<std::string> term = {fmt::format("{}", fmt::join(NamesOf(option), ", "))};
    if (option.takes_value()) term.push_back(option.value);
    if (option.positional()) term.erase(term.begin());
    const std::string choices =
        option.choices.empty() ? "" : fmt::format(": {}", fmt::join(option.choices, ", "));
    text += Entry(fmt::format("{}", fmt::join(term, " ")), option.help + choices);
  }
  return text;
}

std::string CommandSection(const DeclaredCommand& command) {
  std::string text = ".SS " + Roff(command.name) + "\n" + Roff(command.summary) + ".\n.PP\n.nf\n";
  for (const std::string& example : command.examples) text += Roff(example) + "\n";
  return text + ".fi\n" + Entries(command.positionals) + Entries(command.options);
}

using Rows = std::initializer_list<std::pair<const char*, const char*>>;

constexpr Rows kExitCodes = {
    {"0", "Success; no finding at or above the level of --fail-on."},
    {"1", "Failure: unreadable or malformed input, a server error, a full disk."},
    {"2", "Usage error in the command line or a configuration file."},
    {"3", "A finding at or above the level of --fail-on."},
    {"4", "The server refused the credentials (401, 403)."},
    {"5", "The data was read but is not sufficient for an answer."},
    {"124", "--timeout expired."},
    {"130", "Interrupted."},
};

constexpr Rows kEnvironment = {
    {"SCHEDLENS_URL, PROMETHEUS_URL",
     "The server of --prometheus; the first one that is set applies."},
    {"SCHEDLENS_HTTP_CONFIG", "The file of --http.config.file."},
    {"KUBECONFIG", "The files of --service, as kubectl reads them."},
    {"SOURCE_DATE_EPOCH", "When reports are made, in seconds, in place of the clock."},
    {"SCHEDLENS_CONFIG", "A configuration file to use instead of those under FILES."},
    {"NO_COLOR, CLICOLOR_FORCE, TERM", "Whether color is used."},
    {"COLUMNS", "Width of the text report."},
};

constexpr Rows kFiles = {
    {"$XDG_CONFIG_HOME/schedlens/config.yaml",
     "Settings: long option names and their values; below the name of a command, for that command "
     "only. ~/.config if the variable is not set."},
    {"/etc/schedlens/config.yaml", "The same for all users; the user's own file takes precedence."},
};

std::string Table(Rows rows) {
  std::string text;
  for (const auto& [term, explained] : rows) text += Entry(term, explained);
  return text;
}

}  // namespace

std::string ManPage(const Program& program) {
  std::string text = fmt::format(
      ".TH SCHEDLENS 1 \"\" \"{}\" \"User Commands\"\n"
      ".SH NAME\nschedlens \\- {}\n"
      ".SH SYNOPSIS\n.B schedlens\n\\fICOMMAND\\fR [\\fIOPTION\\fR]...\n.br\n"
      ".B kubectl schedlens\n\\fICOMMAND\\fR [\\fIOPTION\\fR]...\n",
      VersionLine(), Roff("kube-scheduler latency: from the alert to the cause"));
  text += ".SH DESCRIPTION\n" + Roff(program.summary) + "\n";
  text += ".SH OPTIONS\n" + Entries(program.options) + ".SH COMMANDS\n";
  for (const DeclaredCommand& command : program.commands) text += CommandSection(command);
  text += ".SH EXIT STATUS\n" + Table(kExitCodes);
  text += ".SH ENVIRONMENT\n" +
          Roff(
              "The command line takes precedence over the environment, and the environment over "
              "the configuration files.") +
          "\n" + Table(kEnvironment);
  return text + ".SH FILES\n" + Table(kFiles);
}

Declared DeclareMan() {
  return {{}, [](const Context& context) {
            context.out << ManPage(DeclareProgram());
            return 0;
          }};
}

}  // namespace schedlens
