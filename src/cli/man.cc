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

std::string OptionTerm(const OptionSpec& option) {
  std::string term;
  for (const std::string& name : option.names) term += (term.empty() ? "" : ", ") + name;
  if (!option.takes_value()) return term;
  return term + (term.empty() ? "" : " ") + option.label;
}

std::string OptionText(const OptionSpec& option) {
  if (option.choices.empty() || option.choices.size() > 20) return option.description;
  std::string text = option.description + ": ";
  const char* separator = "";
  for (const std::string& choice : option.choices) {
    text += separator + choice;
    separator = ", ";
  }
  return text;
}

std::string Options(const std::vector<OptionSpec>& options) {
  std::string text;
  for (const OptionSpec& option : options) text += Entry(OptionTerm(option), OptionText(option));
  return text;
}

std::string CommandSection(const CommandSpec& command) {
  std::string text = ".SS " + Roff(command.name) + "\n" + Roff(command.summary) + ".\n.PP\n.nf\n";
  for (const std::string& example : command.examples) text += Roff(example) + "\n";
  return text + ".fi\n" + Options(command.positionals) + Options(command.options);
}

struct Row {
  const char* term;
  const char* text;
};

constexpr Row kExitCodes[] = {
    {"0", "Done; nothing found at or above the level of --fail-on."},
    {"1", "Failed: input unreadable or malformed, a server failed, the disk is full."},
    {"2", "Usage: the command line or a configuration file asks for something impossible."},
    {"3", "A finding at or above the level of --fail-on."},
    {"4", "The server refused the credentials (401, 403)."},
    {"5", "Everything was read, and it cannot answer the question."},
    {"124", "The time of --timeout is over."},
    {"130", "Interrupted."},
};

constexpr Row kEnvironment[] = {
    {"SCHEDLENS_URL, PROMETHEUS_URL", "The server of --prometheus; the first one that is set."},
    {"SCHEDLENS_HTTP_CONFIG", "The file of --http.config.file."},
    {"SCHEDLENS_CONFIG", "The configuration file in place of those under FILES."},
    {"NO_COLOR, CLICOLOR_FORCE, TERM", "Whether the terminal's colours are used."},
};

constexpr Row kFiles[] = {
    {"$XDG_CONFIG_HOME/schedlens/config.yaml",
     "Settings: names of long options and their values; below the name of a command only for that "
     "command. ~/.config when the variable is not set."},
    {"/etc/schedlens/config.yaml", "The same for everyone; what the user's file says goes first."},
};

template <std::size_t kSize>
std::string Table(const Row (&rows)[kSize]) {
  std::string text;
  for (const Row& row : rows) text += Entry(row.term, row.text);
  return text;
}

}  // namespace

std::string ManPage(const ProgramSpec& program) {
  std::string text = fmt::format(".TH SCHEDLENS 1 \"\" \"{}\" \"User Commands\"\n", VersionLine());
  text += ".SH NAME\nschedlens \\- " + Roff("kube-scheduler latency: from the alert to the cause") +
          "\n";
  text +=
      ".SH SYNOPSIS\n.B schedlens\n\\fICOMMAND\\fR [\\fIOPTION\\fR]...\n.br\n.B kubectl schedlens\n"
      "\\fICOMMAND\\fR [\\fIOPTION\\fR]...\n";
  text += ".SH DESCRIPTION\n" + Roff(program.summary) + "\n";
  text += ".SH OPTIONS\n" + Options(program.options);
  text += ".SH COMMANDS\n";
  for (const CommandSpec& command : program.commands) text += CommandSection(command);
  text += ".SH EXIT STATUS\n" + Table(kExitCodes);
  text += ".SH ENVIRONMENT\n" +
          Roff(
              "An option on the command line goes before the environment, and "
              "that before a file.") +
          "\n" + Table(kEnvironment);
  text += ".SH FILES\n" + Table(kFiles);
  return text;
}

}  // namespace schedlens
