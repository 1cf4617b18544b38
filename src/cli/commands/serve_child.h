#ifndef SCHEDLENS_CLI_COMMANDS_SERVE_CHILD_H_
#define SCHEDLENS_CLI_COMMANDS_SERVE_CHILD_H_

// A diagnosis of `serve` in a process of its own: a crash, a hang or a lack of memory ends that
// report alone.

#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace schedlens {

/// The first word of a reporting process; the second is the webhook's file. The command line of
/// `serve` comes through standard input, where nobody else can read it.
inline constexpr std::string_view kReporter = "schedlens-report";

struct Reporter {
  std::string program = "/proc/self/exe";
  std::vector<std::string> words;  ///< the command line of `serve`
  double seconds = 300;            ///< then it is ended
  std::function<bool()> interrupted;
  std::function<void(const std::string&)> log;  ///< told of each line on its standard error
};

struct ReporterEnd {
  int code = 0;          ///< exit code
  bool stopped = false;  ///< we were interrupted, and ended it
  bool broken = false;   ///< a signal or a limit ended it: it would again
  std::string why;       ///< unless the code is 0
};

/// Runs it to its end, and ends what it has started. Its last line is `why` where it fails. Throws
/// Error(kFailed) when it cannot be started.
ReporterEnd RunReporter(const Reporter& reporter, const std::string& webhook);

/// In the new process: the words that RunReporter sent.
std::vector<std::string> ReadWords(std::istream& in);

/// In the new process: from now on so much CPU time and so many more bytes of addresses, no core
/// dumps, and an end when the parent ends.
void LimitThisProcess(double cpu_seconds, double bytes);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_COMMANDS_SERVE_CHILD_H_
