// The report on one screen: what a person who was just woken needs, and where the rest is.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "model/text.h"
#include "report/escape.h"
#include "report/format.h"
#include "report/impact_tables.h"
#include "report/messages/wording.h"
#include "report/text/brief_stages.h"
#include "report/text/plots.h"
#include "report/text/sections.h"

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
  return paragraph.substr(0, end - 1) + (page.terminal.ascii ? "..." : " …") + "\n";
}

/// A page a little narrower, so that an ellipsis fits behind its lines.
TextPage Narrower(const TextPage& page) {
  TextPage narrower = page;
  narrower.terminal.width = std::max(40, page.terminal.width - 3);
  return narrower;
}

std::string Cut(const TextPage& page, std::string_view marker, Ink ink, std::string_view text,
                int indent, int most, Ink marker_ink = Ink::kPlain) {
  return FirstLines(page, Narrower(page).Item(marker, ink, text, indent, marker_ink), most);
}

std::string Fact(const TextPage& page, std::string_view name, std::string_view text, int most) {
  return FirstLines(page, Narrower(page).Fact(name, text), most);
}

std::string Facts(const TextPage& page, const Diagnosis& d, const Room& room) {
  std::string out;
  const std::string partial = PartialSentence(page.t, d);
  if (!partial.empty()) out += Fact(page, page.t("report.partial"), partial, 1);
  if (d.alert) {
    std::string text = AlertSubject(page.t, *d.alert) + " " + ShownSentence(page.t, *d.alert);
    const std::string decided = DecidedSentence(page.t, *d.alert);
    if (!decided.empty()) text += page.t("join.semicolon") + decided;
    out += Fact(page, AlertName(page.t, *d.alert), text, room.paragraph);
  }
  const std::string to = page.t("range.to");
  const std::string found =
      d.window_found ? page.t("join.comma") + page.t("facts.window.found") : "";
  out += Fact(page, page.t("facts.window"), RangeText(d.window, to, page.t.zone()) + found, 1);
  out += Fact(page, page.t("facts.baseline"),
              d.baseline ? RangeText(*d.baseline, to, page.t.zone()) : page.t("facts.none"), 1);
  std::string attempts =
      page.t("report.attempts_and_time", Count(d.attempts), Seconds(page.t, d.e2e_seconds));
  if (!d.release.empty()) {
    attempts += page.t("join.semicolon") + page.t("brief.release", ReleaseText(page.t, d));
  }
  return out + Fact(page, page.t("facts.attempts"), attempts, 1);
}

/// At most three lines: what it is, how sure and how much, and what is behind it or shows it.
std::string FindingLines(const TextPage& page, const Finding& finding, int number) {
  const auto prose = [](const std::string& text) { return Shorten(Visible(text), 600); };
  std::string tag =
      Visible(finding.id) + page.t("join.comma") + ConfidenceWord(page.t, finding.confidence);
  if (finding.share) {
    tag += page.t("join.comma") +
           ShareSentence(page.t, finding.share, ShareText(page.t, *finding.share));
  }
  std::string out =
      Cut(page, fmt::format("{}. ", number), Ink::kBold, prose(page.t(finding.title)), 0, 1);
  const Ink ink = finding.confidence == Confidence::kCertain ? Ink::kBad : Ink::kUnsure;
  out += Cut(page, "", ink, tag, 3, 1);
  std::string why;
  if (!finding.behind.empty()) {
    const CauseBehind& one = finding.behind.front();
    why = page.t("finding.behind", page.t(one.title), ConfidenceWord(page.t, one.confidence),
                 ShareSentence(page.t, one.share, ShareText(page.t, one.share)));
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

/// The alert's value over time, with its greatest.
std::string Curve(const TextPage& page, const Diagnosis& d) {
  double greatest = 0;
  for (const double value : d.timeline.shown) {
    if (std::isfinite(value)) greatest = std::max(greatest, value);
  }
  if (!(greatest > 0) || d.timeline.times.empty()) return "";
  const std::string name = d.alert ? QuantileName(d.alert->quantile) : page.t("table.shown");
  const std::string text = page.t("brief.curve", Seconds(page.t, greatest),
                                  TimeOfDay(d.timeline.times.front(), page.t.zone()),
                                  TimeOfDay(d.timeline.times.back(), page.t.zone()),
                                  ZoneText(page.t.zone(), d.timeline.times.back()));
  const int width = std::max(8, page.terminal.width - 13 - DisplayWidth(text));
  return "\n" +
         page.Fact(name, Sparkline(d.timeline.shown, width, page.terminal.ascii) + " " + text);
}

std::string Hit(const TextPage& page, const Diagnosis& d, const Room& room) {
  if (d.verdict != Verdict::kIncident || !d.impact) return "";
  std::vector<std::string> totals = ImpactTotals(page.t, d);
  std::string text = totals.empty() ? "" : totals.front();
  std::string names;
  for (const auto& row : ImpactTable(page.t, d, 3).rows) {
    names += (names.empty() ? "" : page.t("join.comma")) + row[0].text;
  }
  if (!names.empty()) text += page.t("brief.most", names);
  for (std::size_t i = 1; i < totals.size(); ++i) text = page.t("impact.and", text, totals[i]);
  return text.empty() ? "" : Fact(page, page.t("brief.hit"), text, room.paragraph);
}

/// Nearest to the start, and before it.
std::string Changed(const TextPage& page, const Diagnosis& d) {
  const auto before = std::find_if(d.changes.begin(), d.changes.end(),
                                   [](const ClusterChange& change) { return !change.after_onset; });
  const ReportTable table = ChangesTable(page.t, d);
  const auto at = static_cast<std::size_t>(before - d.changes.begin());
  if (at >= table.rows.size()) return "";
  return Fact(page, page.t("brief.changed"), ChangeLine(page.t, table.rows[at]), 1);
}

/// True where every command in backquotes fits on one line.
bool CanBePasted(const std::string& text, int width) {
  std::size_t open = std::string::npos;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '`') continue;
    if (open == std::string::npos) {
      open = i;
      continue;
    }
    if (DisplayWidth(std::string_view(text).substr(open, i - open + 1)) > width) return false;
    open = std::string::npos;
  }
  return true;
}

std::string FirstStep(const TextPage& page, const Diagnosis& d) {
  if (d.findings.empty()) return "";
  const Finding& first = d.findings.front();
  std::vector<NextStep> steps;
  if (!first.behind.empty()) steps = first.behind.front().next_steps;
  steps.insert(steps.end(), first.next_steps.begin(), first.next_steps.end());
  constexpr int kIndent = 13;
  for (const std::string& step : StepSentences(page.t, steps)) {
    if (!CanBePasted(step, page.terminal.width - kIndent)) continue;
    return page.Fact(page.t("finding.next.heading"), ShortenProse(Visible(step), 400));
  }
  return "";
}

/// Remarks on the scheduler's configuration that was given, those that it does not fit first: it
/// may be the wrong one.
std::vector<Message> OnConfiguration(const Diagnosis& d) {
  std::vector<Message> remarks;
  std::copy_if(d.warnings.begin(), d.warnings.end(), std::back_inserter(remarks),
               [](const Message& one) { return one.id.starts_with(kOnConfiguration); });
  std::stable_partition(remarks.begin(), remarks.end(), [](const Message& one) {
    return one.id == "configuration.contradicts" || one.id == "configuration.rules_out";
  });
  return remarks;
}

std::string Configuration(const TextPage& page, const Diagnosis& d, const Room& room) {
  const std::vector<Message> remarks = OnConfiguration(d);
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
  std::string out = FirstLines(page, HeadlineText(Narrower(page), d), room.paragraph + 1) + "\n";
  out += UnitsText(page, d, room.units);
  out += Facts(page, d, room);
  out += Missing(page, d) + Findings(page, d, room);
  out += BriefStages(page, d, room.stages);
  std::string rest = Curve(page, d);
  if (rest.empty()) rest = "\n";
  rest += Hit(page, d, room) + Changed(page, d) + Configuration(page, d, room) +
          FirstStep(page, d) + More(page, d) + MadeText(page, d);
  return out + rest;
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
