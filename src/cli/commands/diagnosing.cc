#include "cli/commands/diagnosing.h"

#include <string_view>
#include <utility>

#include "cli/options/making.h"
#include "cli/version.h"
#include "model/file.h"
#include "reference/named_configuration.h"
#include "report/checked.h"
#include "source/http/api_server.h"

namespace schedlens {

Options DiagnosingOptionTable(DiagnosingOptions* options) {
  return Together({InvestigateOptionTable(&options->investigate), BeyondOptionTable(options)});
}

Options BeyondOptionTable(DiagnosingOptions* options) {
  DiagnosingOptions* o = options;
  return {{.names = "--no-cross-check",
           .help = "do not replay the incident in the reference scheduler",
           .target = &o->no_cross_check},
          {.names = "--no-neighbours",
           .help = "ask the schedulers alone, not API servers, etcd or kube-state-metrics",
           .target = &o->investigate.no_neighbours},
          {.names = "--no-answers",
           .help = "do not run the queries of the next steps, only print them",
           .target = &o->no_answers},
          {.names = "--scheduler-config",
           .value = "FILE",
           .help = "the scheduler's KubeSchedulerConfiguration or Policy, also in a ConfigMap, a "
                   "list or among other documents: names extenders, limits, plugins (unknown ones "
                   "with a warning); or configmap:NAMESPACE/NAME[/KEY] of the kubeconfig's cluster",
           .target = &o->scheduler_config}};
}

Diagnosis Completed(const DiagnosingOptions& options, const Context& context, Diagnosis diagnosis,
                    std::optional<CrossCheck> check) {
  diagnosis.tool_version = Version();
  diagnosis.cross_check = std::move(check);
  AddMaking(options.investigate, context, &diagnosis);
  const std::string& place = options.scheduler_config;
  if (!place.empty()) {
    constexpr std::string_view kConfigMap = "configmap:";
    const std::string text =
        place.starts_with(kConfigMap)
            ? FetchConfigMap(options.investigate.source, place.substr(kConfigMap.size()))
            : ReadFile(place);
    diagnosis = WithConfiguration(std::move(diagnosis), text, place);
  }
  return Checked(std::move(diagnosis));
}

Diagnosis DiagnoseAsAsked(const DiagnosingOptions& options, const QuerySet& queries,
                          const Context& context) {
  std::optional<CrossCheck> check;
  Meanwhile replay;
  if (!options.no_cross_check) {
    replay = [&](const Investigation& found) { check = CrossCheckByReplay(found, queries); };
  }
  InvestigateOptions investigate = options.investigate;
  investigate.answer_steps = !options.no_answers;
  Investigation found = InvestigateAsAsked(investigate, queries, context, replay);
  return Completed(options, context, std::move(found.diagnosis), std::move(check));
}

}  // namespace schedlens
