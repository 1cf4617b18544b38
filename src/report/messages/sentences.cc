#include "report/messages/sentences.h"

#include <algorithm>
#include <optional>

namespace schedlens {
namespace {

/// An argument may be a sentence of its own, and that may hold one more.
constexpr int kDeepest = 3;

struct Pattern {
  std::vector<std::string_view> fixed;  ///< what stands before, between and after the arguments
  std::string_view chinese;
  std::size_t weight = 0;  ///< letters of fixed text
};

bool IsPlaceholder(std::string_view text, std::size_t at) {
  return text.size() >= at + 3 && text[at] == '{' && text[at + 1] >= '0' && text[at + 1] <= '9' &&
         text[at + 2] == '}';
}

Pattern Compile(const Message& row) {
  Pattern pattern{{}, row.chinese, 0};
  std::size_t from = 0;
  for (std::size_t at = 0; at < row.english.size(); ++at) {
    if (!IsPlaceholder(row.english, at)) continue;
    pattern.fixed.push_back(row.english.substr(from, at - from));
    from = at + 3;
    at += 2;
  }
  pattern.fixed.push_back(row.english.substr(from));
  for (const std::string_view part : pattern.fixed) pattern.weight += part.size();
  return pattern;
}

/// The heaviest first, so that the first that fits is the one to take.
const std::vector<Pattern>& Patterns() {
  static const std::vector<Pattern> all = [] {
    std::vector<Pattern> patterns;
    for (const Message& row : SentenceTable()) patterns.push_back(Compile(row));
    std::stable_sort(patterns.begin(), patterns.end(),
                     [](const Pattern& a, const Pattern& b) { return a.weight > b.weight; });
    return patterns;
  }();
  return all;
}

/// What stands for the placeholders. The first place of each fixed part is enough to know whether
/// the pattern fits, so the work is linear in the text.
std::optional<std::vector<std::string_view>> Match(const Pattern& pattern, std::string_view text) {
  if (text.size() < pattern.weight || !text.starts_with(pattern.fixed.front())) return std::nullopt;
  std::vector<std::string_view> arguments;
  if (pattern.fixed.size() == 1) {
    return text == pattern.fixed.front() ? std::optional(arguments) : std::nullopt;
  }
  const std::string_view last = pattern.fixed.back();
  std::size_t from = pattern.fixed.front().size();
  for (std::size_t i = 1; i + 1 < pattern.fixed.size(); ++i) {
    const std::size_t at = text.find(pattern.fixed[i], from);
    if (at == std::string_view::npos) return std::nullopt;
    arguments.push_back(text.substr(from, at - from));
    from = at + pattern.fixed[i].size();
  }
  if (!text.ends_with(last) || from + last.size() > text.size()) return std::nullopt;
  arguments.push_back(text.substr(from, text.size() - last.size() - from));
  return arguments;
}

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// True at the first byte of a Chinese character; marks like the full-width comma need no space.
bool IsIdeograph(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0xE4 && byte <= 0xE9;
}

std::string Translate(std::string_view english, int depth) {
  for (const Pattern& pattern : Patterns()) {
    const auto arguments = Match(pattern, english);
    if (!arguments) continue;
    std::string out;
    for (std::size_t at = 0; at < pattern.chinese.size(); ++at) {
      if (!IsPlaceholder(pattern.chinese, at)) {
        out += pattern.chinese[at];
        continue;
      }
      const auto number = static_cast<std::size_t>(pattern.chinese[at + 1] - '0');
      if (number < arguments->size()) {
        const std::string_view argument = (*arguments)[number];
        out += depth < kDeepest ? Translate(argument, depth + 1) : std::string(argument);
      }
      at += 2;
      const bool more = at + 1 < pattern.chinese.size();
      if (more && IsLetter(out.empty() ? ' ' : out.back()) &&
          IsIdeograph(pattern.chinese[at + 1])) {
        out += ' ';
      }
    }
    return out;
  }
  return std::string(english);
}

void TranslateAll(std::vector<std::string>& texts) {
  for (std::string& text : texts) text = InChinese(text);
}

}  // namespace

const std::vector<Message>& SentenceTable() {
  static const std::vector<Message> all = [] {
    std::vector<Message> rows;
    for (const auto& part : {TitleSentences(), EvidenceSentences(), StepSentences(), RemarkSteps(),
                             WarningSentences(), ReasonSentences()}) {
      rows.insert(rows.end(), part.begin(), part.end());
    }
    return rows;
  }();
  return all;
}

std::string InChinese(std::string_view english) { return Translate(english, 0); }

Diagnosis InLanguage(const Messages& t, Diagnosis d) {
  if (!t.chinese()) return d;
  d.headline = InChinese(d.headline);
  for (Finding& finding : d.findings) {
    finding.title = InChinese(finding.title);
    for (Evidence& evidence : finding.evidence) evidence.text = InChinese(evidence.text);
    TranslateAll(finding.next_steps);
  }
  for (Stage& stage : d.stages) stage.measured_by = InChinese(stage.measured_by);
  for (QuantileRow& row : d.quantiles) TranslateAll(row.reasons);
  if (d.alert) {
    TranslateAll(d.alert->notes);
    for (Recomputed& one : d.alert->recomputed) one.what = InChinese(one.what);
  }
  if (d.cross_check) d.cross_check->note = InChinese(d.cross_check->note);
  if (d.inversion) {
    d.inversion->lower_metric = InChinese(d.inversion->lower_metric);
    d.inversion->upper_metric = InChinese(d.inversion->upper_metric);
  }
  TranslateAll(d.gaps);
  TranslateAll(d.warnings);
  TranslateAll(d.source.warnings);
  return d;
}

}  // namespace schedlens
