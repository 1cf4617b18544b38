#include "report/sections.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "report/format.h"

namespace schedlens {
namespace {

constexpr int kLeadingPlugins = 3;

Part TableOf(ReportTable table, std::string heading = {}) {
  return {.heading = std::move(heading), .table = std::move(table)};
}

/// Shown when asked for.
Part Folded(std::string heading, ReportTable table) {
  return {.heading = std::move(heading), .folded = true, .table = std::move(table)};
}

Part Remark(std::string text) { return {.soft = true, .text = std::move(text)}; }

Part ListOf(const std::vector<std::string>& lines) {
  Part part;
  for (const std::string& line : lines) part.items.push_back({line});
  return part;
}

/// The numbers behind a picture, folded away.
Part NumbersOf(const Messages& t, ReportTable numbers) {
  return Folded(t("report.the_numbers_as_a_table"), std::move(numbers));
}

void AddPlot(const Messages& t, const std::optional<Plot>& plot, std::vector<Part>* parts) {
  if (!plot) return;
  parts->push_back({.plots = {*plot}});
  parts->push_back(NumbersOf(t, plot->numbers));
}

std::vector<std::pair<std::string, std::string>> FactsOf(const Messages& t, const Diagnosis& d,
                                                         ReportFormat format) {
  std::vector<std::pair<std::string, std::string>> facts;
  const auto add = [&](const std::string& name, std::string text) {
    if (!text.empty()) facts.emplace_back(name, std::move(text));
  };
  if (format == ReportFormat::kMarkdown) add(t("facts.verdict"), VerdictWord(t, d));
  add(t("report.partial"), PartialSentence(t, d));
  if (d.alert) {
    // A page has its numbers above and its notes beside the plot.
    std::string text = AlertSubject(t, *d.alert);
    if (format == ReportFormat::kHtml) {
      for (const auto& [name, value] : d.alert->labels) {
        text += " `" + Shorten(Visible(name + "=\"" + value + "\""), 120) + "`";
      }
    } else {
      text = AlertSentence(t, *d.alert);
      for (const std::string& note : t(d.alert->notes)) {
        text += (text.ends_with('.') ? " " : t("join.sentence")) + note;
      }
    }
    add(AlertName(t, *d.alert), text);
    if (format == ReportFormat::kMarkdown && !d.alert->expr.empty()) {
      add(t("report.expression"), "`" + Shorten(Visible(d.alert->expr), kLongestQuery) + "`");
    }
  }
  add(t("recomputed.heading"), RecomputedSentence(t, d));
  add(t("facts.window"), WindowText(t, d));
  add(t("facts.baseline"), BaselineText(t, d));
  add(t("report.source"), SourceSentence(t, d));
  add(t("report.neighbours"), NeighboursSentence(t, d));
  if (format != ReportFormat::kHtml) {
    add(t("facts.attempts"),
        t("report.attempts_and_time", Count(d.attempts), Seconds(t, d.e2e_seconds)));
  }
  add(t("report.made"), MadeText(t, d));
  return facts;
}

Section ImpactSection(const Messages& t, const Diagnosis& d, ReportFormat format) {
  const std::size_t most = format == ReportFormat::kHtml ? 30 : 10;
  Section section{"impact", t("impact.heading"), {TableOf(ImpactTable(t, d, most))}};
  for (std::string& sentence : ImpactSentences(t, d, most)) {
    section.parts.push_back(Remark(std::move(sentence)));
  }
  return section;
}

Section ChangesSection(const Messages& t, const Diagnosis& d, ReportFormat format) {
  Section section{"changes", t("changes.heading"), {}};
  ReportTable table = ChangesTable(t, d);
  if (table.rows.empty()) return section;
  if (format == ReportFormat::kText) {
    Part& list = section.parts.emplace_back();
    for (const auto& row : table.rows) list.items.push_back({ChangeLine(t, row)});
  } else {
    section.parts.push_back(TableOf(std::move(table)));
  }
  section.parts.push_back(Remark(t("changes.note")));
  return section;
}

Section StagesSection(const Messages& t, const Diagnosis& d, ReportFormat format) {
  Section section{"stages", t("report.where_the_time_went"), {}, t("report.stages")};
  if (d.stages.empty()) return section;
  if (format == ReportFormat::kText) {
    section.parts.push_back({.drawing = Drawing::kStageTree});
  } else if (format == ReportFormat::kHtml && !StagesPerPod(d, 1).empty()) {
    section.parts.push_back({.drawing = Drawing::kStagesPerPod});
    section.parts.push_back(Folded(t("report.all_numbers_and_how_each_was"), StagesTable(t, d)));
  } else {
    section.parts.push_back(TableOf(StagesTable(t, d)));
  }
  return section;
}

Section AlertSection(const Messages& t, const Diagnosis& d) {
  Section section{
      "alert", t(d.alert && d.alert->given ? "report.the_alert" : "report.the_quantile"), {}};
  const auto plot = AlertPlot(t, d);
  if (plot) section.parts.push_back({.plots = {*plot}});
  if (d.alert) {
    section.parts.push_back(ListOf(t(d.alert->notes)));
    if (!d.alert->expr.empty()) {
      section.parts.push_back({.heading = t("report.expression"),
                               .folded = true,
                               .items = {{"", d.alert->expr, d.window.end}}});
    }
  }
  if (plot) section.parts.push_back(NumbersOf(t, plot->numbers));
  return section;
}

Section HeatmapSection(const Messages& t, const Diagnosis& d) {
  Section section{"heatmap", t("report.attempts_by_e2e_time_over_time"), {}, t("report.heatmap")};
  const auto plot = E2eHeatmap(t, d);
  if (plot) section.parts.push_back(Remark(plot->description));
  AddPlot(t, plot, &section.parts);
  return section;
}

Section TailSection(const Messages& t, const Diagnosis& d, ReportFormat format) {
  Section section{"tail", t("report.the_slowest_attempts"), {}, t("report.tail")};
  ReportTable table = TailTable(t, d);
  if (format == ReportFormat::kMarkdown) {
    section.parts.push_back(TableOf(std::move(table)));
  } else if (std::any_of(d.stages.begin(), d.stages.end(), [](const StageTime& stage) {
               return stage.tail_time_share && !IsIdle(stage);
             })) {
    section.parts = {
        Remark(t("page.tail")), {.drawing = Drawing::kTailBars}, NumbersOf(t, std::move(table))};
  }
  return section;
}

Section InversionSection(const Messages& t, const Diagnosis& d, ReportFormat format) {
  Section section{"inversion", t("inversion.heading"), {}, t("report.inversion")};
  if (!d.inversion) return section;
  const auto plot = InversionPlot(t, d);
  if (d.inversion->witness && (plot || format == ReportFormat::kMarkdown)) {
    section.parts.push_back(
        {.text = t("inversion.witness", Seconds(t, d.inversion->witness),
                   Shorten(Visible(t(d.inversion->upper_metric)), kNameLimit),
                   Shorten(Visible(t(d.inversion->lower_metric)), kNameLimit))});
  }
  if (format == ReportFormat::kHtml) AddPlot(t, plot, &section.parts);
  return section;
}

Section QueueSection(const Messages& t, const Diagnosis& d, ReportFormat format) {
  Section section{"queue", t("report.queue_and_throughput"), {}, t("report.queue")};
  if (format == ReportFormat::kHtml) {
    for (auto& plot : {QueuePlot(t, d), ThroughputPlot(t, d)}) {
      if (plot) section.parts.push_back({.heading = plot->title, .plots = {*plot}});
    }
    if (!section.parts.empty()) {
      section.parts.push_back(NumbersOf(t, section.parts.back().plots.front().numbers));
    }
  }
  section.parts.push_back(TableOf(QueueTable(t, d)));
  return section;
}

Section QuantilesSection(const Messages& t, const Diagnosis& d, ReportFormat format) {
  Section section{"quantiles", t("report.quantiles"), {TableOf(QuantilesTable(t, d))}};
  if (format != ReportFormat::kText) {
    section.parts.push_back(Folded(t("report.why_each_quantile_is_what_it"), ReasonsTable(t, d)));
    return section;
  }
  Part reasons{.soft = true};
  for (const auto& row : ReasonsTable(t, d).rows) {
    reasons.items.push_back({row[0].text + " " + row[1].text + t("join.colon") + row[2].text});
  }
  section.parts.push_back(std::move(reasons));
  return section;
}

Section PluginsSection(const Messages& t, const Diagnosis& d, ReportFormat format) {
  Section section{"plugins", t("table.plugins"), {}, t("report.plugins")};
  ReportTable table = PluginsTable(t, d, {.most = kLeadingPlugins});
  const std::size_t others = d.plugins.size() - table.rows.size();
  section.parts.push_back(TableOf(std::move(table)));
  if (format == ReportFormat::kText && others > 0) {
    section.parts.push_back(Remark(t("table.more", others)));
  }
  if (format == ReportFormat::kHtml) {
    section.parts.push_back(
        Folded(t("page.other_plugins"), PluginsTable(t, d, {.from = kLeadingPlugins})));
  }
  return section;
}

Section CrossCheckSection(const Messages& t, const Diagnosis& d, ReportFormat format) {
  Section section{"cross-check", t("cross_check.heading"), {}, t("report.cross_check")};
  if (!d.cross_check) return section;
  const CrossCheck& check = *d.cross_check;
  std::string verdict = CrossCheckWord(t, check.verdict);
  if (check.distance) {
    verdict += t("join.semicolon") + t("cross_check.gap", Percent(t, check.distance));
  }
  section.parts = {{.text = std::move(verdict)}, Remark(t(check.note))};
  if (format == ReportFormat::kHtml) AddPlot(t, CrossCheckPlot(t, d), &section.parts);
  section.parts.push_back(TableOf(PredictedTable(t, d)));
  return section;
}

/// What is missing, what was repaired, what the source remarked.
std::vector<Part> Remarks(const Messages& t, const Diagnosis& d) {
  std::vector<Part> parts;
  const auto add = [&](std::string heading, const std::vector<std::string>& lines) {
    parts.push_back(ListOf(lines));
    parts.back().heading = std::move(heading);
  };
  add(t("report.what_is_missing"), GapSentences(t, d));
  add(t("report.warnings"), RemarkLines(t, d.warnings));
  add(t("report.noticed_while_reading"), RemarkLines(t, d.source.warnings));
  return parts;
}

Part Queries(const Messages& t, const Diagnosis& d, ReportFormat format) {
  Part part{.heading = t("report.queries", d.queries.size()),
            .folded = format != ReportFormat::kText};
  for (const AskedQuery& query : d.queries) {
    part.items.push_back({query.name + t("join.comma") + Moment(query.at, t.zone()) +
                              t("join.comma") + t("report.series", query.series),
                          query.promql, query.at});
  }
  return part;
}

std::string Line(std::string_view text) { return ShortenProse(Visible(text), 400); }

// First and last column above the threshold, and the first where that is proven.
void AddCrossings(const Messages& t, const Timeline& timeline, double threshold,
                  std::vector<Item>& events) {
  const std::string limit = Seconds(t, threshold);
  bool shown = false;
  bool proven = false;
  TimeMs last = 0;
  for (std::size_t i = 0; i < timeline.times.size(); ++i) {
    const TimeMs time = timeline.times[i];
    if (timeline.shown[i] > threshold) {
      if (!shown) events.push_back({t("history.first_above", limit), "", time});
      shown = true;
      last = time;
    }
    if (timeline.low[i] > threshold && !proven) {
      events.push_back({t("history.proven_above", limit), "", time});
      proven = true;
    }
  }
  if (shown) events.push_back({t("history.last_above", limit), "", last});
}

/// When the alert was pending, firing and resolved.
void AddEpisodes(const Messages& t, const AlertVerdict& alert, std::vector<Item>& events) {
  const std::string wait = FormatDuration(std::llround(alert.for_seconds * 1000));
  for (const AlertEpisode& episode : alert.episodes) {
    events.push_back({t("history.pending"), "", episode.pending});
    if (episode.firing) events.push_back({t("history.firing", wait), "", *episode.firing});
    if (episode.resolved) events.push_back({t("history.resolved"), "", *episode.resolved});
  }
}

std::vector<Item> ImpactLines(const Messages& t, const Diagnosis& d) {
  std::vector<Item> lines;
  if (std::isfinite(d.attempts) && d.attempts > 0) {
    lines.push_back({t("post_mortem.attempts", Count(d.attempts), Seconds(t, d.e2e_seconds))});
  }
  for (const ResultRow& row : d.results) {
    lines.push_back({t("post_mortem.result", Line(row.result), Count(row.count))});
  }
  const std::vector<std::string> waits = ImpactSentences(t, d);
  if (!waits.empty()) lines.push_back({waits.front()});
  return lines;
}

std::vector<Item> Factors(const Messages& t, const Diagnosis& d) {
  std::vector<Item> lines;
  for (const Finding& finding : d.findings) {
    lines.push_back(
        {Line(t(finding.title)) + t("join.brackets", Line(finding.id) + t("join.comma") +
                                                         ConfidenceWord(t, finding.confidence))});
  }
  return lines;
}

std::vector<Item> Detection(const Messages& t, const Diagnosis& d) {
  if (!d.alert || !d.alert->given) return {};
  std::vector<Item> lines;
  if (!d.alert->expr.empty()) {
    lines.push_back({"`" + Shorten(Visible(d.alert->expr), kLongestQuery) + "`"});
  }
  const std::string decided = DecidedSentence(t, *d.alert);
  const bool whole = std::isnan(d.alert->quantile) || d.alert->shown_proven_wrong;
  const std::string shown = AlertSubject(t, *d.alert) + " " +
                            (whole ? ShownSentence(t, *d.alert) : ShownAlone(t, *d.alert));
  lines.push_back({Line(shown) + (decided.empty() ? "" : t("join.semicolon") + decided)});
  return lines;
}

std::vector<Item> Actions(const Messages& t, const Diagnosis& d) {
  std::vector<Item> lines;
  for (const Finding& finding : d.findings) {
    for (const NextStep& step : finding.next_steps) lines.push_back({Line(t(step.text))});
  }
  return lines;
}

}  // namespace

Section LeadOf(const Messages& t, const Diagnosis& d, ReportFormat format) {
  return {"",
          "",
          {{.soft = true, .text = UnitSentence(t, d)},
           TableOf(UnitsTable(t, d, kMostListed)),
           {.soft = true, .text = RestSentence(t, d.units.size())},
           {.facts = FactsOf(t, d, format)}}};
}

std::vector<Section> SectionsOf(const Messages& t, const Diagnosis& d, ReportFormat format,
                                bool queries) {
  const bool html = format == ReportFormat::kHtml, text = format == ReportFormat::kText;
  std::vector<Section> all;
  if (html) all.push_back(StagesSection(t, d, format));  // the main picture
  all.push_back({"findings", t("report.findings"), {}});
  if (!d.findings.empty()) all.back().parts = {{.drawing = Drawing::kFindings}};
  all.push_back(ImpactSection(t, d, format));
  all.push_back(ChangesSection(t, d, format));
  if (!html) all.push_back(StagesSection(t, d, format));
  if (text && !d.timeline.times.empty()) {
    all.push_back({"timeline",
                   t("timeline.heading", TimeOfDay(d.timeline.times.front(), t.zone()),
                     TimeOfDay(d.timeline.times.back(), t.zone()),
                     ZoneText(t.zone(), d.timeline.times.back())),
                   {{.drawing = Drawing::kTimeline}}});
  }
  if (html) all.push_back(AlertSection(t, d));
  if (html) all.push_back(HeatmapSection(t, d));
  if (!text) all.push_back(TailSection(t, d, format));
  if (!text) all.push_back(InversionSection(t, d, format));
  all.push_back({"results", t("report.results"), {TableOf(ResultsTable(t, d))}});
  all.push_back(QueueSection(t, d, format));
  all.push_back(QuantilesSection(t, d, format));
  all.push_back(PluginsSection(t, d, format));
  all.push_back(CrossCheckSection(t, d, format));
  if (html) {
    all.push_back({"timeline", t("report.timeline"), {{.items = EventsOf(t, d), .dated = true}}});
  }
  if (html) all.push_back({"post-mortem", t("report.post_mortem"), PostMortem(t, d, format)});
  // On a page one section, else one each.
  std::vector<Part> appendix = Remarks(t, d);
  if (!text || queries) appendix.push_back(Queries(t, d, format));
  if (html) {
    appendix.push_back(Remark("schedlens " + Shorten(Visible(d.tool_version), 40)));
    all.push_back({"appendix", t("report.appendix"), std::move(appendix)});
  } else {
    for (Part& part : appendix) {
      std::string title = part.folded ? "" : std::exchange(part.heading, "");
      all.push_back({"", std::move(title), {std::move(part)}});
    }
  }
  if (format == ReportFormat::kMarkdown) {
    all.insert(all.end() - 1,
               Section{"post-mortem", t("report.post_mortem"), PostMortem(t, d, format)});
  }
  for (Section& section : all) {
    std::erase_if(section.parts, [](const Part& part) { return part.empty(); });
  }
  std::erase_if(all, [](const Section& section) { return section.parts.empty(); });
  return all;
}

std::string HeadlineOf(const Messages& t, const Against& against) {
  const auto shown = [&](const Diagnosis& d) {
    if (!d.alert || !d.alert->shown) return t("against.nothing");
    return QuantileName(d.alert->quantile) + " " + Seconds(t, d.alert->shown);
  };
  return t("against.headline", VerdictWord(t, against.then), shown(against.then),
           VerdictWord(t, against.now), shown(against.now));
}

std::vector<Section> SectionsOf(const Messages& t, const Against& against, ReportFormat format) {
  std::vector<Section> all;
  const ReportTable sides = SidesTable(t, against);
  if (format == ReportFormat::kText) {
    // Sentences are longer than a column: each side's facts one below the other.
    for (const std::size_t side : {1, 2}) {
      Part& part = all.emplace_back(Section{"", sides.columns[side].heading, {{}}}).parts.front();
      for (const auto& row : sides.rows) part.facts.emplace_back(row[0].text, row[side].text);
    }
  } else {
    all.push_back({"sides", t("against.sides"), {TableOf(sides)}});
  }
  all.push_back({"stages", t("against.stages"), {TableOf(AgainstStagesTable(t, against))}});
  all.push_back({"findings", t("against.findings"), {TableOf(AgainstFindingsTable(t, against))}});
  std::erase_if(all, [](const Section& section) { return section.parts.front().empty(); });
  return all;
}

std::string HeadlineOf(const Messages& t, const SplitDiagnosis& split) {
  const auto sick = std::count_if(
      split.parts.begin(), split.parts.end(),
      [](const DiagnosedPart& part) { return part.diagnosis.verdict == Verdict::kIncident; });
  return t("split.incidents", sick, split.parts.size(), Visible(split.label));
}

std::string PartName(const SplitDiagnosis& split, const DiagnosedPart& part) {
  return Visible(split.label) + "=\"" + Shorten(Visible(part.value), kNameLimit) + "\"";
}

bool IsWorthAReport(const Diagnosis& diagnosis) {
  return diagnosis.verdict != Verdict::kNoIncident;
}

std::vector<Item> EventsOf(const Messages& t, const Diagnosis& d) {
  std::vector<Item> events;
  if (d.baseline) {
    events.push_back({t("history.baseline_starts"), "", d.baseline->start});
    events.push_back({t("history.baseline_ends"), "", d.baseline->end});
  }
  events.push_back({t("history.window_starts"), "", d.window.start});
  events.push_back({t("history.window_ends"), "", d.window.end});
  if (d.alert && d.alert->threshold) AddCrossings(t, d.timeline, *d.alert->threshold, events);
  if (d.alert) AddEpisodes(t, *d.alert, events);
  for (const ClusterChange& change : d.changes) {
    if (HasTimeOfItsOwn(change)) events.push_back({Line(ChangeText(t, change)), "", change.at});
  }
  std::stable_sort(events.begin(), events.end(),
                   [](const Item& a, const Item& b) { return a.at < b.at; });
  return events;
}

std::vector<Part> PostMortem(const Messages& t, const Diagnosis& d, ReportFormat format) {
  std::vector<Part> parts = {{.soft = true, .text = t("post_mortem.note")}};
  enum From { kMeasured, kInferred };
  // What a page shows in a section of its own it links to.
  const auto add = [&](std::string name, std::vector<Item> items = {}, From from = kMeasured,
                       const char* shown_in = "") {
    Part& part = parts.emplace_back(Part{.heading = std::move(name)});
    if (from == kInferred) part.tag = t("report.inference");
    part.blank = items.empty();
    if (part.blank) {
      part.text = t("report.to_be_filled_in");
    } else if (format == ReportFormat::kHtml && *shown_in != '\0') {
      part.text = t("page.shown_above");
      part.link = shown_in;
    } else {
      part.items = std::move(items);
    }
  };
  std::vector<Item> timeline;
  for (const Item& event : EventsOf(t, d)) {
    timeline.push_back({Moment(event.at, t.zone()) + t("join.colon") + event.text});
  }
  if (format != ReportFormat::kHtml) add(t("report.title"), {{Line(Headline(t, d))}}, kInferred);
  add(t("report.date"), {{RangeText(d.window, t("range.to"), t.zone())}});
  add(t("report.authors"));
  add(t("report.status"));
  add(t("report.impact"), ImpactLines(t, d));
  add(t("report.contributing_factors"), Factors(t, d), kInferred, "findings");
  add(t("report.trigger"));
  add(t("report.detection"), Detection(t, d), kMeasured, "alert");
  add(t("report.resolution"));
  add(t("report.timeline"), std::move(timeline), kMeasured, "timeline");
  add(t("post_mortem.actions"), Actions(t, d), kInferred, "findings");
  add(t("post_mortem.lessons"));
  return parts;
}

}  // namespace schedlens
