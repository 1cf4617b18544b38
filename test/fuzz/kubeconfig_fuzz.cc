// Any text as a kubeconfig: read, or refused with an Error.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "schedlens/error.h"
#include "source/http/kubeconfig.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const schedlens::Kubeconfig config = schedlens::ParseKubeconfig(text, "config");
    schedlens::FindContext(schedlens::MergeKubeconfigs({config, config}), "");
  } catch (const schedlens::Error&) {
  }
  return 0;
}
