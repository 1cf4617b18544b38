// The text forms of `query`, `doctor`, `explain`, `lint`, `quantile`, `compare` and `whatif`.

#include "report/commands.h"

#include "report/format.h"
#include "report/text/layout.h"

namespace schedlens {
namespace {

constexpr int kTextWidth = 100;

/// A paragraph behind two blanks.
std::string Indented(std::string_view text) { return Paragraph(text, kTextWidth, "  ", "  "); }

/// A line each.
std::string Lines(const std::vector<std::string>& lines, std::string_view marker = "") {
  std::string out;
  for (const std::string& line : lines) out += fmt::format("{}{}\n", marker, line);
  return out;
}

/// A paragraph each.
std::string List(const std::vector<std::string>& items) {
  std::string out;
  for (const std::string& item : items) out += Paragraph(item, kTextWidth, "  - ", "    ");
  return out;
}

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
  const std::vector<Sample>& samples = series.samples;
  double low = samples.front().v, high = low;
  for (const Sample& sample : samples) {
    low = std::fmin(low, sample.v);
    high = std::fmax(high, sample.v);
  }
  return {fmt::to_string(samples.size()),
          FormatNumber(samples.front().v),
          FormatNumber(low),
          FormatNumber(high),
          FormatNumber(samples.back().v),
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
  TimeMs first = std::numeric_limits<TimeMs>::max(), last = std::numeric_limits<TimeMs>::min();
  for (const Series& series : answer.series) {
    if (series.samples.empty()) continue;
    rows.push_back(Summary(series));
    first = std::min(first, series.samples.front().t);
    last = std::max(last, series.samples.back().t);
  }
  const bool timed = !answer.series.empty() && !answer.series.front().samples.empty();
  return (timed ? fmt::format("{} to {}\n", FormatTime(first), FormatTime(last)) : "") +
         Align(rows);
}

/// The evidence on one line; JSON has all of a long one.
std::string Shortened(const std::string& evidence) {
  std::size_t end = 140;
  if (evidence.size() <= end) return evidence;
  while (end > 0 && (static_cast<unsigned char>(evidence[end]) & 0xC0) == 0x80) --end;
  return evidence.substr(0, end) + "...";
}

constexpr int kGlossaryWidth = 96;

constexpr int kGlossaryLabel = 13;

std::string Head(const std::string& label) { return "  " + Padded(label, kGlossaryLabel); }

std::string Labelled(const std::string& label, const std::string& text) {
  return text.empty() ? "" : Paragraph(text, kGlossaryWidth, Head(label), Head(""));
}

std::string TextOf(const Messages& t, const FindingText& text, const Explanation& all) {
  const std::string id = "finding." + text.id;
  std::string out = t("explain.finding", text.id, t(TitleOf(text))) + "\n" +
                    Labelled(t("explain.meaning"), t(id + ".meaning")) +
                    Labelled(t("explain.proof"), t(id + ".proof"));
  int number = 0;
  for (const auto& [name, action] : RemedyFacts(t, all.action)) out += Labelled(name, action);
  for (const std::string& step : t(all.next_steps)) {
    const std::string label = number == 0 ? t("explain.next") : "";
    out += Paragraph(step, kGlossaryWidth, fmt::format("{}{}. ", Head(label), ++number),
                     std::string(18, ' '));
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
  const std::string id = "metric." + text.name, traps = id + ".traps";
  return t("explain.metric", text.name) + "\n" + Labelled(t("explain.of"), text.component) +
         Labelled(t("explain.releases"), text.releases) +
         Labelled(t("explain.labels"), text.labels) +
         Labelled(t("explain.counts"), t(id + ".counts")) +
         Labelled(t("explain.traps"), t.Has(traps) ? t(traps) : "");
}

std::string TextOf(const Messages& t, const LintCheck& check) {
  return t("explain.lint", check.id, t(check.summary)) + "\n" +
         Labelled(t("explain.meaning"), t(check.reason));
}

std::string TextOf(const Messages& t, const TopicText& text) {
  return text.name + "\n" + Paragraph(t("term." + text.name), kGlossaryWidth, "  ", "  ");
}

/// The ids, each with the first sentence of what `about` says of it, on one line.
template <typename Rows, typename Key, typename About>
std::string Ids(const std::string& title, const Rows& rows, Key key, const About& about) {
  int width = 0;
  for (const auto& row : rows) width = std::max(width, DisplayWidth(row.*key));
  std::string out = title + "\n";
  for (const auto& row : rows) {
    std::string text = about(row.*key);
    text.resize(std::min({text.find(". "), text.find("\u3002"), text.size()}));
    const int left = kGlossaryWidth - width - 4;
    if (DisplayWidth(text) > left) {
      text = Paragraph(text, left - 2, "", "");
      text.replace(text.find('\n'), text.npos, " …");
    }
    out += "  " + Padded(row.*key, width) + "  " + text + "\n";
  }
  return out;
}

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

constexpr double kBarWidth = 40;
constexpr int kRange = 22;

/// Where values and their notes begin.
constexpr int kLabel = 18;

std::string UnderValue(const std::string& note) {
  const std::string blanks(kLabel + 3, ' ');
  return Paragraph(note, kTextWidth, blanks, blanks);
}

/// A count with ten significant digits: `1234`.
std::string TenDigits(double value) { return fmt::format("{:.10g}", value); }

/// The metric and the labels that its aggregation keeps.
std::string SeriesName(const QuantileExplanation& row) {
  return row.metric + (row.labels.empty() ? "" : row.labels.ToString());
}

/// Four significant digits and the unit: `3.644 s`.
std::string FourDigits(const Messages& t, double value) {
  return t("number.unit", fmt::format("{:.4g}", value), "s");
}

/// `2.048 .. 4.096 s`, `more than 16.38 s`, `unknown`.
std::string Between(const Messages& t, const Interval& interval) {
  if (interval.low && interval.high) {
    return t("number.unit", fmt::format("{:.4g} .. {:.4g}", *interval.low, *interval.high), "s");
  }
  if (interval.low) return t("quantile.more_than", FourDigits(t, *interval.low));
  if (interval.high) return t("quantile.at_most", FourDigits(t, *interval.high));
  return t("quantile.unknown");
}

/// What a proven interval rests on.
std::string BasisText(const Messages& t, const Basis& basis) {
  std::vector<std::string> words;
  if (basis.kind == BasisKind::kBuckets) words.push_back(t("basis.buckets"));
  if (basis.kind == BasisKind::kScrapeSums) words.push_back(t("basis.scrape_sums"));
  if (words.empty()) return ToString(basis);
  words.insert(words.end(), basis.names.begin(), basis.names.end());
  return fmt::format("{}", fmt::join(words, t("basis.and")));
}

/// A line each, as the last ones of a text.
std::string NotesText(const Messages& t, const std::vector<Message>& warnings) {
  std::string out;
  for (const std::string& warning : t(warnings)) {
    out += Paragraph(t("quantile.note", warning), kTextWidth, "  ", "    ");
  }
  return out;
}

std::string Line(std::string_view label, const std::string& value) {
  return "  " + Padded(label, kLabel) + " " + value + "\n";
}

std::string ShownText(const Messages& t, const QuantileExplanation& row) {
  if (!row.shown) return t("quantile.nothing");
  if (!std::isfinite(*row.shown)) return FormatNumber(*row.shown);
  const bool top = !row.proven.proof.bucket.high && !row.proven.basis.empty();
  return FourDigits(t, *row.shown) + (top ? "  " + t("quantile.top") : "");
}

std::string BucketLine(const Messages& t, const BucketCount& bucket, double widest, bool here) {
  const double share = bucket.count / widest;
  const auto bar =
      static_cast<std::size_t>(share > 0 && share <= 1 ? std::ceil(kBarWidth * share) : 0);
  const double low = std::max(bucket.low, 0.0);
  const std::string range = std::isfinite(bucket.high) ? Between(t, {low, bucket.high})
                                                       : t("quantile.over", FourDigits(t, low));
  return fmt::format("  {} {:>{}} {:>9.6g} {}\n", here ? '>' : ' ', range, kRange, bucket.count,
                     std::string(bar, '#'));
}

/// The bucket of the rank, two on either side, and where in it the rank is.
std::string DrawingText(const Messages& t, const QuantileExplanation& row) {
  const auto& buckets = row.buckets;
  if (row.proven.basis.empty()) return "";
  const double edge = row.proven.proof.bucket.high.value_or(HUGE_VAL);
  const auto it =
      std::ranges::find_if(buckets, [&](const BucketCount& b) { return b.high == edge; });
  if (it == buckets.end()) return "";
  const auto first = it - std::min<std::ptrdiff_t>(2, it - buckets.begin());
  const auto end = it + std::min<std::ptrdiff_t>(3, buckets.end() - it);
  double widest = 1e-300;
  for (auto b = first; b != end; ++b) widest = std::max(widest, b->count);
  std::string out = "\n";
  for (auto b = first; b != end; ++b) out += BucketLine(t, *b, widest, b == it);
  const double in_bucket = row.proven.rank - row.proven.proof.below;
  return out + "\n  " +
         t("quantile.rank", TenDigits(row.proven.rank), TenDigits(row.proven.observations),
           TenDigits(in_bucket), TenDigits(row.proven.proof.in_bucket)) +
         "\n";
}

std::string DecidedText(const Messages& t, const std::optional<Decided>& decided) {
  if (!decided) return t("quantile.decided.no_data");
  return t.Of(*decided,
              {"quantile.decided.above", "quantile.decided.below", "quantile.decided.undecidable"});
}

std::string VerdictText(const Messages& t, const ThresholdExplanation& threshold) {
  const std::string limit = t("number.unit", FormatNumber(threshold.threshold), "s");
  std::string out =
      Line(threshold.comparison + " " + limit, DecidedText(t, threshold.verdict.decided));
  for (const std::string& note : t(threshold.notes)) out += UnderValue(note);
  return out;
}

/// What the best estimate and the interval rest on.
std::string Proven(const Messages& t, const QuantileExplanation& row) {
  if (row.proven.basis.empty()) return Line(t("quantile.truth"), t("quantile.not_proven"));
  std::string out = Line(t("quantile.truth_in"),
                         Between(t, row.proven.proof.interval) + "  " + t("quantile.proven"));
  out += UnderValue(t("quantile.by", BasisText(t, row.proven.basis)));
  out += Line(t("quantile.estimate"), row.estimate.value ? FourDigits(t, *row.estimate.value)
                                                         : t("quantile.estimate.none"));
  const Interval& sampling = row.sampling;
  if (sampling.low || sampling.high) {
    out += Line(t("quantile.repeated"), Between(t, sampling) + "  " + t("quantile.sampling"));
  }
  return out;
}

std::string RowText(const Messages& t, const QuantileExplanation& row) {
  std::string out = t("quantile.heading", SeriesName(row), fmt::format("p{:g}", row.q * 100),
                      TenDigits(row.proven.observations)) +
                    "\n\n";
  out += Line(t("quantile.shows"), ShownText(t, row)) + Proven(t, row);
  if (row.threshold) out += VerdictText(t, *row.threshold);
  out += DrawingText(t, row);
  const auto list = [&](std::string_view title, const std::vector<Message>& lines) {
    if (!lines.empty()) out += "\n  " + t(title) + "\n" + List(t(lines));
  };
  list("quantile.why", row.reasons);
  list("quantile.narrower", row.proven.narrower);
  return out;
}

std::string SideText(const Messages& t, const char* name, const QuantileExplanation& row,
                     const std::optional<double>& rate) {
  const std::string shown = row.shown ? FourDigits(t, *row.shown) : t("quantile.absent");
  const std::string by =
      row.proven.basis.empty() ? t("quantile.absent") : BasisText(t, row.proven.basis);
  return fmt::format("  {} {} p{:g}\n    ", name, SeriesName(row), row.q * 100) +
         t("compare.side", shown, rate ? t("compare.side.rate", FourDigits(t, *rate)) : "",
           TenDigits(row.proven.observations)) +
         "\n    " + t("compare.side.proven", Between(t, row.proven.proof.interval), by) + "\n";
}

std::string CasesText(const Messages& t, const std::vector<ComparedCase>& cases) {
  std::string out;
  for (const ComparedCase& one : cases) {
    std::string text = fmt::format("{}. {}", one.number, one.id) + t("join.colon") +
                       t.Of(one.outcome, {"compare.outcome.proven", "compare.outcome.excluded",
                                          "compare.outcome.not_tested"});
    // What is proven is the verdict below.
    if (one.outcome != CaseOutcome::kProven) text += t("join.sentence") + t(one.text);
    out += Paragraph(text, kTextWidth, "  ", "     ");
  }
  return out.empty() ? out : out + "\n";
}

std::string WithBounds(const Messages& t, const Measured& m) {
  if (!m.value) return t("prediction.unknown");
  const std::string value = FourDigits(t, *m.value);
  const std::string low = fmt::format("{:.4g}", m.low.value_or(0));
  if (!m.high) return value + t("join.brackets", t("number.at_least", low));
  return t("prediction.bounds", value, low, fmt::format("{:.4g}", *m.high));
}

std::string FiresText(const Messages& t, const std::optional<bool>& fires) {
  if (!fires) return t("prediction.undecided");
  return t(*fires ? "prediction.fires" : "prediction.quiet");
}

std::string Rows(const Messages& t, const std::string& title,
                 const std::vector<PredictedChange>& rows) {
  constexpr int kBefore = 34;
  std::string out = title + "\n";
  for (const PredictedChange& row : rows) {
    out += fmt::format("  p{:<5} {} -> {}\n", FormatNumber(100 * row.q),
                       Padded(WithBounds(t, row.before), kBefore), WithBounds(t, row.after));
  }
  return out;
}

std::string Digits(double value) { return fmt::format("{:.3g}", value); }

std::string Share(const Messages& t, double part) {
  return t("number.unit", Digits(100 * part), "%");
}

std::string Load(const Messages& t, const Prediction& p) {
  std::string out = t("prediction.loop", Share(t, p.before.loop), Share(t, p.after.loop));
  if (p.qps > 0 && p.qps_after > 0) {
    out += t("prediction.client", Share(t, p.before.client), Digits(p.qps),
             Share(t, p.after.client), Digits(p.qps_after));
  }
  out += t("prediction.end") + "\n";
  if (p.after.WaitGrowth() <= 0) return out;
  const bool loop = p.after.loop >= p.after.client;
  const std::string growth = t("number.unit", fmt::format("{:.2g}", p.after.WaitGrowth()), "s");
  return out + t(loop ? "prediction.grows.loop" : "prediction.grows.client", growth) + "\n";
}

std::string Now(const Messages& t, const Headroom& h) {
  if (!h.now) return "";
  return t("join.brackets", h.what == "rate" ? t("headroom.now.rate", Digits(*h.now))
                                             : t("headroom.now", fmt::format("{:.0f}", *h.now)));
}

std::string FactorText(const Messages& t, const Headroom& h) {
  const Measured& f = h.factor;
  if (!f.low && !f.high) return t("headroom.undecided");
  if (!f.low) return t("headroom.already", Now(t, h));
  if (!f.value && !f.high) {
    return *f.low >= h.most
               ? t("headroom.not_up_to", Digits(h.most), Now(t, h))
               : t("headroom.likely_not_up_to", Digits(h.most), Now(t, h), Digits(*f.low));
  }
  const std::string high = f.high ? Digits(*f.high) : t("headroom.never");
  const double value = f.value ? *f.value : *f.low;
  const bool crossed = f.high && *f.high < 1;
  return t(crossed ? "headroom.already_at" : "headroom.at", Digits(value), Digits(*f.low), high,
           Now(t, h));
}

}  // namespace

std::string AnswerTable(const Answer& answer) {
  if (answer.kind == ValueKind::kString) return answer.text + '\n';
  if (answer.series.empty()) return "";
  if (answer.kind == ValueKind::kVector) return VectorTable(answer);
  if (answer.kind == ValueKind::kMatrix) return MatrixTable(answer);
  const std::vector<Sample>& samples = answer.series.front().samples;
  return samples.empty() ? "" : PlainNumber(samples.front().v) + '\n';
}

// Consecutive checks with the same evidence show it once, below the first. Of checks that are alike
// the first ones are listed.
std::string DoctorText(const Messages& t, const DoctorReport& report) {
  constexpr int kHealth = 8;
  std::string out, last;
  int width = 10;  // what most subjects need
  for (const CheckUp& check : report.checks) width = std::max(width, DisplayWidth(check.subject));
  const std::string indent = Padded("", kHealth + 1 + width);
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
  // What to paste, tool by tool: a comment, then YAML as it is.
  for (const ScrapeConfiguration& one : report.configurations) {
    out += fmt::format("\n# {}: {}\n{}", one.tool, fmt::join(one.components, ", "), one.yaml);
  }
  return out;
}

std::string ExplanationText(const Messages& t, const Explanation& explanation) {
  std::string out;
  const auto add = [&](const auto* row) {
    if (row != nullptr) out += (out.empty() ? "" : "\n") + TextOf(t, *row);
  };
  if (explanation.finding != nullptr) out = TextOf(t, *explanation.finding, explanation);
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
  const auto about = [&](const char* of, const char* part) {
    return [&t, of, part](const std::string& id) { return t(of + id + part); };
  };
  return Ids(t("explain.findings"), findings, &FindingText::id, about("finding.", ".title")) +
         Ids(t("explain.stages"), stages, &StageText::id, about("stage.", ".title")) +
         Ids(t("explain.metrics"), metrics, &MetricText::name, about("metric.", ".counts")) +
         Ids(t("explain.lints"), checks, &LintCheck::id, about("lint.check.", "")) +
         Ids(t("explain.words"), topics, &TopicText::name, about("term.", ""));
}

std::string LintText(const Messages& t, const std::vector<LintedFile>& files,
                     const LintedFor& linted_for) {
  std::string out;
  std::size_t found = 0, rules = 0;
  for (const LintedFile& file : files) {
    rules += file.rules.size();
    found += file.report.findings.size() + file.report.left_out;
    for (const LintFinding& finding : file.report.findings) {
      // In the words and marks that editors know, in every language.
      out += fmt::format("{}: {}: {}\n", Place(file, PlaceOf(finding, file.rules)),
                         ToString(finding.severity), finding.id);
      out += Indented(t(finding.message));
      if (!finding.fix.empty()) out += Indented(t("lint.instead", t(finding.fix)));
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
    if (!file.fixed) continue;
    out += "\n# " + t("lint.mended", file.name) + "\n";
    out += file.diff.empty() ? file.fixed_yaml : file.diff;
  }
  return out;
}

std::string QuantileText(const Messages& t, const QuantileReport& report,
                         const std::vector<ServerValue>& servers) {
  std::string out;
  for (const QuantileExplanation& row : report.rows) {
    if (!out.empty()) out += "\n";
    out += RowText(t, row);
  }
  out += "\n  " + t("quantile.window", FormatTime(report.seen.start), FormatTime(report.seen.end)) +
         "\n";
  if (!servers.empty()) out += "\n  " + t("quantile.servers") + "\n";
  for (const ServerValue& server : servers) {
    out += fmt::format("    {:<16} {}\n", server.semantics,
                       server.value ? FormatNumber(*server.value) : t("quantile.absent"));
  }
  return out + NotesText(t, report.warnings);
}

std::string CompareText(const Messages& t, const Comparison& comparison) {
  std::string out = SideText(t, "A", comparison.part, comparison.part_rate) +
                    SideText(t, "B", comparison.whole, comparison.whole_rate) + "\n";
  if (comparison.witness) {
    const Witness& w = *comparison.witness;
    out += Indented(t("compare.witness", t("number.unit", FormatNumber(w.bound), "s"),
                      TenDigits(w.part_above), TenDigits(comparison.part.proven.observations),
                      TenDigits(w.whole_above), TenDigits(comparison.whole.proven.observations))) +
           "\n";
  }
  out += CasesText(t, comparison.cases);
  out += Indented(t("compare.verdict", t(comparison.verdict)));
  if (comparison.same_above && !comparison.cases.empty()) {
    out += Indented(t("compare.meet", t("number.unit", FormatNumber(*comparison.same_above), "s"),
                      TenDigits(comparison.same_count)));
  }
  if (!comparison.believe.empty()) out += "\n  " + t("compare.which") + "\n";
  return out + List(t(comparison.believe)) + NotesText(t, comparison.warnings);
}

std::string PredictionText(const Messages& t, const Prediction& p) {
  std::string alert = t("prediction.no_alert");
  if (p.threshold) {
    alert = t("prediction.alert", FormatNumber(100 * p.alert_quantile),
              t("number.unit", FormatNumber(*p.threshold), "s"), FiresText(t, p.fires_before),
              FiresText(t, p.fires_after));
  }
  return Rows(t, t("prediction.e2e"), p.e2e) + Rows(t, t("prediction.pod"), p.pod) +
         Lines(t(p.refused)) + Load(t, p) + alert + "\n" + t("prediction.seeds", p.seeds) + "\n" +
         Lines(t(p.assumptions), "  - ");
}

std::string HeadroomText(const Messages& t, const Headroom& h) {
  const std::string of = h.metric.empty() ? t("headroom.of_pods") : h.metric;
  const std::string crosses = t("headroom.crosses", h.what, FormatNumber(100 * h.q), of,
                                t("number.unit", FormatNumber(h.target), "s"), FactorText(t, h));
  const std::string load =
      t("headroom.load", Share(t, h.before.loop), Share(t, h.before.client), Digits(h.qps));
  return crosses + "\n" + Lines(t(h.refused)) + load + "\n" + Lines(t(h.moves)) +
         t("headroom.assumes") + "\n" + Lines(t(h.assumptions), "  - ");
}

}  // namespace schedlens
