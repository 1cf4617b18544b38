#include <re2/re2.h>
#include <unistd.h>
#include <yaml-cpp/yaml.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/file.h"
#include "base/suggestion.h"
#include "cli/safe_stream.h"
#include "source/settings_map.h"

namespace schedlens {
namespace {

void AddEntries(const YamlMap& map, const std::string& command, std::vector<ConfigEntry>* to) {
  for (const auto& row : map.node()) {
    const std::string name = row.first.Scalar();
    if (row.second.IsMap() && command.empty()) {
      AddEntries(map.Child(row.second, name), name, to);
      continue;
    }
    ConfigEntry entry{command, name, {}, map.PlaceOf(row.first)};
    if (row.second.IsSequence()) {
      for (const YAML::Node& item : row.second) entry.values.push_back(map.TextOf(item, name));
    } else {
      entry.values.push_back(map.TextOf(row.second, name));
    }
    to->push_back(std::move(entry));
  }
}

/// The first variable of an option that is set decides.
std::vector<ConfigEntry> FromEnvironment() {
  std::vector<ConfigEntry> settings;
  for (const auto& [variable, option] : {std::pair{"SCHEDLENS_URL", "prometheus"},
                                         {"PROMETHEUS_URL", "prometheus"},
                                         {"SCHEDLENS_HTTP_CONFIG", "http.config.file"}}) {
    const std::string value = Environment(variable);
    if (value.empty()) continue;
    settings.push_back({"", option, {value}, std::string("environment ") + variable});
  }
  return settings;
}

/// Every entry must have an option somewhere; a section must be a command.
void CheckKnown(const Program& program, const ConfigEntry& entry) {
  std::vector<std::string> options;
  for (const DeclaredCommand& command : program.commands) {
    if (!entry.command.empty() && command.name != entry.command) continue;
    if (FindOption(command.options, "--" + entry.option) != nullptr) return;
    const std::vector<std::string> names = LongNames(command.options);
    options.insert(options.end(), names.begin(), names.end());
  }
  const bool known = entry.command.empty() || program.Find(entry.command) != nullptr;
  const std::string why =
      known ? fmt::format("unknown setting {}{}", entry.option, Suggestion(entry.option, options))
            : fmt::format("no command is named {}{}", entry.command,
                          Suggestion(entry.command, program.CommandNames()));
  Raise(ErrorKind::kUsage, "{}: {}", entry.origin, why);
}

/// The strongest setting of an option; of one file's, one for this command alone.
const ConfigEntry* Find(const std::vector<ConfigEntry>& settings, const std::string& command,
                        const Option& option) {
  const ConfigEntry* found = nullptr;
  for (const ConfigEntry& entry : settings) {
    if (!entry.command.empty() && entry.command != command) continue;
    if (!option.Has("--" + entry.option)) continue;
    const auto weakness = [](const ConfigEntry& one) {
      return std::pair(one.layer, one.command.empty());
    };
    if (found == nullptr || weakness(entry) < weakness(*found)) found = &entry;
  }
  return found;
}

/// Either may say so.
bool ExcludeEachOther(const Option& one, const Option& other) {
  const auto excludes = [](const Option& a, const Option& b) {
    return std::ranges::any_of(a.excludes, [&](const std::string& name) { return b.Has(name); });
  };
  return excludes(one, other) || excludes(other, one);
}

/// Two settings that exclude each other: the stronger one stays.
void DropExcluded(std::vector<std::pair<const Option*, const ConfigEntry*>>* chosen) {
  std::erase_if(*chosen, [all = *chosen](const auto& one) {
    return std::ranges::any_of(all, [&](const auto& other) {
      return other.second->layer < one.second->layer && ExcludeEachOther(*one.first, *other.first);
    });
  });
}

bool ExcludesTyped(const Option& option, const Options& options, const CommandLine& line) {
  return std::ranges::any_of(options, [&](const Option& other) {
    return ExcludeEachOther(option, other) && line.Typed(other);
  });
}

void Apply(const Option& option, const ConfigEntry& entry, CommandLine* line) {
  for (const std::string& value : entry.values) RegisterGiven(entry.option, value);
  try {
    line->Set(option, entry.values);
    if (option.origin != nullptr) *option.origin = entry.origin;
  } catch (const Error& error) {
    Raise(error.kind(), "{}: {}", entry.origin, error.what());
  }
}

/// No expression and no name begins with it.
constexpr char kMark = '\x1f';

bool TakesExpression(const Option& option) {
  return option.value.find("EXPR") != std::string::npos;
}

/// Whether a word that begins with one dash is an option, by itself or with its value attached.
bool IsShortOption(const DeclaredCommand& command, std::string_view word) {
  const Option* option = FindOption(command.options, word.substr(0, 2));
  if (option == nullptr) return false;
  const std::string_view value = word.substr(2);
  if (value.empty()) return true;
  if (!option->takes_value()) return false;
  if (option->choices.empty()) return value.find_first_of("({[ \t\n") == std::string_view::npos;
  return std::ranges::find(option->choices, value) != option->choices.end();
}

/// Whether a word that begins with two dashes is an expression all the same: no option begins as
/// `--1`, `--(x)` or `---x`, and names of options hold letters, digits and dashes before their `=`.
bool IsNegatedTwice(std::string_view word) {
  static const RE2 kOption("(?s)-+|--[[:alpha:]][[:alnum:]-]*(?:=.*)?", RE2::Latin1);
  return !RE2::FullMatch(word, kOption);
}

/// Whether a word that begins with a dash is no option of the command.
bool IsExpression(const DeclaredCommand& command, std::string_view word) {
  if (word.size() < 2 || word[0] != '-') return false;
  if (FindOption(command.options, word.substr(0, word.find('='))) != nullptr) return false;
  return word[1] == '-' ? IsNegatedTwice(word) : !IsShortOption(command, word);
}

/// Which option a word means that stands where an argument may: a server's URL or a recording;
/// empty for any other. What may be a metric or an expression is a file only with a dot or a slash;
/// a word is `spare` where the command has all its arguments already.
std::string_view SourceOptionOf(const DeclaredCommand& command, const std::string& word,
                                bool spare) {
  if (FindOption(command.options, "--capture") == nullptr) return "";
  if (StartsAsUrl(word)) return "--prometheus";
  const bool takes_files = std::ranges::any_of(
      command.positionals, [](const Option& option) { return option.value == "FILE"; });
  if (takes_files) return "";
  const bool named = spare || word.find_first_of("./") != std::string::npos;
  std::error_code none;
  const bool file =
      named && std::filesystem::exists(word, none) && !std::filesystem::is_directory(word, none);
  return file || word == "-" ? "--capture" : "";
}

/// The words of the command line as the tables have them, the program's name first: `version` and
/// `help COMMAND` are options, and a URL or a file in an argument's place is the source.
std::vector<std::string> InFull(const Program& program, std::vector<std::string> words) {
  if (words.size() > 1 && words[1] == "version") words[1] = "--version";
  if (words.size() > 1 && words[1] == "help") {
    if (words.size() == 2 || program.Find(words[2]) != nullptr) words.emplace_back("--help");
    words.erase(words.begin() + 1);
  }
  std::size_t named = 1;  // behind options of the program, if there are any
  while (named < words.size() && program.Find(words[named]) == nullptr) ++named;
  if (named >= words.size()) return words;
  const DeclaredCommand* command = program.Find(words[named]);
  const Option* open = nullptr;  // whose value comes next
  std::size_t arguments = 0;
  for (std::size_t i = named + 1; i < words.size() && words[i] != "--"; ++i) {
    if (words[i].starts_with('-') && words[i] != "-") {
      open = FindOption(command->options, words[i]);
      if (open != nullptr && !open->takes_value()) open = nullptr;
    } else if (open == nullptr) {
      const bool spare = arguments >= command->positionals.size();
      const std::string source(SourceOptionOf(*command, words[i], spare));
      if (source.empty()) {
        ++arguments;
      } else {
        words.insert(words.begin() + static_cast<long>(i++), source);
      }
    } else if (!open->many) {
      open = nullptr;
    }
  }
  return words;
}

/// CLI11 takes `query '-x'` and `--alert '-rate(x[5m]) < -1'` for options: a word with a leading
/// dash that is no option of its command has a mark in front where an expression may stand, behind
/// an option that takes one, or anywhere behind a command with one as an argument. `-q0.9` and
/// `-ojson` are options with their values; what has a bracket or a blank is an expression. Behind
/// two dashes a word that could be the name of an option is one, known or not.
std::vector<std::string> MarkExpressions(const Program& program, std::vector<std::string> words) {
  const DeclaredCommand* command = nullptr;
  bool anywhere = false;     // an argument of the command is an expression
  bool behind_name = false;  // the word before is an option that takes one
  for (std::size_t i = 1; i < words.size(); ++i) {
    std::string& word = words[i];
    if (word == "--") break;
    if (command == nullptr) {
      command = program.Find(word);
      if (command == nullptr) continue;
      anywhere = std::ranges::any_of(command->positionals, TakesExpression);
      continue;
    }
    const Option* option = FindOption(command->options, word);
    if ((anywhere || behind_name) && IsExpression(*command, word)) word.insert(word.begin(), kMark);
    behind_name = option != nullptr && TakesExpression(*option);
  }
  return words;
}

std::string_view Unmarked(std::string_view word) {
  if (word.starts_with(kMark)) word.remove_prefix(1);
  return word;
}

/// The help of a command: examples first, since most readers want one line to copy.
class ExamplesFirst : public CLI::Formatter {
 public:
  explicit ExamplesFirst(const std::vector<std::string>& examples) {
    column_width(34);
    for (const std::string& line : examples) examples_ += "  " + line + "\n";
  }

  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    if (mode == CLI::AppFormatMode::Sub) return CLI::Formatter::make_help(app, name, mode);
    return "Examples:\n" + examples_ + "\n" + CLI::Formatter::make_help(app, name, mode);
  }

  /// The label, its choices and its default; exclusions are left to the error message.
  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_type_size() == 0 || option->get_items_expected_max() == 0) return "";
    const std::string type = option->get_type_name();
    const std::size_t open = type.find(":{");
    std::string text =
        " " + (open == std::string::npos ? type.substr(0, type.find(':')) : type.substr(open + 1));
    if (!option->get_default_str().empty()) text += " (" + option->get_default_str() + ")";
    return text;
  }

 private:
  std::string examples_;
};

struct Binder {
  CLI::App& app;
  const Option& option;

  CLI::Option* operator()(std::monostate) const {
    if (option.names == "-h,--help") return app.set_help_flag(option.names, option.help);
    return app.add_flag(option.names)->description(option.help);
  }
  CLI::Option* operator()(bool* target) const {
    return app.add_flag(option.names, *target, option.help);
  }
  CLI::Option* operator()(const std::function<void(const std::string&)>& target) const {
    if (!option.takes_value()) {
      return app.add_flag_callback(
          option.names, [target] { target(""); }, option.help);
    }
    const std::string implied = option.implied;
    return app.add_option_function<std::string>(
        option.names,
        [target, implied](const std::string& text) {
          target(text.empty() && !implied.empty() ? implied : text);
        },
        option.help);
  }
  // One value an occurrence, however many occurrences: what follows is another argument.
  CLI::Option* operator()(std::vector<std::string>* target) const {
    CLI::Option* added = app.add_option(option.names, *target, option.help);
    if (!option.positional() && !option.many) {
      added->type_size(1)->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    }
    return added;
  }
  template <class T>
  CLI::Option* operator()(T* target) const {
    return app.add_option(option.names, *target, option.help);
  }
};

CLI::Option* Add(CLI::App& app, const Option& option) {
  CLI::Option* added = std::visit(Binder{app, option}, option.target);
  added->group(option.group);
  if (!option.takes_value()) return added;
  // One with a dash may be set by a file.
  added->type_name(option.value)->required(option.required && option.positional());
  added->transform(CLI::Validator(
      [](std::string& text) {
        text = std::string(Unmarked(text));
        return std::string();
      },
      ""));
  if (option.show_default) added->capture_default_str();
  if (!option.implied.empty()) added->expected(0, 1)->default_str(option.implied);
  if (!option.choices.empty()) added->check(CLI::IsMember(option.choices));
  if (option.range) added->check(CLI::Range(option.range->first, option.range->second));
  return added;
}

void AddAll(CLI::App& app, const Options& options) {
  std::vector<CLI::Option*> added;
  for (const Option& option : options) added.push_back(Add(app, option));
  for (std::size_t i = 0; i < options.size(); ++i) {
    for (const std::string& name : options[i].excludes) {
      added[i]->excludes(app.get_option_no_throw(name));
    }
    for (const std::string& name : options[i].needs) added[i]->needs(app.get_option_no_throw(name));
  }
}

CLI::App* ChosenOf(const CLI::App& root) {
  const auto parsed = root.get_subcommands();
  return parsed.empty() ? nullptr : parsed.front();
}

/// `METRIC|EXPR METRIC|EXPR`: the arguments that the command cannot do without.
std::string ArgumentsOf(const DeclaredCommand& command) {
  std::string all;
  for (const Option& option : command.positionals) {
    if (option.required) all += (all.empty() ? "" : " ") + option.value;
  }
  return all;
}

std::string ExplainExtras(const Program& program, const DeclaredCommand* chosen,
                          std::string_view word) {
  if (word.size() > 1 && word.front() == '-') {
    const std::string typed(word.substr(0, word.find('=')));
    std::vector<std::string> names = LongNames(chosen ? chosen->options : program.options);
    for (std::string& name : names) name.insert(0, "--");
    return fmt::format("unknown option {}{}", typed, Suggestion(typed, names));
  }
  if (chosen == nullptr) {
    std::vector<std::string> names = program.CommandNames();
    names.insert(names.end(), {"help", "version"});
    return fmt::format("unknown command {}{}", word, Suggestion(std::string(word), names));
  }
  const bool has_source = FindOption(chosen->options, "--capture") != nullptr;
  return fmt::format("unexpected argument {}: {}quote arguments that contain spaces.", word,
                     has_source ? "no such file, and no URL; " : "");
}

}  // namespace

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::vector<ConfigEntry> ParseConfig(const std::string& text, const std::string& name) {
  std::vector<ConfigEntry> entries;
  AddEntries(LoadSettings(text, name, ""), "", &entries);
  return entries;
}

std::vector<std::string> ConfigFiles() {
  const std::string given = Environment("SCHEDLENS_CONFIG");
  if (!given.empty()) return {given};
  std::string home = Environment("XDG_CONFIG_HOME");
  if (home.empty() && !Environment("HOME").empty()) home = Environment("HOME") + "/.config";
  std::vector<std::string> files;
  if (!home.empty()) files.push_back(home + "/schedlens/config.yaml");
  files.emplace_back("/etc/schedlens/config.yaml");
  std::erase_if(files, [](const std::string& file) {
    std::error_code none;
    return !std::filesystem::exists(file, none) || access(file.c_str(), R_OK) != 0;
  });
  return files;
}

std::vector<ConfigEntry> ReadSettings(const Program& program) {
  std::vector<ConfigEntry> settings = FromEnvironment();
  int layer = 0;
  for (const std::string& file : ConfigFiles()) {
    ++layer;
    for (ConfigEntry& entry : ParseConfig(ReadFile(file), file)) {
      CheckKnown(program, entry);
      entry.layer = layer;
      settings.push_back(std::move(entry));
    }
  }
  return settings;
}

void ApplySettings(const std::vector<ConfigEntry>& settings, CommandLine* line) {
  const DeclaredCommand& command = *line->chosen();
  std::vector<std::pair<const Option*, const ConfigEntry*>> chosen;
  for (const Option& option : command.options) {
    if (line->Typed(option) || ExcludesTyped(option, command.options, *line)) continue;
    const ConfigEntry* entry = Find(settings, command.name, option);
    if (entry != nullptr) chosen.emplace_back(&option, entry);
  }
  DropExcluded(&chosen);
  for (const auto& [option, entry] : chosen) Apply(*option, *entry, line);
  for (const Option& option : command.options) {
    const bool set =
        std::ranges::any_of(chosen, [&](const auto& one) { return one.first == &option; });
    if (!option.required || set || line->Typed(option)) continue;
    Raise(ErrorKind::kUsage, "{} is required. See `schedlens {} --help`", option.names,
          command.name);
  }
}

void ShowSettings(const std::vector<ConfigEntry>& settings, std::ostream& out) {
  for (const ConfigEntry& entry : settings) {
    for (const std::string& value : entry.values) {
      const std::string name =
          entry.command.empty() ? entry.option : entry.command + "." + entry.option;
      out << fmt::format("{}: {}  # {}\n", name, Printable(entry.option, value), entry.origin);
    }
  }
  if (settings.empty()) out << "# no settings in a configuration file or the environment\n";
}

CommandLine::CommandLine(const Program& program)
    : program_(program), root_(std::make_unique<CLI::App>(program.summary, "schedlens")) {
  root_->require_subcommand(0, 1);
  root_->footer("`schedlens COMMAND --help` starts with examples that work.");
  AddAll(*root_, program.options);
  for (const DeclaredCommand& command : program.commands) {
    CLI::App* app = root_->add_subcommand(command.name, command.summary);
    app->footer("");
    app->formatter(std::make_shared<ExamplesFirst>(command.examples));
    AddAll(*app, Together({command.positionals, command.options}));
  }
}

CommandLine::~CommandLine() = default;

Asked CommandLine::Parse(std::vector<std::string> words) {
  words_ = InFull(program_, std::move(words));
  const std::vector<std::string> marked = MarkExpressions(program_, words_);
  std::vector<const char*> all;
  for (const std::string& word : marked) all.push_back(word.c_str());
  const auto fail = [&](const std::string& why) {
    const DeclaredCommand* command = chosen();
    Raise(ErrorKind::kUsage, "{} See `schedlens {}--help`", why,
          command ? command->name + " " : "");
  };
  try {
    root_->parse(static_cast<int>(all.size()), all.data());
  } catch (const CLI::CallForHelp&) {
    return Asked::kHelp;
  } catch (const CLI::ExtrasError&) {
    const std::vector<std::string> extras = root_->remaining(true);
    fail(ExplainExtras(program_, chosen(), extras.empty() ? "" : Unmarked(extras.front())));
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string_view what = error.what();
    const std::size_t name = what.find(": At Most 1 ");
    fail(name == what.npos ? fmt::format("{}.", what)
                           : fmt::format("{} is given more than once.", what.substr(0, name)));
  } catch (const CLI::RequiredError&) {
    fail(fmt::format("{} needs {}.", chosen()->name, ArgumentsOf(*chosen())));
  } catch (const CLI::ParseError& error) {
    fail(fmt::format("{}.", error.what()));
  }
  const auto typed = [&](const char* name) {
    const CLI::Option* option = root_->get_option_no_throw(name);
    return option != nullptr && option->count() > 0;
  };
  if (typed("--version")) return Asked::kVersion;
  return typed("--show-config") ? Asked::kShowConfig : Asked::kRun;
}

const DeclaredCommand* CommandLine::chosen() const {
  const CLI::App* app = ChosenOf(*root_);
  return app == nullptr ? nullptr : program_.Find(app->get_name());
}

CLI::Option* CommandLine::Find(const Option& option) const {
  CLI::App* app = ChosenOf(*root_);
  const std::string name = option.positional() ? option.names : NamesOf(option).back();
  return app == nullptr ? nullptr : app->get_option_no_throw(name);
}

bool CommandLine::Typed(const Option& option) const {
  const CLI::Option* found = Find(option);
  return found != nullptr && found->count() > 0;
}

void CommandLine::Set(const Option& option, const std::vector<std::string>& values) {
  CLI::Option* found = Find(option);
  try {
    found->add_result(values);
    found->run_callback();
  } catch (const CLI::ParseError& error) {
    throw Error(ErrorKind::kUsage, error.what());
  }
}

std::string CommandLine::Help() const { return root_->help(); }

}  // namespace schedlens
