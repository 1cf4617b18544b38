#ifndef SCHEDLENS_CLI_PROGRESS_H_
#define SCHEDLENS_CLI_PROGRESS_H_

// One line on standard error that shows the progress of a long run.

#include <chrono>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>

#include "contract/source.h"

namespace schedlens {

/// Shows itself only on a terminal, only after a second, and is erased at the end.
class Progress {
 public:
  using Clock = std::function<std::chrono::milliseconds()>;

  /// For standard error as it is; silent unless that is a terminal.
  explicit Progress(std::ostream& err);
  /// `enabled` and the clock are given: for tests.
  Progress(std::ostream& err, bool enabled, Clock clock);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `queries 12/31  plugin_execution`; without a total (0) only `doing` and `detail`. Drawn at
  /// most ten times a second.
  void Show(const std::string& doing, std::size_t done, std::size_t total,
            const std::string& detail);
  /// Erases the line; a second passes before the next.
  void Wipe();

 private:
  std::ostream& err_;
  bool enabled_;
  Clock clock_;
  std::chrono::milliseconds started_;
  std::chrono::milliseconds drawn_{0};
  bool visible_ = false;
};

/// Shows what is read of files and of standard input, as long as it exists (see
/// model/input_reading.h); does nothing unless standard error is a terminal.
class ReadingProgress {
 public:
  explicit ReadingProgress(std::ostream& err);
  /// `enabled` and the clock are given: for tests.
  ReadingProgress(std::ostream& err, bool enabled, Progress::Clock clock);
  ~ReadingProgress();
  ReadingProgress(const ReadingProgress&) = delete;
  ReadingProgress& operator=(const ReadingProgress&) = delete;

 private:
  bool enabled_;
};

/// Shows each query that is sent to `source` on `progress`, which must outlive it.
std::unique_ptr<Source> WithProgress(std::unique_ptr<Source> source, Progress* progress);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_PROGRESS_H_
