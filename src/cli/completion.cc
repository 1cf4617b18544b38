#include "cli/completion.h"

#include <fmt/format.h>

namespace schedlens {

const std::vector<std::string>& OfferedValues(const Option& option) {
  return option.choices.empty() ? option.suggestions : option.choices;
}

bool TakesFile(const Option& option) {
  return option.value.find("FILE") != std::string::npos ||
         option.value.find("DIR") != std::string::npos;
}

namespace {

std::string Join(const std::vector<std::string>& parts, const char* separator) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : separator) + part;
  return text;
}

std::vector<std::string> AllNames(const Options& options) {
  std::vector<std::string> all;
  for (const Option& option : options) {
    for (const std::string& name : NamesOf(option)) all.push_back(name);
  }
  return all;
}

std::vector<std::string> CommandNames(const Program& program) {
  std::vector<std::string> names;
  for (const DeclaredCommand& command : program.commands) names.push_back(command.name);
  return names;
}

/// `a'b` as a single-quoted shell word.
std::string Quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// bash ----------------------------------------------------------------------------------------

/// What follows an option: its choices, files, or nothing.
std::string BashValues(const DeclaredCommand& command) {
  std::string cases;
  for (const Option& option : command.options) {
    if (!option.takes_value()) continue;
    std::string words;
    if (!OfferedValues(option).empty()) {
      words = fmt::format("COMPREPLY=($(compgen -W {} -- \"$cur\"))",
                          Quoted(Join(OfferedValues(option), " ")));
    } else if (TakesFile(option)) {
      words = "compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- \"$cur\"))";
    } else {
      words = ":";
    }
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
  if (words.empty())
    return "compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- \"$cur\"))";
  return fmt::format("COMPREPLY=($(compgen -W {} -- \"$cur\"))", Quoted(Join(words, " ")));
}

}  // namespace

std::string BashCompletion(const Program& program) {
  std::string values, options, positionals;
  for (const DeclaredCommand& command : program.commands) {
    values += BashValues(command);
    options += fmt::format("    {}) words={} ;;\n", command.name,
                           Quoted(Join(AllNames(command.options), " ")));
    positionals += fmt::format("    {}) {} ;;\n", command.name, BashPositional(command));
  }
  return fmt::format(
      R"(# bash completion for schedlens
_schedlens() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} command= word words=
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case $word in
      {}) command=$word; break ;;
    esac
  done
  case $command:$prev in
{}  esac
  case $command in
    '') words={} ;;
{}  esac
  if [[ $cur == -* || -z $command ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
    return
  fi
  case $command in
{}  esac
}}
complete -F _schedlens schedlens kubectl-schedlens
)",
      Join(CommandNames(program), "|"), values,
      Quoted(Join(CommandNames(program), " ") + " " + Join(AllNames(program.options), " ")),
      options, positionals);
}

// zsh -----------------------------------------------------------------------------------------

namespace {

/// Descriptions are in brackets or after colons: both are escaped.
std::string ZshEscaped(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string ZshAction(const Option& option) {
  if (!OfferedValues(option).empty()) return "(" + Join(OfferedValues(option), " ") + ")";
  return TakesFile(option) ? "_files" : " ";
}

std::string ZshArguments(const Options& options, const std::string& indent) {
  std::string lines;
  for (const Option& option : options) {
    for (const std::string& name : NamesOf(option)) {
      std::string spec = fmt::format("{}[{}]", name, ZshEscaped(option.help));
      if (option.takes_value()) {
        spec += fmt::format(":{}:{}", ZshEscaped(option.value), ZshAction(option));
      }
      lines += fmt::format(" \\\n{}{}", indent, Quoted(spec));
    }
  }
  return lines;
}

std::string ZshPositionals(const DeclaredCommand& command, const std::string& indent) {
  std::string lines;
  for (const Option& positional : command.positionals) {
    const std::string action = OfferedValues(positional).empty()
                                   ? "_files"
                                   : "(" + Join(OfferedValues(positional), " ") + ")";
    lines += fmt::format(" \\\n{}{}", indent,
                         Quoted(fmt::format("*:{}:{}", ZshEscaped(positional.value), action)));
  }
  return lines;
}

}  // namespace

std::string ZshCompletion(const Program& program) {
  std::string commands, cases;
  for (const DeclaredCommand& command : program.commands) {
    commands += fmt::format("    {}\n", Quoted(command.name + ":" + ZshEscaped(command.summary)));
    cases += fmt::format("        {})\n          _arguments{}{} ;;\n", command.name,
                         ZshArguments(command.options, "            "),
                         ZshPositionals(command, "            "));
  }
  return fmt::format(R"(#compdef schedlens kubectl-schedlens
# zsh completion for schedlens
_schedlens() {{
  local context state line
  local -a commands
  commands=(
{})
  _arguments -C{} \
    '1:command:->command' \
    '*::argument:->argument'
  case $state in
    command) _describe command commands ;;
    argument)
      case $line[1] in
{}      esac ;;
  esac
}}
if [ "$funcstack[1]" = _schedlens ]; then _schedlens "$@"; else compdef _schedlens schedlens; fi
)",
                     commands, ZshArguments(program.options, "    "), cases);
}

// fish ----------------------------------------------------------------------------------------

namespace {

std::string FishQuoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

std::string FishOption(const Option& option, const std::string& condition) {
  std::string line = "complete -c schedlens -n " + FishQuoted(condition);
  for (const std::string& name : NamesOf(option)) {
    line += name.rfind("--", 0) == 0 ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  line += " -d " + FishQuoted(option.help);
  if (option.takes_value()) {
    line += " -x";
    if (!OfferedValues(option).empty())
      line += " -a " + FishQuoted(Join(OfferedValues(option), " "));
    if (OfferedValues(option).empty() && TakesFile(option)) line += " -a '(__fish_complete_path)'";
  }
  return line + "\n";
}

}  // namespace

std::string FishCompletion(const Program& program) {
  std::string text = "# fish completion for schedlens\ncomplete -c schedlens -f\n";
  const std::string no_command =
      "not __fish_seen_subcommand_from " + Join(CommandNames(program), " ");
  for (const Option& option : program.options) text += FishOption(option, no_command);
  for (const DeclaredCommand& command : program.commands) {
    text += fmt::format("complete -c schedlens -n {} -a {} -d {}\n", FishQuoted(no_command),
                        command.name, FishQuoted(command.summary));
    const std::string seen = "__fish_seen_subcommand_from " + command.name;
    for (const Option& option : command.options) text += FishOption(option, seen);
    for (const Option& positional : command.positionals) {
      const std::string words = OfferedValues(positional).empty()
                                    ? "(__fish_complete_path)"
                                    : Join(OfferedValues(positional), " ");
      text +=
          fmt::format("complete -c schedlens -n {} -a {}\n", FishQuoted(seen), FishQuoted(words));
    }
  }
  return text;
}

}  // namespace schedlens
