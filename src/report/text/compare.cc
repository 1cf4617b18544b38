// The text form of `compare`.

#include "report/compare.h"

#include <fmt/format.h>

#include "model/text.h"
#include "report/quantile.h"
#include "report/text/paragraph.h"

namespace schedlens {
namespace {

constexpr std::size_t kWidth = 100;

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

std::string OutcomeText(const Messages& t, CaseOutcome outcome) {
  switch (outcome) {
    case CaseOutcome::kProven:
      return t("compare.outcome.proven");
    case CaseOutcome::kExcluded:
      return t("compare.outcome.excluded");
    case CaseOutcome::kNotTested:
      return t("compare.outcome.not_tested");
  }
  return "";
}

std::string CasesText(const Messages& t, const std::vector<ComparedCase>& cases) {
  std::string out;
  for (const ComparedCase& one : cases) {
    std::string text =
        fmt::format("{}. {}", one.number, one.id) + t("join.colon") + OutcomeText(t, one.outcome);
    // What is proven is the verdict below.
    if (one.outcome != CaseOutcome::kProven) text += t("join.sentence") + t(one.text);
    out += Paragraph(text, kWidth, "  ", "     ");
  }
  return out.empty() ? out : out + "\n";
}

}  // namespace

std::string CompareText(const Messages& t, const Comparison& comparison) {
  const auto paragraph = [](const std::string& text) {
    return Paragraph(text, kWidth, "  ", "  ");
  };
  std::string out = SideText(t, "A", comparison.part, comparison.part_rate) +
                    SideText(t, "B", comparison.whole, comparison.whole_rate) + "\n";
  if (comparison.witness) {
    const Witness& w = *comparison.witness;
    out += paragraph(t("compare.witness", t("number.unit", FormatNumber(w.bound), "s"),
                       TenDigits(w.part_above), TenDigits(comparison.part.proven.observations),
                       TenDigits(w.whole_above), TenDigits(comparison.whole.proven.observations))) +
           "\n";
  }
  out += CasesText(t, comparison.cases);
  out += paragraph(t("compare.verdict", t(comparison.verdict)));
  if (comparison.same_above && !comparison.cases.empty()) {
    out += paragraph(t("compare.meet", t("number.unit", FormatNumber(*comparison.same_above), "s"),
                       TenDigits(comparison.same_count)));
  }
  if (!comparison.believe.empty()) out += "\n  " + t("compare.which") + "\n";
  for (const std::string& line : t(comparison.believe)) {
    out += Paragraph(line, kWidth, "  - ", "    ");
  }
  return out + NotesText(t, comparison.warnings);
}

}  // namespace schedlens
