#include <gtest/gtest.h>

#include "messages/catalog.h"
#include "messages/written.h"
#include "replay/change.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

int ReleaseFor(const std::string& measured, const std::string& api) {
  Diagnosis diagnosis;
  diagnosis.release = measured;
  sim::core::FoundInFile found;
  const std::string text =
      "apiVersion: kubescheduler.config.k8s.io/" + api + "\nkind: KubeSchedulerConfiguration\n";
  return ReadAsFound(text, "c.yaml", diagnosis, &found).release.minor;
}

TEST(ReadAsFoundTest, TakesTheMeasuredRelease) {
  EXPECT_EQ(ReleaseFor("1.31", "v1"), 31);
  EXPECT_EQ(ReleaseFor("1.24-1.25", "v1"), 25) << "the nearest to that of the file";
  EXPECT_EQ(ReleaseFor("1.19-1.22", "v1beta1"), 20) << "that of the file, which fits";
  EXPECT_EQ(ReleaseFor("", "v1beta2"), 23);
  EXPECT_EQ(ReleaseFor("1.99", "v1"), sim::Release::kNewest);
}

TEST(ReadAsFoundTest, ATemplateIsToBeRenderedFirst) {
  const auto refused = [](const std::string& elect) -> std::string {
    sim::core::FoundInFile found;
    try {
      ReadAsFound(
          "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
          "leaderElection:\n  leaderElect: " +
              elect + "\n",
          "c.yaml", {}, &found);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refused("true"), "");
  EXPECT_EQ(refused("{{ .Values.elect }}"),
            "c.yaml:4: leaderElection: `leaderElect` must be a single value; a template is to be "
            "rendered first (helm template, or what it is for): give what that prints");
}

TEST(ReadAsFoundTest, EveryRemarkIsASentence) {
  using enum sim::core::RemarkKind;
  sim::core::FoundInFile found;
  for (const auto kind : {kUnknownField, kNotAtPoint, kNoPlugin, kNotRead}) {
    found.remarks.push_back({kind, "c.yaml:3", "word"});
  }
  found.remarks.push_back({kOneOfSeveral, "c.yaml:9", ""});
  const auto remarks = RemarksOn(found, sim::core::DefaultConfiguration(sim::Release{20}));
  test::ExpectWrittenInEveryLanguage(remarks);
  EXPECT_EQ(InEnglish(remarks.at(0)), "c.yaml:3: no release knows the field word; it is left out");
}

TEST(ReadAsFoundTest, PluginsThatWereMeasuredAreKnown) {
  Diagnosis diagnosis;
  diagnosis.release = "1.30";
  for (const char* name : {"Coscheduling", "NodeName"}) {
    diagnosis.plugins.emplace_back().plugin = name;
  }
  sim::core::FoundInFile found;
  const auto configuration = ReadAsFound(
      "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n"
      "- plugins: {multiPoint: {enabled: [{name: Coscheduling}]}}\n",
      "c.yaml", diagnosis, &found);
  EXPECT_TRUE(found.out_of_tree.empty());
  // One of the tree hooks in where its code does.
  for (const auto& plugin : configuration.profiles.at(0).At(kube::ExtensionPoint::kScore)) {
    EXPECT_NE(plugin.name, "NodeName");
  }
}

}  // namespace
}  // namespace schedlens
