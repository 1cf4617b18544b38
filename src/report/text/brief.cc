// The report on one screen: what a person who was just woken needs, and where the rest is.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>

#include "base/text.h"
#include "report/escape.h"
#include "report/format.h"
#include "report/messages/wording.h"
#include "report/stages.h"
#include "report/tables.h"
#include "report/text/layout.h"
#include "report/text/plots.h"

namespace schedlens {
namespace {

constexpr int kMostLines = 30;
/// What the ids of remarks on the scheduler's configuration begin with.
constexpr char kOnConfiguration[] = "configuration.";

/// How much of each part is shown: what is left out first where the screen is full comes first.
struct Room {
  std::size_t findings = 3;
  std::size_t stages = 6;
  std::size_t units = 6;
  int paragraph = 3;        ///< lines that one may take
  std::size_t remarks = 2;  ///< on the configuration that was given
};

constexpr std::array<Room, 7> kRooms = {{{3, 6, 6, 3, 2},
                                         {3, 4, 4, 2, 2},
                                         {2, 4, 4, 2, 2},
                                         {2, 3, 3, 2, 1},
                                         {2, 2, 3, 2, 1},
                                         {1, 3, 3, 2, 1},
                                         {1, 0, 2, 1, 1}}};

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

std::string Cut(const TextPage& page, std::string_view marker, Ink ink, std::string_view text,
                int indent, int most) {
  return FirstLines(page, Narrower(page).Item(marker, ink, text, indent), most);
}

std::string Fact(const TextPage& page, std::string_view name, std::string_view text, int most) {
  return text.empty() ? "" : FirstLines(page, Narrower(page).Fact(name, text), most);
}

std::string Facts(const TextPage& page, const Diagnosis& d, const Room& room) {
  const Messages& t = page.t;
  std::string out = Fact(page, t("report.partial"), PartialSentence(t, d), 1);
  if (d.alert) {
    out += Fact(page, AlertName(t, *d.alert), AlertSentence(t, *d.alert), room.paragraph);
  }
  out += Fact(page, t("facts.window"), WindowText(t, d), 1);
  for (const auto& [name, text] : EpisodeLines(t, d)) out += Fact(page, name, text, 2);
  out += Fact(page, t("facts.baseline"), BaselineText(t, d), 1);
  std::string attempts =
      t("report.attempts_and_time", Count(d.attempts), Seconds(t, d.e2e_seconds));
  if (!d.release.empty()) {
    attempts += t("join.semicolon") + t("brief.release", ReleaseText(t, d));
  }
  return out + Fact(page, t("facts.attempts"), attempts, 1);
}

/// At most three lines: what it is, how sure and how much, and what is behind it or shows it.
std::string FindingLines(const TextPage& page, const Finding& finding, int number) {
  const auto prose = [](const std::string& text) { return Shorten(Visible(text), 600); };
  std::string out =
      Cut(page, fmt::format("{}. ", number), Ink::kBold, prose(page.t(finding.title)), 0, 1);
  const Ink ink = finding.confidence == Confidence::kCertain ? Ink::kBad : Ink::kUnsure;
  out += Cut(page, "", ink, Visible(finding.id) + page.t("join.comma") + SureText(page.t, finding),
             3, 1);
  std::string why;
  if (!finding.behind.empty()) {
    why = BehindSentence(page.t, finding.behind.front());
  } else if (!finding.evidence.empty()) {
    why = page.t(finding.evidence.front().text);
  }
  return why.empty() ? out : out + Cut(page, "", Ink::kPlain, prose(why), 3, 1);
}

std::string Findings(const TextPage& page, const Diagnosis& d, const Room& room) {
  std::string out;
  for (std::size_t i = 0; i < std::min(room.findings, d.findings.size()); ++i) {
    out += FindingLines(page, d.findings[i], static_cast<int>(i) + 1);
  }
  if (out.empty()) return "";
  if (d.findings.size() > room.findings) {
    out += page.Paragraph(Ink::kDim,
                          page.t("brief.more_findings", d.findings.size() - room.findings), 3);
  }
  return "\n" + out;
}

/// The stages that matter, as bars with milliseconds before and now.
std::string Stages(const TextPage& page, const Diagnosis& d, const Room& room) {
  constexpr int kBar = 18;
  const std::vector<StagePerPod> stages = StagesPerPod(d, room.stages);
  if (stages.empty()) return "";
  double greatest = std::numeric_limits<double>::min();
  for (const StagePerPod& stage : stages) {
    greatest = std::max({greatest, stage.now, stage.before.value_or(0)});
  }
  ReportTable table{{{page.t("brief.per_pod"), false, 0, 34},
                     {page.t(page.ascii ? "tree.now_before.ascii" : "tree.now_before")},
                     {page.t("report.before"), true},
                     {page.t("report.now"), true},
                     {page.t("report.excess"), true}},
                    {}};
  for (const StagePerPod& stage : stages) {
    std::optional<double> mark;
    if (stage.before) mark = *stage.before / greatest;
    TableCell bar{TextBar(stage.now / greatest, mark, kBar, page.ascii)};
    bar.ink = HasGrown(stage) ? Ink::kBad : Ink::kAccent;
    TableCell before{stage.before ? Milliseconds(*stage.before) : ""};
    before.ink = Ink::kDim;
    const double excess = stage.now - stage.before.value_or(0);
    table.rows.push_back({NameCell(stage.id, 60),
                          bar,
                          before,
                          {Milliseconds(stage.now)},
                          {stage.before ? (excess < 0 ? "" : "+") + Milliseconds(excess) : ""}});
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

std::string Hit(const TextPage& page, const Diagnosis& d, const Room& room) {
  if (d.verdict != Verdict::kIncident || !d.impact) return "";
  const std::vector<std::string> totals = ImpactTotals(page.t, d);
  std::string text = totals.empty() ? "" : totals.front();
  std::string names;
  for (const auto& row : ImpactTable(page.t, d, 3).rows) {
    names += (names.empty() ? "" : page.t("join.comma")) + row[0].text;
  }
  if (!names.empty()) text += page.t("brief.most", names);
  for (std::size_t i = 1; i < totals.size(); ++i) text = page.t("impact.and", text, totals[i]);
  return Fact(page, page.t("brief.hit"), text, room.paragraph);
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

/// True where every command in backquotes fits on one line.
bool CanBePasted(std::string_view text, int width) {
  for (std::size_t open = 0; (open = text.find('`', open)) != text.npos; ++open) {
    const std::size_t close = text.find('`', open + 1);
    if (close == text.npos) return true;
    if (DisplayWidth(text.substr(open, close - open + 1)) > width) return false;
    open = close;
  }
  return true;
}

std::string FirstStep(const TextPage& page, const Diagnosis& d) {
  if (d.findings.empty()) return "";
  constexpr int kIndent = 13;
  for (const Item& step : StepItems(page.t, StepsOf(d.findings.front()))) {
    if (!CanBePasted(step.text, page.width - kIndent)) continue;
    return page.Fact(page.t("finding.next.heading"), ShortenProse(Visible(step.text), 400));
  }
  return "";
}

/// Remarks on the scheduler's configuration that was given, those that it does not fit first: it
/// may be the wrong one.
std::string Configuration(const TextPage& page, const Diagnosis& d, const Room& room) {
  std::vector<Message> remarks;
  std::copy_if(d.warnings.begin(), d.warnings.end(), std::back_inserter(remarks),
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

std::string Write(const TextPage& page, const Diagnosis& d, const Room& room) {
  const TextPage narrower = Narrower(page);
  std::string head = narrower.Paragraph(VerdictInk(d), Visible(Headline(page.t, d)), 0);
  if (!d.units.empty()) head += narrower.Paragraph(Ink::kDim, UnitSentence(page.t, d), 0);
  std::string out = FirstLines(page, head, room.paragraph + 1) + "\n";
  if (!d.units.empty()) out += page.Table(UnitsTable(page.t, d, room.units)) + "\n";
  out += Facts(page, d, room) + Missing(page, d) + Findings(page, d, room);
  out += Stages(page, d, room);
  const std::string curve = Curve(page, d), made = MadeText(page.t, d);
  out += (curve.empty() ? "\n" : curve) + Hit(page, d, room) + Changed(page, d) +
         Configuration(page, d, room) + FirstStep(page, d) + More(page, d);
  return made.empty() ? out : out + page.Fact(page.t("report.made"), made);
}

}  // namespace

std::string BriefText(const TextPage& page, const Diagnosis& d) {
  std::string out;
  for (const Room& room : kRooms) {
    out = Write(page, d, room);
    if (std::count(out.begin(), out.end(), '\n') <= kMostLines) break;
  }
  return out;
}

}  // namespace schedlens
