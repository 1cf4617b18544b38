#include "cli/command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <optional>
#include <ostream>
#include <string>

#include "cli/app.h"
#include "cli/settings.h"
#include "cli/version.h"
#include "model/nearest.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

int ExitCode(ErrorKind kind) { return static_cast<int>(kind); }

/// Errors are one line, whatever text they quote.
std::string OneLine(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

std::vector<std::string> CommandNames() {
  std::vector<std::string> names;
  for (const Command& command : Commands()) names.emplace_back(command.name);
  return names;
}

std::vector<std::string> LongOptions(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// The subcommand of the command line; null before one was read.
const CLI::App* Chosen(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? nullptr : parsed.front();
}

/// What to say about words that no option and no command takes.
std::string ExplainExtras(const CLI::App& app) {
  const std::vector<std::string> extras = app.remaining(true);
  const std::string word = extras.empty() ? "" : extras.front();
  const CLI::App* chosen = Chosen(app);
  if (word.size() > 1 && word.front() == '-') {
    const std::string typed = word.substr(0, word.find('='));
    const std::string nearest = Nearest(typed, LongOptions(chosen ? *chosen : app));
    return fmt::format("unknown option {}; did you mean {}? See `schedlens {}--help`", typed,
                       nearest, chosen ? chosen->get_name() + " " : "");
  }
  if (chosen == nullptr) {
    return fmt::format("unknown command {}; did you mean {}? See `schedlens --help`", word,
                       Nearest(word, CommandNames()));
  }
  return fmt::format(
      "unexpected argument {}: quote an argument that has blanks. See `schedlens {} --help`", word,
      chosen->get_name());
}

/// Runs the one command that was asked for.
int Dispatch(const CLI::App& app, const std::vector<Run>& runs, const Context& context) {
  const CLI::App* chosen = Chosen(app);
  if (chosen == nullptr) {
    context.err << app.help();
    return ExitCode(ErrorKind::kUsage);
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (Commands()[i].name == chosen->get_name()) return runs[i](context);
  }
  throw Error(ErrorKind::kFailed, chosen->get_name() + " has no row in the command table");
}

/// Reads the command line into the options. Returns an exit code when that is all there is to do.
std::optional<int> Parse(CLI::App& app, int argc, const char* const* argv, const Context& context) {
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::CallForHelp&) {
    context.out << app.help();
  } catch (const CLI::CallForVersion&) {
    context.out << VersionLine() << "\n";
  } catch (const CLI::ExtrasError&) {
    throw Error(ErrorKind::kUsage, ExplainExtras(app));
  } catch (const CLI::ParseError& error) {
    const CLI::App* chosen = Chosen(app);
    throw Error(ErrorKind::kUsage, fmt::format("{}. See `schedlens {}--help`", error.what(),
                                               chosen ? chosen->get_name() + " " : ""));
  }
  return 0;
}

int RunAll(int argc, const char* const* argv, const Context& context) {
  CLI::App app;
  const std::vector<Run> runs = SetUpApp(app);
  if (const auto code = Parse(app, argc, argv, context)) return *code;
  const std::vector<ConfigEntry> settings = ReadSettings(app);
  if (app.count("--show-config") > 0) {
    ShowSettings(settings, context.out);
    return 0;
  }
  for (CLI::App* chosen : app.get_subcommands()) ApplySettings(*chosen, settings);
  return Dispatch(app, runs, context);
}

}  // namespace

int Main(int argc, const char* const* argv, const Context& context) {
  try {
    const int code = RunAll(argc, argv, context);
    context.out.flush();
    if (!context.out) throw Error(ErrorKind::kFailed, "cannot write to standard output");
    return code;
  } catch (const Error& error) {
    context.err << "schedlens: " << OneLine(error.what()) << "\n";
    return ExitCode(error.kind());
  } catch (const std::bad_alloc&) {
    context.err << "schedlens: out of memory; give a shorter window or a smaller capture\n";
    return ExitCode(ErrorKind::kFailed);
  } catch (const std::exception& error) {
    context.err << "schedlens: " << OneLine(error.what()) << "\n";
    return ExitCode(ErrorKind::kFailed);
  }
}

}  // namespace schedlens
