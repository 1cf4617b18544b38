// The report of a diagnosis, section by section.

#include "report/sections.h"

#include "report/format.h"

namespace schedlens {
namespace {

using Parts = std::vector<Part>;

/// What is laid out, and for what.
struct Layout {
  const Messages& t;
  const Diagnosis& d;
  ReportFormat format;
  bool text() const { return format == ReportFormat::kText; }
  bool html() const { return format == ReportFormat::kHtml; }
};

Part TableOf(ReportTable table) { return {.table = std::move(table)}; }

/// Shown when asked for.
Part Folded(std::string heading, ReportTable table) {
  return {.heading = std::move(heading), .folded = true, .table = std::move(table)};
}

/// The numbers behind a picture.
Part NumbersOf(const Messages& t, ReportTable numbers) {
  return Folded(t("report.the_numbers_as_a_table"), std::move(numbers));
}

Part Remark(std::string text) { return {.soft = true, .text = std::move(text)}; }

Part ListOf(const std::vector<std::string>& lines, std::string heading = {}) {
  Part part{.heading = std::move(heading)};
  for (const std::string& line : lines) part.items.push_back({line});
  return part;
}

void AddPlot(const Messages& t, const std::optional<Plot>& plot, Parts* parts) {
  if (!plot) return;
  parts->push_back({.plots = {*plot}});
  parts->push_back(NumbersOf(t, plot->numbers));
}

TableCell QuantileCell(double q) { return NumberCell(QuantileName(q), {q}); }

TableCell MetricCell(const QuantileRow& row) {
  TableCell cell = NameCell(row.metric);
  cell.text += Shorten(LabelText(row.labels), kNameLimit);
  return cell;
}

ReportTable StagesTable(const Messages& t, const Diagnosis& d) {
  ReportTable columns = Columns(t, {"report.stage"},
                                {"report.share", "report.before", "report.time", "report.excess"},
                                {"report.measured_by"});
  return WithRows(std::move(columns), StageTree(d), [&](const StageLine& line) {
    const StageTime& stage = *line.stage;
    TableCell seconds = SecondsCell(t, stage.seconds.value);
    if (stage.saturated) seconds.text += t("join.brackets", t("report.p99_at_the_top_bucket"));
    return TableRow{NameCell(line.name, kNameLimit, line.depth),
                    ShareCell(t, stage.share),
                    PercentCell(t, stage.baseline_share),
                    seconds,
                    ExcessCell(t, stage.excess),
                    NameCell(t(stage.measured_by))};
  });
}

/// What each stage can be of the slowest attempts; without a row where nothing is known of them.
ReportTable TailTable(const Messages& t, const Diagnosis& d) {
  ReportTable table =
      Columns(t, {"report.stage"}, {"report.of_the_slowest_1", "report.slow_alone"});
  for (const StageLine& line : StageTree(d)) {
    const StageTime& stage = *line.stage;
    if (!stage.tail_time_share && !stage.sufficient) continue;
    table.rows.push_back({NameCell(line.name, kNameLimit, line.depth),
                          ShareCell(t, stage.tail_time_share), ShareCell(t, stage.sufficient)});
  }
  return table;
}

/// Of each extension point the leading plugins, or the others.
ReportTable PluginsTable(const Messages& t, const Diagnosis& d, bool leading) {
  constexpr int kLeading = 3;
  ReportTable table = Columns(t, {"report.extension_point", "report.plugin"},
                              {"report.of_the_point", "report.mean", "report.calls"});
  std::map<std::string, int> listed;
  for (const PluginRow& row : d.plugins) {
    if ((listed[row.extension_point]++ < kLeading) != leading) continue;
    table.rows.push_back({NameCell(row.extension_point), NameCell(row.plugin),
                          ShareCell(t, row.wall_share), SecondsCell(t, row.mean_seconds),
                          CountCell(row.observations)});
  }
  return table;
}

/// Why each quantile is what it is.
ReportTable ReasonsTable(const Messages& t, const Diagnosis& d) {
  ReportTable table = Columns(t, {"report.metric"}, {"q"}, {"report.why"});
  for (const QuantileRow& row : d.quantiles) {
    for (const std::string& reason : t(row.reasons)) {
      table.rows.push_back({MetricCell(row), QuantileCell(row.q), NameCell(reason, 400)});
    }
  }
  return table;
}

/// What a row of Diagnosis::queue is, in a few words; the id itself when unknown.
std::string QueueRowName(const Messages& t, const std::string& id) {
  static constexpr std::pair<const char*, const char*> kNames[] = {
      {"loop.busy", "queue.loop_busy"},     {"pod.attempts", "queue.pod_attempts"},
      {"pod.wait", "queue.pod_wait"},       {"pending.active", "queue.active"},
      {"pending.backoff", "queue.backoff"}, {"pending.unschedulable", "queue.unschedulable"},
      {"pending.gated", "queue.gated"}};
  for (const auto& [row, text] : kNames) {
    if (id == row) return t(text);
  }
  return Visible(id);
}

/// Its number: a share, seconds or a count by its unit and id; an em dash when absent.
std::string QueueRowNumber(const Messages& t, const std::string& id,
                           const std::optional<Measured>& number) {
  if (!number || !number->value) return kUnknown;
  if (id == "loop.busy") return Percent(t, number->value);
  return number->unit == "s" ? Seconds(t, number->value) : Count(number->value);
}

Parts FindingsParts(const Layout& r) {
  if (r.d.findings.empty()) return {};
  return {{.drawing = Drawing::kFindings}};
}

Parts ImpactParts(const Layout& r) {
  const std::size_t most = r.html() ? 30 : 10;
  Parts parts = {TableOf(ImpactTable(r.t, r.d, most)), TableOf(SlowPodsTable(r.t, r.d))};
  for (std::string& sentence : ImpactSentences(r.t, r.d, most)) {
    parts.push_back(Remark(std::move(sentence)));
  }
  return parts;
}

Parts ChangesParts(const Layout& r) {
  ReportTable table = ChangesTable(r.t, r.d);
  if (table.rows.empty()) return {};
  Part part;
  if (r.text()) {
    for (const TableRow& row : table.rows) part.items.push_back({ChangeLine(r.t, row)});
  } else {
    part.table = std::move(table);
  }
  return {std::move(part), Remark(r.t("changes.note"))};
}

Parts StagesParts(const Layout& r) {
  if (r.d.stages.empty()) return {};
  if (r.text()) return {{.drawing = Drawing::kStageTree}};
  ReportTable table = StagesTable(r.t, r.d);
  if (!r.html() || StagesPerPod(r.d, 1).empty()) return {TableOf(std::move(table))};
  return {{.drawing = Drawing::kStagesPerPod},
          Folded(r.t("report.all_numbers_and_how_each_was"), std::move(table))};
}

Parts AlertParts(const Layout& r) {
  const auto& [t, d, format] = r;
  Parts parts;
  const auto plot = AlertPlot(t, d);
  if (plot) parts.push_back({.plots = {*plot}});
  if (d.alert) {
    parts.push_back(ListOf(t(d.alert->notes)));
    if (!d.alert->expr.empty()) {
      parts.push_back({.heading = t("report.expression"),
                       .folded = true,
                       .items = {{"", d.alert->expr, d.window.end}}});
    }
  }
  if (plot) parts.push_back(NumbersOf(t, plot->numbers));
  return parts;
}

Parts HeatmapParts(const Layout& r) {
  Parts parts;
  const auto plot = E2eHeatmap(r.t, r.d);
  if (plot) parts.push_back(Remark(plot->description));
  AddPlot(r.t, plot, &parts);
  return parts;
}

Parts TailParts(const Layout& r) {
  ReportTable table = TailTable(r.t, r.d);
  if (!r.html()) return {TableOf(std::move(table))};
  const auto drawn = [](const StageTime& one) { return one.tail_time_share && !IsIdle(one); };
  if (!std::ranges::any_of(r.d.stages, drawn)) return {};
  return {
      Remark(r.t("page.tail")), {.drawing = Drawing::kTailBars}, NumbersOf(r.t, std::move(table))};
}

Parts InversionParts(const Layout& r) {
  const auto& [t, d, format] = r;
  if (!d.inversion) return {};
  Parts parts;
  const auto plot = InversionPlot(t, d);
  if (d.inversion->witness && (plot || !r.html())) {
    parts.push_back({.text = t("inversion.witness", Seconds(t, d.inversion->witness),
                               Shorten(Visible(t(d.inversion->upper_metric)), kNameLimit),
                               Shorten(Visible(t(d.inversion->lower_metric)), kNameLimit))});
  }
  if (r.html()) AddPlot(t, plot, &parts);
  return parts;
}

Parts ResultsParts(const Layout& r) {
  const Messages& t = r.t;
  ReportTable columns =
      Columns(t, {"report.result"}, {"table.attempts", "report.time", "report.mean"});
  return {TableOf(WithRows(std::move(columns), r.d.results, [&](const ResultRow& row) {
    // The mean is not in the JSON: it is the quotient of the two numbers next to it.
    const std::string mean = row.count > 0 ? Seconds(t, row.seconds / row.count) : kUnknown;
    return TableRow{
        NameCell(row.result), CountCell(row.count), SecondsCell(t, row.seconds), {mean}};
  }))};
}

Parts QueueParts(const Layout& r) {
  const auto& [t, d, format] = r;
  Parts parts;
  if (r.html()) {
    for (auto& plot : {QueuePlot(t, d), ThroughputPlot(t, d)}) {
      if (plot) parts.push_back({.heading = plot->title, .plots = {*plot}});
    }
    if (!parts.empty()) parts.push_back(NumbersOf(t, parts.back().plots.front().numbers));
  }
  parts.push_back(TableOf(HoldersTable(t, d)));
  ReportTable columns = Columns(t, {"report.queue_and_loop"}, {"report.now", "report.before"});
  parts.push_back(TableOf(WithRows(std::move(columns), d.queue, [&](const QueueRow& row) {
    const auto cell = [&](const std::optional<Measured>& number) {
      return NumberCell(QueueRowNumber(r.t, row.id, number),
                        {number ? number->value : std::nullopt});
    };
    return TableRow{{QueueRowName(r.t, row.id)}, cell(row.value), cell(row.baseline)};
  })));
  return parts;
}

Parts QuantilesParts(const Layout& r) {
  const Messages& t = r.t;
  ReportTable columns =
      Columns(t, {"report.metric"},
              {"q", "table.shown", "table.proven", "report.estimate", "report.sampling"});
  columns.columns.front().max_width = 54;
  Parts parts = {TableOf(WithRows(std::move(columns), r.d.quantiles, [&](const QuantileRow& row) {
    return TableRow{MetricCell(row),
                    QuantileCell(row.q),
                    SecondsCell(t, row.shown),
                    SecondsRangeCell(t, row.interval),
                    SecondsCell(t, row.estimate.value),
                    SecondsRangeCell(t, row.sampling_interval)};
  }))};
  ReportTable reasons = ReasonsTable(t, r.d);
  if (!r.text()) {
    parts.push_back(Folded(t("report.why_each_quantile_is_what_it"), std::move(reasons)));
    return parts;
  }
  Part& list = parts.emplace_back(Part{.soft = true});
  for (const TableRow& row : reasons.rows) {
    list.items.push_back({row[0].text + " " + row[1].text + t("join.colon") + row[2].text});
  }
  return parts;
}

Parts PluginsParts(const Layout& r) {
  Parts parts = {TableOf(PluginsTable(r.t, r.d, true))};
  const std::size_t others = r.d.plugins.size() - parts.front().table.rows.size();
  if (r.text() && others > 0) parts.push_back(Remark(r.t("table.more", others)));
  if (r.html()) {
    parts.push_back(Folded(r.t("page.other_plugins"), PluginsTable(r.t, r.d, false)));
  }
  return parts;
}

Parts CrossCheckParts(const Layout& r) {
  const auto& [t, d, format] = r;
  if (!d.cross_check) return {};
  const CrossCheck& check = *d.cross_check;
  std::string verdict = t.Of(check.verdict, {"cross_check.explained", "cross_check.partly",
                                             "cross_check.not", "cross_check.undecidable"});
  if (check.distance) {
    verdict += t("join.semicolon") + t("cross_check.gap", Percent(t, check.distance));
  }
  Parts parts = {{.text = std::move(verdict)}, Remark(t(check.note))};
  if (r.html()) AddPlot(t, CrossCheckPlot(t, d), &parts);
  ReportTable columns = Columns(t, {}, {"q", "table.measured", "table.replayed"});
  const auto cells = [&](const PredictedQuantile& row) {
    return TableRow{QuantileCell(row.q), SecondsCell(r.t, row.measured),
                    SecondsCell(r.t, row.predicted)};
  };
  parts.push_back(TableOf(WithRows(std::move(columns), check.predicted, cells)));
  return parts;
}

/// What is missing, what was repaired, what the source remarked.
Parts Remarks(const Layout& r) {
  const auto& [t, d, format] = r;
  return {ListOf(GapSentences(t, d), t("report.what_is_missing")),
          ListOf(RemarkLines(t, d.warnings), t("report.warnings")),
          ListOf(RemarkLines(t, d.source.warnings), t("report.noticed_while_reading"))};
}

Part Queries(const Layout& r) {
  const Messages& t = r.t;
  Part part{.heading = t("report.queries", r.d.queries.size()), .folded = !r.text()};
  for (const AskedQuery& query : r.d.queries) {
    part.items.push_back({query.name + t("join.comma") + Moment(query.at, t.zone()) +
                              t("join.comma") + t("report.series", query.series),
                          query.promql, query.at});
  }
  return part;
}

std::string Line(std::string_view text) { return ShortenProse(Visible(text), 400); }

/// First and last column above the threshold, and the first where that is proven.
void AddCrossings(const Messages& t, const Timeline& timeline, double threshold,
                  std::vector<Item>& events) {
  std::optional<TimeMs> first, proven, last;
  for (std::size_t i = 0; i < timeline.times.size(); ++i) {
    if (timeline.shown[i] > threshold) last = timeline.times[i];
    if (!first) first = last;
    if (timeline.low[i] > threshold && !proven) proven = timeline.times[i];
  }
  const std::string limit = Seconds(t, threshold);
  if (first) events.push_back({t("history.first_above", limit), "", *first});
  if (proven) events.push_back({t("history.proven_above", limit), "", *proven});
  if (last) events.push_back({t("history.last_above", limit), "", *last});
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
    if (row.count > 0)
      lines.push_back({t("post_mortem.result", Line(row.result), Count(row.count))});
  }
  const std::string hit = Sentences(t, HitSentences(t, d));
  if (!hit.empty()) lines.push_back({hit});
  return lines;
}

std::vector<Item> Factors(const Messages& t, const Diagnosis& d) {
  std::vector<Item> lines;
  for (const Finding& finding : d.findings) {
    if (!IsCause(finding) || finding.confidence == Confidence::kPossible) continue;
    lines.push_back(
        {Line(t(finding.title)) + t("join.brackets", Line(finding.id) + t("join.comma") +
                                                         ConfidenceWord(t, finding.confidence))});
    const CauseBehind* behind = LeadingBehind(finding);
    if (behind) lines.push_back({Line(BehindSentence(t, *behind))});
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
    const std::optional<Remedy>& action = ActionOf(finding);
    if (!action) continue;  // a diagnosis of before it was written
    lines.push_back({Line(t("post_mortem.action", t(action->later), t(action->owner)))});
  }
  return lines;
}

/// The edges of window and baseline and the alert's crossings of its threshold, in order of time.
std::vector<Item> EventsOf(const Messages& t, const Diagnosis& d) {
  std::vector<Item> events;
  if (d.baseline) {
    events.push_back({t("history.baseline_starts"), "", d.baseline->start});
    events.push_back({t("history.baseline_ends"), "", d.baseline->end});
  }
  events.push_back({t("history.window_starts"), "", d.window.start});
  events.push_back({t("history.window_ends"), "", d.window.end});
  std::size_t others = 0;
  for (const Episode& one : d.episodes) {
    if (one.reported || ++others > kMostListed) continue;
    events.push_back({t("history.episode", Line(t(one.headline))), "", one.window.start});
  }
  if (d.alert && d.alert->threshold) AddCrossings(t, d.timeline, *d.alert->threshold, events);
  if (d.alert) AddEpisodes(t, *d.alert, events);
  for (const ClusterChange& change : d.changes) {
    if (HasTimeOfItsOwn(change)) events.push_back({Line(ChangeText(t, change)), "", change.at});
  }
  std::ranges::stable_sort(events, {}, &Item::at);
  return events;
}

/// The usual fields of a post-mortem, in their usual order: what the data can fill in, and blanks
/// for people.
Parts PostMortem(const Layout& r) {
  const auto& [t, d, format] = r;
  Parts parts = {{.soft = true, .text = t("post_mortem.note")}};
  enum From { kMeasured, kInferred };
  // What a page shows in a section of its own it links to.
  const auto add = [&](std::string name, std::vector<Item> items = {}, From from = kMeasured,
                       const char* shown_in = "") {
    Part& part = parts.emplace_back(Part{.heading = std::move(name)});
    if (from == kInferred) part.tag = r.t("report.inference");
    part.blank = items.empty();
    if (part.blank) {
      part.text = r.t("report.to_be_filled_in");
    } else if (r.html() && *shown_in != '\0') {
      part.text = r.t("page.shown_above");
      part.link = shown_in;
    } else {
      part.items = std::move(items);
    }
  };
  std::vector<Item> timeline;
  for (const Item& event : EventsOf(t, d)) {
    timeline.push_back({Moment(event.at, t.zone()) + t("join.colon") + event.text});
  }
  if (!r.html()) add(t("report.title"), {{Line(Headline(t, d))}}, kInferred);
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

Parts TimelineParts(const Layout& r) {
  if (r.html()) return {{.items = EventsOf(r.t, r.d), .dated = true}};
  if (r.d.timeline.times.empty()) return {};
  return {{.drawing = Drawing::kTimeline}};
}

/// A section, and which formats have it: texts, Markdown, pages. In the order in which it is read.
struct SectionRow {
  std::string_view formats;
  const char *id, *title, *contents;
  Parts (*parts)(const Layout&);
};

constexpr SectionRow kSections[] = {
    // On a page the main picture comes first.
    {"h", "stages", "report.where_the_time_went", "report.stages", StagesParts},
    {"tmh", "findings", "report.findings", "", FindingsParts},
    {"tmh", "impact", "impact.heading", "", ImpactParts},
    {"tmh", "changes", "changes.heading", "", ChangesParts},
    {"tm", "stages", "report.where_the_time_went", "report.stages", StagesParts},
    {"t", "timeline", "timeline.heading", "", TimelineParts},
    {"h", "alert", "report.the_alert", "", AlertParts},
    {"h", "heatmap", "report.attempts_by_e2e_time_over_time", "report.heatmap", HeatmapParts},
    {"mh", "tail", "report.the_slowest_attempts", "report.tail", TailParts},
    {"mh", "inversion", "inversion.heading", "report.inversion", InversionParts},
    {"tmh", "results", "report.results", "", ResultsParts},
    {"tmh", "queue", "report.queue_and_throughput", "report.queue", QueueParts},
    {"tmh", "quantiles", "report.quantiles", "", QuantilesParts},
    {"tmh", "plugins", "table.plugins", "report.plugins", PluginsParts},
    {"tmh", "cross-check", "cross_check.heading", "report.cross_check", CrossCheckParts},
    {"h", "timeline", "report.timeline", "", TimelineParts},
    {"h", "post-mortem", "report.post_mortem", "", PostMortem}};

std::string TitleOf(const Layout& r, std::string_view id) {
  const auto& [t, d, format] = r;
  if (id == "timeline.heading") {
    const std::vector<TimeMs>& times = d.timeline.times;
    return t(id, TimeOfDay(times.front(), t.zone()), TimeOfDay(times.back(), t.zone()),
             ZoneText(t.zone(), times.back()));
  }
  const bool asked = id == "report.the_alert" && !(d.alert && d.alert->given);
  return t(asked ? "report.the_quantile" : id);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> FactsOf(const Messages& t, const Diagnosis& d,
                                                         ReportFormat format) {
  const bool html = format == ReportFormat::kHtml;
  std::vector<std::pair<std::string, std::string>> facts;
  const auto add = [&](const std::string& name, std::string text) {
    if (!text.empty()) facts.emplace_back(name, std::move(text));
  };
  if (format == ReportFormat::kMarkdown) add(t("facts.verdict"), VerdictWord(t, d));
  add(t("report.partial"), PartialSentence(t, d));
  add(t("brief.hit"), Sentences(t, HitSentences(t, d)));
  if (d.alert) {
    // A page has its numbers above and its notes beside the plot.
    std::string text = AlertSubject(t, *d.alert);
    if (html) {
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
  for (const auto& [name, text] : EpisodeLines(t, d)) add(name, text);
  add(t("facts.baseline"), BaselineText(t, d));
  add(t("facts.pods"), HeldText(t, d));
  add(t("report.source"), SourceSentence(t, d));
  add(t("report.neighbours"), ControlPlaneSentence(t, d));
  if (!html) {
    add(t("facts.attempts"),
        t("report.attempts_and_time", Count(d.attempts), Seconds(t, d.e2e_seconds)));
  }
  add(t("report.made"), MadeText(t, d));
  return facts;
}

Section LeadOf(const Messages& t, const Diagnosis& d, ReportFormat format) {
  const bool html = format == ReportFormat::kHtml;
  return {"",
          "",
          {Remark(UnitSentence(t, d)),
           {.facts = ActionFacts(t, d)},
           {.drawing = html ? Drawing::kNumbers : Drawing::kNone},
           TableOf(UnitsTable(t, d, kMostListed)),
           Remark(RestSentence(t, d.units.size())),
           {.facts = FactsOf(t, d, format)}}};
}

std::vector<Section> SectionsOf(const Messages& t, const Diagnosis& d, ReportFormat format,
                                bool queries) {
  const Layout r{t, d, format};
  std::vector<Section> all;
  const auto add = [&](const char* id, std::string title, Parts parts, const char* contents = "") {
    std::erase_if(parts, [](const Part& part) { return part.empty(); });
    if (parts.empty()) return;
    all.push_back({id, std::move(title), std::move(parts), *contents == '\0' ? "" : t(contents)});
  };
  for (const SectionRow& row : kSections) {
    if (row.formats.find("tmh"[static_cast<int>(format)]) == row.formats.npos) continue;
    // A title may say what the parts are of, and so be none without them.
    Parts parts = row.parts(r);
    if (!parts.empty()) add(row.id, TitleOf(r, row.title), std::move(parts), row.contents);
  }
  // What is remarked is one section of a page, else one each.
  Parts remarks = Remarks(r);
  if (r.html()) {
    remarks.push_back(Queries(r));
    remarks.push_back(Remark("schedlens " + Shorten(Visible(d.tool_version), 40)));
    add("appendix", t("report.appendix"), std::move(remarks));
    return all;
  }
  const auto add_alone = [&](Part part) {
    std::string title = part.folded ? "" : std::exchange(part.heading, "");
    add("", std::move(title), {std::move(part)});
  };
  for (Part& part : remarks) add_alone(std::move(part));
  if (!r.text()) add("post-mortem", t("report.post_mortem"), PostMortem(r));
  if (!r.text() || queries) add_alone(Queries(r));
  return all;
}

}  // namespace schedlens
