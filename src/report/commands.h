#pragma once

#include "contract/commands.h"
#include "contract/report.h"
#include "report/messages/messages.h"

namespace schedlens {

// The one check of a diagnosis before any renderer. What passed it can be rendered without looking
// twice:
//   - lists that belong together have one length, bounds rise, times rise;
//   - low <= value <= high, start <= end, every time is of the years 1 to 9999;
//   - a number is finite and at most 1e100, so that sums and squares are finite too; it is NaN only
//     where it may be absent (io.OrNull, the lists of numbers);
//   - no stage is its own ancestor, no list has over 10,000 entries, text is well-formed UTF-8.

/// How deep messages may be within messages.
inline constexpr int kDeepestMessage = 4;

/// A diagnosis that was just made: what fails the check is left out, and a warning names it. What
/// is not finite where it may be absent is absent, as in a saved file; so a checked diagnosis and
/// the same one saved and read render to the same bytes. Throws Error(kFailed) where nothing can be
/// left out: the window.
Diagnosis Checked(Diagnosis diagnosis);

/// The same of the other answers that hold intervals, with a remark in place of the warning. What a
/// server shows may be infinite. Throws Error(kFailed) where a number fails that is always there.
QuantileReport Checked(QuantileReport report);
Comparison Checked(Comparison comparison);
Prediction Checked(Prediction prediction);
Headroom Checked(Headroom headroom);

/// The check of a diagnosis that was read: what is wrong with it, as "field window.start must be
/// ..."; empty where all is well.
std::string WhatFails(Diagnosis* diagnosis);

// How the commands beside `diagnose` print what they found: for a person, and as JSON.

/// Verdict and quantile of both sides, milliseconds a scheduled pod by stage, findings that are
/// new, kept and gone.
std::string RenderText(const Against& against, const RenderOptions& options);
std::string RenderMarkdown(const Against& against, const RenderOptions& options);
/// One self-contained page: no script, no network.
std::string RenderHtml(const Against& against, const RenderOptions& options);
/// Schema "schedlens.against/1": `then`, `now`, `stages`, `findings`, `notes`.
std::string RenderJson(const Against& against);
/// The JSON Schema (draft 2020-12) of that.
std::string_view AgainstSchema();

/// The `data` object of the HTTP API without a line end: `{"resultType":...,"result":[...]}`,
/// timestamps in seconds (three decimals, or none), values as strings, keys in the API's order.
/// `at` is the time of a string answer.
std::string AnswerJson(const Answer& answer, TimeMs at);

/// One line a series: labels and value; of a range: number, first, lowest, highest and last value.
/// Ends with a line end, empty for an empty answer.
std::string AnswerTable(const Answer& answer);

/// For a person, lines of at most 100 columns where they can be broken.
std::string QuantileText(const Messages& t, const QuantileReport& report,
                         const std::vector<ServerValue>& servers);

/// Schema schedlens.quantile/1. The highest series is the object itself; `groups` holds all of them
/// when the expression keeps labels. +Inf and NaN are null.
std::string QuantileJson(const QuantileReport& report, const std::vector<ServerValue>& servers);

/// Two quantiles compared: both sides, the cases in the order they were walked, the verdict.
std::string CompareText(const Messages& t, const Comparison& comparison);
/// Schema schedlens.compare/1.
std::string CompareJson(const Comparison& comparison);

/// For a person: a line for each check, what to do about it, and its evidence, shortened; then what
/// to paste so that missing components are scraped.
std::string DoctorText(const Messages& t, const DoctorReport& report);
/// Schema schedlens.doctor/1.
std::string DoctorJson(const DoctorReport& report);

/// For a person: each quantile before and after, the alert, what the prediction assumes.
std::string PredictionText(const Messages& t, const Prediction& prediction);
/// Schema schedlens.whatif/1.
std::string PredictionJson(const Prediction& prediction);

/// Of `whatif --headroom`: the factor, what binds first, what would move it.
std::string HeadroomText(const Messages& t, const Headroom& headroom);
/// Schema schedlens.headroom/1.
std::string HeadroomJson(const Headroom& headroom);

/// For a person: each finding with its rule and what to write instead, then what is fixed as a
/// diff.
std::string LintText(const Messages& t, const std::vector<LintedFile>& files,
                     const LintedFor& linted_for);
/// Schema schedlens.lint/1.
std::string LintJson(const std::vector<LintedFile>& files, const LintedFor& linted_for);
/// SARIF 2.1.0. `checks` are all there are; `version` is ours.
std::string LintSarif(const std::vector<LintedFile>& files, const std::vector<LintCheck>& checks,
                      const std::string& version);

/// One paragraph for each table that holds the word; empty for an empty explanation.
/// What metrics count is in English in every language.
std::string ExplanationText(const Messages& t, const Explanation& explanation);

/// Every word there is, by table.
std::string GlossaryIndex(const Messages& t, const std::vector<FindingText>& findings,
                          const std::vector<StageText>& stages,
                          const std::vector<MetricText>& metrics,
                          const std::vector<LintCheck>& checks,
                          const std::vector<TopicText>& topics);

// What Prometheus and Grafana can watch permanently: the stage tree as recording rules, alerts
// whose threshold is a bucket bound (so that no interpolation decides them), and a dashboard of
// both.

struct WatchRuleOptions {
  int minor = 30;            ///< kube-scheduler 1.MINOR; metric names and identities differ
  double threshold = 4.096;  ///< seconds; a finite bound of the attempt histogram: 0.001 x 2^i
};

/// A rule file for `promtool check rules`. Throws Error(kUsage) when the threshold is not a bucket
/// bound.
std::string WatchRules(const WatchRuleOptions& options);

/// A Grafana dashboard that draws what the rules record. Throws as WatchRules does.
std::string Dashboard(const WatchRuleOptions& options);
/// json/rules.yaml.in and json/dashboard.json: MINOR, ATTEMPT_METRIC and THRESHOLD are still to be
/// filled in, and a line behind `<=NN` or `>=NN` is of the releases up to or from 1.NN alone.
std::string_view RulesTemplate();
std::string_view DashboardTemplate();

}  // namespace schedlens
