// The text form of `whatif`.

#include "report/prediction.h"

#include <fmt/format.h>

#include <cmath>

#include "messages/catalog.h"
#include "model/text.h"

namespace schedlens {
namespace {

std::string WithBounds(const Measured& m) {
  if (!m.value) return "unknown";
  return fmt::format("{:.4g} s ({:.4g} to {:.4g})", *m.value, m.low.value_or(0),
                     m.high.value_or(INFINITY));
}

const char* Word(const std::optional<bool>& fires) {
  return !fires ? "cannot be decided" : *fires ? "fires" : "is quiet";
}

std::string Rows(const char* title, const std::vector<PredictedChange>& rows) {
  std::string out = std::string(title) + "\n";
  for (const PredictedChange& row : rows) {
    out += fmt::format("  p{:<5} {:<34} -> {}\n", FormatNumber(100 * row.q), WithBounds(row.before),
                       WithBounds(row.after));
  }
  return out;
}

std::string Share(double part) { return fmt::format("{:.3g} %", 100 * part); }

std::string Load(const Prediction& p) {
  std::string out = fmt::format("Loop {} busy -> {}", Share(p.before.loop), Share(p.after.loop));
  if (p.qps > 0 && p.qps_after > 0) {
    out += fmt::format("; client {} of {:.3g} requests a second -> {} of {:.3g}",
                       Share(p.before.client), p.qps, Share(p.after.client), p.qps_after);
  }
  out += ".\n";
  if (p.after.WaitGrowth() <= 0) return out;
  const bool loop = p.after.loop >= p.after.client;
  return out + fmt::format("Pods arrive faster than the {}: the wait grows by {:.2g} s a minute.\n",
                           loop ? "loop takes them" : "client's limit lets binds go",
                           p.after.WaitGrowth());
}

}  // namespace

std::string PredictionText(const Prediction& p) {
  std::string out = Rows("e2e, scheduled attempts (before -> after)", p.e2e) +
                    Rows("pod, from the queue to its binding", p.pod);
  for (const std::string& line : InEnglish(p.refused)) out += line + "\n";
  out += Load(p);
  if (p.threshold) {
    out += fmt::format("Alert p{} over {} s: before, it {}; after, it {}.\n",
                       FormatNumber(100 * p.alert_quantile), FormatNumber(*p.threshold),
                       Word(p.fires_before), Word(p.fires_after));
  } else {
    out += "No alert: --alert says whether it would fire.\n";
  }
  out += fmt::format("{} seeds. What this assumes:\n", p.seeds);
  for (const std::string& line : InEnglish(p.assumptions)) out += "  - " + line + "\n";
  return out;
}

}  // namespace schedlens
