#include <gtest/gtest.h>

#include "report/samples.h"
#include "report/sections.h"

namespace schedlens {
namespace {

Section SectionAt(const std::string& id, ReportFormat format) {
  for (Section& section : SectionsOf(Messages{"en"}, ExtenderIncident(), format)) {
    if (section.id == id) return section;
  }
  return {};
}

TEST(PostMortemTest, EventsAreInOrderAndNameTheCrossings) {
  const Section timeline = SectionAt("timeline", ReportFormat::kHtml);
  ASSERT_EQ(timeline.parts.size(), 1U);
  const std::vector<Item>& events = timeline.parts[0].items;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (i > 0) {
      EXPECT_LE(events[i - 1].at, events[i].at);
    }
    texts.push_back(events[i].text);
  }
  EXPECT_EQ(texts,
            (std::vector<std::string>{
                "baseline starts", "Node added: node-17 and 19 more",
                "New webhook configuration: ValidatingWebhookConfiguration vendor-policy",
                "baseline ends", "window of the diagnosis starts",
                "the alert's value is first above 3 s", "from here on it is proven to be above 3 s",
                "the alert is pending", "the alert fires, after 1m", "window of the diagnosis ends",
                "the alert's value is last above 3 s", "the alert is resolved"}));
}

TEST(PostMortemTest, WhatDataCannotProveStaysBlank) {
  const Section section = SectionAt("post-mortem", ReportFormat::kMarkdown);
  EXPECT_FALSE(section.parts.empty());
  for (const Part& field : section.parts) {
    const bool for_people = field.heading == "Authors" || field.heading == "Status" ||
                            field.heading == "Trigger" || field.heading == "Resolution" ||
                            field.heading.rfind("What went", 0) == 0;
    EXPECT_EQ(field.blank, for_people) << field.heading;
  }
}

TEST(PostMortemTest, ActionItemsAreWhatIsLeftToDo) {
  Diagnosis d = ExtenderIncident();
  Finding finding = d.findings.front();
  finding.behind.clear();
  finding.next_steps = {{Verbatim("What was asked."), "up", StepAnswer{1, Verbatim("1")}},
                        {Verbatim("What is left."), "down", {}}};
  finding.action = Remedy{};
  finding.action->later = Verbatim("Do better.");
  finding.action->owner = Verbatim("somebody");
  Finding older = finding;
  older.action.reset();
  d.findings = {finding, older};
  std::vector<Item> items;
  for (const Section& section : SectionsOf(Messages{"en"}, d, ReportFormat::kMarkdown)) {
    for (const Part& field : section.parts) {
      if (field.heading.starts_with("Action items")) items = field.items;
    }
  }
  std::vector<std::string> texts;
  for (const Item& item : items) texts.push_back(item.text);
  EXPECT_EQ(texts, (std::vector<std::string>{"Do better. Owner: somebody."}));
}

/// With what is behind it; neither what is merely possible nor a remark on a number.
TEST(PostMortemTest, FactorsAreCausesThatAreLikelyAtLeast) {
  Diagnosis d = ExtenderIncident();
  Finding cause = d.findings.front();
  cause.id = "bind.apiserver";
  cause.title = Verbatim("The binding call is slow");
  cause.confidence = Confidence::kCertain;
  CauseBehind disk;
  disk.id = "etcd.disk";
  disk.title = Verbatim("etcd's disk is slow");
  disk.confidence = Confidence::kLikely;
  disk.share = Estimated(0.8, "1", BasisKind::kSums);
  cause.behind = {disk};
  Finding possible = cause, remark = cause;
  possible.confidence = Confidence::kPossible;
  remark.id = "quantile.saturated";
  d.findings = {cause, possible, remark};
  std::vector<std::string> texts;
  for (const Section& section : SectionsOf(Messages{"en"}, d, ReportFormat::kMarkdown)) {
    for (const Part& field : section.parts) {
      if (field.heading != "Contributing factors") continue;
      for (const Item& item : field.items) texts.push_back(item.text);
    }
  }
  EXPECT_EQ(texts, (std::vector<std::string>{
                       "The binding call is slow (bind.apiserver, certain)",
                       "Behind it: etcd's disk is slow (likely, 80.0 % of all e2e time)."}));
}

TEST(PostMortemTest, ConclusionsAreMarkedAsInference) {
  const Section section = SectionAt("post-mortem", ReportFormat::kMarkdown);
  EXPECT_FALSE(section.parts.empty());
  for (const Part& field : section.parts) {
    if (field.heading == "Contributing factors") {
      EXPECT_EQ(field.tag, "inference");
    }
    if (field.heading == "Impact") {
      EXPECT_EQ(field.tag, "");
    }
  }
}

}  // namespace
}  // namespace schedlens
