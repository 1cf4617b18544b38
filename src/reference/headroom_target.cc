// Reads `--target`.

#include <fmt/format.h>

#include <cmath>

#include "model/text.h"
#include "reference/headroom.h"
#include "schedlens/error.h"

namespace schedlens {

ThresholdOf ParseTarget(const std::string& text) {
  const auto fail = [&] {
    return Error(ErrorKind::kUsage,
                 fmt::format("--target {}: expected a quantile and a time, like p99=1s", text));
  };
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || !text.starts_with('p')) throw fail();
  const auto percent = ParseNumber(text.substr(1, equals - 1));
  std::string value = text.substr(equals + 1);
  double unit = 1;
  if (value.ends_with("ms")) {
    unit = 1e-3;
    value.resize(value.size() - 2);
  } else if (value.ends_with('s')) {
    value.pop_back();
  } else if (value.ends_with('m')) {
    unit = 60;
    value.pop_back();
  }
  const auto seconds = ParseNumber(value);
  if (!percent || !(*percent > 0 && *percent < 100)) throw fail();
  if (!seconds || !(*seconds > 0) || !std::isfinite(*seconds)) throw fail();
  return {ReplayedSeconds::kPod, "", *percent / 100, *seconds * unit};
}

}  // namespace schedlens
