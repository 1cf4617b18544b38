#include <fmt/ranges.h>

#include <ostream>

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
    if (FindOption(command->options, "--capture") != nullptr) offer->files = true;
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

Declared DeclareCompletion() {
  const auto run = [](const std::string& shell, const Context& context) {
    context.out << TextNamed(shell);
    return 0;
  };
  return DeclareWith<std::string>(run, [](std::string* shell) {
    return Options{Option("shell", shell, {.required = true, .choices = {"bash", "zsh", "fish"}})};
  });
}

int WordsBeforeCompletion(std::span<const char* const> words) {
  const std::string_view path = words.empty() ? "" : words[0];
  if (path.substr(path.rfind('/') + 1) == "kubectl_complete-schedlens") return 1;
  return words.size() > 1 && words[1] == std::string_view("__complete") ? 2 : 0;
}

std::string Completion(const Program& program, const std::vector<std::string>& words) {
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
