#ifndef SCHEDLENS_CLI_COMMAND_LINE_H_
#define SCHEDLENS_CLI_COMMAND_LINE_H_

// Reads the command line into the targets of the options. The only place that knows CLI11.

#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace schedlens {

/// What the command line asks for before anything runs.
enum class Asked { kRun, kHelp, kVersion, kShowConfig };

class CommandLine {
 public:
  /// `program` must outlive the parser.
  explicit CommandLine(const Program& program);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  /// Fills the targets. Throws Error(kUsage) for what no option and no command takes (naming the
  /// nearest that exists), and for a value that its option refuses.
  Asked Parse(int argc, const char* const* argv);

  /// The command of the command line; null when there is none.
  const DeclaredCommand* chosen() const;
  /// Whether this option of the chosen command was typed.
  bool Typed(const Option& option) const;
  /// Gives an option of the chosen command values from elsewhere. Throws Error(kUsage) for a value
  /// that it refuses.
  void Set(const Option& option, const std::vector<std::string>& values);

  /// The help of the chosen command, else of the program.
  std::string Help() const;

 private:
  CLI::Option* Find(const Option& option) const;

  const Program& program_;
  const std::unique_ptr<CLI::App> root_;
};

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_COMMAND_LINE_H_
