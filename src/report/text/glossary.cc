// The text form of `explain`.

#include "report/glossary.h"

#include <fmt/format.h>

#include "messages/catalog.h"
#include "report/text/paragraph.h"

namespace schedlens {
namespace {

constexpr std::size_t kWidth = 96;

std::string Labelled(const std::string& label, const std::string& text) {
  if (text.empty()) return "";
  const std::string head = fmt::format("  {:<13}", label);
  return Paragraph(text, kWidth, head, std::string(head.size(), ' '));
}

std::string TextOf(const FindingText& text, const std::vector<Message>& steps) {
  std::string out = "finding " + text.id + ": " + InEnglish(TitleOf(text)) + "\n" +
                    Labelled("meaning", text.meaning) + Labelled("proven by", text.proof);
  int number = 0;
  for (const std::string& step : InEnglish(steps)) {
    out +=
        Paragraph(step, kWidth, fmt::format("  {:<13}{}. ", number == 0 ? "next" : "", number + 1),
                  std::string(18, ' '));
    ++number;
  }
  return out + Labelled("settled by", text.settled_by);
}

std::string TextOf(const StageText& text) {
  return "stage " + text.id + ": " + text.title + "\n" + Labelled("meaning", text.meaning) +
         Labelled("measured by", text.measured_by);
}

std::string TextOf(const MetricText& text) {
  return "metric " + text.name + "\n" + Labelled("of", text.component) +
         Labelled("releases", text.releases) + Labelled("labels", text.labels) +
         Labelled("counts", text.population) + Labelled("traps", text.traps);
}

std::string TextOf(const TopicText& text) {
  return text.name + "\n" + Paragraph(text.meaning, kWidth, "  ", "  ");
}

template <typename Rows, typename Key>
std::string List(const char* title, const Rows& rows, Key key) {
  std::string out = std::string(title) + ":\n";
  for (const auto& row : rows) out += "  " + row.*key + "\n";
  return out;
}

}  // namespace

std::string ExplanationText(const Explanation& explanation) {
  std::string out;
  const auto add = [&out](const auto* row) {
    if (row != nullptr) out += (out.empty() ? "" : "\n") + TextOf(*row);
  };
  if (explanation.finding != nullptr) out = TextOf(*explanation.finding, explanation.next_steps);
  add(explanation.stage);
  add(explanation.metric);
  add(explanation.topic);
  return out;
}

std::string GlossaryIndex(const std::vector<FindingText>& findings,
                          const std::vector<StageText>& stages,
                          const std::vector<MetricText>& metrics,
                          const std::vector<TopicText>& topics) {
  return List("findings", findings, &FindingText::id) + List("stages", stages, &StageText::id) +
         List("metrics", metrics, &MetricText::name) + List("words", topics, &TopicText::name);
}

}  // namespace schedlens
