// Any text as a webhook's JSON, as a list of rules, as a rule of Grafana, and as a link: read, or
// refused with an Error.

#include <cstddef>
#include <cstdint>
#include <string>

#include "diagnose/alert/alert.h"
#include "schedlens/error.h"

namespace {

template <typename Work>
void Try(Work work) {
  try {
    work();
  } catch (const schedlens::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  Try([&] { schedlens::ResolveAlert({"", text, "fuzz.json"}, {}); });
  Try([&] { schedlens::ResolveAlert({"SchedulerSlow", "", ""}, [&] { return text; }); });
  Try([&] { schedlens::ReadGraphUrl(text); });
  Try([&] { schedlens::ReadRulePage(text); });
  Try([&] { schedlens::ReadGrafanaRule(text); });
  return 0;
}
