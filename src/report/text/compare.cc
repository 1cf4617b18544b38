// The text form of `compare`.

#include "report/compare.h"

#include <fmt/format.h>

#include "messages/catalog.h"
#include "model/text.h"
#include "report/quantile.h"
#include "report/text/paragraph.h"

namespace schedlens {
namespace {

constexpr std::size_t kWidth = 100;

std::string SideText(const char* name, const QuantileExplanation& row,
                     const std::optional<double>& rate) {
  return fmt::format(
      "  {} {}{} p{:g}\n    shown {} on exact increases{}, {:.10g} observations\n"
      "    proven {}, by {}\n",
      name, row.metric, row.labels.empty() ? "" : row.labels.ToString(), row.q * 100,
      row.shown ? FourDigits(*row.shown) : "nothing",
      rate ? ", " + FourDigits(*rate) + " with the server's rate()" : "", row.proven.observations,
      Between(row.proven.proof.interval),
      row.proven.basis.empty() ? "nothing" : ToString(row.proven.basis));
}

}  // namespace

std::string CompareText(const Comparison& comparison) {
  std::string out = SideText("A", comparison.part, comparison.part_rate) +
                    SideText("B", comparison.whole, comparison.whole_rate) + "\n";
  if (comparison.witness) {
    const Witness& w = *comparison.witness;
    out += Paragraph(
        fmt::format("Witness: above {} s there are {:.10g} of A's {:.10g} and {:.10g} of "
                    "B's {:.10g}. Over the same attempts A could not have the larger part.",
                    FormatNumber(w.bound), w.part_above, comparison.part.proven.observations,
                    w.whole_above, comparison.whole.proven.observations),
        kWidth, "  ", "  ");
    out += "\n";
  }
  for (const ComparedCase& one : comparison.cases) {
    // What is proven is the verdict below.
    const bool proven = one.outcome == CaseOutcome::kProven;
    out += Paragraph(fmt::format("{}. {}: {}{}{}", one.number, one.id, ToString(one.outcome),
                                 proven ? "" : ". ", proven ? "" : InEnglish(one.text)),
                     kWidth, "  ", "     ");
  }
  if (!comparison.cases.empty()) out += "\n";
  out += Paragraph("Verdict: " + InEnglish(comparison.verdict), kWidth, "  ", "  ");
  if (comparison.same_above && !comparison.cases.empty()) {
    out += Paragraph(
        fmt::format("Above {} s both count the same {:.10g} attempts: towards q = 1 the two "
                    "quantiles meet.",
                    FormatNumber(*comparison.same_above), comparison.same_count),
        kWidth, "  ", "  ");
  }
  if (!comparison.believe.empty()) out += "\n  Which number to believe\n";
  for (const std::string& line : InEnglish(comparison.believe)) {
    out += Paragraph(line, kWidth, "  - ", "    ");
  }
  for (const std::string& warning : InEnglish(comparison.warnings)) {
    out += Paragraph("note: " + warning, kWidth, "  ", "    ");
  }
  return out;
}

}  // namespace schedlens
