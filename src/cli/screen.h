#ifndef SCHEDLENS_CLI_SCREEN_H_
#define SCHEDLENS_CLI_SCREEN_H_

// One text shown again and again in place. On a terminal it has a screen of its own, so that
// nothing scrolls away; elsewhere the texts follow each other.

#include <functional>
#include <iosfwd>
#include <string>

namespace schedlens {

class Screen {
 public:
  /// `rows` gives the height of the terminal behind `out` now; without it `out` is none.
  explicit Screen(std::ostream& out, std::function<int()> rows = {});
  /// Gives the terminal back as it was, as does an interrupt.
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  /// On a terminal in place of what stands there, cut off where the screen ends. Else `head` in a
  /// line of dashes, and the text below.
  void Show(const std::string& head, const std::string& text);
  /// Leaves the terminal's own screen: what is written then stays.
  void Close();

 private:
  std::ostream& out_;
  std::function<int()> rows_;
  bool open_ = false;
};

/// Rows of the terminal behind standard output; 24 where it does not tell.
int TerminalRows();

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_SCREEN_H_
