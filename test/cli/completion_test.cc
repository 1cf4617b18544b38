#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "cli/command.h"
#include "cli/process.h"

namespace schedlens {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;

bool Have(const std::string& shell) {
  return RunProgram({"sh", "-c", "command -v " + shell}).code == 0;
}

/// What bash offers for the words typed so far; the last one is being completed.
std::vector<std::string> BashOffers(std::vector<std::string> words) {
  const TempDir dir;
  const std::string script = dir.Write("schedlens", std::string(TextNamed("bash")));
  std::string typed;
  for (const std::string& word : words) typed += " '" + word + "'";
  const std::string drive = "source '" + script + "'; COMP_WORDS=('" SCHEDLENS_BINARY "'" + typed +
                            "); COMP_CWORD=" + std::to_string(words.size()) +
                            "; _schedlens; printf '%s\\n' \"${COMPREPLY[@]}\"";
  const Finished finished = RunProgram({"bash", "-c", drive});
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_EQ(finished.err, "");
  std::vector<std::string> offers;
  std::istringstream lines(finished.out);
  for (std::string line; std::getline(lines, line);) offers.push_back(line);
  return offers;
}

TEST(BashCompletion, IsSyntaxThatBashAccepts) {
  const TempDir dir;
  const std::string script = dir.Write("schedlens", std::string(TextNamed("bash")));
  const Finished finished = RunProgram({"bash", "-n", script});
  EXPECT_EQ(finished.code, 0) << finished.err;
}

TEST(BashCompletion, CompletesCommands) {
  EXPECT_THAT(BashOffers({"expl"}), ElementsAre("explain"));
  EXPECT_THAT(BashOffers({"--ver"}), ElementsAre("--version"));
  const std::vector<std::string> all = BashOffers({""});
  for (const DeclaredCommand& command : DeclareProgram().commands)
    EXPECT_THAT(all, Contains(std::string(command.name)));
}

TEST(BashCompletion, CompletesOptionsOfTheCommandOnly) {
  EXPECT_THAT(BashOffers({"explain", "--h"}), ElementsAre("--help"));
  EXPECT_THAT(BashOffers({"explain", "--"}), Not(Contains("--version")));
}

TEST(BashCompletion, CompletesChoicesAndWords) {
  EXPECT_THAT(BashOffers({"completion", "z"}), ElementsAre("zsh"));
  EXPECT_THAT(BashOffers({"explain", "bind.ext"}), ElementsAre("bind.extender"));
  EXPECT_THAT(BashOffers({"report", "-o", "mark"}), ElementsAre("markdown"));
}

TEST(BashCompletion, CompletesFilesWhereAFileIsAsked) {
  const TempDir dir;
  const std::string file = dir.Write("diagnosis 1.json", "{}");
  EXPECT_THAT(BashOffers({"report", dir / "diag"}), ElementsAre(file));
  EXPECT_THAT(BashOffers({"diagnose", dir / "diag"}), ElementsAre(file)) << "a capture by its name";
}

// The shells' own parsers judge; a machine without them has nothing to complete.
TEST(ZshCompletion, IsSyntaxThatZshAccepts) {
  if (!Have("zsh")) GTEST_SKIP() << "zsh is not installed";
  const TempDir dir;
  const std::string script = dir.Write("_schedlens", std::string(TextNamed("zsh")));
  const Finished finished = RunProgram({"zsh", "-n", script});
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_EQ(finished.err, "");
}

TEST(ZshCompletion, DefinesACompletionThatZshLoads) {
  if (!Have("zsh")) GTEST_SKIP() << "zsh is not installed";
  const TempDir dir;
  dir.Write("_schedlens", std::string(TextNamed("zsh")));
  const std::string drive = "fpath=('" + dir.path() +
                            "' $fpath); autoload -Uz compinit; compinit -u -D; "
                            "print -r -- $_comps[schedlens] $_comps[kubectl-schedlens]";
  const Finished finished = RunProgram({"zsh", "-f", "-c", drive});
  EXPECT_EQ(finished.out, "_schedlens _schedlens\n") << finished.err;
}

TEST(ZshCompletion, CompletesCommandsOptionsAndWords) {
  if (!Have("zsh")) GTEST_SKIP() << "zsh is not installed";
  const TempDir dir;
  const std::string script = dir.Write("_schedlens", std::string(TextNamed("zsh")));
  const auto offers = [&](const std::string& typed, int current) {
    // zsh's own functions need a terminal: these print what they are given.
    const std::string drive =
        "compdef() {}; _files() print files; "
        "_describe() print -rl -- $offers; source '" +
        script + "'; words=('" SCHEDLENS_BINARY "' " + typed +
        "); CURRENT=" + std::to_string(current) + "; _schedlens; true";
    const Finished finished = RunProgram({"zsh", "-f", "-c", drive});
    EXPECT_EQ(finished.err, "");
    return finished.out;
  };
  EXPECT_EQ(offers("completion z", 3), "zsh\n");
  EXPECT_THAT(offers("expl", 2), testing::StartsWith("explain:Explains a finding"));
  EXPECT_THAT(offers("explain --he", 3), testing::StartsWith("--help:print this help"));
  EXPECT_THAT(offers("report -o mark", 4), testing::StartsWith("markdown"));
  EXPECT_EQ(offers("diagnose --capture ''", 4), "files\n");
}

TEST(FishCompletion, CompletesCommandsOptionsAndWords) {
  if (!Have("fish")) GTEST_SKIP() << "fish is not installed";
  const TempDir dir;
  const std::string script = dir.Write("schedlens.fish", std::string(TextNamed("fish")));
  const auto offers = [&](const std::string& typed) {
    const Finished finished = RunProgram(
        {"fish", "--no-config", "-c", "source '" + script + "'; complete -C '" + typed + "'"}, "",
        {"HOME=" + dir.path(),
         "PATH=" + std::filesystem::path(SCHEDLENS_BINARY).parent_path().string() +
             ":/usr/bin:/bin"});
    EXPECT_EQ(finished.code, 0) << finished.err;
    return finished.out;
  };
  EXPECT_THAT(offers("schedlens expl"), testing::StartsWith("explain\t"));
  EXPECT_THAT(offers("schedlens completion z"), testing::StartsWith("zsh"));
  EXPECT_THAT(offers("schedlens explain --he"), testing::StartsWith("--help"));
  EXPECT_THAT(offers("schedlens report -o mark"), testing::StartsWith("markdown"));
  EXPECT_THAT(offers("schedlens diagnose -o "), testing::HasSubstr("\nhtml"));
  dir.Write("metrics.om", "");
  EXPECT_THAT(offers("schedlens diagnose --capture " + dir.path() + "/met"),
              testing::StartsWith(dir.path() + "/metrics.om"));
}

}  // namespace
}  // namespace schedlens
