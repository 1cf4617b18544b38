// The report on a terminal: the conclusion first, then where the time went, then what shows it.

#include <fmt/format.h>

#include <algorithm>

#include "contract/report.h"
#include "report/canonical.h"
#include "report/escape.h"
#include "report/format.h"
#include "report/messages/messages.h"
#include "report/messages/wording.h"
#include "report/text/layout.h"
#include "report/text/sections.h"

namespace schedlens {

namespace {

Ink VerdictInk(const Diagnosis& d) {
  if (IsBelowItsAlert(d)) return Ink::kUnsure;
  switch (d.verdict) {
    case Verdict::kIncident:
      return Ink::kBad;
    case Verdict::kNoIncident:
      return Ink::kGood;
    default:
      return Ink::kUnsure;
  }
}

std::string Header(const TextPage& page, const Diagnosis& d) {
  std::string out = page.Paragraph(VerdictInk(d), Visible(Headline(page.t, d)), 0);
  out += "\n";
  const std::string partial = PartialSentence(page.t, d);
  if (!partial.empty()) out += page.Fact(page.t("report.partial"), partial);
  if (d.alert) out += page.Fact(AlertName(page.t, *d.alert), AlertSentence(page, *d.alert));
  const std::string redone = RecomputedSentence(page.t, d);
  if (!redone.empty()) out += page.Fact(page.t("recomputed.heading"), redone);
  const std::string found =
      d.window_found ? page.t("join.comma") + page.t("facts.window.found") : "";
  out += page.Fact(page.t("facts.window"), RangeText(d.window, page.t("range.to")) + found);
  out += page.Fact(page.t("facts.baseline"),
                   d.baseline ? RangeText(*d.baseline, page.t("range.to")) : page.t("facts.none"));
  out += page.Fact(page.t("report.source"), SourceSentence(page.t, d));
  out += page.Fact(page.t("facts.attempts"),
                   page.t("report.attempts_and_time", Count(d.attempts), Seconds(d.e2e_seconds)));
  return out;
}

}  // namespace

std::string RenderText(const Diagnosis& diagnosis, const RenderOptions& options) {
  const TextPage page{Terminal{std::clamp(options.width, 40, 400), options.color, options.ascii},
                      Messages(options.lang)};
  const Diagnosis d = Canonical(diagnosis);
  std::string out = Header(page, d);
  out += FindingsText(page, d);
  out += StagesText(page, d);
  out += TimelineText(page, d);
  out += QuantilesText(page, d);
  out += PluginsText(page, d);
  out += CrossCheckText(page, d);
  out += RemarksText(page, d);
  return out;
}

}  // namespace schedlens
