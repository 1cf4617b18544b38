#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "cli/progress.h"

namespace schedlens {
namespace {

TEST(Screen, ElsewhereThanOnATerminalTextsFollowEachOther) {
  std::ostringstream out;
  Screen screen(out);
  screen.Show("one", "a\nb\n");
  screen.Show("two", "c\n");
  const std::string rule(80 - 7, '-');
  EXPECT_EQ(out.str(), "-- one " + rule + "\na\nb\n-- two " + rule + "\nc\n");
}

TEST(Screen, OnATerminalEachTextReplacesTheOneBefore) {
  std::ostringstream out;
  {
    Screen screen(out, [] { return TerminalSize{10, 20}; });
    screen.Show("one", "a\nb\n");
    EXPECT_EQ(out.str(), "\x1b[?1049h\x1b[?25l\x1b[H\x1b[Kone\r\n\x1b[Ka\r\n\x1b[Kb\r\n\x1b[J");
    out.str("");
    screen.Show("two", "c\n");
    EXPECT_EQ(out.str(), "\x1b[H\x1b[Ktwo\r\n\x1b[Kc\r\n\x1b[J");
    out.str("");
  }
  EXPECT_EQ(out.str(), "\x1b[?25h\x1b[?1049l") << "the terminal is given back";
}

TEST(Screen, ALongLineGoesOnInTheNextRow) {
  std::ostringstream out;
  Screen screen(out, [] { return TerminalSize{10, 20}; });
  const std::string command = "\x1b[2mRun\x1b[0m kubectl get webhooks -A";  // 27 columns
  screen.Show("one", command + "\nnext\n");
  // Every row of it is cleared, the last one too: something longer may have stood there.
  EXPECT_NE(out.str().find("\r\n\x1b[K\x1b[1A\x1b[K" + command + "\r\n\x1b[Knext"),
            std::string::npos)
      << out.str();
}

TEST(Screen, AWideCharacterIsNeverCutInTwo) {
  std::ostringstream out;
  Screen screen(out, [] { return TerminalSize{10, 4}; });
  screen.Show("one", "a调度中b\nnext\n");  // a调, 度中, b: three rows of four columns
  EXPECT_NE(out.str().find("\x1b[2A\x1b[Ka"), std::string::npos) << out.str();
}

TEST(Screen, NothingScrollsAndASignStandsForWhatDoesNotFit) {
  std::ostringstream out;
  Screen screen(out, [] { return TerminalSize{4, 20}; });
  screen.Show("head", "a\nb\nc\nd\ne\n");
  const std::string drawn = out.str();
  EXPECT_EQ(std::count(drawn.begin(), drawn.end(), '\n'), 3);
  EXPECT_NE(drawn.find("\x1b[Ka\r\n\x1b[K…\r\n"), std::string::npos);
  EXPECT_EQ(drawn.find('b'), std::string::npos);
}

}  // namespace
}  // namespace schedlens
