// The text form of `whatif --headroom`.

#include <fmt/format.h>

#include "messages/catalog.h"
#include "model/text.h"
#include "report/prediction.h"

namespace schedlens {
namespace {

std::string Now(const Headroom& h) {
  if (!h.now) return "";
  return h.what == "rate" ? fmt::format(" (now {:.3g} pods a second)", *h.now)
                          : fmt::format(" (now {:.0f})", *h.now);
}

std::string FactorText(const Headroom& h) {
  const Measured& f = h.factor;
  if (!f.low && !f.high) return "cannot be decided";
  if (!f.low) return fmt::format("already, however little there is{}", Now(h));
  if (!f.value && !f.high) {
    return *f.low >= h.most
               ? fmt::format("not up to {:.3g} times what there is{}", h.most, Now(h))
               : fmt::format(
                     "likely not up to {:.3g} times what there is{}, at the earliest at "
                     "{:.3g} times",
                     h.most, Now(h), *f.low);
  }
  const std::string high = f.high ? fmt::format("{:.3g}", *f.high) : "not at all";
  const double value = f.value ? *f.value : *f.low;
  return fmt::format("{}at {:.3g} times ({:.3g} to {}) what there is{}",
                     f.high && *f.high < 1 ? "already: " : "", value, *f.low, high, Now(h));
}

}  // namespace

std::string HeadroomText(const Headroom& h) {
  std::string out =
      fmt::format("Headroom of {}: p{} of {} crosses {} s {}.\n", h.what, FormatNumber(100 * h.q),
                  h.metric.empty() ? "pods, from the queue to their binding," : h.metric,
                  FormatNumber(h.target), FactorText(h));
  for (const std::string& line : InEnglish(h.refused)) out += line + "\n";
  out += fmt::format(
      "Now the loop is {:.3g} % busy, and {:.3g} % of the client's {:.3g} requests a "
      "second are used.\n",
      100 * h.before.loop, 100 * h.before.client, h.qps);
  for (const std::string& line : InEnglish(h.moves)) out += line + "\n";
  out += "What this assumes:\n";
  for (const std::string& line : InEnglish(h.assumptions)) out += "  - " + line + "\n";
  return out;
}

}  // namespace schedlens
