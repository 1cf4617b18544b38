// The text form of `whatif`.

#include "report/prediction.h"

#include <fmt/format.h>

#include "model/text.h"
#include "report/text/paragraph.h"

namespace schedlens {
namespace {

std::string WithBounds(const Messages& t, const Measured& m) {
  if (!m.value) return t("prediction.unknown");
  const std::string value = t("number.unit", fmt::format("{:.4g}", *m.value), "s");
  const std::string low = fmt::format("{:.4g}", m.low.value_or(0));
  if (!m.high) return value + t("join.brackets", t("number.at_least", low));
  return t("prediction.bounds", value, low, fmt::format("{:.4g}", *m.high));
}

std::string FiresText(const Messages& t, const std::optional<bool>& fires) {
  if (!fires) return t("prediction.undecided");
  return t(*fires ? "prediction.fires" : "prediction.quiet");
}

std::string Rows(const Messages& t, const std::string& title,
                 const std::vector<PredictedChange>& rows) {
  constexpr int kBefore = 34;
  std::string out = title + "\n";
  for (const PredictedChange& row : rows) {
    out += fmt::format("  p{:<5} {} -> {}\n", FormatNumber(100 * row.q),
                       Padded(WithBounds(t, row.before), kBefore), WithBounds(t, row.after));
  }
  return out;
}

std::string Share(const Messages& t, double part) {
  return t("number.unit", fmt::format("{:.3g}", 100 * part), "%");
}

std::string Load(const Messages& t, const Prediction& p) {
  std::string out = t("prediction.loop", Share(t, p.before.loop), Share(t, p.after.loop));
  if (p.qps > 0 && p.qps_after > 0) {
    out += t("prediction.client", Share(t, p.before.client), fmt::format("{:.3g}", p.qps),
             Share(t, p.after.client), fmt::format("{:.3g}", p.qps_after));
  }
  out += t("prediction.end") + "\n";
  if (p.after.WaitGrowth() <= 0) return out;
  const bool loop = p.after.loop >= p.after.client;
  const std::string growth = t("number.unit", fmt::format("{:.2g}", p.after.WaitGrowth()), "s");
  return out + t(loop ? "prediction.grows.loop" : "prediction.grows.client", growth) + "\n";
}

}  // namespace

std::string PredictionText(const Messages& t, const Prediction& p) {
  std::string out = Rows(t, t("prediction.e2e"), p.e2e) + Rows(t, t("prediction.pod"), p.pod);
  for (const std::string& line : t(p.refused)) out += line + "\n";
  out += Load(t, p);
  if (p.threshold) {
    out += t("prediction.alert", FormatNumber(100 * p.alert_quantile),
             t("number.unit", FormatNumber(*p.threshold), "s"), FiresText(t, p.fires_before),
             FiresText(t, p.fires_after));
  } else {
    out += t("prediction.no_alert");
  }
  out += "\n" + t("prediction.seeds", p.seeds) + "\n";
  for (const std::string& line : t(p.assumptions)) out += "  - " + line + "\n";
  return out;
}

}  // namespace schedlens
