#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command.h"
#include "cli/process.h"

namespace schedlens {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string Complete(const std::vector<std::string>& words) {
  return Completion(DeclareProgram(), words);
}

TEST(KubectlCompletion, OffersCommandsThenOptionsThenValues) {
  EXPECT_THAT(Complete({""}), HasSubstr("diagnose\tFinds the causes"));
  EXPECT_EQ(Complete({"explai"}),
            "explain\tExplains a finding, stage, metric or term of the reports, offline\n:4\n");
  EXPECT_THAT(Complete({"--v"}), testing::StartsWith("--version\t"));
  const std::string options = Complete({"diagnose", "--c"});
  EXPECT_THAT(options, HasSubstr("--context\tof the kubeconfig"));
  EXPECT_THAT(options, Not(HasSubstr("--prometheus")));
  EXPECT_EQ(Complete({"diagnose", "-o", "h"}), "html\n:4\n");
  EXPECT_EQ(Complete({"diagnose", "--lang=z"}), "--lang=zh\n:4\n");
  EXPECT_THAT(Complete({"completion", ""}), testing::StartsWith("bash\nzsh\nfish\n"));
}

TEST(KubectlCompletion, LeavesFilesToTheShell) {
  EXPECT_EQ(Complete({"diagnose", "--capture", ""}), ":0\n");
  EXPECT_EQ(Complete({"report", "di"}), ":0\n");
  EXPECT_EQ(Complete({"diagnose", "--prometheus", ""}), ":4\n") << "a URL is no file";
  EXPECT_EQ(Complete({"diagnose", ""}), ":0\n") << "a capture by its name";
}

TEST(KubectlCompletion, KnowsTheContexts) {
  const TempDir dir;
  const std::string file =
      dir.Write("config", "contexts: [{name: prod, context: {}}, {name: test, context: {}}]");
  EXPECT_EQ(Complete({"diagnose", "--kubeconfig", file, "--context", ""}), "prod\ntest\n:4\n");
  EXPECT_EQ(Complete({"diagnose", "--kubeconfig=" + file, "--context", "p"}), "prod\n:4\n");
  EXPECT_EQ(Complete({"diagnose", "--kubeconfig", "/no/file", "--context", ""}), ":4\n");
}

TEST(KubectlCompletion, IsTheBinaryUnderItsNameAndAHiddenWord) {
  const auto before = [](const std::vector<const char*>& words) {
    return WordsBeforeCompletion(words);
  };
  EXPECT_EQ(before({"/usr/bin/kubectl_complete-schedlens", "expl"}), 1);
  EXPECT_EQ(before({"kubectl_complete-schedlens"}), 1);
  EXPECT_EQ(before({"/usr/bin/kubectl-schedlens", "__complete", "expl"}), 2);
  EXPECT_EQ(before({"/usr/bin/schedlens", "expl"}), 0);
  EXPECT_EQ(before({}), 0);
  const TempDir dir;
  const std::string link = dir / "kubectl_complete-schedlens";
  std::filesystem::create_symlink(SCHEDLENS_BINARY, link);
  const Finished done = RunProgram({link, "quer"});
  EXPECT_EQ(done.code, 0);
  EXPECT_THAT(done.out, HasSubstr("query\t"));
}

}  // namespace
}  // namespace schedlens
