#include "cli/screen.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <ostream>
#include <string_view>
#include <utility>

#include "cli/interrupt.h"
#include "cli/safe_stream.h"

namespace schedlens {
namespace {

// The other screen, no cursor, and a line too long is cut off: a wrapped one would take two rows.
constexpr const char* kEnter = "\x1b[?1049h\x1b[?25l\x1b[?7l";
constexpr const char* kLeave = "\x1b[?7h\x1b[?25h\x1b[?1049l";
constexpr const char* kHome = "\x1b[H";
// Before the line: behind a full one it would take its last column.
constexpr const char* kClearLine = "\x1b[K";
constexpr const char* kToScreenEnd = "\x1b[J";
constexpr std::size_t kRule = 80;

}  // namespace

Screen::Screen(std::ostream& out, std::function<int()> rows) : out_(out), rows_(std::move(rows)) {}

Screen::~Screen() { Close(); }

void Screen::Show(const std::string& head, const std::string& text) {
  if (!rows_) {
    std::string line = "-- " + head + " ";
    line.append(kRule - std::min(kRule - 1, line.size()), '-');
    out_ << line << "\n" << Own{text} << std::flush;
    return;
  }
  std::string drawn;
  if (!open_) {
    RestoreOnInterrupt(kLeave);
    open_ = true;
    drawn = kEnter;
  }
  drawn += kHome;
  std::string_view left = text;
  std::string_view line = head;
  // The last row stays empty: a line end there would scroll.
  for (int row = std::max(rows_(), 2) - 1; row > 0; --row) {
    drawn.append(kClearLine).append(line).append("\r\n");
    if (left.empty()) break;
    const std::size_t end = std::min(left.find('\n'), left.size());
    line = left.substr(0, end);
    left.remove_prefix(std::min(left.size(), end + 1));
  }
  out_ << Own{drawn} << Own{kToScreenEnd} << std::flush;
}

void Screen::Close() {
  if (!open_) return;
  open_ = false;
  out_ << Own{kLeave} << std::flush;
  RestoreOnInterrupt(nullptr);
}

int TerminalRows() {
  constexpr int kDefault = 24;
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row : kDefault;
}

}  // namespace schedlens
