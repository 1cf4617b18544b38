#include "analysis/glossary/glossary.h"

#include <algorithm>
#include <utility>

#include "contract/series.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

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

}  // namespace schedlens
