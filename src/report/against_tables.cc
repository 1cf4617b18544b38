#include "report/against_tables.h"

#include <fmt/format.h>

#include "report/escape.h"
#include "report/format.h"
#include "report/messages/wording.h"
#include "report/stages_per_pod.h"

namespace schedlens {
namespace {

TableCell MillisecondsCell(std::optional<double> seconds) {
  if (!seconds) return {kUnknown, {}};
  return {Milliseconds(*seconds), {*seconds}};
}

TableCell ChangeCell(std::optional<double> seconds) {
  TableCell cell = MillisecondsCell(seconds);
  if (seconds && *seconds > 0 && cell.text != Milliseconds(0)) cell.text.insert(0, "+");
  return cell;
}

TableCell Share(const Messages& t, const std::optional<double>& share) {
  TableCell cell{Percent(t, share), {}};
  if (share) cell.numbers = {*share};
  return cell;
}

TableCell Known(const Messages& t, const std::optional<Confidence>& confidence) {
  return NameCell(confidence ? ConfidenceWord(t, *confidence) : kUnknown);
}

TableCell ShownOf(const Messages& t, const Diagnosis& d) {
  return d.alert ? SecondsCell(t, d.alert->shown) : TableCell{kUnknown, {}};
}

TableCell Proven(const Messages& t, const Diagnosis& d) {
  return d.alert ? SecondsRangeCell(t, d.alert->interval) : TableCell{kUnknown, {}};
}

std::string Subject(const Messages& t, const Diagnosis& d) {
  return d.alert ? AlertSubject(t, *d.alert) : kUnknown;
}

std::string ShownWith(const Messages& t, const Diagnosis& d) {
  return d.alert && d.alert->shown
             ? fmt::format("{} {}", QuantileName(d.alert->quantile), Seconds(t, d.alert->shown))
             : t("against.nothing");
}

}  // namespace

std::string AgainstHeadline(const Messages& t, const Against& against) {
  return t("against.headline", VerdictWord(t, against.then), ShownWith(t, against.then),
           VerdictWord(t, against.now), ShownWith(t, against.now));
}

ReportTable SidesTable(const Messages& t, const Against& against) {
  ReportTable table{{{""}, {t("against.then")}, {t("report.now")}}, {}};
  const auto add = [&](const std::string& name, const auto& cell) {
    table.rows.push_back({NameCell(name), cell(against.then), cell(against.now)});
  };
  add(t("facts.verdict"), [&](const Diagnosis& d) { return NameCell(VerdictWord(t, d)); });
  add(t("against.summary"), [&](const Diagnosis& d) { return NameCell(Headline(t, d), 200); });
  add(t("against.measured"), [&](const Diagnosis& d) { return NameCell(Subject(t, d)); });
  add(t("against.shown"), [&](const Diagnosis& d) { return ShownOf(t, d); });
  add(t("facts.proven"), [&](const Diagnosis& d) { return Proven(t, d); });
  add(t("facts.attempts"), [](const Diagnosis& d) { return CountCell(d.attempts); });
  add(t("facts.window"),
      [&](const Diagnosis& d) { return NameCell(RangeText(d.window, t("range.to"), t.zone())); });
  add(t("report.source"), [&](const Diagnosis& d) { return NameCell(SourceSentence(t, d), 400); });
  return table;
}

ReportTable AgainstStagesTable(const Messages& t, const Against& against) {
  ReportTable table{{{t("brief.per_pod")},
                     {t("against.then"), true},
                     {t("report.now"), true},
                     {t("against.change"), true}},
                    {}};
  for (const AgainstStage& stage : against.stages) {
    TableCell name = NameCell(stage.id);
    name.depth = stage.depth;
    std::optional<double> change;
    if (stage.then && stage.now) change = *stage.now - *stage.then;
    table.rows.push_back({std::move(name), MillisecondsCell(stage.then),
                          MillisecondsCell(stage.now), ChangeCell(change)});
  }
  return table;
}

ReportTable AgainstFindingsTable(const Messages& t, const Against& against) {
  ReportTable table{{{t("against.fate")},
                     {t("against.finding")},
                     {t("against.then")},
                     {t("report.now")},
                     {t("against.share_then"), true},
                     {t("against.share_now"), true}},
                    {}};
  for (const AgainstFinding& one : against.findings) {
    TableCell title = NameCell(t(one.title), 200);
    title.depth = one.behind ? 1 : 0;
    table.rows.push_back({NameCell(t(one.fate == Fate::kNew    ? "against.new"
                                     : one.fate == Fate::kKept ? "against.kept"
                                                               : "against.gone")),
                          std::move(title), Known(t, one.confidence_then),
                          Known(t, one.confidence_now), Share(t, one.share_then),
                          Share(t, one.share_now)});
  }
  return table;
}

}  // namespace schedlens
