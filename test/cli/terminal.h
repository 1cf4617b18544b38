#pragma once

// A pseudo terminal for a program, and the screen that its reader sees.

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "report/format.h"

namespace schedlens::test {

/// Its own end, and the name of the end that a program gets.
inline std::pair<int, std::string> OpenTerminal(unsigned short rows, unsigned short columns) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  const winsize size{.ws_row = rows, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
  const bool open = terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0 &&
                    ioctl(terminal, TIOCSWINSZ, &size) == 0;
  if (!open) throw std::runtime_error("no terminal");
  return {terminal, ptsname(terminal)};
}

/// Reads from a terminal's other end until `text` has come, or the program has ended; all that
/// came. An empty `text` never comes.
inline std::string ReadUntil(int terminal, const std::string& text) {
  std::string seen;
  char block[4096];
  while (text.empty() || seen.find(text) == std::string::npos) {
    pollfd ready{terminal, POLLIN, 0};
    if (poll(&ready, 1, 60'000) <= 0) break;
    const ssize_t n = read(terminal, block, sizeof(block));
    if (n <= 0) break;
    seen.append(block, static_cast<std::size_t>(n));
  }
  return seen;
}

/// What stands on the screen after a program's output: text, colours, line feeds. Wraps and scrolls
/// as a terminal does; throws for any other control character or escape.
class SeenScreen {
 public:
  SeenScreen(std::size_t rows, std::size_t columns)
      : columns_(columns), lines_(rows, std::vector<Cell>(columns)) {}

  void Write(std::string_view output) {
    while (!output.empty()) {
      if (output.starts_with("\x1b[")) {
        const std::size_t end = output.find_first_not_of("0123456789;", 2);
        if (end == output.npos || output[end] != 'm') throw std::runtime_error("unknown escape");
        Ink(output.substr(2, end - 2));
        output.remove_prefix(end + 1);
        continue;
      }
      const std::size_t bytes = NextCharacter(output).bytes;
      Put(std::string(output.substr(0, bytes)));
      output.remove_prefix(bytes);
    }
  }

  /// Rows that have left the screen at its top.
  std::size_t scrolled() const { return scrolled_; }

  /// Each row as text between bars, and below it, where it is coloured, a letter for each column:
  /// b bold, d dim, r red, g green, y yellow, c cyan; upper case is bold too.
  std::string Picture() const {
    std::string out;
    for (const std::vector<Cell>& line : lines_) {
      std::string text, inks;
      for (const Cell& cell : line) {
        text += cell.text;
        inks += cell.ink;
      }
      out += "|" + text + "|\n";
      inks.erase(inks.find_last_not_of(' ') + 1);
      if (!inks.empty()) out += " " + inks + "\n";
    }
    return out;
  }

 private:
  /// A wide character takes two cells, of which the second has no text.
  struct Cell {
    std::string text = " ";
    char ink = ' ';
  };

  void Ink(std::string_view codes) {
    static const std::vector<std::pair<std::string_view, char>> kInks = {
        {"", ' '},     {"0", ' '},    {"1", 'b'},    {"2", 'd'},
        {"1;31", 'R'}, {"1;32", 'G'}, {"1;33", 'Y'}, {"36", 'c'}};
    const auto found = std::find_if(kInks.begin(), kInks.end(),
                                    [&](const auto& ink) { return ink.first == codes; });
    if (found == kInks.end()) throw std::runtime_error("unknown colour " + std::string(codes));
    ink_ = found->second;
  }

  void Put(const std::string& character) {
    if (character == "\r") {
      column_ = 0;
    } else if (character == "\n") {
      NextRow();
    } else if (character.size() == 1 && (character[0] < ' ' || character[0] == '\x7f')) {
      throw std::runtime_error("unknown control character");
    } else {
      const auto width = static_cast<std::size_t>(DisplayWidth(character));
      if (column_ + width > columns_) {
        column_ = 0;
        NextRow();
      }
      for (std::size_t i = 0; i < width; ++i) {
        lines_[row_][column_++] = {i == 0 ? character : "", ink_};
      }
    }
  }

  void NextRow() {
    if (row_ + 1 < lines_.size()) {
      ++row_;
      return;
    }
    ++scrolled_;
    lines_.erase(lines_.begin());
    lines_.emplace_back(columns_);
  }

  std::size_t columns_;
  std::vector<std::vector<Cell>> lines_;
  std::size_t row_ = 0, column_ = 0, scrolled_ = 0;
  char ink_ = ' ';
};

}  // namespace schedlens::test
