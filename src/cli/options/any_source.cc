#include "cli/options/any_source.h"

#include "reference/replay.h"
#include "sim/scenario/scenario.h"

namespace schedlens {

std::unique_ptr<Source> OpenAnySource(const SourceOptions& options) {
  constexpr std::uint64_t kSeed = 1;
  return OpenSource(options, [](const SourceOptions& asked) {
    return ReplayAsSource(sim::LoadScenario(asked.scenario), kSeed, nullptr);
  });
}

}  // namespace schedlens
