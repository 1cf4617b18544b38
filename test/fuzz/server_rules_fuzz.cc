// Any text as a server's answer to /api/v1/rules: refused with an Error, or rule files that the
// reader of rule files takes.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "schedlens/error.h"
#include "source/rule_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<schedlens::ServerRuleFile> files;
  try {
    files = schedlens::RuleFilesOfServer(text);
  } catch (const schedlens::Error& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
    return 0;
  }
  for (const schedlens::ServerRuleFile& file : files) {
    try {
      schedlens::ParseRuleFile(file.text, "rules");
    } catch (const schedlens::Error&) {
    }
  }
  return 0;
}
