#include <fmt/ranges.h>

#include <algorithm>
#include <ostream>

#include "base/text.h"
#include "cli/command.h"
#include "source/http/prometheus_source.h"

namespace schedlens {
namespace {

/// The values to offer for an option; none where any may be.
const std::vector<std::string>& OfferedValues(const Option& option) {
  return option.choices.empty() ? option.suggestions : option.choices;
}

bool TakesFile(const Option& option) {
  return option.value.find("FILE") != std::string::npos ||
         option.value.find("DIR") != std::string::npos;
}

std::string Joined(const std::vector<std::string>& parts, const char* separator = " ") {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string AllNames(const Options& options) {
  std::vector<std::string> all;
  for (const Option& option : options) {
    for (const std::string& name : NamesOf(option)) all.push_back(name);
  }
  return Joined(all);
}

/// `a'b` as a single-quoted shell word.
std::string Quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

constexpr const char* kBashFiles =
    "compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- \"$cur\"))";

std::string BashWords(const std::vector<std::string>& words) {
  return fmt::format("COMPREPLY=($(compgen -W {} -- \"$cur\"))", Quoted(Joined(words)));
}

/// What follows an option: its choices, files, or nothing.
std::string BashValues(const DeclaredCommand& command) {
  std::string cases;
  for (const Option& option : command.options) {
    if (!option.takes_value()) continue;
    const std::string words = !OfferedValues(option).empty() ? BashWords(OfferedValues(option))
                              : TakesFile(option)            ? kBashFiles
                                                             : ":";
    for (const std::string& name : NamesOf(option)) {
      cases += fmt::format("    {}:{}) {}; return ;;\n", command.name, name, words);
    }
  }
  return cases;
}

std::string BashPositional(const DeclaredCommand& command) {
  std::vector<std::string> words;
  for (const Option& positional : command.positionals) {
    const std::vector<std::string>& offered = OfferedValues(positional);
    words.insert(words.end(), offered.begin(), offered.end());
  }
  return words.empty() ? kBashFiles : BashWords(words);
}

/// Descriptions are in brackets or after colons: both are escaped.
std::string ZshEscaped(const std::string& text) { return Escaped(text, "[]:\\"); }

std::string ZshAction(const Option& option) {
  if (!OfferedValues(option).empty()) return "(" + Joined(OfferedValues(option)) + ")";
  return TakesFile(option) || option.positional() ? "_files" : " ";
}

std::string ZshArguments(const Options& options, const std::string& indent) {
  std::string lines;
  const auto add = [&](const std::string& spec) {
    lines += fmt::format(" \\\n{}{}", indent, Quoted(spec));
  };
  for (const Option& option : options) {
    const std::string value =
        option.takes_value() ? fmt::format(":{}:{}", ZshEscaped(option.value), ZshAction(option))
                             : "";
    if (option.positional()) add("*" + value);
    for (const std::string& name : NamesOf(option)) {
      add(fmt::format("{}[{}]{}", name, ZshEscaped(option.help), value));
    }
  }
  return lines;
}

std::string FishQuoted(const std::string& text) { return "'" + Escaped(text, "'\\") + "'"; }

/// The words to offer for a value; empty: none.
std::string FishValues(const Option& option) {
  if (!OfferedValues(option).empty()) return Joined(OfferedValues(option));
  return TakesFile(option) || option.positional() ? "(__fish_complete_path)" : "";
}

std::string FishOption(const Option& option, const std::string& condition) {
  std::string line = "complete -c schedlens -n " + FishQuoted(condition);
  for (const std::string& name : NamesOf(option)) {
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  line += " -d " + FishQuoted(option.help);
  const std::string values = option.takes_value() ? FishValues(option) : "";
  if (option.takes_value()) line += " -x";
  return line + (values.empty() ? "" : " -a " + FishQuoted(values)) + "\n";
}

/// The file that --kubeconfig names so far; empty: kubectl's own.
std::string KubeconfigIn(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--kubeconfig" && i + 1 < words.size()) return words[i + 1];
    if (words[i].starts_with("--kubeconfig=")) return words[i].substr(13);
  }
  return "";
}

/// The words that begin as typed, and what ends the list.
struct Offer {
  const std::string typed;
  std::string lines = {};
  bool files = false;

  void Add(const std::string& word, const std::string& description = "") {
    if (!word.starts_with(typed)) return;
    lines += word + (description.empty() ? "" : "\t" + description) + "\n";
  }
  void AddOptions(const Options& options) {
    for (const Option& option : options) {
      for (const std::string& name : NamesOf(option)) Add(name, option.help);
    }
  }
  /// `words` are those before.
  void AddValues(const Option& option, const std::string& prefix,
                 const std::vector<std::string>& words) {
    for (const std::string& value : OfferedValues(option)) Add(prefix + value);
    if (option.value == "CONTEXT") {
      for (const std::string& name : ContextNames(KubeconfigIn(words))) Add(prefix + name);
    }
    if (OfferedValues(option).empty() && (TakesFile(option) || option.positional())) files = true;
  }
};

void AddOffers(const Program& program, const std::vector<std::string>& before, Offer* offer) {
  const std::string& typed = offer->typed;
  const DeclaredCommand* command = nullptr;
  for (const std::string& word : before) {
    if (command == nullptr) command = program.Find(word);
  }
  if (command == nullptr) {
    if (typed.starts_with('-')) offer->AddOptions(program.options);
    for (const DeclaredCommand& one : program.commands) offer->Add(one.name, one.summary);
    return;
  }
  const Option* pending = FindOption(command->options, before.back());
  const std::size_t equals = typed.starts_with("--") ? typed.find('=') : std::string::npos;
  if (pending != nullptr && pending->takes_value()) {
    offer->AddValues(*pending, "", before);
  } else if (equals != std::string::npos) {
    const Option* option = FindOption(command->options, typed.substr(0, equals));
    if (option != nullptr) offer->AddValues(*option, typed.substr(0, equals + 1), before);
  } else if (typed.starts_with('-')) {
    offer->AddOptions(command->options);
  } else {
    for (const Option& one : command->positionals) offer->AddValues(one, "", before);
  }
}

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
    std::vector<std::string> term = {Joined(NamesOf(option), ", ")};
    if (option.takes_value()) term.push_back(option.value);
    if (option.positional()) term.erase(term.begin());
    const std::string choices = option.choices.empty() ? "" : ": " + Joined(option.choices, ", ");
    text += Entry(Joined(term), option.help + choices);
  }
  return text;
}

std::string CommandSection(const DeclaredCommand& command) {
  std::string text = ".SS " + Roff(command.name) + "\n" + Roff(command.summary) + ".\n.PP\n.nf\n";
  for (const std::string& example : command.examples) text += Roff(example) + "\n";
  return text + ".fi\n" + Entries(command.positionals) + Entries(command.options);
}

}  // namespace

std::string BashCompletion(const Program& program) {
  std::string values, options, positionals;
  for (const DeclaredCommand& command : program.commands) {
    values += BashValues(command);
    options +=
        fmt::format("    {}) words={} ;;\n", command.name, Quoted(AllNames(command.options)));
    positionals += fmt::format("    {}) {} ;;\n", command.name, BashPositional(command));
  }
  return fmt::format(fmt::runtime(TextNamed("bash")), Joined(program.CommandNames(), "|"), values,
                     Quoted(Joined(program.CommandNames()) + " " + AllNames(program.options)),
                     options, positionals);
}

std::string ZshCompletion(const Program& program) {
  std::string commands, cases;
  for (const DeclaredCommand& command : program.commands) {
    commands += fmt::format("    {}\n", Quoted(command.name + ":" + ZshEscaped(command.summary)));
    cases +=
        fmt::format("        {})\n          _arguments{} ;;\n", command.name,
                    ZshArguments(Together({command.options, command.positionals}), "            "));
  }
  return fmt::format(fmt::runtime(TextNamed("zsh")), commands,
                     ZshArguments(program.options, "    "), cases);
}

std::string FishCompletion(const Program& program) {
  std::string text = "# fish completion for schedlens\ncomplete -c schedlens -f\n";
  const std::string no_command =
      "not __fish_seen_subcommand_from " + Joined(program.CommandNames());
  for (const Option& option : program.options) text += FishOption(option, no_command);
  for (const DeclaredCommand& command : program.commands) {
    text += fmt::format("complete -c schedlens -n {} -a {} -d {}\n", FishQuoted(no_command),
                        command.name, FishQuoted(command.summary));
    const std::string seen = "__fish_seen_subcommand_from " + command.name;
    for (const Option& option : command.options) text += FishOption(option, seen);
    for (const Option& positional : command.positionals) {
      text += fmt::format("complete -c schedlens -n {} -a {}\n", FishQuoted(seen),
                          FishQuoted(FishValues(positional)));
    }
  }
  return text;
}

Declared DeclareCompletion() {
  const auto run = [](const std::string& shell, const Context& context) {
    const auto script = shell == "bash"  ? BashCompletion
                        : shell == "zsh" ? ZshCompletion
                                         : FishCompletion;
    context.out << script(DeclareProgram());
    return 0;
  };
  return DeclareWith<std::string>(run, [](std::string* shell) {
    return Options{Option("shell", shell, {.required = true, .choices = {"bash", "zsh", "fish"}})};
  });
}

bool IsKubectlCompletion(std::string_view program_path) {
  return program_path.substr(program_path.rfind('/') + 1) == "kubectl_complete-schedlens";
}

std::string KubectlCompletion(const Program& program, const std::vector<std::string>& words) {
  Offer offer{.typed = words.empty() ? "" : words.back()};
  AddOffers(program, {words.begin(), words.end() - (words.empty() ? 0 : 1)}, &offer);
  return offer.lines + (offer.files ? ":0\n" : ":4\n");
}

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
  return text.append(TextNamed("man"));
}

Declared DeclareMan() {
  return {{}, [](const Context& context) {
            context.out << ManPage(DeclareProgram());
            return 0;
          }};
}

}  // namespace schedlens
