// The text form of `whatif --headroom`.

#include <fmt/format.h>

#include "model/text.h"
#include "report/prediction.h"

namespace schedlens {
namespace {

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
