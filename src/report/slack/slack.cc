// The report as a Slack message: mrkdwn of at most 900 characters. What matters most comes first;
// what does not fit is left out whole, and the message says so.

#include <algorithm>

#include "contract/report.h"
#include "report/format.h"
#include "report/messages/messages.h"
#include "report/sections.h"

namespace schedlens {

namespace {

constexpr std::size_t kLimit = 900;

std::size_t Characters(std::string_view utf8) {
  return static_cast<std::size_t>(std::count_if(utf8.begin(), utf8.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

/// Text from outside; what is between backquotes stays code.
std::string Prose(std::string_view text) { return WithCode(text, false, EscapeSlack, SlackCode); }

std::string Short(std::string_view text, std::size_t limit) {
  return EscapeSlack(Shorten(Visible(text), limit));
}

std::string_view Emoji(const Diagnosis& d) {
  const Ink ink = VerdictInk(d);
  return ink == Ink::kBad    ? ":red_circle:"
         : ink == Ink::kGood ? ":large_green_circle:"
                             : ":large_yellow_circle:";
}

std::string Link(const std::string& url, const std::string& name) {
  return "<" + EscapeHtml(url) + "|" + EscapeSlack(name) + ">";
}

/// The page with the rest.
std::string PageLink(const Messages& t, const std::string& page) {
  if (IsWebLink(page)) return Link(page, t("slack.report"));
  return page.empty() ? "" : t("slack.report") + " " + SlackCode(page);
}

/// What a line is worth where not all fit.
enum Weight {
  kVerdict,
  kPage,
  kAlert,
  kCause,
  kMade,
  kGraph,
  kImpact,
  kFirstStep,
  kRest,
  kCommand,
  kSteps
};

struct Line {
  Weight weight;
  std::string text;
};

void AddFindings(const Messages& t, const Diagnosis& d, std::vector<Line>* lines) {
  int number = 0;
  for (const Finding& finding : d.findings) {
    const bool first = ++number == 1;
    lines->push_back({first ? kCause : kRest, std::to_string(number) + ". *" +
                                                  Short(t(finding.title), 120) + "* (" +
                                                  SlackCode(Shorten(Visible(finding.id), 60)) +
                                                  t("join.comma") + SureText(t, finding) + ")"});
    if (!first || finding.behind.empty()) continue;
    lines->push_back({kCause, "• " + Short(BehindSentence(t, finding.behind.front()), 200)});
  }
}

void AddSteps(const Messages& t, const Finding& finding, std::vector<Line>* lines) {
  Weight weight = kFirstStep;
  for (const Item& step : StepItems(t, StepsOf(finding))) {
    lines->push_back({weight, "→ " + Prose(step.text)});
    weight = kSteps;
  }
}

/// In the order in which they are read.
std::vector<Line> Lines(const Messages& t, const Diagnosis& d, const std::string& page) {
  std::vector<Line> lines = {
      {kVerdict, std::string(Emoji(d)) + " *" + Short(Headline(t, d), 240) + "*"},
      {kVerdict, Short(UnitSentence(t, d), 150)}};
  const std::string partial = PartialSentence(t, d);
  if (!partial.empty()) {
    lines.push_back({kAlert, t("report.partial") + t("join.colon") + Short(partial, 160)});
  }
  if (d.alert) lines.push_back({kAlert, Prose(AlertSentence(t, *d.alert))});
  lines.push_back(
      {kAlert, t("facts.window") + t("join.colon") + RangeText(d.window, t("range.to"), t.zone())});
  AddFindings(t, d, &lines);
  if (d.verdict == Verdict::kIncident) lines.push_back({kImpact, Prose(ImpactTotal(t, d))});
  if (!d.findings.empty()) AddSteps(t, d.findings.front(), &lines);
  for (const std::string& gap : t(d.gaps)) {
    lines.push_back({kRest, t("report.missing") + t("join.colon") + Prose(gap)});
  }
  lines.push_back({kPage, PageLink(t, page)});
  const std::string graph = d.alert ? GraphUrl(d.source, d.alert->expr, d.window) : "";
  if (!graph.empty()) lines.push_back({kGraph, Link(graph, t("slack.graph"))});
  lines.push_back({kMade, EscapeSlack(MadeSentence(t, d))});
  const std::string command = CommandOf(d);
  if (!command.empty()) lines.push_back({kCommand, SlackCode(command)});
  std::erase_if(lines, [](const Line& line) { return line.text.empty(); });
  return lines;
}

}  // namespace

std::string RenderSlack(const Diagnosis& d, const RenderOptions& options) {
  const Messages t(options.lang, options.zone);
  std::vector<Line> lines = Lines(t, d, options.link);
  const std::string more = "_" + t("slack.more") + "_\n";
  std::size_t left = kLimit - Characters(more);
  bool cut = false;
  for (int weight = kVerdict; weight <= kSteps; ++weight) {
    for (Line& line : lines) {
      if (line.weight != weight) continue;
      const std::size_t needed = Characters(line.text) + 1;
      cut = cut || needed > left;
      if (needed > left) line.text.clear();
      left -= std::min(left, line.text.empty() ? 0 : needed);
    }
  }
  std::string out;
  for (const Line& line : lines) {
    if (line.text.empty()) continue;
    out += line.text + "\n";
  }
  return cut ? out + more : out;
}

}  // namespace schedlens
