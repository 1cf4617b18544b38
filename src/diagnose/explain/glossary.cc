#include "diagnose/explain/glossary.h"

// The words that reports use.
// What `lint` looks for, in the order in which its page of the reference lists them. Each id is
// explained by the texts `lint.check.ID` (what is wrong) and `lint.why.ID` (why it matters).
// The stages of an attempt, in its own order. Top-level stages add up to the time of all attempts.

#include <algorithm>
#include <string>
#include <utility>

#include "base/series.h"
#include "kube/stage.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using kube::Stage;

template <typename Row>
const Row* FindById(const std::vector<Row>& rows, std::string_view id, std::string Row::*key) {
  const auto it =
      std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.*key == id; });
  return it == rows.end() ? nullptr : &*it;
}

const MetricText* FindMetric(std::string_view word) {
  const std::string plain(word), family(FamilyOf(word));
  for (const std::string& name : {plain, family, "scheduler_" + plain, "scheduler_" + family}) {
    if (const MetricText* metric = FindById(MetricTexts(), name, &MetricText::name)) return metric;
  }
  return nullptr;
}

LintCheck Check(const std::string& id, LintSeverity severity) {
  return {id, severity, Message("lint.check." + id), Message("lint.why." + id)};
}

std::string Id(Stage stage) { return std::string(ToString(stage)); }

}  // namespace

const std::vector<FindingText>& FindingTexts() {
  static const std::vector<FindingText> all = [] {
    std::vector<FindingText> texts = OwnFindingTexts();
    texts.insert(texts.end(), BehindTexts().begin(), BehindTexts().end());
    return texts;
  }();
  return all;
}

const FindingText& TextOfFinding(std::string_view id) {
  if (const FindingText* text = FindById(FindingTexts(), id, &FindingText::id)) return *text;
  throw Error(ErrorKind::kFailed, "finding " + std::string(id) + " has no text in the glossary");
}

Explanation Explain(std::string_view word) {
  Explanation found;
  found.finding = FindById(FindingTexts(), word, &FindingText::id);
  if (found.finding != nullptr) {
    for (NextStep& step : NextStepsOf(*found.finding)) {
      found.next_steps.push_back(std::move(step.text));
    }
  }
  found.stage = FindById(StageTexts(), word.substr(0, word.find('/')), &StageText::id);
  found.metric = FindMetric(word);
  found.lint = FindById(LintChecks(), word, &LintCheck::id);
  found.topic = FindById(TopicTexts(), word, &TopicText::name);
  return found;
}

std::vector<std::string> ExplainedWords() {
  std::vector<std::string> words;
  for (const FindingText& row : FindingTexts()) words.push_back(row.id);
  for (const StageText& row : StageTexts()) words.push_back(row.id);
  for (const MetricText& row : MetricTexts()) words.push_back(row.name);
  for (const LintCheck& row : LintChecks()) words.push_back(row.id);
  for (const TopicText& row : TopicTexts()) words.push_back(row.name);
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

const std::vector<TopicText>& TopicTexts() {
  static const std::vector<TopicText> all = {
      {"quantile"},   {"interval"},   {"estimate"},        {"sampling-interval"},
      {"share"},      {"excess"},     {"tail_time_share"}, {"sufficient"},
      {"remainder"},  {"window"},     {"baseline"},        {"verdict"},
      {"confidence"}, {"decided"},    {"cross_check"},     {"whatif"},
      {"population"}, {"semantics"},  {"witness"},         {"extender"},
      {"impact"},     {"neighbours"}, {"changes"},         {"result"},
  };
  return all;
}

const std::vector<LintCheck>& LintChecks() {
  using enum LintSeverity;
  static const std::vector<LintCheck> all = {
      Check("syntax", kError),
      Check("logql", kNote),
      Check("empty-expression", kError),
      Check("bad-duration", kError),
      Check("bad-name", kError),
      Check("bad-rule", kError),
      Check("bad-field", kError),
      Check("duplicate-group", kError),
      Check("quantile-out-of-range", kError),
      Check("missing-rate", kError),
      Check("counter-without-rate", kError),
      Check("rate-of-gauge", kError),
      Check("delta-of-counter", kError),
      Check("sum-before-rate", kError),
      Check("divided-by-itself", kError),
      Check("counted-per-plugin", kWarning),
      Check("missing-le", kError),
      Check("bare-histogram", kWarning),
      Check("native-histogram", kNote),
      Check("averaged-quantiles", kError),
      Check("mixed-results", kWarning),
      Check("short-window", kWarning),
      Check("interval-in-rate", kWarning),
      Check("threshold-inside-bucket", kWarning),
      Check("threshold-over-top", kError),
      Check("metric-removed", kError),
      Check("metric-hidden", kError),
      Check("metric-too-new", kError),
      Check("metric-may-be-gone", kNote),
      Check("unknown-metric", kWarning),
      Check("foreign-metric", kNote),
      Check("absent-of-dead-metric", kError),
      Check("count-of-nothing", kError),
      Check("unknown-label", kError),
      Check("unknown-label-value", kError),
      Check("unknown-grouping", kWarning),
      Check("short-for", kWarning),
      Check("mixed-jobs", kWarning),
      Check("cluster-dropped", kWarning),
      Check("not-mended", kNote),
  };
  return all;
}

const std::vector<StageText>& StageTexts() {
  static const std::vector<StageText> all = {
      {Id(Stage::kAlgorithm)},
      {Id(Stage::kPreFilter)},
      {Id(Stage::kFilter)},
      {Id(Stage::kPreScore)},
      {Id(Stage::kScore)},
      {Id(Stage::kAlgorithmUnmeasured)},
      {Id(Stage::kPostFilter)},
      {Id(Stage::kReserve)},
      {Id(Stage::kPermit)},
      {Id(Stage::kPermitWait)},
      {Id(Stage::kPreBind)},
      {Id(Stage::kBind)},
      {Id(Stage::kBindPlugins)},
      {Id(Stage::kBindThrottle)},
      {Id(Stage::kBindRequest)},
      {"bind.network"},
      {"apiserver"},
      {"apiserver.flowcontrol"},
      {"apiserver.webhook"},
      {"apiserver.admission"},
      {"apiserver.storage"},
      {"apiserver.rest"},
      {Id(Stage::kBindUnmeasured)},
      {Id(Stage::kUnmeasured)},
  };
  return all;
}

}  // namespace schedlens
