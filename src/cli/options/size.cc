#include "cli/options/size.h"

#include <fmt/format.h>

#include "schedlens/error.h"
#include "sim/base/quantity.h"

namespace schedlens {

std::int64_t ParseSize(std::string_view option, const std::string& text) {
  // `512m` is half a byte: a thousandth is what Kubernetes means by it.
  const auto thousandths = sim::core::QuantityMilli(text);
  if (!thousandths || *thousandths < 1000) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{} {}: expected a size such as 512Mi or 2Gi", option, text));
  }
  return *sim::core::QuantityValue(text);
}

}  // namespace schedlens
