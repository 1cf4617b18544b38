// The report on a terminal: the conclusion first, then where the time went, then what shows it.

#include <fmt/format.h>

#include <algorithm>

#include "contract/report.h"
#include "report/escape.h"
#include "report/format.h"
#include "report/messages/messages.h"
#include "report/messages/wording.h"
#include "report/neighbours.h"
#include "report/text/layout.h"
#include "report/text/sections.h"

namespace schedlens {

namespace {

Ink VerdictInk(Verdict verdict) {
  switch (verdict) {
    case Verdict::kIncident:
      return Ink::kBad;
    case Verdict::kNoIncident:
      return Ink::kGood;
    default:
      return Ink::kUnsure;
  }
}

Ink VerdictInk(const Diagnosis& d) {
  return IsBelowItsAlert(d) ? Ink::kUnsure : VerdictInk(d.verdict);
}

std::string Header(const TextPage& page, const Diagnosis& d) {
  std::string out = HeadlineText(page, d) + "\n" + UnitsText(page, d, kMostListed);
  const std::string rest = RestSentence(page.t, d.units.size());
  if (!rest.empty()) out += page.Paragraph(Ink::kDim, rest, 0) + "\n";
  const std::string partial = PartialSentence(page.t, d);
  if (!partial.empty()) out += page.Fact(page.t("report.partial"), partial);
  if (d.alert) out += page.Fact(AlertName(page.t, *d.alert), AlertSentence(page, *d.alert));
  const std::string redone = RecomputedSentence(page.t, d);
  if (!redone.empty()) out += page.Fact(page.t("recomputed.heading"), redone);
  const std::string found =
      d.window_found ? page.t("join.comma") + page.t("facts.window.found") : "";
  out += page.Fact(page.t("facts.window"),
                   RangeText(d.window, page.t("range.to"), page.t.zone()) + found);
  out += page.Fact(page.t("facts.baseline"),
                   d.baseline ? RangeText(*d.baseline, page.t("range.to"), page.t.zone())
                              : page.t("facts.none"));
  out += page.Fact(page.t("report.source"), SourceSentence(page.t, d));
  const std::string neighbours = NeighboursSentence(page.t, d);
  if (!neighbours.empty()) out += page.Fact(page.t("report.neighbours"), neighbours);
  out += page.Fact(page.t("facts.attempts"), page.t("report.attempts_and_time", Count(d.attempts),
                                                    Seconds(page.t, d.e2e_seconds)));
  return out + MadeText(page, d);
}

}  // namespace

std::string HeadlineText(const TextPage& page, const Diagnosis& d) {
  std::string out = page.Paragraph(VerdictInk(d), Visible(Headline(page.t, d)), 0);
  if (!d.units.empty()) out += page.Paragraph(Ink::kPlain, UnitSentence(page.t, d), 0);
  return out;
}

std::string MadeText(const TextPage& page, const Diagnosis& d) {
  std::string text = MadeSentence(page.t, d);
  const std::string command = CommandOf(d);
  if (!command.empty()) text += (text.empty() ? "" : page.t("join.colon")) + "`" + command + "`";
  return text.empty() ? "" : page.Fact(page.t("report.made"), text);
}

std::string UnitsText(const TextPage& page, const Diagnosis& d, std::size_t most) {
  if (d.units.empty()) return "";
  std::vector<std::vector<Cell>> rows;
  for (const JudgedUnit& unit : d.units) {
    if (rows.size() == most) break;
    rows.push_back({{Shorten(LabelText(unit.labels), 60), Ink::kBold},
                    {VerdictWord(page.t, unit.verdict), VerdictInk(unit.verdict)},
                    {Seconds(page.t, unit.shown)},
                    {Shorten(Visible(page.t(unit.headline)), 200)}});
  }
  return Table(page.terminal,
               {{page.t("units.scheduler"), false, 0, 60},
                {page.t("table.verdict")},
                {page.t("table.alert_shows"), true},
                {page.t("table.summary"), false, 0, 200}},
               rows) +
         "\n";
}

std::string RenderText(const Diagnosis& d, const RenderOptions& options) {
  const TextPage page{Terminal{std::clamp(options.width, 40, 400), options.color, options.ascii},
                      Messages(options.lang, options.zone), options.queries};
  if (!options.full && !options.queries) return BriefText(page, d);
  std::string out = Header(page, d);
  out += FindingsText(page, d);
  out += ImpactText(page, d);
  out += ChangesText(page, d);
  out += StagesText(page, d);
  out += TimelineText(page, d);
  out += QuantilesText(page, d);
  out += PluginsText(page, d);
  out += CrossCheckText(page, d);
  out += RemarksText(page, d);
  return out;
}

}  // namespace schedlens
