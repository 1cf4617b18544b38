// The text forms of `whatif` and `whatif --headroom`.

#include <fmt/format.h>

#include "base/text.h"
#include "report/commands.h"
#include "report/text/layout.h"

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

std::string Digits(double value) { return fmt::format("{:.3g}", value); }

std::string Now(const Messages& t, const Headroom& h) {
  if (!h.now) return "";
  return t("join.brackets", h.what == "rate" ? t("headroom.now.rate", Digits(*h.now))
                                             : t("headroom.now", fmt::format("{:.0f}", *h.now)));
}

std::string FactorText(const Messages& t, const Headroom& h) {
  const Measured& f = h.factor;
  if (!f.low && !f.high) return t("headroom.undecided");
  if (!f.low) return t("headroom.already", Now(t, h));
  if (!f.value && !f.high) {
    return *f.low >= h.most
               ? t("headroom.not_up_to", Digits(h.most), Now(t, h))
               : t("headroom.likely_not_up_to", Digits(h.most), Now(t, h), Digits(*f.low));
  }
  const std::string high = f.high ? Digits(*f.high) : t("headroom.never");
  const double value = f.value ? *f.value : *f.low;
  const bool crossed = f.high && *f.high < 1;
  return t(crossed ? "headroom.already_at" : "headroom.at", Digits(value), Digits(*f.low), high,
           Now(t, h));
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

std::string HeadroomText(const Messages& t, const Headroom& h) {
  std::string out = t("headroom.crosses", h.what, FormatNumber(100 * h.q),
                      h.metric.empty() ? t("headroom.of_pods") : h.metric,
                      t("number.unit", FormatNumber(h.target), "s"), FactorText(t, h)) +
                    "\n";
  for (const std::string& line : t(h.refused)) out += line + "\n";
  out += t("headroom.load", t("number.unit", Digits(100 * h.before.loop), "%"),
           t("number.unit", Digits(100 * h.before.client), "%"), Digits(h.qps)) +
         "\n";
  for (const std::string& line : t(h.moves)) out += line + "\n";
  out += t("headroom.assumes") + "\n";
  for (const std::string& line : t(h.assumptions)) out += "  - " + line + "\n";
  return out;
}

}  // namespace schedlens
