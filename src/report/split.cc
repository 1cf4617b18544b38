#include "report/split.h"

#include <algorithm>

#include "report/escape.h"
#include "report/format.h"
#include "report/messages/wording.h"
#include "report/text/layout.h"
#include "report/text/sections.h"

namespace schedlens {
namespace {

Ink InkOf(const Diagnosis& d) {
  if (d.verdict == Verdict::kIncident && !IsBelowItsAlert(d)) return Ink::kBad;
  return d.verdict == Verdict::kNoIncident ? Ink::kGood : Ink::kUnsure;
}

std::string HeadlineOf(const Messages& t, const Diagnosis& d) {
  return Shorten(Visible(Headline(t, d)), 200);
}

std::size_t HealthyCount(const SplitDiagnosis& split) {
  return static_cast<std::size_t>(
      std::count_if(split.parts.begin(), split.parts.end(),
                    [](const DiagnosedPart& part) { return !IsWorthAReport(part.diagnosis); }));
}

std::string SummaryTable(const TextPage& page, const SplitDiagnosis& split) {
  std::vector<std::vector<Cell>> rows;
  for (const DiagnosedPart& part : split.parts) {
    const Diagnosis& d = part.diagnosis;
    rows.push_back({{Shorten(Visible(part.value), 40), Ink::kBold},
                    {VerdictWord(page.t, d), InkOf(d)},
                    {ShownText(page.t, d)},
                    {Count(d.attempts)},
                    {HeadlineOf(page.t, d)}});
  }
  return Table(page.terminal,
               {{Visible(split.label)},
                {page.t("table.verdict"), false, 2},
                {ShownHeading(page.t, split), true},
                {page.t("table.attempts"), true, 1},
                {page.t("table.summary"), false, 0, 200}},
               rows);
}

}  // namespace

std::string PartName(const SplitDiagnosis& split, const DiagnosedPart& part) {
  return Visible(split.label) + "=\"" + Shorten(Visible(part.value), 120) + "\"";
}

std::string SplitHeadline(const Messages& t, const SplitDiagnosis& split) {
  const auto sick = std::count_if(
      split.parts.begin(), split.parts.end(),
      [](const DiagnosedPart& part) { return part.diagnosis.verdict == Verdict::kIncident; });
  return t("split.incidents", sick, split.parts.size(), Visible(split.label));
}

std::string ShownHeading(const Messages& t, const SplitDiagnosis& split) {
  const bool given =
      std::any_of(split.parts.begin(), split.parts.end(), [](const DiagnosedPart& part) {
        return part.diagnosis.alert && part.diagnosis.alert->given;
      });
  return t(given ? "table.alert_shows" : "table.quantile_shows");
}

bool IsWorthAReport(const Diagnosis& diagnosis) {
  return diagnosis.verdict != Verdict::kNoIncident;
}

std::string ShownText(const Messages& t, const Diagnosis& diagnosis) {
  return diagnosis.alert ? Seconds(t, diagnosis.alert->shown) : kUnknown;
}

std::string RenderText(const SplitDiagnosis& split, const RenderOptions& options) {
  const TextPage page{Terminal{std::clamp(options.width, 40, 400), options.color, options.ascii},
                      Messages(options.lang, options.zone)};
  std::string out = page.Paragraph(Ink::kBold, SplitHeadline(page.t, split), 0) + "\n";
  out += SummaryTable(page, split);
  for (const DiagnosedPart& part : split.parts) {
    if (!IsWorthAReport(part.diagnosis)) continue;
    out += page.Heading("=== " + PartName(split, part));
    out += "\n" + RenderText(part.diagnosis, options);
  }
  const std::size_t healthy = HealthyCount(split);
  if (healthy > 0) {
    out += "\n" + page.Paragraph(Ink::kDim, page.t("split.healthy", healthy), 0);
  }
  return out;
}

std::string RenderMarkdown(const SplitDiagnosis& split, const RenderOptions& options) {
  const Messages t(options.lang, options.zone);
  std::string out = "# " + EscapeMarkdown(SplitHeadline(t, split)) + "\n\n";
  out += "| " + EscapeMarkdown(split.label) + " | " + t("table.verdict") + " | " +
         ShownHeading(t, split) + " | " + t("table.attempts") + " | " + t("table.summary") + " |\n";
  out += "| --- | --- | ---: | ---: | --- |\n";
  for (const DiagnosedPart& part : split.parts) {
    const Diagnosis& d = part.diagnosis;
    out += "| " + EscapeMarkdown(Shorten(part.value, 120)) + " | " + VerdictWord(t, d) + " | " +
           ShownText(t, d) + " | " + Count(d.attempts) + " | " + EscapeMarkdown(HeadlineOf(t, d)) +
           " |\n";
  }
  for (const DiagnosedPart& part : split.parts) {
    if (!IsWorthAReport(part.diagnosis)) continue;
    out += "\n---\n\n**" + EscapeMarkdown(PartName(split, part)) + "**\n\n" +
           RenderMarkdown(part.diagnosis, options);
  }
  return out;
}

}  // namespace schedlens
