#include "cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/leading_dash.h"
#include "model/nearest.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

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

/// Binds an option of CLI11 to each kind of target.
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
  added->type_name(option.value)->required(option.required);
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

void Relate(CLI::App& app, const Options& options, const std::vector<CLI::Option*>& added) {
  for (std::size_t i = 0; i < options.size(); ++i) {
    for (const std::string& name : options[i].excludes) {
      added[i]->excludes(app.get_option_no_throw(name));
    }
    for (const std::string& name : options[i].needs) {
      added[i]->needs(app.get_option_no_throw(name));
    }
  }
}

void AddAll(CLI::App& app, const Options& options) {
  std::vector<CLI::Option*> added;
  for (const Option& option : options) added.push_back(Add(app, option));
  Relate(app, options, added);
}

std::string WithDashes(const std::string& name) { return "--" + name; }

}  // namespace

struct CommandLine::Apps {
  CLI::App root;

  CLI::App* Chosen() const {
    const auto parsed = root.get_subcommands();
    return parsed.empty() ? nullptr : parsed.front();
  }
  CLI::Option* Find(const Option& option) {
    CLI::App* chosen = Chosen();
    const std::string name = option.positional() ? option.names : NamesOf(option).back();
    return chosen ? chosen->get_option_no_throw(name) : nullptr;
  }
};

CommandLine::CommandLine(const Program& program)
    : program_(program), apps_(std::make_unique<Apps>()) {
  CLI::App& root = apps_->root;
  root.name("schedlens");
  root.description(program.summary);
  root.require_subcommand(0, 1);
  root.footer("`schedlens COMMAND --help` starts with examples that work.");
  AddAll(root, program.options);
  for (const DeclaredCommand& command : program.commands) {
    CLI::App* app = root.add_subcommand(command.name, command.summary);
    app->footer("");
    app->formatter(std::make_shared<ExamplesFirst>(command.examples));
    AddAll(*app, Together({command.positionals, command.options}));
  }
}

CommandLine::~CommandLine() = default;

namespace {

/// What to say about words that no option and no command takes.
std::string ExplainExtras(const Program& program, const DeclaredCommand* chosen,
                          const std::string& word) {
  const std::string see = chosen ? chosen->name + " --help" : "--help";
  if (word.size() > 1 && word.front() == '-') {
    const std::string typed = word.substr(0, word.find('='));
    std::vector<std::string> names = LongNames(chosen ? chosen->options : program.options);
    std::transform(names.begin(), names.end(), names.begin(), WithDashes);
    return fmt::format("unknown option {}; did you mean {}? See `schedlens {}`", typed,
                       Nearest(typed, names), see);
  }
  if (chosen == nullptr) {
    std::vector<std::string> names;
    for (const DeclaredCommand& command : program.commands) names.push_back(command.name);
    return fmt::format("unknown command {}; did you mean {}? See `schedlens --help`", word,
                       Nearest(word, names));
  }
  return fmt::format(
      "unexpected argument {}: quote arguments that contain spaces. See `schedlens {}`", word, see);
}

}  // namespace

Asked CommandLine::Parse(int argc, const char* const* argv) {
  const std::vector<std::string> words = MarkExpressions(program_, argc, argv);
  std::vector<const char*> marked;
  for (const std::string& word : words) marked.push_back(word.c_str());
  try {
    apps_->root.parse(static_cast<int>(marked.size()), marked.data());
  } catch (const CLI::CallForHelp&) {
    return Asked::kHelp;
  } catch (const CLI::ExtrasError&) {
    const std::vector<std::string> extras = apps_->root.remaining(true);
    throw Error(ErrorKind::kUsage,
                ExplainExtras(program_, chosen(),
                              extras.empty() ? "" : std::string(Unmarked(extras.front()))));
  } catch (const CLI::ParseError& error) {
    const DeclaredCommand* command = chosen();
    throw Error(ErrorKind::kUsage, fmt::format("{}. See `schedlens {}--help`", error.what(),
                                               command ? command->name + " " : ""));
  }
  const auto typed = [&](const char* name) {
    const CLI::Option* option = apps_->root.get_option_no_throw(name);
    return option != nullptr && option->count() > 0;
  };
  if (typed("--version")) return Asked::kVersion;
  return typed("--show-config") ? Asked::kShowConfig : Asked::kRun;
}

const DeclaredCommand* CommandLine::chosen() const {
  const CLI::App* app = apps_->Chosen();
  for (const DeclaredCommand& command : program_.commands) {
    if (app != nullptr && command.name == app->get_name()) return &command;
  }
  return nullptr;
}

bool CommandLine::Typed(const Option& option) const {
  const CLI::Option* found = apps_->Find(option);
  return found != nullptr && found->count() > 0;
}

void CommandLine::Set(const Option& option, const std::vector<std::string>& values) {
  CLI::Option* found = apps_->Find(option);
  try {
    found->add_result(values);
    found->run_callback();
  } catch (const CLI::ParseError& error) {
    throw Error(ErrorKind::kUsage, error.what());
  }
}

std::string CommandLine::Help() const { return apps_->root.help(); }

}  // namespace schedlens
