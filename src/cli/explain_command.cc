#include "cli/explain_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>
#include <string>

#include "analysis/glossary/glossary.h"
#include "cli/wrap.h"
#include "model/nearest.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

constexpr std::size_t kWidth = 96;

std::string Paragraph(const std::string& label, const std::string& text) {
  if (text.empty()) return "";
  const std::string head = fmt::format("  {:<13}", label);
  return Wrap(text, kWidth, head, std::string(head.size(), ' '));
}

void Print(std::ostream& out, const FindingText& text) {
  out << "finding " << text.id << ": " << text.title << "\n"
      << Paragraph("meaning", text.meaning) << Paragraph("proven by", text.proof);
  int number = 0;
  for (const std::string& step : text.next_steps) {
    out << Wrap(step, kWidth, fmt::format("  {:<13}{}. ", number == 0 ? "next" : "", number + 1),
                std::string(18, ' '));
    ++number;
  }
  out << Paragraph("settled by", text.settled_by);
}

void Print(std::ostream& out, const StageText& text) {
  out << "stage " << text.id << ": " << text.title << "\n"
      << Paragraph("meaning", text.meaning) << Paragraph("measured by", text.measured_by);
}

void Print(std::ostream& out, const MetricText& text) {
  out << "metric " << text.name << "\n"
      << Paragraph("releases", text.releases) << Paragraph("counts", text.population)
      << Paragraph("traps", text.traps);
}

void Print(std::ostream& out, const TopicText& text) {
  out << text.name << "\n" << Wrap(text.meaning, kWidth, "  ", "  ");
}

void PrintAll(std::ostream& out, const Explanation& found) {
  const char* gap = "";
  const auto print = [&](const auto* row) {
    if (row == nullptr) return;
    out << gap;
    Print(out, *row);
    gap = "\n";
  };
  print(found.finding);
  print(found.stage);
  print(found.metric);
  print(found.topic);
}

template <typename Rows, typename Key>
void List(std::ostream& out, const char* title, const Rows& rows, Key key) {
  out << title << ":\n";
  for (const auto& row : rows) out << "  " << row.*key << "\n";
}

void PrintIndex(std::ostream& out) {
  List(out, "findings", FindingTexts(), &FindingText::id);
  List(out, "stages", StageTexts(), &StageText::id);
  List(out, "metrics", MetricTexts(), &MetricText::name);
  List(out, "words", TopicTexts(), &TopicText::name);
}

int RunExplain(const std::string& word, const Context& context) {
  if (word.empty()) {
    PrintIndex(context.out);
    return 0;
  }
  const Explanation found = Explain(word);
  if (found.empty()) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("nothing is known about {}; did you mean {}? `schedlens explain` lists all",
                    word, Nearest(word, ExplainedWords())));
  }
  PrintAll(context.out, found);
  return 0;
}

}  // namespace

Run SetUpExplain(CLI::App& app) {
  const auto word = std::make_shared<std::string>();
  app.add_option("word", *word, "a finding, stage, metric or word of the reports; all when absent")
      ->type_name("WORD");
  return [word](const Context& context) { return RunExplain(*word, context); };
}

}  // namespace schedlens
