#include "report/sections.h"

#include <gtest/gtest.h>

#include <set>

#include "report/samples.h"

namespace schedlens {
namespace {

TEST(SectionsTest, EverySectionSaysSomethingUnderANameOfItsOwn) {
  const Messages t{"en"};
  for (const auto& [name, d] : AllSamples()) {
    for (const auto format : {ReportFormat::kText, ReportFormat::kMarkdown, ReportFormat::kHtml}) {
      std::set<std::string> ids;
      for (const Section& section : SectionsOf(t, d, format, true)) {
        EXPECT_TRUE(section.id.empty() || ids.insert(section.id).second) << name << section.id;
        EXPECT_FALSE(section.parts.empty()) << name << section.title;
        for (const Part& part : section.parts) EXPECT_FALSE(part.empty()) << name << section.title;
      }
      EXPECT_EQ(ids.count("findings"), d.findings.empty() ? 0U : 1U) << name;
    }
  }
}

TEST(SectionsTest, TheFactsAreTheSameInEveryFormatButForWhatStandsElsewhere) {
  const Messages t{"en"};
  const Diagnosis d = ExtenderIncident();
  const auto facts = [&](ReportFormat format) { return LeadOf(t, d, format).parts.back().facts; };
  for (const auto& [name, text] : facts(ReportFormat::kText)) {
    bool found = false;
    for (const auto& fact : facts(ReportFormat::kMarkdown)) {
      found = found || fact == std::pair(name, text);
    }
    EXPECT_TRUE(found) << name;
  }
  EXPECT_EQ(facts(ReportFormat::kMarkdown).front().second, "Incident");
  EXPECT_EQ(facts(ReportFormat::kHtml).front().first, "Affected");
  EXPECT_EQ(facts(ReportFormat::kHtml).at(1).second,
            "p99 of scheduler_e2e_scheduling_duration_seconds");
}

}  // namespace
}  // namespace schedlens
