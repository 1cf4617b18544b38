#include "report/tables.h"

#include <gtest/gtest.h>

#include "report/samples.h"

namespace schedlens {
namespace {

TEST(TablesTest, EveryRowHasEveryColumn) {
  const Messages t{"en"};
  for (const auto& [name, d] : AllSamples()) {
    for (const ReportTable& table :
         {StagesTable(t, d), TailTable(t, d), ResultsTable(t, d), QuantilesTable(t, d),
          ReasonsTable(t, d), PluginsTable(t, d), PredictedTable(t, d)}) {
      for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size()) << name;
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
  const ReportTable table = StagesTable(Messages{"en"}, ExtenderIncident());
  EXPECT_EQ(table.rows[3][0].text, "algorithm.filter/InterPodAffinity");
  EXPECT_EQ(table.rows[3][0].depth, 2);
  EXPECT_EQ(table.rows[8][3].text, "500 ms (p99 at the top bucket)");
}

}  // namespace
}  // namespace schedlens
