// The stages of an attempt, in its own order. Top-level stages add up to the time of all attempts.

#include "analysis/glossary/glossary.h"
#include "kube/stage.h"

namespace schedlens {
namespace {

using kube::Stage;

std::string Id(Stage stage) { return std::string(ToString(stage)); }

}  // namespace

const std::vector<StageText>& StageTexts() {
  static const std::vector<StageText> all = {
      {Id(Stage::kAlgorithm)},
      {Id(Stage::kPreFilter)},
      {Id(Stage::kFilter)},
      {Id(Stage::kPreScore)},
      {Id(Stage::kScore)},
      {Id(Stage::kAlgorithmUnmeasured)},
      {Id(Stage::kPostFilter)},
      {Id(Stage::kReserve)},
      {Id(Stage::kPermit)},
      {Id(Stage::kPermitWait)},
      {Id(Stage::kPreBind)},
      {Id(Stage::kBind)},
      {Id(Stage::kBindPlugins)},
      {Id(Stage::kBindThrottle)},
      {Id(Stage::kBindRequest)},
      {"bind.network"},
      {"apiserver"},
      {"apiserver.flowcontrol"},
      {"apiserver.webhook"},
      {"apiserver.admission"},
      {"apiserver.storage"},
      {"apiserver.rest"},
      {Id(Stage::kBindUnmeasured)},
      {Id(Stage::kUnmeasured)},
  };
  return all;
}

}  // namespace schedlens
