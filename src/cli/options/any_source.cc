#include "cli/options/any_source.h"

#include "cli/options/grafana_link.h"
#include "reference/runs.h"
#include "sim/scenario/scenario.h"

namespace schedlens {

std::unique_ptr<Source> OpenAnySource(const SourceOptions& options) {
  constexpr std::uint64_t kSeed = 1;
  SourceOptions followed = options;
  FollowExplore(&followed);
  return OpenSource(followed, [](const SourceOptions& asked) {
    return ReplayAsSource(sim::LoadScenario(asked.scenario), kSeed, nullptr);
  });
}

}  // namespace schedlens
