// What to do about each cause: every command runs as it is typed, against a kubectl that refuses
// what the real one would, and every query is one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "diagnose/explain/glossary.h"
#include "messages/catalog.h"
#include "promql/parser.h"

namespace schedlens {
namespace {

namespace fs = std::filesystem;

/// With the schedulers' pods as labels or by name.
std::vector<Argument> Known(const char* pods, const char* service = "") {
  return {{"object", "quota.policy.example"},
          {"namespace", "shop"},
          {"pods", pods},
          {"workload", "deployment/cart"},
          {"service", service},
          {"start", arg::Time(1'763'719'200'500)}};
}

constexpr const char* kPods[] = {"-n kube-system -l component=kube-scheduler",
                                 "-n sched kube-scheduler-cp1"};

/// Empty where the shell ran it and kubectl understood it, else why not.
std::string Refused(const std::string& command) {
  // Of this process alone: others run their part of the tests at the same time.
  const fs::path folder =
      fs::temp_directory_path() / ("schedlens-actions-" + std::to_string(::getpid()));
  const struct Removed {
    const fs::path& folder;
    ~Removed() { fs::remove_all(folder); }
  } removed{folder};
  fs::create_directories(folder / "bin");
  fs::create_symlink(SCHEDLENS_SOURCE_DIR "/test/support/kubectl", folder / "bin/kubectl");
  std::ofstream(folder / "typed") << command << "\n";
  const std::string run = "cd '" + folder.string() +
                          "' && PATH=\"$PWD/bin:$PATH\" bash typed >answer 2>refused; "
                          "test ! -s refused";
  if (std::system(run.c_str()) == 0) return "";  // NOLINT: of this test alone
  std::ostringstream why;
  why << std::ifstream(folder / "refused").rdbuf();
  return command + ": " + why.str();
}

/// What stands in backquotes and begins as a command of kubectl.
std::set<std::string> CommandsIn(const std::string& text) {
  static const std::regex code("`(kubectl [^`]*)`");
  std::set<std::string> commands;
  for (auto it = std::sregex_iterator(text.begin(), text.end(), code); it != std::sregex_iterator();
       ++it) {
    commands.insert((*it)[1]);
  }
  return commands;
}

TEST(ActionsTest, TheStubRefusesWhatKubectlWould) {
  EXPECT_EQ(Refused("kubectl get pods -n kube-system -l component=kube-scheduler -o wide"), "");
  EXPECT_EQ(Refused("kubectl logs -n a service/b --tail=-1 | grep nothing"), "");
  for (const char* wrong :
       {"kubectl", "kubectl fetch pods", "kubectl get pod-s", "kubectl get pods --verbose",
        "kubectl logs POD", "kubectl logs -n a", "kubectl get pods x -l a=b",
        "kubectl get pods -o custom-columns=NAME", "kubectl get events --field-selector=phase=x",
        "kubectl get pods -o jsonpath='{.items[*.name}'", "kubectl get --raw /metrics pods",
        "kubectl logs a --since-time=yesterday", "kubectl get pods -n"}) {
    EXPECT_NE(Refused(wrong), "") << wrong;
  }
}

TEST(ActionsTest, EveryCauseSaysWhatToDoWhoCanAndWhatShowsMore) {
  for (const FindingText& finding : FindingTexts()) {
    const std::vector<NextStep> steps = NextStepsOf(finding);
    for (const char* pods : kPods) {
      const Remedy action = RemedyOf(finding, Known(pods), steps);
      for (const std::string& language : Catalog::Languages()) {
        const Catalog& catalog = Catalog::Of(language);
        for (const Message* text : {&action.now, &action.owner, &action.later}) {
          EXPECT_GT(catalog.Write(*text).size(), 6U) << text->id;
        }
        EXPECT_EQ(catalog.Write(action.command), InEnglish(action.command)) << finding.id;
      }
      const std::string command = InEnglish(action.command);
      if (finding.shown_by == ShownBy::kQuery) {
        EXPECT_EQ(command, "") << finding.id;
        EXPECT_NO_THROW(promql::Parse(action.query)) << finding.id;
        continue;
      }
      EXPECT_EQ(action.query, "") << finding.id;
      const bool own = finding.shown_by == ShownBy::kOwnCommand;
      EXPECT_EQ(command.empty(), own) << finding.id;
      const bool any = std::ranges::any_of(
          steps, [](const NextStep& step) { return CommandOf(step.text) != nullptr; });
      EXPECT_TRUE(!own || any) << finding.id << ": no step is a command of schedlens";
      if (command.starts_with("schedlens explain ")) {
        EXPECT_NE(Explain(command.substr(18)).finding, nullptr) << command;
      } else if (!own) {
        EXPECT_EQ(Refused(command), "") << finding.id;
      }
    }
  }
}

TEST(ActionsTest, AWebhooksServiceIsNamedWhereItIsKnown) {
  const FindingText& webhook = TextOfFinding("apiserver.webhook");
  const Remedy unknown = RemedyOf(webhook, Known(kPods[0]), {});
  EXPECT_THAT(InEnglish(unknown.command), testing::HasSubstr("-e quota.policy.example"));
  const Remedy action = RemedyOf(webhook, Known(kPods[0], "-n policy service/quota"), {});
  EXPECT_THAT(InEnglish(action.owner), testing::HasSubstr("-n policy service/quota"));
  EXPECT_EQ(InEnglish(action.command), InEnglish(unknown.command)) << "what is to be edited";
}

TEST(ActionsTest, SomeCausesHaveTextsOfTheirOwn) {
  for (const auto& [id, kind] :
       {std::pair("apiserver.webhook", ".refuses"), std::pair("queue.gated", ".groups")}) {
    const Remedy action = RemedyOf(TextOfFinding(id), Known(kPods[0]), {}, kind);
    for (const Message* text : {&action.now, &action.owner, &action.later, &action.command}) {
      EXPECT_GT(InEnglish(*text).size(), 6U) << text->id;
    }
    EXPECT_EQ(Refused(InEnglish(action.command)), "") << id;
  }
}

TEST(ActionsTest, EveryCommandInATextRunsAsItIsTyped) {
  std::size_t seen = 0;
  for (const std::string& language : Catalog::Languages()) {
    for (const auto& [id, text] : Catalog::Of(language).texts()) {
      if (!id.starts_with("finding.") || text.find("`kubectl ") == text.npos) continue;
      Message message(id, Known(kPods[0], "-n policy service/quota"));
      if (id.find(".step.") != id.npos) message.args = {{"query", "up"}, {"command", "schedlens"}};
      for (const std::string& command : CommandsIn(Catalog::Of(language).Write(message))) {
        ++seen;
        EXPECT_EQ(Refused(command), "") << language << " " << id;
      }
    }
  }
  EXPECT_GT(seen, 30U);
}

}  // namespace
}  // namespace schedlens
