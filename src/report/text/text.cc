// The report on a terminal: on one screen what a person who was just woken needs, and where the
// rest is; in full the conclusion first, then where the time went, then what shows it.

#include "kube/stage.h"
#include "report/commands.h"
#include "report/format.h"
#include "report/text/layout.h"

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

Ink SureInk(const Finding& finding) {
  return finding.confidence == Confidence::kCertain ? Ink::kBad : Ink::kUnsure;
}

std::string FindingsText(const TextPage& page, const Diagnosis& d) {
  std::string out;
  int number = 0;
  for (const Finding& finding : d.findings) {
    out += page.Item(fmt::format("{:>2}. ", ++number), Ink::kBold, Prose(page.t(finding.title)), 0);
    out += page.Paragraph(SureInk(finding),
                          Name(finding.id) + page.t("join.comma") +
                              SureText(page.t, finding.confidence, finding.share),
                          4);
    for (const Item& item : EvidenceItems(page.t, finding)) out += ItemText(page, "- ", item, 4);
    for (const Item& step : StepItems(page.t, finding)) {
      out += ItemText(page, page.ascii ? "> " : "→ ", step, 4, Ink::kAccent);
    }
  }
  return out;
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
  bool saturated = false;
  std::string without_time, not_measured;  // ids
  for (const StageLine& line : StageTree(d)) {
    const StageTime& stage = *line.stage;
    saturated = saturated || stage.saturated;
    minor += IsMinorPlugin(stage) ? 1 : 0;
    if (IsMinorPlugin(stage)) continue;
    if (IsIdle(stage)) {
      // What nothing measures at the top is a part of bind.unmeasured then.
      if (!stage.seconds.value && stage.id == ToString(kube::Stage::kUnmeasured)) continue;
      std::string& ids = stage.seconds.value ? without_time : not_measured;
      ids += (ids.empty() ? "" : ", ") + Name(stage.id);
      continue;
    }
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
  if (saturated) note(t("tree.saturated"));
  if (!without_time.empty()) note(t("tree.no_time", without_time));
  if (!not_measured.empty()) note(t("tree.not_measured", not_measured));
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

/// A line over the columns of each episode, a heavy one over the reported; empty of one alone.
std::string EpisodeMarks(const Diagnosis& d, int width, bool ascii) {
  const std::vector<TimeMs>& times = d.timeline.times;
  const std::size_t groups = std::min(times.size(), static_cast<std::size_t>(width));
  std::string line;
  bool others = false;
  for (std::size_t i = 0; i < groups; ++i) {
    const TimeMs first = times[i * times.size() / groups];
    const TimeMs last = times[(i + 1) * times.size() / groups - 1];
    const char* mark = " ";
    for (const Episode& one : d.episodes) {
      const bool inside = last > one.window.start && first <= one.window.end;
      if (!inside) continue;
      others |= !one.reported;
      mark = one.reported ? (ascii ? "=" : "━") : (ascii ? "-" : "─");
      if (one.reported) break;
    }
    line += mark;
  }
  line.resize(line.find_last_not_of(' ') + 1);
  return others ? line : "";
}

std::string TimelineText(const TextPage& page, const Diagnosis& d) {
  const Timeline& timeline = d.timeline;
  const int width = std::max(10, page.width - kLabelWidth - 2);
  std::string out;
  const auto note = [&](Ink ink, const std::string& text) {
    if (!text.empty()) out += page.Paragraph(ink, text, kLabelWidth + 1);
  };
  if (std::ranges::any_of(timeline.shown, [](double value) { return std::isfinite(value); })) {
    out += TimelineRow(page, d.alert ? QuantileName(d.alert->quantile) : page.t("table.shown"),
                       Sparkline(timeline.shown, width, page.ascii), Ink::kBad);
    note(Ink::kDim, page.t("timeline.up_to", Seconds(page.t, GreatestOf(timeline.shown))));
  }
  if (d.alert) note(Ink::kPlain, EpisodesSentence(page.t, *d.alert));
  const std::string marks = EpisodeMarks(d, width, page.ascii);
  if (!marks.empty()) out += TimelineRow(page, page.t("timeline.episodes"), marks, Ink::kBad);
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

/// What the ids of remarks on the scheduler's configuration begin with.
constexpr char kOnConfiguration[] = "configuration.";

/// How much of each part is shown. Where the screen is full the verdict and what to do stay, then
/// who was affected, what is behind what, the stages.
struct Room {
  std::size_t findings, stages, units, episodes;
  int paragraph;        ///< lines that one may take
  std::size_t remarks;  ///< on the configuration that was given
  bool circumstances;   ///< baseline, attempts, and the curve
  bool making;          ///< when and by which command it was made
};

constexpr std::array<Room, 10> kRooms = {{{3, 6, 6, 5, 3, 2, true, true},
                                          {2, 4, 4, 5, 2, 2, true, false},
                                          {2, 4, 3, 3, 2, 1, false, false},
                                          {1, 3, 3, 2, 2, 1, false, false},
                                          {1, 2, 2, 1, 2, 1, false, false},
                                          {1, 2, 2, 1, 1, 1, false, false},
                                          {1, 0, 2, 0, 1, 1, false, false},
                                          {0, 2, 1, 0, 2, 0, false, false},
                                          {0, 0, 1, 0, 2, 0, false, false},
                                          {0, 0, 1, 0, 1, 0, false, false}}};

/// The first lines of a paragraph; what was cut ends in an ellipsis.
std::string FirstLines(const TextPage& page, const std::string& paragraph, int most) {
  std::size_t end = 0;
  for (int i = 0; i < most; ++i) {
    end = paragraph.find('\n', end);
    if (end == std::string::npos) return paragraph;
    ++end;
  }
  if (end == paragraph.size()) return paragraph;
  // One column is left for the ellipsis by every caller's width.
  return paragraph.substr(0, end - 1) + (page.ascii ? "..." : " …") + "\n";
}

/// A page a little narrower, so that an ellipsis fits behind its lines.
TextPage Narrower(const TextPage& page) {
  TextPage narrower = page;
  narrower.width = std::max(40, page.width - 3);
  return narrower;
}

/// As much of a text as `lay_out` puts on so many lines: the last sentences go first. The first one
/// may take a line more.
template <class LayOut>
std::string Fitting(const TextPage& page, std::string_view text, int most, const LayOut& lay_out) {
  const TextPage narrower = Narrower(page);
  std::string out = lay_out(narrower, text);
  while (std::count(out.begin(), out.end(), '\n') > most) {
    text = WithoutLastSentence(text);
    if (text.empty()) return FirstLines(page, out, most + 1);
    out = lay_out(narrower, text);
  }
  return out;
}

std::string Cut(const TextPage& page, std::string_view marker, Ink ink, std::string_view text,
                int indent, int most) {
  return Fitting(page, text, most, [&](const TextPage& narrower, std::string_view part) {
    return narrower.Item(marker, ink, part, indent);
  });
}

std::string Fact(const TextPage& page, std::string_view name, std::string_view text, int most) {
  if (text.empty()) return "";
  return Fitting(page, text, most, [&](const TextPage& narrower, std::string_view part) {
    return narrower.Fact(name, part);
  });
}

/// The facts of the full report that matter here; of the other episodes the first, and how many
/// more there are.
std::string Facts(const TextPage& page, const Diagnosis& d, const Room& room) {
  const Messages& t = page.t;
  std::string out;
  std::size_t episodes = 0, others = 0;
  for (const auto* all : {&d.episodes, &d.also_seen}) {
    others += static_cast<std::size_t>(std::ranges::count(*all, false, &Episode::reported));
  }
  const std::string alert = d.alert ? AlertName(t, *d.alert) : "";
  for (const auto& fact : FactsOf(t, d, ReportFormat::kText)) {
    const std::string &name = fact.first, &text = fact.second;
    const auto is = [&](std::initializer_list<const char*> ids) {
      return std::ranges::any_of(ids, [&](const char* id) { return name == t(id); });
    };
    if (is({"facts.episode", "facts.also_seen"})) {
      if (episodes++ == room.episodes) {
        out += Fact(page, name, t("brief.more_episodes", others - room.episodes), 1);
      }
      if (episodes > room.episodes) continue;
      const std::size_t command = std::min(text.find(" `"), text.size());
      out += Fact(page, name, text.substr(0, command), 1);
      if (command < text.size()) out += page.Fact("", text.substr(command + 1));
    } else if (name == alert) {
      // Where nobody asked for it, where the pods' time went says more.
      const bool shown = d.alert->given || room.findings > 0;
      if (shown) out += Fact(page, name, text, std::max(2, room.paragraph));
    } else if (is({"report.partial", "facts.window", "facts.pods"}) ||
               (room.circumstances && is({"facts.baseline", "facts.attempts"}))) {
      out += Fact(page, name, text, 1);
    }
  }
  return out;
}

/// Of each what it is, how sure and how much, and what is behind it or else shows it.
std::string Findings(const TextPage& page, const Diagnosis& d, const Room& room) {
  const auto prose = [](const std::string& text) { return Shorten(Visible(text), 600); };
  const Messages& t = page.t;
  std::string out;
  for (std::size_t i = 0; i < std::min(room.findings, d.findings.size()); ++i) {
    const Finding& finding = d.findings[i];
    out += Cut(page, fmt::format("{}. ", i + 1), Ink::kBold, prose(t(finding.title)), 0, 1);
    out +=
        Cut(page, "", SureInk(finding),
            Visible(finding.id) + t("join.comma") + SureText(t, finding.confidence, finding.share),
            3, 1);
    std::string why;
    if (!finding.evidence.empty()) why = t(finding.evidence.front().text);
    if (!finding.behind.empty()) why = BehindSentence(t, finding.behind.front());
    if (!why.empty()) out += Cut(page, "", Ink::kPlain, prose(why), 3, 1);
  }
  if (out.empty()) return "";
  if (d.findings.size() > room.findings) {
    out +=
        page.Paragraph(Ink::kDim, t("brief.more_findings", d.findings.size() - room.findings), 3);
  }
  return "\n" + out;
}

/// The stages that matter, as bars with milliseconds before and now.
std::string Stages(const TextPage& page, const Diagnosis& d, const Room& room) {
  constexpr int kBar = 18;
  const std::string unknown = d.baseline ? kUnknown : "";
  const std::vector<StagePerPod> stages = StagesPerPod(d, room.stages);
  if (stages.empty()) return "";
  double greatest = std::numeric_limits<double>::min();
  for (const StagePerPod& stage : stages) {
    greatest = std::max({greatest, stage.now, stage.before.value_or(0)});
  }
  ReportTable table{
      {{page.t("brief.per_pod"), false, 0, 34},
       {!d.baseline ? "" : page.t(page.ascii ? "tree.now_before.ascii" : "tree.now_before")},
       {page.t("report.before"), true},
       {page.t("report.now"), true},
       {page.t("report.excess"), true}},
      {}};
  for (const StagePerPod& stage : stages) {
    std::optional<double> mark;
    if (stage.before) mark = *stage.before / greatest;
    const double excess = stage.now - stage.before.value_or(0);
    table.rows.push_back(
        {NameCell(stage.id, 60),
         Inked(TextBar(stage.now / greatest, mark, kBar, page.ascii),
               HasGrown(stage) ? Ink::kBad : Ink::kAccent),
         Inked(stage.before ? Milliseconds(*stage.before) : unknown, Ink::kDim),
         {Milliseconds(stage.now)},
         {stage.before ? (excess < 0 ? "" : "+") + Milliseconds(excess) : unknown}});
  }
  return "\n" + page.Table(std::move(table));
}

/// The alert's value over time, with its greatest.
std::string Curve(const TextPage& page, const Diagnosis& d) {
  const double greatest = GreatestOf(d.timeline.shown);
  if (!(greatest > 0) || d.timeline.times.empty()) return "";
  const std::string name = d.alert ? QuantileName(d.alert->quantile) : page.t("table.shown");
  const std::string text = page.t("brief.curve", Seconds(page.t, greatest),
                                  TimeOfDay(d.timeline.times.front(), page.t.zone()),
                                  TimeOfDay(d.timeline.times.back(), page.t.zone()),
                                  ZoneText(page.t.zone(), d.timeline.times.back()));
  const int width = std::max(8, page.width - 13 - DisplayWidth(text));
  return "\n" + page.Fact(name, Sparkline(d.timeline.shown, width, page.ascii) + " " + text);
}

/// How many pods, as many of the workloads hit hardest as fit behind that, and the other totals.
std::string Hit(const TextPage& page, const Diagnosis& d, const Room& room) {
  const std::string name = page.t("brief.hit");
  std::size_t workloads = 3;
  const auto text = [&](std::size_t most) {
    std::vector<std::string> all = HitSentences(page.t, d, workloads);
    all.resize(std::min(all.size(), most));
    return Sentences(page.t, all);
  };
  const auto lines = [&] {
    const std::string head = Narrower(page).Fact(name, text(2));
    return std::count(head.begin(), head.end(), '\n');
  };
  while (workloads > 1 && lines() > room.paragraph) --workloads;
  return Fact(page, name, text(std::string::npos), room.paragraph);
}

/// Nearest to the start, and before it.
std::string Changed(const TextPage& page, const Diagnosis& d) {
  const ReportTable table = ChangesTable(page.t, d);
  for (std::size_t i = 0; i < d.changes.size(); ++i) {
    if (d.changes[i].after_onset) continue;
    return Fact(page, page.t("brief.changed"), ChangeLine(page.t, table.rows[i]), 1);
  }
  return "";
}

/// Remarks on the scheduler's configuration that was given, those that it does not fit first: it
/// may be the wrong one.
std::string Configuration(const TextPage& page, const Diagnosis& d, const Room& room) {
  std::vector<Message> remarks;
  std::ranges::copy_if(d.warnings, std::back_inserter(remarks),
                       [](const Message& one) { return one.id.starts_with(kOnConfiguration); });
  std::stable_partition(remarks.begin(), remarks.end(), [](const Message& one) {
    return one.id == "configuration.contradicts" || one.id == "configuration.rules_out";
  });
  std::string out;
  for (std::size_t i = 0; i < std::min(room.remarks, remarks.size()); ++i) {
    out += Fact(page, i == 0 ? page.t("brief.configuration") : "",
                ShortenProse(Visible(page.t(remarks[i])), 400), room.paragraph);
  }
  return out;
}

/// What is missing, where that is the answer.
std::string Missing(const TextPage& page, const Diagnosis& d) {
  constexpr std::size_t kMost = 3;
  constexpr int kLines = 6;
  if (d.verdict != Verdict::kInsufficientData) return "";
  std::vector<std::string> all = page.t(d.gaps);
  for (const auto* more : {&d.warnings, &d.source.warnings}) {
    for (const Message& one : *more) {
      if (!one.id.starts_with(kOnConfiguration)) all.push_back(page.t(one));
    }
  }
  std::string out;
  for (std::size_t i = 0; i < std::min(all.size(), kMost); ++i) {
    out += Cut(page, "- ", Ink::kPlain, ShortenProse(Visible(all[i]), 600), 0, kLines);
  }
  return out.empty() ? "" : "\n" + out;
}

std::string More(const TextPage& page, const Diagnosis& d) {
  std::string text = page.t("brief.more");
  if (!d.findings.empty()) {
    text += page.t("join.comma") + "`schedlens explain " + Visible(d.findings.front().id) + "`";
  }
  const std::size_t remarks = d.warnings.size() + d.gaps.size() + d.source.warnings.size();
  if (remarks > 0) text += page.t("join.semicolon") + page.t("brief.remarks", remarks);
  return Fact(page, page.t("brief.more.name"), text, 2);
}

/// What to do, never cut, and a blank line.
std::string ActionText(const TextPage& page, const Diagnosis& d) {
  std::string out;
  for (const auto& [name, text] : ActionFacts(page.t, d)) out += page.Fact(name, text);
  return out.empty() ? "" : out + "\n";
}

std::string Write(const TextPage& page, const Diagnosis& d, const Room& room) {
  const TextPage narrower = Narrower(page);
  std::string head = narrower.Paragraph(VerdictInk(d), Visible(Headline(page.t, d)), 0);
  if (!d.units.empty()) head += narrower.Paragraph(Ink::kDim, UnitSentence(page.t, d), 0);
  std::string out = FirstLines(page, head, 4) + "\n" + ActionText(page, d);
  if (!d.units.empty()) out += page.Table(UnitsTable(page.t, d, room.units)) + "\n";
  out += Hit(page, d, room) + Facts(page, d, room) + Missing(page, d) + Findings(page, d, room);
  out += Stages(page, d, room);
  const std::string curve = room.circumstances ? Curve(page, d) : "", made = MadeText(page.t, d);
  out += curve.empty() ? "\n" : curve;
  if (room.paragraph > 1) out += Changed(page, d);
  out += Configuration(page, d, room) + More(page, d);
  return made.empty() || !room.making ? out : out + page.Fact(page.t("report.made"), made);
}

/// The whole on one screen of `most` rows, those of commands that a terminal has to wrap among
/// them. Commands, queries and names are whole.
std::string BriefText(const TextPage& page, const Diagnosis& d, int most) {
  const auto* room = std::ranges::find_if(kRooms, [&](const Room& one) {
    const std::string out = Write(page, d, one);
    int rows = 0;
    for (std::string_view left = out; !left.empty();) {
      const std::size_t end = std::min(left.find('\n'), left.size());
      rows += RowsOf(left.substr(0, end), page.width);
      left.remove_prefix(std::min(end + 1, left.size()));
    }
    return rows <= most;
  });
  return Write(page, d, room == kRooms.end() ? kRooms.back() : *room);
}

}  // namespace

std::string RenderText(const Diagnosis& d, const RenderOptions& options) {
  const TextPage page(options);
  if (!options.full && !options.queries) return BriefText(page, d, options.rows);
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
  if (healthy == 0) return out;
  return out + "\n" + page.Paragraph(Ink::kDim, page.t("split.healthy", healthy), 0);
}

}  // namespace schedlens
