// Any text as what an exec plugin prints: read, or refused with an Error.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "schedlens/error.h"
#include "source/http/kubeconfig.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  schedlens::KubeExec exec;
  exec.api_version = "client.authentication.k8s.io/v1";
  try {
    schedlens::ReadExecCredential(text, exec, "alice");
  } catch (const schedlens::Error&) {
  }
  return 0;
}
