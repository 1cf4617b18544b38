#include "cli/command.h"

#include <ostream>
#include <string>

#include "cli/command_line.h"
#include "cli/settings.h"
#include "cli/version.h"
#include "contract/reasoned_error.h"
#include "messages/catalog.h"
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

int RunAll(int argc, const char* const* argv, const Context& context) {
  const Program program = DeclareProgram();
  CommandLine line(program);
  switch (line.Parse(argc, argv)) {
    case Asked::kHelp:
      context.out << line.Help();
      return 0;
    case Asked::kVersion:
      context.out << VersionLine() << "\n";
      return 0;
    case Asked::kShowConfig:
      ShowSettings(ReadSettings(program), context.out);
      return 0;
    case Asked::kRun:
      break;
  }
  const std::vector<ConfigEntry> settings = ReadSettings(program);
  const DeclaredCommand* command = line.chosen();
  if (command == nullptr) {
    context.err << line.Help();
    return ExitCode(ErrorKind::kUsage);
  }
  ApplySettings(settings, &line);
  return command->run(context);
}

}  // namespace

int Main(int argc, const char* const* argv, const Context& context) {
  try {
    const int code = RunAll(argc, argv, context);
    context.out.flush();
    if (!context.out) throw Error(ErrorKind::kFailed, "cannot write to standard output");
    return code;
  } catch (const ReasonedError& error) {
    const std::string text = std::string(error.what()) + ": " + InEnglish(error.reason());
    context.err << "schedlens: " << OneLine(text) << "\n";
    return ExitCode(error.kind());
  } catch (const Error& error) {
    context.err << "schedlens: " << OneLine(error.what()) << "\n";
    return ExitCode(error.kind());
  } catch (const std::bad_alloc&) {
    context.err << "schedlens: out of memory; use a shorter window or a smaller capture\n";
    return ExitCode(ErrorKind::kFailed);
  } catch (const std::exception& error) {
    context.err << "schedlens: " << OneLine(error.what()) << "\n";
    return ExitCode(ErrorKind::kFailed);
  }
}

}  // namespace schedlens
