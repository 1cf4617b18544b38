#include <gtest/gtest.h>

#include "report/samples.h"
#include "report/sections.h"

namespace schedlens {
namespace {

/// Of the report in that format; pages have the numbers of their plots, too.
std::vector<ReportTable> TablesOf(const Diagnosis& d, std::string_view section = {},
                                  ReportFormat format = ReportFormat::kMarkdown) {
  std::vector<ReportTable> tables;
  for (const Section& one : SectionsOf(Messages("en"), d, format)) {
    if (!section.empty() && one.id != section) continue;
    for (const Part& part : one.parts) tables.push_back(part.table);
  }
  return tables;
}

TEST(TablesTest, EveryRowHasEveryColumn) {
  for (const auto& [name, d] : AllSamples()) {
    for (const ReportFormat format : {ReportFormat::kMarkdown, ReportFormat::kHtml}) {
      for (const ReportTable& table : TablesOf(d, {}, format)) {
        for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size()) << name;
      }
    }
  }
}

TEST(TablesTest, CellsCarryTheNumbersTheyShow) {
  const TableCell cell = ShareCell(Messages("en"), Measured{0.968, 0.907, 0.9931, "1", {}});
  EXPECT_EQ(cell.text, "96.8 % (90.7–99.4 %)");
  EXPECT_EQ(cell.numbers, (std::vector<double>{0.968, 0.907, 0.9931}));
  EXPECT_EQ(ShareCell(Messages("en"), std::nullopt).text, "—");
  EXPECT_TRUE(SecondsCell(Messages("en"), std::nullopt).numbers.empty());
}

TEST(TablesTest, StagesAreIndentedAndSaturationIsSaid) {
  const ReportTable table = TablesOf(ExtenderIncident(), "stages").at(0);
  EXPECT_EQ(table.rows[3][0].text, "algorithm.filter/InterPodAffinity");
  EXPECT_EQ(table.rows[3][0].depth, 2);
  EXPECT_EQ(table.rows[8][3].text, "500 ms (p99 at the top bucket)");
}

const Messages& English() {
  static const Messages english("en");
  return english;
}

TEST(ImpactTablesTest, ListsWhoWaitedTooLongOrWaitsStill) {
  Diagnosis d = ExtenderIncident();
  const ReportTable table = ImpactTable(English(), d);
  ASSERT_EQ(table.rows.size(), 2U);  // nobody of the third workload did
  EXPECT_EQ(table.rows[0][0].text, "shop/cart (Deployment)");
  EXPECT_EQ(table.rows[0][1].text, "700–790");
  EXPECT_EQ(table.rows[0][2].text, "80–110");
  EXPECT_EQ(table.rows[1][0].text, "batch/ (pods without an owner)");
  EXPECT_EQ(ImpactTable(English(), d, 1).rows.size(), 1U);
  EXPECT_EQ(ImpactSentences(English(), d, 1).back(), "Workloads not listed: 1.");
  d.verdict = Verdict::kNoIncident;
  EXPECT_TRUE(ImpactTable(English(), d).rows.empty());
  EXPECT_TRUE(ImpactSentences(English(), d).empty());
}

TEST(ImpactTablesTest, HasTheTotalsWithoutASplit) {
  Diagnosis d = ExtenderIncident();
  d.impact->workloads.clear();
  EXPECT_EQ(HitSentences(English(), d),
            (std::vector<std::string>{
                "Over 3 s: 118–131 pods.", "Waits: 2,214 pod-seconds more than in the baseline.",
                "Attempts over 3 s: 120–133 of 1,234.", "The alert was above 3 s for 2m20s."}));
  d.impact.reset();
  EXPECT_TRUE(ImpactTable(English(), d).rows.empty());
}

/// In a flood nobody may be over the threshold yet: nobody was scheduled.
TEST(ImpactTablesTest, WhoWaitsStillIsAmongTheTotals) {
  Diagnosis d = ExtenderIncident();
  d.impact->workloads.resize(1);
  d.impact->workloads[0].waiting = 711;
  d.impact->pods_over_threshold = Exact(0, "count");
  d.impact->attempts_over_threshold.reset();
  d.impact->above_seconds.reset();
  EXPECT_EQ(
      HitSentences(English(), d),
      (std::vector<std::string>{"Pods still waiting: 711.", "Mostly shop/cart (Deployment)."}));
  d.impact->pods_over_threshold = Exact(50'000, "count");
  EXPECT_EQ(HitSentences(English(), d).front(), "Over 3 s: 50,000 pods.");
}

TEST(ImpactTablesTest, TellsWhenSomethingChanged) {
  Diagnosis d = ExtenderIncident();
  const ReportTable table = ChangesTable(English(), d);
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_EQ(table.rows[0][0].text, "12 s before");
  EXPECT_EQ(table.rows[1][0].text, "60 s before to 30 s before");
  EXPECT_EQ(table.rows[1][2].text, "node-17 and 19 more");
  EXPECT_EQ(table.rows[2][0].text, "over the window");
  EXPECT_EQ(table.rows[2][3].text, "4.1 → 9.3");
  EXPECT_FALSE(HasTimeOfItsOwn(d.changes[2]));
  d.changes[0].after_onset = true;
  d.changes[0].distance_seconds = 12;
  EXPECT_EQ(ChangesTable(English(), d).rows[0][0].text, "12 s after: after the onset, no cause");
  EXPECT_EQ(ChangeText(English(), d.changes[1]), "Node added: node-17 and 19 more");
}

}  // namespace
}  // namespace schedlens
