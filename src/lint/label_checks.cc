#include "lint/label_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "kube/metrics.h"
#include "lint/names.h"
#include "lint/presence.h"
#include "lint/variables.h"
#include "promql/matcher.h"

namespace schedlens {
namespace {

using kube::MetricRow;
using promql::Matcher;
using promql::MatchOp;
using promql::Selector;

std::string Listed(const std::vector<std::string>& words) {
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "" : ", ") + word;
  return list;
}

std::string Written(const Matcher& matcher, const std::string& value) {
  const char* op = matcher.op == MatchOp::kEqual      ? "="
                   : matcher.op == MatchOp::kNotEqual ? "!="
                   : matcher.op == MatchOp::kRegex    ? "=~"
                                                      : "!~";
  return matcher.name + op + QuotePromql(value);
}

/// Names the label that a release has in place of one of another release.
Message InPlaceOf(const std::vector<const MetricRow*>& rows, const std::string& label,
                  const LintOptions& options) {
  if (!options.release) return {};
  for (const MetricRow* row : rows) {
    const std::string other = kube::LabelInPlaceOf(*row, label, *options.release);
    if (!other.empty()) return Message("lint.label.instead", {{"other", other}});
  }
  return {};
}

bool Chooses(const Matcher& matcher) {
  return matcher.op == MatchOp::kEqual || matcher.op == MatchOp::kRegex;
}

/// The words of `a`, or of `a|b` and `(a|b)`; nothing for any other pattern.
std::optional<std::vector<std::string>> WordsOf(const Matcher& matcher) {
  if (matcher.op == MatchOp::kEqual || matcher.op == MatchOp::kNotEqual) {
    return std::vector<std::string>{matcher.value};
  }
  std::string_view pattern = matcher.value;
  if (pattern.size() > 1 && pattern.front() == '(' && pattern.back() == ')') {
    pattern = pattern.substr(1, pattern.size() - 2);
  }
  if (pattern.find_first_of("\\.+*?()[]{}^$") != std::string_view::npos) return std::nullopt;
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= pattern.size();) {
    const std::size_t end = std::min(pattern.find('|', begin), pattern.size());
    words.emplace_back(pattern.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

/// One judgement of the matchers of one selector.
class MatcherJudge {
 public:
  MatcherJudge(const Selector& selector, const MetricRow& row, const LintOptions& options,
               const LintNote& note)
      : selector_(selector),
        row_(row),
        options_(options),
        note_(note),
        own_(kube::LabelsIn(row, options.release)),
        buckets_(row.kind == kube::MetricKind::kHistogram && selector.name.ends_with("_bucket")) {}

  void Mend(Matcher& matcher) const {
    if (matcher.name == kMetricName || HoldsVariable(matcher.name) || matcher.value.empty() ||
        HoldsVariableText(matcher.value)) {
      return;
    }
    if (matcher.name == kLe && buckets_) {
      MendBound(matcher);
    } else if (Contains(own_, matcher.name)) {
      MendValue(matcher);
    } else {
      MendName(matcher);
    }
  }

 private:
  void MendName(Matcher& matcher) const {
    const std::string meant = MeantWord(matcher.name, own_);
    const bool part = matcher.name == kLe && row_.kind == kube::MetricKind::kHistogram;
    // A label that the metric lacks is empty: a matcher that an empty value fits says nothing.
    if ((meant.empty() && !part && !kube::IsOnlyAMetricsLabel(row_, matcher.name)) ||
        promql::CompiledMatcher(matcher).Accepts(std::string_view())) {
      return;
    }
    std::vector<Argument> arguments = {
        {"metric", arg::Metric(selector_.name)},
        {"label", matcher.name},
        {"labels", own_.empty() ? Value(Message("lint.no_labels")) : Value(Listed(own_))}};
    if (options_.release) arguments.push_back({"release", ReleaseName(*options_.release)});
    note_("unknown-label",
          Message(options_.release ? "lint.label.in" : "lint.label", std::move(arguments)),
          meant.empty() ? InPlaceOf({&row_}, matcher.name, options_) : DidYouMean(meant));
    if (!meant.empty()) matcher.name = meant;
  }

  void MendValue(Matcher& matcher) const {
    const std::vector<std::string> known = kube::ValuesIn(row_, matcher.name, options_.release);
    if (known.empty()) return;
    const auto words = WordsOf(matcher);
    if (!words) {
      promql::CompiledMatcher compiled(matcher);
      const bool positive = Chooses(matcher);
      if (positive && std::none_of(known.begin(), known.end(), [&](const std::string& value) {
            return compiled.Accepts(std::string_view(value));
          })) {
        NoteValue(matcher, matcher.value, known, "");
      }
      return;
    }
    std::string mended;
    for (const std::string& word : *words) {
      std::string better = word;
      if (!word.empty() && !Contains(known, word)) {
        const std::string meant = MeantWord(word, known);
        NoteValue(matcher, word, known, meant);
        if (!meant.empty()) better = meant;
      }
      mended += (mended.empty() ? "" : "|") + better;
    }
    // Written anew only where a word changed: the rest stays to the letter.
    std::string before;
    for (const std::string& word : *words) before += (before.empty() ? "" : "|") + word;
    if (mended != before) matcher.value = mended;
  }

  void NoteValue(const Matcher& matcher, const std::string& value,
                 const std::vector<std::string>& known, const std::string& meant) const {
    const char* id = Chooses(matcher) ? "lint.value" : "lint.value.excluded";
    note_("unknown-label-value",
          Message(id, {{"metric", arg::Metric(selector_.name)},
                       {"label", matcher.name},
                       {"value", value},
                       {"values", Listed(known)}}),
          meant.empty() ? Message() : DidYouMean(meant));
  }

  void MendBound(Matcher& matcher) const {
    const auto words = WordsOf(matcher);
    const auto value = words && words->size() == 1 && Chooses(matcher) ? ParseNumber(words->front())
                                                                       : std::nullopt;
    const std::vector<double> bounds = BoundsIn(row_, options_.release);
    if (!value || bounds.empty() || std::isinf(*value) || std::isnan(*value)) return;
    const auto above = std::lower_bound(bounds.begin(), bounds.end(), *value);
    if (above != bounds.end() && *above == *value) return;
    std::string near;
    if (above != bounds.begin()) near = FormatNumber(*(above - 1));
    const std::string upper = above == bounds.end() ? "+Inf" : FormatNumber(*above);
    note_("unknown-label-value",
          Message("lint.bound", {{"metric", arg::Metric(selector_.name)},
                                 {"value", words->front()},
                                 {"bounds", near.empty() ? upper : near + ", " + upper}}),
          WriteInstead(Written(matcher, upper)));
    if (options_.move_thresholds) matcher.value = upper;
  }

  const Selector& selector_;
  const MetricRow& row_;
  const LintOptions& options_;
  const LintNote& note_;
  std::vector<std::string> own_;
  bool buckets_;
};

struct MetricsBelow {
  std::vector<const MetricRow*> rows;
  std::vector<std::string> labels;  ///< of all of them
};

/// The metrics below; nothing where a metric of others is among them, or a function that makes
/// labels.
std::optional<MetricsBelow> FindBelow(const promql::Expr& expr, const LintOptions& options) {
  MetricsBelow below;
  bool foreign = false;
  promql::Walk(expr, [&](const promql::Expr& node) {
    if (const auto* call = node.As<promql::Call>()) {
      using promql::FunctionId;
      const FunctionId id = call->function->id;
      foreign = foreign || id == FunctionId::kLabelReplace || id == FunctionId::kLabelJoin;
    }
    if (const auto* aggregation = node.As<promql::Aggregation>()) {
      foreign = foreign || aggregation->op == promql::AggregateOp::kCountValues;
    }
    const auto* selector = node.As<Selector>();
    if (selector == nullptr) return;
    const MetricRow* row = kube::FindMetric(selector->name);
    if (row == nullptr || !IsThere(*row, options) || IsOfAnotherProgram(*selector)) {
      foreign = true;
      return;
    }
    below.rows.push_back(row);
    for (std::string& label : kube::LabelsIn(*row, options.release)) {
      below.labels.push_back(std::move(label));
    }
    if (selector->name.ends_with("_bucket")) below.labels.emplace_back(kLe);
  });
  if (foreign || below.rows.empty()) return std::nullopt;
  return below;
}

/// Whether a label is none that a scrape gives the series of any of these metrics.
bool IsOnlyTheirs(const std::vector<const MetricRow*>& rows, const std::string& label) {
  return std::all_of(rows.begin(), rows.end(),
                     [&](const MetricRow* row) { return kube::IsOnlyAMetricsLabel(*row, label); });
}

}  // namespace

void MendMatchers(Selector& selector, const LintOptions& options, const LintNote& note) {
  const MetricRow* row = kube::FindMetric(selector.name);
  if (row == nullptr || !IsThere(*row, options) || IsOfAnotherProgram(selector)) return;
  const MatcherJudge judge(selector, *row, options, note);
  for (Matcher& matcher : selector.matchers) judge.Mend(matcher);
}

void MendGrouping(promql::Aggregation& aggregation, const LintOptions& options,
                  const LintNote& note) {
  if (aggregation.grouping != promql::Grouping::kBy) return;
  const auto below = FindBelow(*aggregation.expr, options);
  if (!below) return;
  const std::vector<std::string>& own = below->labels;
  for (std::string& label : aggregation.labels) {
    if (Contains(own, label) || HoldsVariable(label)) continue;
    const std::string meant = MeantWord(label, own);
    if (meant.empty() && !IsOnlyTheirs(below->rows, label)) continue;
    note("unknown-grouping",
         Message("lint.grouping",
                 {{"label", label},
                  {"labels", own.empty() ? Value(Message("lint.no_labels")) : Value(Listed(own))}}),
         meant.empty() ? InPlaceOf(below->rows, label, options) : DidYouMean(meant));
    if (!meant.empty() && !Contains(aggregation.labels, meant)) label = meant;
  }
}

}  // namespace schedlens
