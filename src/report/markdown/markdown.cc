// The report as Markdown: renders on GitHub, reads as plain text.

#include <cmath>

#include "contract/report.h"
#include "report/escape.h"
#include "report/format.h"
#include "report/impact_tables.h"
#include "report/markdown/table.h"
#include "report/messages/messages.h"
#include "report/messages/wording.h"
#include "report/neighbours.h"
#include "report/post_mortem.h"
#include "report/tables.h"

namespace schedlens {

namespace {

constexpr std::size_t kProseLimit = 1000;

// Text from outside; text between backticks stays code.
std::string Prose(std::string_view text) {
  const std::string visible = ShortenProse(Visible(text), kProseLimit);
  std::string out;
  for (std::size_t at = 0; at < visible.size();) {
    const std::size_t open = visible.find('`', at);
    const std::size_t close = open == std::string::npos ? open : visible.find('`', open + 1);
    if (close == std::string::npos || close == open + 1) {
      return out + EscapeMarkdown(visible.substr(at));
    }
    out += EscapeMarkdown(visible.substr(at, open - at)) +
           MarkdownCode(visible.substr(open + 1, close - open - 1));
    at = close + 1;
  }
  return out;
}

std::string Heading(std::string_view title) { return "\n## " + EscapeMarkdown(title) + "\n\n"; }

std::string Section(std::string_view title, const ReportTable& table) {
  return table.rows.empty() ? "" : Heading(title) + MarkdownTable(table);
}

std::string Folded(std::string_view title, const ReportTable& table) {
  if (table.rows.empty()) return "";
  return "\n<details><summary>" + EscapeMarkdown(title) + "</summary>\n\n" + MarkdownTable(table) +
         "\n</details>\n";
}

std::string Facts(const Messages& t, const Diagnosis& d) {
  std::string out = "| | |\n| --- | --- |\n";
  const auto fact = [&](const std::string& name, const std::string& text) {
    out += "| **" + name + "** | " + text + " |\n";
  };
  fact(t("facts.verdict"), VerdictWord(t, d));
  const std::string partial = PartialSentence(t, d);
  if (!partial.empty()) fact(t("report.partial"), Prose(partial));
  if (d.alert) {
    const AlertVerdict& alert = *d.alert;
    const bool apart = !alert.shown_proven_wrong && !std::isnan(alert.quantile);
    const std::string shown = apart ? ShownAlone(t, alert) : ShownSentence(t, alert);
    fact(AlertName(t, alert), Prose(AlertSubject(t, alert)) + " " + Prose(shown));
    if (apart) fact(t("facts.proven"), SecondsRange(t, alert.interval));
    if (alert.threshold) fact(t("report.decided"), DecidedSentence(t, alert));
    if (!alert.expr.empty())
      fact(t("report.expression"), MarkdownCode(Shorten(Visible(alert.expr), kLongestQuery)));
    const std::string redone = RecomputedSentence(t, d);
    if (!redone.empty()) fact(t("recomputed.heading"), Prose(redone));
    for (const Message& note : alert.notes) fact(t("report.note"), Prose(t(note)));
  }
  fact(t("facts.window"), RangeText(d.window, t("range.to"), t.zone()) +
                              (d.window_found ? t("join.comma") + t("facts.window.found") : ""));
  fact(t("facts.baseline"),
       d.baseline ? RangeText(*d.baseline, t("range.to"), t.zone()) : t("facts.none"));
  fact(t("report.source"), Prose(SourceSentence(t, d)));
  const std::string neighbours = NeighboursSentence(t, d);
  if (!neighbours.empty()) fact(t("report.neighbours"), Prose(neighbours));
  fact(t("facts.attempts"),
       t("report.attempts_and_time", Count(d.attempts), Seconds(t, d.e2e_seconds)));
  const std::string made = MadeSentence(t, d);
  if (!made.empty()) fact(t("report.made"), EscapeMarkdown(made));
  if (!d.command.empty()) fact(t("report.command"), MarkdownCode(CommandOf(d)));
  return out;
}

std::string Findings(const Messages& t, const Diagnosis& d) {
  if (d.findings.empty()) return "";
  std::string out = Heading(t("report.findings"));
  int number = 0;
  for (const Finding& finding : d.findings) {
    out += std::to_string(++number) + ". **" + Prose(t(finding.title)) + "** (" +
           MarkdownCode(Shorten(Visible(finding.id), 120)) + t("join.comma") +
           ConfidenceWord(t, finding.confidence);
    if (finding.share)
      out += t("join.comma") + ShareSentence(t, finding.share, ShareText(t, *finding.share));
    out += ")\n";
    for (const Evidence& evidence : finding.evidence) {
      out += "   - " + Prose(t(evidence.text));
      if (!evidence.query.empty()) {
        out += " " + MarkdownCode(Shorten(Visible(evidence.query), kLongestQuery));
      }
      out += "\n";
    }
    if (const std::string then = ConsequencesSentence(t, finding); !then.empty()) {
      out += "   - " + Prose(then) + "\n";
    }
    for (const std::string& sentence : BehindSentences(t, finding)) {
      out += "   - " + Prose(sentence) + "\n";
    }
    for (const std::string& step : StepSentences(t, finding.next_steps)) {
      out += "   - *" + t("finding.next") + "* " + Prose(step) + "\n";
    }
  }
  return out;
}

std::string Inversion(const Messages& t, const Diagnosis& d) {
  if (!d.inversion || !d.inversion->witness) return "";
  const std::string sentence = t("inversion.witness", Seconds(t, d.inversion->witness),
                                 Shorten(Visible(t(d.inversion->upper_metric)), 120),
                                 Shorten(Visible(t(d.inversion->lower_metric)), 120));
  return Heading(t("inversion.heading")) + EscapeMarkdown(sentence) + "\n";
}

std::string CrossCheckText(const Messages& t, const Diagnosis& d) {
  if (!d.cross_check) return "";
  std::string out = Heading(t("cross_check.heading"));
  out += EscapeMarkdown(CrossCheckWord(t, d.cross_check->verdict));
  if (d.cross_check->distance) {
    out += t("join.semicolon") + t("cross_check.gap", Percent(t, d.cross_check->distance));
  }
  out += "\n";
  if (!d.cross_check->note.empty()) out += "\n" + Prose(t(d.cross_check->note)) + "\n";
  const ReportTable table = PredictedTable(t, d);
  return out + (table.rows.empty() ? "" : "\n" + MarkdownTable(table));
}

std::string List(std::string_view title, const std::vector<std::string>& items) {
  if (items.empty()) return "";
  std::string out = Heading(title);
  for (const std::string& item : items) out += "- " + Prose(item) + "\n";
  return out;
}

std::string ImpactText(const Messages& t, const Diagnosis& d) {
  const std::vector<std::string> sentences = ImpactSentences(t, d);
  const ReportTable table = ImpactTable(t, d);
  std::string out = Section(t("impact.heading"), table);
  if (out.empty() && !sentences.empty()) out = Heading(t("impact.heading"));
  for (const std::string& sentence : sentences) {
    out += (out.ends_with("\n\n") ? "" : "\n") + Prose(sentence) + "\n";
  }
  return out;
}

std::string ChangesText(const Messages& t, const Diagnosis& d) {
  std::string out = Section(t("changes.heading"), ChangesTable(t, d));
  if (!out.empty()) out += "\n" + Prose(t("changes.note")) + "\n";
  return out;
}

std::string PostMortemText(const Messages& t, const Diagnosis& d) {
  std::string out = Heading(t("report.post_mortem"));
  out += t("post_mortem.note") + "\n";
  for (const PostMortemField& field : PostMortem(t, d)) {
    out += "\n### " + EscapeMarkdown(field.name) +
           (field.inference ? t("join.brackets", t("report.inference")) : "") + "\n\n";
    for (const std::string& line : field.lines) out += "- " + Prose(line) + "\n";
    if (field.lines.empty()) out += "_" + t("report.to_be_filled_in") + "_\n";
  }
  return out;
}

std::string Queries(const Messages& t, const Diagnosis& d) {
  if (d.queries.empty()) return "";
  std::string out =
      "\n<details><summary>" + t("report.queries", d.queries.size()) + "</summary>\n\n";
  for (const AskedQuery& query : d.queries) {
    out += "- " + Prose(query.name) + t("join.comma") + Moment(query.at, t.zone()) +
           t("join.comma") + t("report.series", query.series) + t("join.colon") +
           MarkdownCode(Shorten(Visible(query.promql), kLongestQuery)) + "\n";
  }
  return out + "\n</details>\n";
}

}  // namespace

std::string RenderMarkdown(const Diagnosis& d, const RenderOptions& options) {
  const Messages t(options.lang, options.zone);
  std::string out = "# " + Prose(Headline(t, d)) + "\n\n";
  if (!d.units.empty()) {
    out += Prose(UnitSentence(t, d)) + "\n\n" + MarkdownTable(UnitsTable(t, d)) + "\n";
    const std::string rest = RestSentence(t, d.units.size());
    if (!rest.empty()) out += Prose(rest) + "\n\n";
  }
  out += Facts(t, d);
  out += Findings(t, d);
  out += ImpactText(t, d);
  out += ChangesText(t, d);
  out += Section(t("report.where_the_time_went"), StagesTable(t, d));
  out += Section(t("report.the_slowest_attempts"), TailTable(t, d));
  out += Section(t("report.results"), ResultsTable(t, d));
  if (!d.queue.empty()) out += Section(t("report.queue_and_throughput"), QueueTable(t, d));
  out += Section(t("report.quantiles"), QuantilesTable(t, d));
  out += Folded(t("report.why_each_quantile_is_what_it"), ReasonsTable(t, d));
  out += Inversion(t, d);
  out += Section(t("table.plugins"), PluginsTable(t, d, {.most = 3}));
  out += CrossCheckText(t, d);
  out += List(t("report.what_is_missing"), GapSentences(t, d));
  out += List(t("report.warnings"), Remarks(t, d.warnings));
  out += List(t("report.noticed_while_reading"), Remarks(t, d.source.warnings));
  out += PostMortemText(t, d);
  out += Queries(t, d);
  return out + "\n_schedlens " + Prose(d.tool_version) + "_\n";
}

}  // namespace schedlens
