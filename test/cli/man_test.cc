#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command.h"
#include "cli/process.h"

namespace schedlens {
namespace {

using testing::HasSubstr;

Finished Render(const std::string& page) {
  const TempDir dir;
  const std::string file = dir.Write("schedlens.1", page);
  return RunProgram({"man", "--warnings", "-E", "UTF-8", "-l", file}, "",
                    {"LC_ALL=C.UTF-8", "MANWIDTH=100", "MANROFFSEQ="});
}

TEST(ManPage, RendersWithoutWarnings) {
  if (RunProgram({"man", "--version"}).code != 0) GTEST_SKIP() << "man is not installed";
  const Finished finished = Render(ManPage(DeclareProgram()));
  EXPECT_EQ(finished.code, 0);
  EXPECT_EQ(finished.err, "");
  EXPECT_THAT(finished.out,
              HasSubstr("schedlens - kube-scheduler latency: from the alert to the cause"));
  EXPECT_THAT(finished.out, HasSubstr("schedlens explain bind.extender"));
  EXPECT_THAT(finished.out, HasSubstr("The data was read but is not sufficient for an answer."));
}

TEST(ManPage, HasASectionForEachCommandAndAllExitCodes) {
  const std::string page = ManPage(DeclareProgram());
  for (const std::string& name : DeclareProgram().CommandNames()) {
    EXPECT_THAT(page, HasSubstr(".SS " + name + "\n"));
  }
  for (const char* code : {"0", "1", "2", "3", "4", "5", "124", "130"}) {
    EXPECT_THAT(page, HasSubstr("\\fB" + std::string(code) + "\\fR\n"));
  }
}

TEST(ManPage, TakesAnyTextAsText) {
  Program program;
  program.summary = ".so /etc/passwd";
  program.commands = {{"try", "a\\fBb", {".br", "'quoted", "a -b"}, {}, {}, {}}};
  const std::string page = ManPage(program);
  EXPECT_THAT(page, HasSubstr("\n\\&.so /etc/passwd\n"));
  EXPECT_THAT(page, HasSubstr("\na\\efBb.\n"));
  EXPECT_THAT(page, HasSubstr("\n\\&.br\n\\&'quoted\na \\-b\n"));
}

}  // namespace
}  // namespace schedlens
