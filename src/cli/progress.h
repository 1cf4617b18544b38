#pragma once

// What is drawn on a terminal: the progress of a long run, a text shown again and again in place.

#include <chrono>
#include <iosfwd>

#include "base/source.h"

namespace schedlens {

/// Shows itself only on a terminal, only after a second, and is erased at the end.
class Progress {
 public:
  using Clock = std::function<std::chrono::milliseconds()>;
  /// Whether standard error is a terminal.
  static bool OnTerminal();
  static std::chrono::milliseconds Now();

  /// Silent unless `enabled`.
  explicit Progress(std::ostream& err, bool enabled = OnTerminal(), Clock clock = Now);
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
/// base/file.h); does nothing unless standard error is a terminal.
class ReadingProgress {
 public:
  explicit ReadingProgress(std::ostream& err, bool enabled = Progress::OnTerminal(),
                           Progress::Clock clock = Progress::Now);
  ~ReadingProgress();
  ReadingProgress(const ReadingProgress&) = delete;
  ReadingProgress& operator=(const ReadingProgress&) = delete;

 private:
  bool enabled_;
};

/// Shows each query that is sent to `source` on `progress`, which must outlive it.
std::unique_ptr<Source> WithProgress(std::unique_ptr<Source> source, Progress* progress);

struct TerminalSize {
  int rows = 0, columns = 0;
};

/// One text shown again and again in place. On a terminal it has a screen of its own, so that
/// nothing scrolls away; elsewhere the texts follow each other.
class Screen {
 public:
  /// `size` gives that of the terminal behind `out` now; without it `out` is none.
  explicit Screen(std::ostream& out, std::function<TerminalSize()> size = {});
  /// Gives the terminal back as it was, as does an interrupt.
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  /// On a terminal in place of what stands there; lines that are too long go on in the next row,
  /// and an ellipsis stands for what the screen has no room for. Else `head` in a line of dashes,
  /// and the text below.
  void Show(const std::string& head, const std::string& text);
  /// Leaves the terminal's own screen: what is written then stays.
  void Close();

 private:
  std::ostream& out_;
  std::function<TerminalSize()> size_;
  bool open_ = false;
};

/// Of the terminal behind standard output; 24 rows of 80 where it does not tell.
TerminalSize SizeOfTerminal();

}  // namespace schedlens
