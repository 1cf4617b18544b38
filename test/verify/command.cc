#include "verify/command.h"

#include <fmt/format.h>

#include <exception>
#include <ostream>
#include <string_view>

#include "schedlens/error.h"
#include "verify/queue_report.h"
#include "verify/report.h"

namespace schedlens::verify {
namespace {

constexpr int kMismatches = 3;

struct VerifyOptions {
  std::string directory;
  std::string kubernetes_version;
  bool json = false;
};

int VerifyPlacements(const VerifyOptions& options, std::ostream& out) {
  const ReplaySummary summary =
      Summarize(options.directory, ReplaySets(options.directory, options.kubernetes_version));
  out << (options.json ? ReplayJson(summary) : ReplayText(summary));
  return summary.mismatches == 0 ? 0 : kMismatches;
}

int VerifyQueue(const VerifyOptions& options, std::ostream& out) {
  const QueueSummary summary = SummarizeQueues(options.directory, ReplayTraces(options.directory));
  out << (options.json ? QueueJson(summary) : QueueText(summary));
  return summary.mismatches + summary.hint_mismatches == 0 ? 0 : kMismatches;
}

struct VerifyCommand {
  std::string_view name;
  std::string_view help;
  int (*run)(const VerifyOptions& options, std::ostream& out);
};

constexpr VerifyCommand kCommands[] = {
    {"placements",
     "replay the recorded decisions of a real kube-scheduler and compare each with ours",
     VerifyPlacements},
    {"queue", "replay recorded runs of a real scheduling queue and compare every state with ours",
     VerifyQueue},
};

std::string Help() {
  std::string out =
      "Usage: schedlens-verify COMMAND DIR [--kubernetes-version 1.N] [-o "
      "text|json]\n\nCommands:\n";
  for (const VerifyCommand& command : kCommands) {
    out += fmt::format("  {:<12}{}\n", command.name, command.help);
  }
  return out +
         "\nDIR is a set (of a queue: a trace), or a folder that is searched for them.\n"
         "The folder above a set names its release (1.26.4/taints), a trace names its own; else\n"
         "--kubernetes-version is needed for a set whose configuration is v1.\n"
         "Exit code 3: something differs.\n";
}

Error UsageError(const std::string& what) {
  return Error(ErrorKind::kUsage, what + "; see schedlens-verify --help");
}

VerifyOptions ReadOptions(std::span<const std::string> arguments) {
  VerifyOptions options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word == "--kubernetes-version" || word == "-o" || word == "--output") {
      if (++i == arguments.size()) throw UsageError(word + " needs a value");
      if (word == "--kubernetes-version") {
        options.kubernetes_version = arguments[i];
      } else if (arguments[i] == "json" || arguments[i] == "text") {
        options.json = arguments[i] == "json";
      } else {
        throw UsageError(fmt::format("{} must be text or json, not `{}`", word, arguments[i]));
      }
    } else if (word.starts_with('-') || !options.directory.empty()) {
      throw UsageError(fmt::format("unexpected argument `{}`", word));
    } else {
      options.directory = word;
    }
  }
  if (options.directory.empty()) throw UsageError("DIR is missing");
  return options;
}

int Run(std::span<const std::string> arguments, std::ostream& out) {
  if (arguments.empty()) throw UsageError("a command is missing");
  if (arguments[0] == "--help" || arguments[0] == "-h") {
    out << Help();
    return 0;
  }
  for (const VerifyCommand& command : kCommands) {
    if (command.name == arguments[0]) return command.run(ReadOptions(arguments.subspan(1)), out);
  }
  throw UsageError(fmt::format("unknown command `{}`", arguments[0]));
}

}  // namespace

int RunVerify(std::span<const std::string> arguments, std::ostream& out, std::ostream& err) {
  try {
    return Run(arguments, out);
  } catch (const Error& error) {
    err << "schedlens-verify: " << error.what() << "\n";
    return static_cast<int>(error.kind());
  } catch (const std::exception& error) {
    err << "schedlens-verify: " << error.what() << "\n";
    return static_cast<int>(ErrorKind::kFailed);
  }
}

}  // namespace schedlens::verify
