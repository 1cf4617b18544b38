#include "cli/command.h"

#include <ostream>
#include <string>

#include "cli/command_line.h"
#include "cli/kubectl_completion.h"
#include "cli/last_resort.h"
#include "cli/one_line.h"
#include "cli/progress.h"
#include "cli/safe_stream.h"
#include "cli/secrets.h"
#include "cli/settings.h"
#include "cli/version.h"
#include "contract/message.h"
#include "messages/catalog.h"
#include "model/file.h"
#include "model/secrets.h"
#include "model/work_budget.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

int ExitCode(ErrorKind kind) { return static_cast<int>(kind); }

constexpr double kDefaultTimeout = 300;  // seconds

/// What is told to the user after it is no longer cut short.
struct Deadline {
  Deadline() { SetDeadline(kDefaultTimeout); }
  ~Deadline() { SetDeadline(kNoDeadline); }
};

int RunAll(int argc, const char* const* argv, const Context& context) {
  SetMaxInput(kDefaultMaxInput);
  const Deadline deadline;
  ForgetSecrets();
  RegisterTyped({argv, static_cast<std::size_t>(argc)});
  const Program program = DeclareProgram();
  if (argc > 0 && IsKubectlCompletion(argv[0])) {
    context.out << KubectlCompletion(program, {argv + 1, argv + argc});
    return 0;
  }
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
  Options options = command->options;
  options.insert(options.end(), command->positionals.begin(), command->positionals.end());
  const std::vector<std::string> words(argv + 1, argv + argc);
  return command->run(
      {context.in, context.out, context.err, CommandText(words, options), words, context.webhook});
}

}  // namespace

int Main(int argc, const char* const* argv, const Context& unsafe) {
  SafeStream out(unsafe.out);
  SafeStream err(unsafe.err);
  const Context context{unsafe.in, out, err, unsafe.command, {}, unsafe.webhook};
  const ReadingProgress reading(err);
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
    context.err << "schedlens: " << kOutOfMemory << "\n";
    return ExitCode(ErrorKind::kFailed);
  } catch (const std::exception& error) {
    context.err << "schedlens: " << OneLine(error.what()) << "\n";
    return ExitCode(ErrorKind::kFailed);
  }
}

}  // namespace schedlens
