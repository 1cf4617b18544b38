// The report on a terminal: the conclusion first, then where the time went, then what shows it.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/commands.h"
#include "report/escape.h"
#include "report/format.h"
#include "report/messages/wording.h"
#include "report/plot.h"
#include "report/sections.h"
#include "report/stages.h"
#include "report/tables.h"
#include "report/text/layout.h"
#include "report/text/plots.h"

namespace schedlens {
namespace {

// A name from outside, short enough for a table.
std::string Name(std::string_view text) { return Shorten(Visible(text), 60); }

// Text from outside in a paragraph.
std::string Prose(std::string_view text) { return ShortenProse(Visible(text), 1000); }

std::string RangeOf(const Messages& t, const std::optional<Measured>& measured) {
  if (!measured) return "";
  return HasRange(*measured) ? PercentRange(t, BoundsOf(*measured)) : Percent(t, measured->value);
}

/// A list's line, and the query that shows it, whole: it is to be pasted.
std::string ItemText(const TextPage& page, std::string_view marker, const Item& item, int indent,
                     Ink ink = Ink::kPlain) {
  std::string out = page.Item(marker, ink, Prose(item.text), indent);
  const bool told = item.query.empty() || item.text.find("`" + item.query + "`") != item.text.npos;
  if (page.queries && !told) out += "      " + page.Paint(Ink::kDim, Visible(item.query)) + "\n";
  return out;
}

std::string FindingsText(const TextPage& page, const Diagnosis& d) {
  std::string out;
  int number = 0;
  for (const Finding& finding : d.findings) {
    out += page.Item(fmt::format("{:>2}. ", ++number), Ink::kBold, Prose(page.t(finding.title)), 0);
    const bool certain = finding.confidence == Confidence::kCertain;
    out += page.Paragraph(certain ? Ink::kBad : Ink::kUnsure,
                          Name(finding.id) + page.t("join.comma") + SureText(page.t, finding), 4);
    for (const Evidence& evidence : finding.evidence) {
      out += ItemText(page, "- ", {page.t(evidence.text), evidence.query}, 4);
    }
    if (const std::string then = ConsequencesSentence(page.t, finding); !then.empty()) {
      out += ItemText(page, "- ", {then}, 4);
    }
    for (const Item& item : BehindItems(page.t, finding)) out += ItemText(page, "- ", item, 4);
    for (const Item& step : StepItems(page.t, finding.next_steps)) {
      out += ItemText(page, page.ascii ? "> " : "→ ", step, 4, Ink::kAccent);
    }
  }
  return out;
}

TableCell Inked(std::string text, Ink ink) {
  TableCell cell{std::move(text)};
  cell.ink = ink;
  return cell;
}

std::string StageTreeText(const TextPage& page, const Diagnosis& d) {
  const Messages& t = page.t;
  const int bar_width = std::clamp(page.width / 5, 10, 24);
  ReportTable table{{{t("report.stage"), false, 0, 42},
                     {t(page.ascii ? "tree.now_before.ascii" : "tree.now_before")},
                     {t("report.share"), true},
                     {t("report.before"), true, 1},
                     {t("report.slowest_1"), true, 0},
                     {t("report.slow_alone"), true, 4},
                     {t("report.time"), true, 2},
                     {t("report.excess"), true, 3}},
                    {}};
  int minor = 0;
  for (const StageLine& line : StageTree(d)) {
    const StageTime& stage = *line.stage;
    minor += IsMinorPlugin(stage) ? 1 : 0;
    if (IsMinorPlugin(stage) || IsIdle(stage)) continue;
    const double share = stage.share.value.value_or(0);
    const bool leading = line.depth == 0 && share >= 0.5;
    TableCell name = Inked(Name(line.label), leading ? Ink::kBold : Ink::kPlain);
    name.depth = line.depth;
    table.rows.push_back({std::move(name),
                          Inked(TextBar(share, stage.baseline_share, bar_width, page.ascii),
                                leading ? Ink::kBad : Ink::kAccent),
                          {Percent(t, stage.share.value)},
                          Inked(d.baseline ? Percent(t, stage.baseline_share) : "", Ink::kDim),
                          {RangeOf(t, stage.tail_time_share)},
                          {RangeOf(t, stage.sufficient)},
                          {Seconds(t, stage.seconds.value) + (stage.saturated ? "!" : "")},
                          {stage.excess ? SignedSeconds(t, stage.excess->value) : ""}});
  }
  std::string out = page.Table(std::move(table));
  const auto note = [&](const std::string& text) { out += page.Paragraph(Ink::kDim, text, 2); };
  const auto names = [](const std::vector<std::string>& ids) {
    std::string text;
    for (const std::string& id : ids) text += (text.empty() ? "" : ", ") + Name(id);
    return text;
  };
  const bool saturated = std::any_of(d.stages.begin(), d.stages.end(),
                                     [](const StageTime& stage) { return stage.saturated; });
  if (saturated) note(t("tree.saturated"));
  const IdleStages idle = IdleStagesOf(d);
  if (!idle.without_time.empty()) note(t("tree.no_time", names(idle.without_time)));
  if (!idle.not_measured.empty()) note(t("tree.not_measured", names(idle.not_measured)));
  if (minor > 0) note(t("tree.small_plugins", minor));
  return out;
}

constexpr int kLabelWidth = 11;

std::string TimelineRow(const TextPage& page, const std::string& label, const std::string& plot,
                        Ink ink) {
  return Fit(page.ascii ? Plain(label) : label, kLabelWidth, true) + " " + page.Paint(ink, plot) +
         "\n";
}

// One line a bucket, from the slowest with an observation to the fastest.
std::string HeatmapText(const TextPage& page, const Timeline& timeline, int width) {
  const HeatCells heat = HeatCellsOf(timeline, width);
  double greatest = 0;
  for (const auto& column : heat.cells) greatest = std::max(greatest, GreatestOf(column));
  std::string out;
  for (std::size_t i = heat.rows; i-- > 0;) {
    std::string cells;
    for (const auto& column : heat.cells) cells += Shade(column[i], greatest, page.ascii);
    const double bound = timeline.bounds[heat.first + i];
    const std::string most = Seconds(page.t, bound, Rounding::kUp);
    out += TimelineRow(page, std::isfinite(bound) ? page.t("number.at_most", most) : "+Inf", cells,
                       Ink::kAccent);
  }
  return out;
}

std::string TimelineText(const TextPage& page, const Diagnosis& d) {
  const Timeline& timeline = d.timeline;
  const int width = std::max(10, page.width - kLabelWidth - 2);
  std::string out;
  const auto note = [&](Ink ink, const std::string& text) {
    if (!text.empty()) out += page.Paragraph(ink, text, kLabelWidth + 1);
  };
  if (std::any_of(timeline.shown.begin(), timeline.shown.end(),
                  [](double value) { return std::isfinite(value); })) {
    out += TimelineRow(page, d.alert ? QuantileName(d.alert->quantile) : page.t("table.shown"),
                       Sparkline(timeline.shown, width, page.ascii), Ink::kBad);
    note(Ink::kDim, page.t("timeline.up_to", Seconds(page.t, GreatestOf(timeline.shown))));
  }
  if (d.alert) note(Ink::kPlain, EpisodesSentence(page.t, *d.alert));
  const std::string heatmap = HeatmapText(page, timeline, width);
  out += heatmap;
  if (!heatmap.empty()) note(Ink::kDim, page.t("timeline.attempts"));
  return out;
}

std::string PartText(const TextPage& page, const Diagnosis* d, const Part& part, int indent) {
  if (part.folded) return "";
  const Ink ink = part.soft ? Ink::kDim : Ink::kPlain;
  std::string out = part.heading.empty() ? "" : page.Heading(part.heading);
  if (!part.text.empty()) out += page.Paragraph(ink, Prose(part.text), indent);
  for (const Item& item : part.items) out += ItemText(page, "- ", item, indent, ink);
  for (const auto& [name, text] : part.facts) out += page.Fact(name, Prose(text));
  if (part.drawing == Drawing::kFindings) out += FindingsText(page, *d);
  if (part.drawing == Drawing::kStageTree) out += StageTreeText(page, *d);
  if (part.drawing == Drawing::kTimeline) out += TimelineText(page, *d);
  return out + page.Table(part.table);
}

std::string SectionsText(const TextPage& page, const Diagnosis* d,
                         const std::vector<Section>& sections) {
  std::string out;
  for (const Section& section : sections) {
    out += page.Heading(section.title);
    for (const Part& part : section.parts) out += PartText(page, d, part, 2);
  }
  return out;
}

}  // namespace

std::string RenderText(const Diagnosis& d, const RenderOptions& options) {
  const TextPage page(options);
  if (!options.full && !options.queries) return BriefText(page, d);
  std::string out = page.Paragraph(VerdictInk(d), Visible(Headline(page.t, d)), 0);
  for (const Part& part : LeadOf(page.t, d, ReportFormat::kText).parts) {
    if (part.empty()) continue;
    out += (part.text.empty() ? "\n" : "") + PartText(page, &d, part, 0);
  }
  out += SectionsText(page, &d, SectionsOf(page.t, d, ReportFormat::kText, options.queries));
  if (options.queries) return out;
  const std::string asked = page.t("report.queries_listed", d.queries.size());
  return out + "\n" + page.Paragraph(Ink::kDim, asked, 0);
}

std::string RenderText(const Against& against, const RenderOptions& options) {
  const TextPage page(options);
  std::string out = page.Paragraph(Ink::kBold, HeadlineOf(page.t, against), 0);
  for (const Message& note : against.notes) out += page.Item("- ", Ink::kPlain, page.t(note), 0);
  return out + SectionsText(page, nullptr, SectionsOf(page.t, against, ReportFormat::kText));
}

std::string RenderText(const SplitDiagnosis& split, const RenderOptions& options) {
  const TextPage page(options);
  std::string out = page.Paragraph(Ink::kBold, HeadlineOf(page.t, split), 0) + "\n";
  out += page.Table(SplitTable(page.t, split));
  std::size_t healthy = 0;
  for (const DiagnosedPart& part : split.parts) {
    healthy += IsWorthAReport(part.diagnosis) ? 0 : 1;
    if (!IsWorthAReport(part.diagnosis)) continue;
    out += page.Heading("=== " + PartName(split, part));
    out += "\n" + RenderText(part.diagnosis, options);
  }
  if (healthy > 0) {
    out += "\n" + page.Paragraph(Ink::kDim, page.t("split.healthy", healthy), 0);
  }
  return out;
}

}  // namespace schedlens
