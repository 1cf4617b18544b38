#include "cli/command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/run_main.h"

namespace schedlens {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

void ExpectOneLine(const Ran& ran) {
  EXPECT_THAT(ran.err, StartsWith("schedlens: "));
  EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  EXPECT_EQ(ran.out, "");
}

TEST(Main, WithoutACommandPrintsTheHelpAsAUsageError) {
  const Ran ran = RunMain({});
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, HasSubstr("explain"));
}

TEST(Main, HelpListsEveryCommandWithItsSummary) {
  const Ran ran = RunMain({"--help"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.err, "");
  for (const DeclaredCommand& command : DeclareProgram().commands) {
    EXPECT_THAT(ran.out, HasSubstr(std::string(command.name)));
  }
}

TEST(Main, VersionIsOneLine) {
  const Ran ran = RunMain({"--version"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, testing::MatchesRegex("schedlens [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST(Main, HelpAndVersionAreWordsToo) {
  EXPECT_EQ(RunMain({"version"}).out, RunMain({"--version"}).out);
  EXPECT_EQ(RunMain({"help"}).out, RunMain({"--help"}).out);
  const Ran ran = RunMain({"help", "doctor"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out, RunMain({"doctor", "--help"}).out);
  EXPECT_THAT(RunMain({"help", "docter"}).err, HasSubstr("unknown command docter; did you mean"));
  EXPECT_THAT(RunMain({"kubelet"}).err, HasSubstr("unknown command kubelet. See"));
}

TEST(Main, ASourceNeedsNoOption) {
  const std::string file = std::string(SCHEDLENS_TEST_DATA) + "/captures/healthy-A.om.gz";
  const std::string up = R"(count(up{job="x"}) or vector(7))";
  EXPECT_EQ(RunMain({"query", up, file}).out, RunMain({"query", up, "--capture", file}).out);
  EXPECT_EQ(RunMain({"query", file, up}).out, RunMain({"query", up, "--capture", file}).out);
  EXPECT_EQ(RunMain({"doctor", file}).code, 0);
  const std::string page = "kube_pod_info 1\n";
  EXPECT_EQ(RunMain({"query", "kube_pod_info", "-"}, page).out,
            RunMain({"query", "kube_pod_info", "--capture", "-"}, page).out);
  EXPECT_EQ(RunMain({"doctor", "unix:///nosuch"}).err,
            RunMain({"doctor", "--prometheus", "unix:///nosuch"}).err);
  const Ran server = RunMain({"query", "http://user:word@127.0.0.1:1", "up"});
  EXPECT_THAT(server.err, HasSubstr("127.0.0.1:1"));
  EXPECT_THAT(server.err, testing::Not(HasSubstr("word@")));
  // The value of an option is not one, nor is what no file is.
  EXPECT_THAT(RunMain({"doctor", "--capture", file, file}).err, HasSubstr("--capture"));
  const Ran none = RunMain({"doctor", "nosuch.om"});
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("unexpected argument nosuch.om: no such file, and no URL;"));
}

TEST(Main, AMistypedCommandNamesTheNearest) {
  const Ran ran = RunMain({"explian"});
  EXPECT_EQ(ran.code, 2);
  ExpectOneLine(ran);
  EXPECT_THAT(ran.err, HasSubstr("unknown command explian; did you mean explain?"));
}

TEST(Main, AMistypedOptionNamesTheNearestOfItsCommand) {
  const Ran global = RunMain({"--versoin"});
  EXPECT_EQ(global.code, 2);
  ExpectOneLine(global);
  EXPECT_THAT(global.err, HasSubstr("unknown option --versoin; did you mean --version?"));

  const Ran ran = RunMain({"explain", "--hepl=3"});
  EXPECT_EQ(ran.code, 2);
  ExpectOneLine(ran);
  EXPECT_THAT(ran.err, HasSubstr("unknown option --hepl; did you mean --help?"));
  EXPECT_THAT(ran.err, HasSubstr("schedlens explain --help"));
}

TEST(Main, AnArgumentTooManyIsNamed) {
  const Ran ran = RunMain({"explain", "quantile", "interval"});
  EXPECT_EQ(ran.code, 2);
  ExpectOneLine(ran);
  EXPECT_THAT(ran.err, HasSubstr("unexpected argument interval"));
}

TEST(Main, AnErrorThatQuotesControlCharactersStaysOneHarmlessLine) {
  const Ran ran = RunMain({"explain", "a\nb\x1b[2Jc"});
  EXPECT_EQ(ran.code, 2);
  ExpectOneLine(ran);
  EXPECT_EQ(ran.err.find('\x1b'), std::string::npos);
}

TEST(Main, AWordMayBeTheNameOfACommand) {
  const Ran ran = RunMain({"explain", "quantile"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.err, "");
  EXPECT_THAT(ran.out, HasSubstr("histogram_quantile"));
}

}  // namespace
}  // namespace schedlens
