// Any bytes are a list of rules or refused with an Error; what is picked for an alert reads back as
// the same rules, on one line.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "diagnose/alert/alert.h"
#include "schedlens/error.h"

namespace {

void Require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "violated: %s\n", what);
  std::abort();
}

bool Same(const schedlens::ServerRule& a, const schedlens::ServerRule& b) {
  return a.alerting == b.alerting && a.name == b.name && a.expr == b.expr && a.group == b.group &&
         a.labels == b.labels && a.for_ms == b.for_ms && a.firings == b.firings;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const auto rules = schedlens::ReadRules(text);
    for (const auto& rule : rules) {
      schedlens::SeeThroughRecordingRules(rule.expr, rules);
      if (!rule.alerting) continue;
      const auto picked = schedlens::PickRules(text, rule.name);
      Require(picked.json.find('\n') == std::string::npos, "one line");
      bool found = false;
      for (const auto& kept : schedlens::ReadRules(picked.json)) found = found || Same(kept, rule);
      Require(found, "the alert's rule is kept as it is");
    }
  } catch (const schedlens::Error&) {
    // refused
  }
  return 0;
}
