// The text form of `explain`.

#include <fmt/format.h>

#include "report/commands.h"
#include "report/text/layout.h"

namespace schedlens {
namespace {

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

}  // namespace

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

}  // namespace schedlens
