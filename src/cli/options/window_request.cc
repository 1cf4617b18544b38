#include "cli/options/window_request.h"

namespace schedlens {

ChosenWindow ChooseWindow(const TimeOptions& asked, Source& source, std::int64_t default_ms) {
  const auto extent = source.Describe().extent;
  const TimeOptions options = TimesOn(asked, extent);
  const TimeMs last = extent ? extent->end : Now();
  if (const auto given = WindowOf(options, last)) return {*given, false};
  const TimeMs end = options.at.value_or(last);
  const bool single = extent && extent->start == extent->end;
  if (options.lifetime || single) return {{end - default_ms, end}, true};
  return {{end - default_ms, end}, false};
}

}  // namespace schedlens
