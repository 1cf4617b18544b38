// The report as a Slack message: mrkdwn of at most 1,500 characters. What matters most comes first;
// what does not fit is left out whole, and the message says so.

#include "report/format.h"
#include "report/sections.h"

namespace schedlens {

namespace {

constexpr std::size_t kLimit = 1500;  // Slack shows 3,000 in a block

/// Characters that are shown: of `<URL|NAME>` the name.
std::size_t Characters(std::string_view mrkdwn) {
  std::size_t shown = 0;
  bool hidden = false;
  for (const char c : mrkdwn) {
    if (c == '<') hidden = true;
    if (!hidden && (static_cast<unsigned char>(c) & 0xC0) != 0x80 && c != '>') ++shown;
    if (c == '|') hidden = false;
  }
  return shown;
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
  return url.empty() ? "" : "<" + EscapeHtml(url) + "|" + EscapeSlack(name) + ">";
}

/// The page with the rest.
std::string PageLink(const Messages& t, const std::string& page) {
  if (IsWebLink(page) || page.empty()) return Link(page, t("slack.report"));
  return t("slack.report") + " " + SlackCode(page);
}

/// What a line is worth where not all fit.
enum Weight { kVerdict, kAction, kPage, kImpact, kCause, kAlert, kLater, kMade, kRest, kCommand };

struct Line {
  Weight weight;
  std::string text;
};

/// In the order in which they are read.
std::vector<Line> Lines(const Messages& t, const Diagnosis& d, const std::string& page) {
  std::vector<Line> lines;
  const auto add = [&](Weight weight, const std::string& text, const char* name = nullptr) {
    if (text.empty()) return;
    lines.push_back({weight, (name ? t(name) + t("join.colon") : "") + text});
  };
  const std::string headline = ShortenToSentences(Visible(Headline(t, d)), 240);
  add(kVerdict, std::string(Emoji(d)) + " *" + EscapeSlack(headline) + "*");
  add(kVerdict, Short(UnitSentence(t, d), 150));
  for (const auto& [name, text] : ActionFacts(t, d)) {
    add(name == t("action.later") ? kLater : kAction, "*" + name + "* " + Prose(text));
  }
  add(kImpact, Prose(Sentences(t, HitSentences(t, d))));
  add(kAlert, Short(PartialSentence(t, d), 160), "report.partial");
  if (d.alert) add(kAlert, Prose(AlertSentence(t, *d.alert)));
  add(kAlert, RangeText(d.window, t("range.to"), t.zone()), "facts.window");
  for (std::size_t i = 0; i < d.findings.size(); ++i) {
    const Finding& finding = d.findings[i];
    add(i == 0 ? kCause : kRest, std::to_string(i + 1) + ". *" + Short(t(finding.title), 120) +
                                     "* (" + SlackCode(Shorten(Visible(finding.id), 60)) +
                                     t("join.comma") +
                                     SureText(t, finding.confidence, finding.share) + ")");
    if (i > 0 || finding.behind.empty()) continue;
    // The headline names what leads already.
    add(LeadingBehind(finding) ? kRest : kCause,
        "• " + Short(BehindSentence(t, finding.behind.front()), 200));
  }
  for (const std::string& gap : t(d.gaps)) add(kRest, Prose(gap), "report.missing");
  add(kPage, PageLink(t, page));
  if (d.alert) add(kMade, Link(GraphUrl(d.source, d.alert->expr, d.window), t("slack.graph")));
  add(kMade, EscapeSlack(MadeSentence(t, d)));
  if (const std::string command = CommandOf(d); !command.empty()) add(kCommand, SlackCode(command));
  return lines;
}

}  // namespace

std::string RenderSlack(const Diagnosis& d, const RenderOptions& options) {
  const Messages t(options.lang, options.zone);
  std::vector<Line> lines = Lines(t, d, options.link);
  const std::string more = "_" + t("slack.more") + "_\n";
  std::size_t left = kLimit - Characters(more);
  bool cut = false;
  for (int weight = kVerdict; weight <= kCommand; ++weight) {
    for (Line& line : lines) {
      if (line.weight != weight) continue;
      const std::size_t needed = Characters(line.text) + 1;
      cut = cut || needed > left;
      if (needed > left) line.text.clear();
      left -= std::min(left, line.text.empty() ? 0 : needed);
    }
  }
  std::string out;
  for (const Line& line : lines) out += line.text.empty() ? "" : line.text + "\n";
  return cut ? out + more : out;
}

}  // namespace schedlens
