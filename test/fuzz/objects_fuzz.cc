// Any text as what `kubectl get -o json` prints, and as a manifest that a person writes: read into
// a cluster, or refused with an Error of one line.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <string_view>

#include "base/json.h"
#include "schedlens/error.h"
#include "scheduler/cluster/object_fields.h"
#include "scheduler/cluster/objects_json.h"

namespace {

template <typename Work>
void Try(Work work) {
  try {
    work();
  } catch (const schedlens::Error& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace core = schedlens::sim::core;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto strings = std::make_shared<core::Strings>();
  core::Cluster cluster(schedlens::sim::Release::Parse("1.30"), strings);
  std::map<std::string, int> ignored;
  Try([&] { core::LoadObjects(text, "fuzz.json", cluster); });
  Try([&] { core::PodFrom(schedlens::ReadJson(text), *strings, ignored); });
  Try([&] { core::ReadPodManifest(text, "fuzz.yaml", *strings); });
  Try([&] { core::ReadNodeManifest(text, "fuzz.yaml", *strings); });
  Try([&] { core::ReadPodFile(text, "fuzz.yaml", *strings); });
  return 0;
}
