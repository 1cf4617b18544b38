// The text forms of `query`, `doctor`, `explain` and `lint`.

#include "report/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.h"
#include "report/format.h"
#include "report/messages/messages.h"
#include "report/text/layout.h"

namespace schedlens {
namespace {

using Row = std::vector<std::string>;

/// All columns but the last padded to their widest cell, on the left.
std::string Align(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const Row& row : rows) {
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      out += fmt::format("{:>{}}  ", row[i], widths[i]);
    }
    out += row.back() + '\n';
  }
  return out;
}

Row Summary(const Series& series) {
  double low = series.samples.front().v;
  double high = low;
  for (const Sample& sample : series.samples) {
    low = std::fmin(low, sample.v);
    high = std::fmax(high, sample.v);
  }
  return {fmt::to_string(series.samples.size()),
          FormatNumber(series.samples.front().v),
          FormatNumber(low),
          FormatNumber(high),
          FormatNumber(series.samples.back().v),
          series.labels.ToString()};
}

std::string VectorTable(const Answer& answer) {
  std::vector<Row> rows = {{"VALUE", "SERIES"}};
  for (const Series& series : answer.series) {
    if (!series.samples.empty()) {
      rows.push_back({FormatNumber(series.samples.front().v), series.labels.ToString()});
    } else if (!series.histograms.empty()) {
      const NativeHistogram& h = series.histograms.front().h;
      rows.push_back({fmt::format("count {} sum {}", FormatNumber(h.count), FormatNumber(h.sum)),
                      series.labels.ToString()});
    }
  }
  return Align(rows);
}

std::string MatrixTable(const Answer& answer) {
  std::vector<Row> rows = {{"SAMPLES", "FIRST", "LOWEST", "HIGHEST", "LAST", "SERIES"}};
  for (const Series& series : answer.series) {
    if (!series.samples.empty()) rows.push_back(Summary(series));
  }
  std::string out;
  if (!answer.series.empty() && !answer.series.front().samples.empty()) {
    TimeMs first = answer.series.front().samples.front().t;
    TimeMs last = first;
    for (const Series& series : answer.series) {
      if (series.samples.empty()) continue;
      first = std::min(first, series.samples.front().t);
      last = std::max(last, series.samples.back().t);
    }
    out = fmt::format("{} to {}\n", FormatTime(first), FormatTime(last));
  }
  return out + Align(rows);
}

/// The evidence on one line; JSON has all of a long one.
std::string Shortened(const std::string& evidence) {
  constexpr std::size_t kShown = 140;
  if (evidence.size() <= kShown) return evidence;
  std::size_t end = kShown;
  while (end > 0 && (static_cast<unsigned char>(evidence[end]) & 0xC0) == 0x80) --end;
  return evidence.substr(0, end) + "...";
}

/// The widest of the subjects, at least what most of them need.
int SubjectWidth(const DoctorReport& report) {
  int width = 10;
  for (const CheckUp& check : report.checks) width = std::max(width, DisplayWidth(check.subject));
  return width;
}

/// What to paste, tool by tool: a comment, then YAML as it is.
std::string Configurations(const DoctorReport& report) {
  std::string out;
  for (const ScrapeConfiguration& one : report.configurations) {
    out += fmt::format("\n# {}: {}\n{}", one.tool, fmt::join(one.components, ", "), one.yaml);
  }
  return out;
}

constexpr int kGlossaryWidth = 96;

constexpr int kGlossaryLabel = 13;

std::string Head(const std::string& label) { return "  " + Padded(label, kGlossaryLabel); }

std::string Labelled(const std::string& label, const std::string& text) {
  return text.empty() ? "" : Paragraph(text, kGlossaryWidth, Head(label), Head(""));
}

std::string TextOf(const Messages& t, const FindingText& text, const std::vector<Message>& steps) {
  const std::string id = "finding." + text.id;
  std::string out = t("explain.finding", text.id, t(TitleOf(text))) + "\n" +
                    Labelled(t("explain.meaning"), t(id + ".meaning")) +
                    Labelled(t("explain.proof"), t(id + ".proof"));
  int number = 0;
  for (const std::string& step : t(steps)) {
    const std::string label = number == 0 ? t("explain.next") : "";
    out += Paragraph(step, kGlossaryWidth, fmt::format("{}{}. ", Head(label), number + 1),
                     std::string(18, ' '));
    ++number;
  }
  return text.can_be_settled ? out + Labelled(t("explain.settled_by"), t(id + ".settled_by")) : out;
}

std::string TextOf(const Messages& t, const StageText& text) {
  const std::string id = "stage." + text.id;
  return t("explain.stage", text.id, t(id + ".title")) + "\n" +
         Labelled(t("explain.meaning"), t(id + ".meaning")) +
         Labelled(t("explain.measured_by"), t(id + ".measured_by"));
}

std::string TextOf(const Messages& t, const MetricText& text) {
  return t("explain.metric", text.name) + "\n" + Labelled(t("explain.of"), text.component) +
         Labelled(t("explain.releases"), text.releases) +
         Labelled(t("explain.labels"), text.labels) +
         Labelled(t("explain.counts"), t(text.population)) +
         Labelled(t("explain.traps"), t(text.traps));
}

std::string TextOf(const Messages& t, const LintCheck& check) {
  return t("explain.lint", check.id, t(check.summary)) + "\n" +
         Labelled(t("explain.meaning"), t(check.reason));
}

std::string TextOf(const Messages& t, const TopicText& text) {
  return text.name + "\n" + Paragraph(t("term." + text.name), kGlossaryWidth, "  ", "  ");
}

template <typename Rows, typename Key>
std::string List(const std::string& title, const Rows& rows, Key key) {
  std::string out = title + "\n";
  for (const auto& row : rows) out += "  " + row.*key + "\n";
  return out;
}

constexpr int kLintWidth = 100;

std::string Place(const LintedFile& file, const LintRule& rule) {
  std::string place = file.name;
  if (rule.line > 0) place += fmt::format(":{}", rule.line);
  if (!rule.name.empty()) place += " " + rule.name;
  return place;
}

/// `1 rule`, `2 rules`.
std::string Counted(const Messages& t, const char* id, std::size_t n) {
  return t(Message(id, {{"n", arg::Count(n)}}));
}

}  // namespace

std::string AnswerTable(const Answer& answer) {
  switch (answer.kind) {
    case ValueKind::kString:
      return answer.text + '\n';
    case ValueKind::kScalar:
      return answer.series.empty() || answer.series.front().samples.empty()
                 ? std::string()
                 : PlainNumber(answer.series.front().samples.front().v) + '\n';
    case ValueKind::kVector:
      return answer.series.empty() ? std::string() : VectorTable(answer);
    case ValueKind::kMatrix:
      return answer.series.empty() ? std::string() : MatrixTable(answer);
  }
  return {};
}

// Consecutive checks with the same evidence show it once, below the first. Of checks that are alike
// the first ones are listed.
std::string DoctorText(const Messages& t, const DoctorReport& report) {
  constexpr int kHealth = 8;
  std::string out;
  std::string last;
  const int width = SubjectWidth(report);
  const std::string indent(static_cast<std::size_t>(kHealth + 1 + width), ' ');
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> counts, listed;
  for (const CheckUp& check : report.checks) ++counts[{check.subject, check.text.id}];
  for (const CheckUp& check : report.checks) {
    const std::pair<std::string_view, std::string_view> kind(check.subject, check.text.id);
    const std::size_t n = ++listed[kind];
    if (n == kMostListed + 1) out += indent + " " + RestSentence(t, counts[kind]) + "\n";
    if (n > kMostListed) continue;
    out += Padded(t.Of(check.health,
                       {"doctor.health.ok", "doctor.health.note", "doctor.health.problem"}),
                  kHealth) +
           " " + Padded(check.subject, width) + " " + t(check.text) + "\n";
    if (!check.fix.empty()) out += indent + " -> " + t(check.fix) + "\n";
    std::string evidence = t(check.evidence);
    if (!evidence.empty() && evidence != last) {
      out += indent + " " + t("doctor.evidence", Shortened(evidence)) + "\n";
    }
    last = std::move(evidence);
  }
  out += "\n" + t(report.diagnosable ? "doctor.diagnosable" : "doctor.not_diagnosable") + "\n";
  return out + Configurations(report);
}

std::string ExplanationText(const Messages& t, const Explanation& explanation) {
  std::string out;
  const auto add = [&](const auto* row) {
    if (row != nullptr) out += (out.empty() ? "" : "\n") + TextOf(t, *row);
  };
  if (explanation.finding != nullptr) {
    out = TextOf(t, *explanation.finding, explanation.next_steps);
  }
  add(explanation.stage);
  add(explanation.metric);
  add(explanation.lint);
  add(explanation.topic);
  return out;
}

std::string GlossaryIndex(const Messages& t, const std::vector<FindingText>& findings,
                          const std::vector<StageText>& stages,
                          const std::vector<MetricText>& metrics,
                          const std::vector<LintCheck>& checks,
                          const std::vector<TopicText>& topics) {
  return List(t("explain.findings"), findings, &FindingText::id) +
         List(t("explain.stages"), stages, &StageText::id) +
         List(t("explain.metrics"), metrics, &MetricText::name) +
         List(t("explain.lints"), checks, &LintCheck::id) +
         List(t("explain.words"), topics, &TopicText::name);
}

std::string LintText(const Messages& t, const std::vector<LintedFile>& files,
                     const LintedFor& linted_for) {
  std::string out;
  std::size_t found = 0;
  std::size_t rules = 0;
  for (const LintedFile& file : files) {
    rules += file.rules.size();
    found += file.report.findings.size() + file.report.left_out;
    for (const LintFinding& finding : file.report.findings) {
      // In the words and marks that editors know, in every language.
      out += fmt::format("{}: {}: {}\n", Place(file, PlaceOf(finding, file.rules)),
                         ToString(finding.severity), finding.id);
      out += Paragraph(t(finding.message), kLintWidth, "  ", "  ");
      if (!finding.fix.empty()) {
        out += Paragraph(t("lint.instead", t(finding.fix)), kLintWidth, "  ", "  ");
      }
    }
    if (const std::size_t n = file.report.left_out; n > 0) {
      out += t("lint.left_out", file.name, Counted(t, "lint.findings", n)) + "\n";
    }
  }
  const std::string release =
      linted_for.release.empty() ? t("lint.any_release") : t("lint.release", linted_for.release);
  out += (found > 0 ? "\n" : "") +
         t("lint.checked", Counted(t, "lint.rules", rules), Counted(t, "lint.findings", found),
           release, FormatDuration(linted_for.scrape_ms)) +
         "\n";
  for (const LintedFile& file : files) {
    if (!file.mended) continue;
    out += "\n# " + t("lint.mended", file.name) + "\n";
    out += file.diff.empty() ? file.mended_yaml : file.diff;
  }
  return out;
}

}  // namespace schedlens
