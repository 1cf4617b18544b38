#include "cli/completion.h"

#include <fmt/format.h>

namespace schedlens {
namespace {

std::string Join(const std::vector<std::string>& parts, const char* separator) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : separator) + part;
  return text;
}

std::vector<std::string> NamesOf(const std::vector<OptionSpec>& options) {
  std::vector<std::string> names;
  for (const OptionSpec& option : options) {
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

std::vector<std::string> CommandNames(const ProgramSpec& program) {
  std::vector<std::string> names;
  for (const CommandSpec& command : program.commands) names.push_back(command.name);
  return names;
}

bool IsFile(const OptionSpec& option) {
  return option.label.find("FILE") != std::string::npos ||
         option.label.find("DIR") != std::string::npos;
}

/// `a'b` as a single-quoted shell word.
std::string Quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// bash ----------------------------------------------------------------------------------------

/// What follows an option: its choices, files, or nothing.
std::string BashValues(const CommandSpec& command) {
  std::string cases;
  for (const OptionSpec& option : command.options) {
    if (!option.takes_value()) continue;
    std::string words;
    if (!option.choices.empty()) {
      words = fmt::format("COMPREPLY=($(compgen -W {} -- \"$cur\"))",
                          Quoted(Join(option.choices, " ")));
    } else if (IsFile(option)) {
      words = "compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- \"$cur\"))";
    } else {
      words = ":";
    }
    for (const std::string& name : option.names) {
      cases += fmt::format("    {}:{}) {}; return ;;\n", command.name, name, words);
    }
  }
  return cases;
}

std::string BashPositional(const CommandSpec& command) {
  std::vector<std::string> words;
  for (const OptionSpec& positional : command.positionals) {
    words.insert(words.end(), positional.choices.begin(), positional.choices.end());
  }
  if (words.empty())
    return "compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- \"$cur\"))";
  return fmt::format("COMPREPLY=($(compgen -W {} -- \"$cur\"))", Quoted(Join(words, " ")));
}

}  // namespace

std::string BashCompletion(const ProgramSpec& program) {
  std::string values, options, positionals;
  for (const CommandSpec& command : program.commands) {
    values += BashValues(command);
    options += fmt::format("    {}) words={} ;;\n", command.name,
                           Quoted(Join(NamesOf(command.options), " ")));
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
      Quoted(Join(CommandNames(program), " ") + " " + Join(NamesOf(program.options), " ")), options,
      positionals);
}

// zsh -----------------------------------------------------------------------------------------

namespace {

/// Descriptions stand in brackets or after colons: both are escaped.
std::string ZshEscaped(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string ZshAction(const OptionSpec& option) {
  if (!option.choices.empty()) return "(" + Join(option.choices, " ") + ")";
  return IsFile(option) ? "_files" : " ";
}

std::string ZshArguments(const std::vector<OptionSpec>& options, const std::string& indent) {
  std::string lines;
  for (const OptionSpec& option : options) {
    for (const std::string& name : option.names) {
      std::string spec = fmt::format("{}[{}]", name, ZshEscaped(option.description));
      if (option.takes_value()) {
        spec += fmt::format(":{}:{}", ZshEscaped(option.label), ZshAction(option));
      }
      lines += fmt::format(" \\\n{}{}", indent, Quoted(spec));
    }
  }
  return lines;
}

std::string ZshPositionals(const CommandSpec& command, const std::string& indent) {
  std::string lines;
  for (const OptionSpec& positional : command.positionals) {
    const std::string action =
        positional.choices.empty() ? "_files" : "(" + Join(positional.choices, " ") + ")";
    lines += fmt::format(" \\\n{}{}", indent,
                         Quoted(fmt::format("*:{}:{}", ZshEscaped(positional.label), action)));
  }
  return lines;
}

}  // namespace

std::string ZshCompletion(const ProgramSpec& program) {
  std::string commands, cases;
  for (const CommandSpec& command : program.commands) {
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

std::string FishOption(const OptionSpec& option, const std::string& condition) {
  std::string line = "complete -c schedlens -n " + FishQuoted(condition);
  for (const std::string& name : option.names) {
    line += name.rfind("--", 0) == 0 ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  line += " -d " + FishQuoted(option.description);
  if (option.takes_value()) {
    line += " -x";
    if (!option.choices.empty()) line += " -a " + FishQuoted(Join(option.choices, " "));
    if (option.choices.empty() && IsFile(option)) line += " -a '(__fish_complete_path)'";
  }
  return line + "\n";
}

}  // namespace

std::string FishCompletion(const ProgramSpec& program) {
  std::string text = "# fish completion for schedlens\ncomplete -c schedlens -f\n";
  const std::string no_command =
      "not __fish_seen_subcommand_from " + Join(CommandNames(program), " ");
  for (const OptionSpec& option : program.options) text += FishOption(option, no_command);
  for (const CommandSpec& command : program.commands) {
    text += fmt::format("complete -c schedlens -n {} -a {} -d {}\n", FishQuoted(no_command),
                        command.name, FishQuoted(command.summary));
    const std::string seen = "__fish_seen_subcommand_from " + command.name;
    for (const OptionSpec& option : command.options) text += FishOption(option, seen);
    for (const OptionSpec& positional : command.positionals) {
      const std::string words =
          positional.choices.empty() ? "(__fish_complete_path)" : Join(positional.choices, " ");
      text +=
          fmt::format("complete -c schedlens -n {} -a {}\n", FishQuoted(seen), FishQuoted(words));
    }
  }
  return text;
}

}  // namespace schedlens
