// The default report on a terminal of 80 columns, as its reader sees it, against pictures in
// test/data/screens. After a wanted change:
//   UPDATE_GOLDEN=1 build/release/test/cli_test --gtest_filter='Terminal.*'

#include "cli/terminal.h"

#include <gtest/gtest.h>

#include <fstream>

#include "cli/process.h"

namespace schedlens {
namespace {

using test::SeenScreen;

TEST(Terminal, TheScreenShowsWhatATerminalWould) {
  SeenScreen screen(3, 6);
  screen.Write("a\x1b[1;31mb\x1b[0mc\r\n");
  screen.Write("中文中x\x1b[2my\x1b[0m");
  EXPECT_EQ(screen.Picture(), "|abc   |\n  R\n|中文中|\n|xy    |\n  d\n");
  EXPECT_EQ(screen.scrolled(), 0u);
  screen.Write("\r\nlast");
  EXPECT_EQ(screen.Picture(), "|中文中|\n|xy    |\n  d\n|last  |\n");
  EXPECT_EQ(screen.scrolled(), 1u);
  EXPECT_THROW(screen.Write("\x1b[2J"), std::runtime_error);
  EXPECT_THROW(screen.Write("\x1b[45m"), std::runtime_error);
  EXPECT_THROW(screen.Write("\t"), std::runtime_error);
}

/// The screen that the command shows in an example's folder, with the prompt's row, and which
/// nothing has left at the top.
std::string ScreenOf(const std::string& example, const std::vector<std::string>& arguments,
                     unsigned short rows = 32, unsigned short columns = 80) {
  const TempDir dir;
  const auto [terminal, name] = test::OpenTerminal(rows, columns);
  std::vector<std::string> command = {
      "/bin/sh", "-c", "cd \"$0\" && exec \"$@\"",
      std::string(SCHEDLENS_SOURCE_DIR) + "/examples/incidents/" + example, SCHEDLENS_BINARY};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const pid_t child =
      Start(command, "", name, dir / "err",
            {"SCHEDLENS_CONFIG=/dev/null",
             "SCHEDLENS_URL=", "PROMETHEUS_URL=", "COLUMNS=", "SOURCE_DATE_EPOCH=1795226400",
             "NO_COLOR=", "CLICOLOR_FORCE=", "TERM=xterm-256color", "LC_ALL=C.UTF-8"});
  const std::string output = test::ReadUntil(terminal, "");
  const Finished finished = Wait(child, dir / "err", dir / "err");
  close(terminal);
  EXPECT_EQ(finished.code, 0) << finished.err;
  SeenScreen screen(rows, columns);
  screen.Write(output);
  EXPECT_EQ(screen.scrolled(), 0u) << output;
  return screen.Picture();
}

void ExpectPicture(const std::string& name, const std::string& actual) {
  const std::string path = std::string(SCHEDLENS_TEST_DATA) + "/screens/" + name;
  if (std::getenv("UPDATE_GOLDEN") != nullptr) std::ofstream(path, std::ios::binary) << actual;
  EXPECT_EQ(ReadAll(path), actual) << name << "; see the head of this test";
}

TEST(Terminal, TheDefaultReportLooksAsItsPicture) {
  const std::vector<std::string> diagnose = {"diagnose", "--capture", "metrics.om.gz"};
  ExpectPicture("extender-bind-slow.txt", ScreenOf("extender-bind-slow", diagnose));
  ExpectPicture("healthy.txt", ScreenOf("healthy", diagnose));
  ExpectPicture(
      "extender-bind-slow.zh.txt",
      ScreenOf("extender-bind-slow", {"diagnose", "--capture", "metrics.om.gz", "--lang", "zh"}));
}

/// The verdict, what to do and the command stay in view, whatever the terminal's size.
TEST(Terminal, NothingScrollsOutOfViewOnASmallTerminal) {
  for (const char* example : {"extender-bind-slow", "webhook-on-binding", "apiserver-bind-slow"}) {
    for (const char* lang : {"en", "zh"}) {
      for (const auto& [rows, columns] :
           {std::pair(24, 80), std::pair(30, 120), std::pair(50, 100)}) {
        const std::string picture =
            ScreenOf(example, {"diagnose", "--capture", "metrics.om.gz", "--lang", lang},
                     static_cast<unsigned short>(rows), static_cast<unsigned short>(columns));
        const bool english = std::string_view(lang) == "en";
        EXPECT_NE(picture.find(english ? "|Do now " : "|现在 "), std::string::npos) << picture;
      }
    }
  }
}

}  // namespace
}  // namespace schedlens
