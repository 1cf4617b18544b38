#include "report/text/sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "report/escape.h"
#include "report/format.h"
#include "report/messages/wording.h"
#include "report/neighbours.h"
#include "report/stage_tree.h"
#include "report/text/plots.h"

namespace schedlens {

namespace {

// A name from outside, short enough for a table.
std::string Name(std::string_view text) { return Shorten(Visible(text), 60); }

// Text from outside in a paragraph.
std::string Prose(std::string_view text) { return ShortenProse(Visible(text), 1000); }

std::string Spaces(int count) { return std::string(static_cast<std::size_t>(count), ' '); }

std::string RangeOf(const Messages& t, const std::optional<Measured>& measured) {
  if (!measured) return "";
  return HasRange(*measured) ? PercentRange(t, BoundsOf(*measured)) : Percent(t, measured->value);
}

Ink ConfidenceInk(Confidence confidence) {
  return confidence == Confidence::kCertain ? Ink::kBad : Ink::kUnsure;
}

// The query behind a claim, whole: it is to be pasted.
std::string QueryLine(const TextPage& page, const std::string& query) {
  return Spaces(6) + page.terminal.Paint(Ink::kDim, Visible(query)) + "\n";
}

}  // namespace

std::string TextPage::Heading(std::string_view title) const {
  return "\n" + Paragraph(Ink::kBold, title, 0);
}

std::string TextPage::Paragraph(Ink ink, std::string_view text, int indent) const {
  return Item("", ink, text, indent);
}

std::string TextPage::Item(std::string_view marker, Ink ink, std::string_view text, int indent,
                           Ink marker_ink) const {
  const std::string content = terminal.ascii ? Plain(text) : std::string(text);
  const int hang = indent + DisplayWidth(marker);
  std::string out;
  for (const std::string& line : Wrap(content, terminal.width - hang, 0)) {
    out += out.empty() ? Spaces(indent) + terminal.Paint(marker_ink, marker) : Spaces(hang);
    out += terminal.Paint(ink, line) + "\n";
  }
  return out;
}

std::string TextPage::Fact(std::string_view name, std::string_view text) const {
  constexpr int kNameWidth = 10;
  return Item(Fit(name, kNameWidth, false), Ink::kPlain, text, 0, Ink::kDim);
}

std::string AlertSentence(const TextPage& page, const AlertVerdict& alert) {
  std::string text = AlertSubject(page.t, alert) + " " + ShownSentence(page.t, alert);
  const std::string decided = DecidedSentence(page.t, alert);
  if (!decided.empty()) text += page.t("join.semicolon") + decided;
  for (const std::string& note : page.t(alert.notes)) {
    text += (text.ends_with('.') ? " " : page.t("join.sentence")) + Prose(note);
  }
  return text;
}

std::string FindingsText(const TextPage& page, const Diagnosis& d) {
  if (d.findings.empty()) return "";
  std::string out = page.Heading(page.t("report.findings"));
  int number = 0;
  for (const Finding& finding : d.findings) {
    std::string title = Prose(page.t(finding.title));
    std::string tag =
        Name(finding.id) + page.t("join.comma") + ConfidenceWord(page.t, finding.confidence);
    if (finding.share)
      tag += page.t("join.comma") +
             ShareSentence(page.t, finding.share, ShareText(page.t, *finding.share));
    out += page.Item(fmt::format("{:>2}. ", ++number), Ink::kBold, title, 0);
    out += page.Paragraph(ConfidenceInk(finding.confidence), tag, 4);
    for (const Evidence& evidence : finding.evidence) {
      out += page.Item("- ", Ink::kPlain, Prose(page.t(evidence.text)), 4);
      if (page.queries && !evidence.query.empty()) out += QueryLine(page, evidence.query);
    }
    if (const std::string then = ConsequencesSentence(page.t, finding); !then.empty()) {
      out += page.Item("- ", Ink::kPlain, Prose(then), 4);
    }
    for (const std::string& sentence : BehindSentences(page.t, finding)) {
      out += page.Item("- ", Ink::kPlain, Prose(sentence), 4);
    }
    for (const std::string& step : StepSentences(page.t, finding.next_steps)) {
      out += page.Item(page.terminal.ascii ? "> " : "→ ", Ink::kAccent, Prose(step), 4);
    }
  }
  return out;
}

namespace {

std::string Names(const std::vector<std::string>& ids) {
  std::string text;
  for (const std::string& id : ids) text += (text.empty() ? "" : ", ") + Name(id);
  return text;
}

}  // namespace

std::string StagesText(const TextPage& page, const Diagnosis& d) {
  if (d.stages.empty()) return "";
  const int bar_width = std::clamp(page.terminal.width / 5, 10, 24);
  std::vector<std::vector<Cell>> rows;
  int minor = 0;
  for (const StageLine& line : StageTree(d)) {
    const StageTime& stage = *line.stage;
    if (IsMinorPlugin(stage)) {
      ++minor;
      continue;
    }
    if (IsIdle(stage)) continue;
    const double share = stage.share.value.value_or(0);
    const bool leading = line.depth == 0 && share >= 0.5;
    rows.push_back({{Spaces(2 * std::min(line.depth, 6)) + Name(line.label),
                     leading ? Ink::kBold : Ink::kPlain},
                    {TextBar(share, stage.baseline_share, bar_width, page.terminal.ascii),
                     leading ? Ink::kBad : Ink::kAccent},
                    {Percent(page.t, stage.share.value)},
                    {d.baseline ? Percent(page.t, stage.baseline_share) : "", Ink::kDim},
                    {RangeOf(page.t, stage.tail_time_share)},
                    {RangeOf(page.t, stage.sufficient)},
                    {Seconds(page.t, stage.seconds.value) + (stage.saturated ? "!" : "")},
                    {stage.excess ? SignedSeconds(page.t, stage.excess->value) : ""}});
  }
  std::string out = page.Heading(page.t("report.where_the_time_went"));
  out += Table(page.terminal,
               {{page.t("report.stage"), false, 0, 42},
                {page.terminal.ascii ? page.t("tree.now_before.ascii") : page.t("tree.now_before")},
                {page.t("report.share"), true},
                {page.t("report.before"), true, 1},
                {page.t("report.slowest_1"), true, 0},
                {page.t("report.slow_alone"), true, 4},
                {page.t("report.time"), true, 2},
                {page.t("report.excess"), true, 3}},
               rows);
  const bool saturated = std::any_of(d.stages.begin(), d.stages.end(),
                                     [](const StageTime& stage) { return stage.saturated; });
  const auto dim = [&](const std::string& text) { out += page.Paragraph(Ink::kDim, text, 2); };
  if (saturated) dim(page.t("tree.saturated"));
  const IdleStages idle = IdleStagesOf(d);
  if (!idle.without_time.empty()) dim(page.t("tree.no_time", Names(idle.without_time)));
  if (!idle.not_measured.empty()) dim(page.t("tree.not_measured", Names(idle.not_measured)));
  if (minor > 0) dim(page.t("tree.small_plugins", minor));
  return out;
}

std::string QuantilesText(const TextPage& page, const Diagnosis& d) {
  std::string out;
  if (!d.results.empty()) {
    std::vector<std::vector<Cell>> rows;
    for (const ResultRow& row : d.results) {
      rows.push_back({{Name(row.result)},
                      {Count(row.count)},
                      {Seconds(page.t, row.seconds)},
                      {row.count > 0 ? Seconds(page.t, row.seconds / row.count) : kUnknown}});
    }
    out += page.Heading(page.t("report.results"));
    out += Table(page.terminal,
                 {{page.t("report.result")},
                  {page.t("table.attempts"), true},
                  {page.t("report.time"), true},
                  {page.t("report.mean"), true}},
                 rows);
  }
  if (!d.queue.empty()) {
    std::vector<std::vector<Cell>> rows;
    for (const QueueRow& row : d.queue) {
      rows.push_back({{QueueRowName(page.t, row.id)},
                      {QueueRowNumber(page.t, row.id, row.value)},
                      {QueueRowNumber(page.t, row.id, row.baseline)}});
    }
    out += page.Heading(page.t("report.queue_and_throughput"));
    out += Table(page.terminal,
                 {{page.t("report.queue_and_loop")},
                  {page.t("report.now"), true},
                  {page.t("report.before"), true}},
                 rows);
  }
  if (d.quantiles.empty()) return out;
  std::vector<std::vector<Cell>> rows;
  std::string remarks;
  for (const QuantileRow& row : d.quantiles) {
    rows.push_back({{Name(row.metric) + Shorten(LabelText(row.labels), 40)},
                    {QuantileName(row.q)},
                    {Seconds(page.t, row.shown)},
                    {SecondsRange(page.t, row.interval)},
                    {Seconds(page.t, row.estimate.value)}});
    for (const std::string& reason : page.t(row.reasons)) {
      remarks += page.Item(
          "- ", Ink::kDim,
          Name(row.metric) + " " + QuantileName(row.q) + page.t("join.colon") + Prose(reason), 2);
    }
  }
  out += page.Heading(page.t("report.quantiles"));
  out += Table(page.terminal,
               {{page.t("report.metric"), false, 0, 56},
                {"q"},
                {page.t("table.shown"), true},
                {page.t("table.proven"), true},
                {page.t("report.estimate"), true, 1}},
               rows);
  return out + remarks;
}

std::string PluginsText(const TextPage& page, const Diagnosis& d) {
  if (d.plugins.empty()) return "";
  // The three that take most of each extension point; HTML and JSON have them all.
  constexpr int kMost = 3;
  std::map<std::string, int> listed;
  std::vector<std::vector<Cell>> rows;
  for (const PluginRow& row : d.plugins) {
    if (++listed[row.extension_point] > kMost) continue;
    rows.push_back({{Name(row.extension_point)},
                    {Name(row.plugin)},
                    {ShareText(page.t, row.wall_share)},
                    {Seconds(page.t, row.mean_seconds)},
                    {Count(row.observations)}});
  }
  std::string out = page.Heading(page.t("table.plugins"));
  out += Table(page.terminal,
               {{page.t("report.extension_point"), false, 0, 20},
                {page.t("report.plugin"), false, 0, 32},
                {page.t("report.of_the_point"), true},
                {page.t("report.mean"), true, 1},
                {page.t("report.calls"), true, 2}},
               rows);
  if (rows.size() < d.plugins.size()) {
    out += page.Paragraph(Ink::kDim, page.t("table.more", d.plugins.size() - rows.size()), 2);
  }
  return out;
}

std::string CrossCheckText(const TextPage& page, const Diagnosis& d) {
  if (!d.cross_check) return "";
  const CrossCheck& check = *d.cross_check;
  std::string verdict = CrossCheckWord(page.t, check.verdict);
  if (check.distance) {
    verdict +=
        page.t("join.semicolon") + page.t("cross_check.gap", Percent(page.t, check.distance));
  }
  std::string out = page.Heading(page.t("cross_check.heading"));
  out += page.Paragraph(Ink::kPlain, verdict, 2);
  if (!check.note.empty()) out += page.Paragraph(Ink::kDim, Prose(page.t(check.note)), 2);
  std::vector<std::vector<Cell>> rows;
  for (const PredictedQuantile& row : check.predicted) {
    rows.push_back(
        {{QuantileName(row.q)}, {Seconds(page.t, row.measured)}, {Seconds(page.t, row.predicted)}});
  }
  if (rows.empty()) return out;
  return out + Table(page.terminal,
                     {{"q"}, {page.t("table.measured"), true}, {page.t("table.replayed"), true}},
                     rows);
}

std::string RemarksText(const TextPage& page, const Diagnosis& d) {
  std::string out;
  const auto list = [&](const std::string& title, const std::vector<std::string>& items) {
    if (items.empty()) return;
    out += page.Heading(title);
    for (const std::string& item : items) out += page.Item("- ", Ink::kPlain, Prose(item), 2);
  };
  list(page.t("report.what_is_missing"), GapSentences(page.t, d));
  list(page.t("report.warnings"), Remarks(page.t, d.warnings));
  list(page.t("report.noticed_while_reading"), Remarks(page.t, d.source.warnings));
  if (page.queries) {
    std::vector<std::string> asked;
    for (const AskedQuery& query : d.queries)
      asked.push_back(query.name + page.t("join.colon") + query.promql);
    out += page.Heading(page.t("report.queries", asked.size()));
    for (const std::string& query : asked) out += "  " + Visible(query) + "\n";
    return out;
  }
  out += "\n" + page.Paragraph(Ink::kDim, page.t("report.queries_listed", d.queries.size()), 0);
  return out;
}

}  // namespace schedlens
