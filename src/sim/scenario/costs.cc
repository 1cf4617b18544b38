#include "sim/scenario/costs.h"

namespace schedlens::sim {
namespace {

struct Row {
  Cost cost;
  std::string_view key;
  double median;  // seconds; lognormal with this median and sigma
  double sigma;
  double per_node;
};

constexpr Row kRows[] = {
    {Cost::kSnapshot, "snapshot", 9e-6, 0.5, 0.05e-6},
    {Cost::kPreFilter, "prefilter", 12e-6, 0.4, 0},
    {Cost::kFilter, "filter", 55e-6, 0.5, 2e-6},
    {Cost::kPreScore, "prescore", 31e-6, 0.4, 0},
    {Cost::kScore, "score", 120e-6, 0.5, 4.2e-6},
    {Cost::kSelectHost, "select_host", 38e-6, 0.35, 0},
    {Cost::kAssume, "assume", 18e-6, 0.4, 0},
    {Cost::kReserve, "reserve", 2e-6, 0.4, 0},
    {Cost::kPermit, "permit", 1.7e-6, 0.3, 0},
    {Cost::kSpawn, "spawn", 8e-6, 0.5, 0},
    {Cost::kPreBind, "prebind", 4e-6, 0.4, 0},
    {Cost::kBindClient, "bind_client", 1.5e-3, 0.35, 0},
    {Cost::kFinish, "finish", 16e-6, 0.5, 0},
    {Cost::kPostBind, "postbind", 1e-6, 0.3, 0},
    {Cost::kPostFilter, "postfilter", 7e-6, 0.5, 0},
    {Cost::kUnreserve, "unreserve", 3e-6, 0.4, 0},
    {Cost::kFailure, "failure", 20e-6, 0.4, 0},
    {Cost::kPermitWait, "permit_wait", 0, 0, 0},
    {Cost::kPreBindWait, "prebind_wait", 0, 0, 0},
    {Cost::kReserveWait, "reserve_wait", 0, 0, 0},
    {Cost::kBindApi, "bind_api", 6e-3, 0.5, 0},
    {Cost::kWriteApi, "write_api", 5e-3, 0.5, 0},
    {Cost::kDeleteApi, "delete_api", 5e-3, 0.5, 0},
    {Cost::kEventsApi, "events_api", 5e-3, 0.5, 0},
    {Cost::kClaimBind, "claim_bind", 0.3, 0.3, 0},
    {Cost::kExtFilter, "ext_filter", 8e-3, 0.4, 0},
    {Cost::kExtPrioritize, "ext_prioritize", 8e-3, 0.4, 0},
    {Cost::kExtPreempt, "ext_preempt", 8e-3, 0.4, 0},
    {Cost::kExtBind, "ext_bind", 15e-3, 0.4, 0},
    {Cost::kGangSpread, "gang_spread", 0, 0, 0},
    {Cost::kInformer, "informer", 2e-3, 0.5, 0},
};
static_assert(std::size(kRows) == kCostCount);

}  // namespace

std::string_view CostKey(Cost cost) { return kRows[static_cast<std::size_t>(cost)].key; }

Costs Costs::Default() {
  Costs out;
  for (const Row& row : kRows) {
    StepCost& step = out[row.cost];
    if (row.median > 0) step.wall = Distribution::LogNormal(row.median, row.sigma);
    step.per_node = row.per_node;
    // A request's client side is mostly system calls and wake-ups, which nobody measured apart.
    step.computed = (IsCpuWork(row.cost) && row.cost != Cost::kBindClient) ||
                    row.cost == Cost::kExtFilter || row.cost == Cost::kExtPrioritize;
  }
  // One attempt in five meets a busy machine, as in the recordings.
  out.noise = Distribution::Mixture(
      {{0.8, Distribution::LogNormal(0.95, 0.2)}, {0.2, Distribution::LogNormal(2.6, 0.9)}});
  return out;
}

}  // namespace schedlens::sim
