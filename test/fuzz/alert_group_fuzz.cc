// Any text as what Alertmanager posts to `serve`: a group with the name of a file, or an Error.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "cli/commands/serve.h"
#include "schedlens/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const schedlens::AlertGroup group = schedlens::ReadAlertGroup(text);
    if (group.alerts.empty() || group.report.empty()) std::abort();
    // It becomes a path below a folder.
    if (group.report.find('/') != std::string::npos || group.report.front() == '.') std::abort();
    if (group.report.size() > 250) std::abort();
  } catch (const schedlens::Error&) {
  }
  return 0;
}
