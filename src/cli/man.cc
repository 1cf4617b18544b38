#include "cli/man.h"

#include <fmt/format.h>

#include "cli/version.h"

namespace schedlens {
namespace {

/// Text that roff prints as it is: no escapes, no requests at the start of a line.
std::string Roff(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else {
      escaped += c;
    }
  }
  if (!escaped.empty() && (escaped.front() == '.' || escaped.front() == '\'')) {
    escaped.insert(0, "\\&");
  }
  return escaped;
}

std::string Entry(const std::string& term, const std::string& text) {
  return ".TP\n\\fB" + Roff(term) + "\\fR\n" + Roff(text) + "\n";
}

std::string OptionTerm(const Option& option) {
  std::string term;
  for (const std::string& name : NamesOf(option)) term += (term.empty() ? "" : ", ") + name;
  if (!option.takes_value()) return term;
  return term + (term.empty() ? "" : " ") + option.value;
}

std::string OptionText(const Option& option) {
  if (option.choices.empty()) return option.help;
  std::string text = option.help + ": ";
  const char* separator = "";
  for (const std::string& choice : option.choices) {
    text += separator + choice;
    separator = ", ";
  }
  return text;
}

std::string Entries(const Options& options) {
  std::string text;
  for (const Option& option : options) text += Entry(OptionTerm(option), OptionText(option));
  return text;
}

std::string CommandSection(const DeclaredCommand& command) {
  std::string text = ".SS " + Roff(command.name) + "\n" + Roff(command.summary) + ".\n.PP\n.nf\n";
  for (const std::string& example : command.examples) text += Roff(example) + "\n";
  return text + ".fi\n" + Entries(command.positionals) + Entries(command.options);
}

struct Row {
  const char* term;
  const char* text;
};

constexpr Row kExitCodes[] = {
    {"0", "Success; no finding at or above the level of --fail-on."},
    {"1", "Failure: unreadable or malformed input, a server error, a full disk."},
    {"2", "Usage error in the command line or a configuration file."},
    {"3", "A finding at or above the level of --fail-on."},
    {"4", "The server refused the credentials (401, 403)."},
    {"5", "The data was read but is not sufficient for an answer."},
    {"124", "--timeout expired."},
    {"130", "Interrupted."},
};

constexpr Row kEnvironment[] = {
    {"SCHEDLENS_URL, PROMETHEUS_URL",
     "The server of --prometheus; the first one that is set applies."},
    {"SCHEDLENS_HTTP_CONFIG", "The file of --http.config.file."},
    {"KUBECONFIG", "The files of --service, as kubectl reads them."},
    {"SOURCE_DATE_EPOCH", "When reports are made, in seconds, in place of the clock."},
    {"SCHEDLENS_CONFIG", "A configuration file to use instead of those under FILES."},
    {"NO_COLOR, CLICOLOR_FORCE, TERM", "Whether color is used."},
    {"COLUMNS", "Width of the text report."},
};

constexpr Row kFiles[] = {
    {"$XDG_CONFIG_HOME/schedlens/config.yaml",
     "Settings: long option names and their values; below the name of a command, for that command "
     "only. ~/.config if the variable is not set."},
    {"/etc/schedlens/config.yaml", "The same for all users; the user's own file takes precedence."},
};

template <std::size_t kSize>
std::string Table(const Row (&rows)[kSize]) {
  std::string text;
  for (const Row& row : rows) text += Entry(row.term, row.text);
  return text;
}

}  // namespace

std::string ManPage(const Program& program) {
  std::string text = fmt::format(".TH SCHEDLENS 1 \"\" \"{}\" \"User Commands\"\n", VersionLine());
  text += ".SH NAME\nschedlens \\- " + Roff("kube-scheduler latency: from the alert to the cause") +
          "\n";
  text +=
      ".SH SYNOPSIS\n.B schedlens\n\\fICOMMAND\\fR [\\fIOPTION\\fR]...\n.br\n.B kubectl schedlens\n"
      "\\fICOMMAND\\fR [\\fIOPTION\\fR]...\n";
  text += ".SH DESCRIPTION\n" + Roff(program.summary) + "\n";
  text += ".SH OPTIONS\n" + Entries(program.options);
  text += ".SH COMMANDS\n";
  for (const DeclaredCommand& command : program.commands) text += CommandSection(command);
  text += ".SH EXIT STATUS\n" + Table(kExitCodes);
  text += ".SH ENVIRONMENT\n" +
          Roff(
              "The command line takes precedence over the environment, and the environment over "
              "the configuration files.") +
          "\n" + Table(kEnvironment);
  text += ".SH FILES\n" + Table(kFiles);
  return text;
}

}  // namespace schedlens
