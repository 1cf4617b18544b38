#include "report/tables.h"

#include <cmath>
#include <map>

#include "report/escape.h"
#include "report/format.h"
#include "report/messages/wording.h"
#include "report/stage_tree.h"

namespace schedlens {

namespace {

void AddNumber(TableCell& cell, const std::optional<double>& number) {
  if (number && std::isfinite(*number)) cell.numbers.push_back(*number);
}

TableCell PercentCell(const Messages& t, const std::optional<double>& fraction) {
  TableCell cell{Percent(t, fraction), {}};
  AddNumber(cell, fraction);
  return cell;
}

TableCell QuantileCell(double q) {
  TableCell cell{QuantileName(q), {}};
  AddNumber(cell, q);
  return cell;
}

TableCell MetricCell(const QuantileRow& row) {
  TableCell cell = NameCell(row.metric);
  cell.text += Shorten(LabelText(row.labels), kNameLimit);
  return cell;
}

TableCell StageCell(const StageLine& line) {
  TableCell cell = NameCell(line.name);
  cell.depth = line.depth;
  return cell;
}

TableCell ExcessCell(const Messages& t, const std::optional<Measured>& excess) {
  if (!excess) return {kUnknown, {}};
  TableCell cell{SignedSeconds(t, excess->value), {}};
  AddNumber(cell, excess->value);
  return cell;
}

}  // namespace

TableCell NameCell(std::string_view text, std::size_t limit) {
  return {Shorten(Visible(text), limit), {}};
}

ReportTable UnitsTable(const Messages& t, const Diagnosis& diagnosis) {
  ReportTable table{{{t("units.scheduler")},
                     {t("table.verdict")},
                     {t("table.alert_shows"), true},
                     {t("table.summary")}},
                    {}};
  for (const JudgedUnit& unit : diagnosis.units) {
    if (table.rows.size() == kMostListed) break;
    table.rows.push_back({NameCell(LabelText(unit.labels)),
                          {VerdictWord(t, unit.verdict), {}},
                          SecondsCell(t, unit.shown),
                          {Shorten(Visible(t(unit.headline)), 200), {}}});
  }
  return table;
}

TableCell SecondsCell(const Messages& t, std::optional<double> seconds) {
  TableCell cell{Seconds(t, seconds), {}};
  AddNumber(cell, seconds);
  return cell;
}

TableCell CountCell(const std::optional<double>& count) {
  TableCell cell{Count(count), {}};
  AddNumber(cell, count);
  return cell;
}

TableCell SecondsRangeCell(const Messages& t, const Interval& interval) {
  TableCell cell{SecondsRange(t, interval), {}};
  AddNumber(cell, interval.low);
  AddNumber(cell, interval.high);
  return cell;
}

TableCell ShareCell(const Messages& t, const std::optional<Measured>& share) {
  if (!share) return {kUnknown, {}};
  TableCell cell{ShareText(t, *share), {}};
  AddNumber(cell, share->value);
  if (HasRange(*share)) {
    AddNumber(cell, share->low);
    AddNumber(cell, share->high);
  }
  return cell;
}

ReportTable StagesTable(const Messages& t, const Diagnosis& d) {
  ReportTable table{{{t("report.stage")},
                     {t("report.share"), true},
                     {t("report.before"), true},
                     {t("report.time"), true},
                     {t("report.excess"), true},
                     {t("report.measured_by")}},
                    {}};
  for (const StageLine& line : StageTree(d)) {
    const StageTime& stage = *line.stage;
    TableCell seconds = SecondsCell(t, stage.seconds.value);
    if (stage.saturated) seconds.text += t("join.brackets", t("report.p99_at_the_top_bucket"));
    table.rows.push_back({StageCell(line), ShareCell(t, stage.share),
                          PercentCell(t, stage.baseline_share), seconds,
                          ExcessCell(t, stage.excess), NameCell(t(stage.measured_by))});
  }
  return table;
}

ReportTable TailTable(const Messages& t, const Diagnosis& d) {
  ReportTable table{
      {{t("report.stage")}, {t("report.of_the_slowest_1"), true}, {t("report.slow_alone"), true}},
      {}};
  for (const StageLine& line : StageTree(d)) {
    const StageTime& stage = *line.stage;
    if (!stage.tail_time_share && !stage.sufficient) continue;
    table.rows.push_back(
        {StageCell(line), ShareCell(t, stage.tail_time_share), ShareCell(t, stage.sufficient)});
  }
  return table;
}

ReportTable ResultsTable(const Messages& t, const Diagnosis& d) {
  ReportTable table{{{t("report.result")},
                     {t("table.attempts"), true},
                     {t("report.time"), true},
                     {t("report.mean"), true}},
                    {}};
  for (const ResultRow& row : d.results) {
    // The mean is not in the JSON: it is the quotient of the two numbers next to it.
    const std::string mean = row.count > 0 ? Seconds(t, row.seconds / row.count) : kUnknown;
    table.rows.push_back(
        {NameCell(row.result), CountCell(row.count), SecondsCell(t, row.seconds), {mean, {}}});
  }
  return table;
}

ReportTable QueueTable(const Messages& t, const Diagnosis& d) {
  ReportTable table{
      {{t("report.queue_and_loop")}, {t("report.now"), true}, {t("report.before"), true}}, {}};
  for (const QueueRow& row : d.queue) {
    const auto cell = [&](const std::optional<Measured>& number) {
      TableCell out{QueueRowNumber(t, row.id, number), {}};
      if (number) AddNumber(out, number->value);
      return out;
    };
    table.rows.push_back({{QueueRowName(t, row.id), {}}, cell(row.value), cell(row.baseline)});
  }
  return table;
}

ReportTable QuantilesTable(const Messages& t, const Diagnosis& d) {
  ReportTable table{{{t("report.metric")},
                     {"q", true},
                     {t("table.shown"), true},
                     {t("table.proven"), true},
                     {t("report.estimate"), true},
                     {t("report.sampling"), true}},
                    {}};
  for (const QuantileRow& row : d.quantiles) {
    table.rows.push_back({MetricCell(row), QuantileCell(row.q), SecondsCell(t, row.shown),
                          SecondsRangeCell(t, row.interval), SecondsCell(t, row.estimate.value),
                          SecondsRangeCell(t, row.sampling_interval)});
  }
  return table;
}

ReportTable ReasonsTable(const Messages& t, const Diagnosis& d) {
  ReportTable table{{{t("report.metric")}, {"q", true}, {t("report.why")}}, {}};
  for (const QuantileRow& row : d.quantiles) {
    for (const std::string& reason : t(row.reasons)) {
      table.rows.push_back(
          {MetricCell(row), QuantileCell(row.q), {Shorten(Visible(reason), 400), {}}});
    }
  }
  return table;
}

ReportTable PluginsTable(const Messages& t, const Diagnosis& d, PluginRows which) {
  ReportTable table{{{t("report.extension_point")},
                     {t("report.plugin")},
                     {t("report.of_the_point"), true},
                     {t("report.mean"), true},
                     {t("report.calls"), true}},
                    {}};
  std::map<std::string, int> listed;
  for (const PluginRow& row : d.plugins) {
    const int at = listed[row.extension_point]++ - which.from;
    if (at < 0 || (which.most > 0 && at >= which.most)) continue;
    table.rows.push_back({NameCell(row.extension_point), NameCell(row.plugin),
                          ShareCell(t, row.wall_share), SecondsCell(t, row.mean_seconds),
                          CountCell(row.observations)});
  }
  return table;
}

ReportTable PredictedTable(const Messages& t, const Diagnosis& d) {
  ReportTable table{{{"q", true}, {t("table.measured"), true}, {t("table.replayed"), true}}, {}};
  if (!d.cross_check) return table;
  for (const PredictedQuantile& row : d.cross_check->predicted) {
    table.rows.push_back(
        {QuantileCell(row.q), SecondsCell(t, row.measured), SecondsCell(t, row.predicted)});
  }
  return table;
}

}  // namespace schedlens
