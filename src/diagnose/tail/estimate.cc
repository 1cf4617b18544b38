#include "diagnose/tail/estimate.h"

#include <numeric>

#include "base/work_budget.h"

namespace schedlens {
namespace {

using kube::AttemptResult;
using kube::ExtensionPoint;

/// The first and the last part of each group.
constexpr std::pair<kube::Stage, kube::Stage> kGroups[] = {
    {kube::Stage::kPreFilter, kube::Stage::kPostFilter},
    {kube::Stage::kReserve, kube::Stage::kReserve},
    {kube::Stage::kPermit, kube::Stage::kPermit},
    {kube::Stage::kPermitWait, kube::Stage::kPermitWait},
    {kube::Stage::kPreBind, kube::Stage::kPreBind},
    {kube::Stage::kBindPlugins, kube::Stage::kBindUnmeasured}};

Group GroupOf(kube::Stage part) {
  std::size_t group = 0;
  while (part > kGroups[group].second) ++group;
  return static_cast<Group>(group);
}

/// Places of a group's parts, the end excluded.
std::pair<std::ptrdiff_t, std::ptrdiff_t> PlacesOf(Group group) {
  const auto [first, last] = kGroups[group];
  return {static_cast<std::ptrdiff_t>(IndexOf(first)),
          static_cast<std::ptrdiff_t>(IndexOf(last)) + 1};
}

/// Seconds given over what there was.
double Over(double free) { return std::max(0.0, -free); }

/// Of each whole, the seconds of each group: each is added up once, however often it is compared.
using GroupSeconds = std::vector<std::array<double, kGroupCount>>;

GroupSeconds SecondsOfGroups(const std::vector<ReconstructedAttempt>& wholes) {
  GroupSeconds seconds(wholes.size());
  for (std::size_t i = 0; i < wholes.size(); ++i) {
    for (std::size_t g = 0; g < kGroupCount; ++g) {
      seconds[i][g] = wholes[i].SecondsOf(static_cast<Group>(g));
    }
  }
  return seconds;
}

/// The exchange that fixes most of one whole's excess; false when none fixes more than `least`.
bool RepairOne(double least, std::size_t full, std::vector<ReconstructedAttempt>* wholes,
               GroupSeconds* seconds) {
  const double free = (*wholes)[full].free;
  std::size_t partner = full, best = 0;
  for (std::size_t g = 0; g < kGroupCount; ++g) {
    const double own = (*seconds)[full][g];
    if (own <= 0) continue;
    for (std::size_t i = 0; i < wholes->size(); ++i) {
      const double move = own - (*seconds)[i][g];
      if (move <= 0) continue;
      const double other = (*wholes)[i].free;
      const double gain = Over(free) + Over(other) - Over(free + move) - Over(other - move);
      if (gain <= least) continue;
      least = gain;
      partner = i;
      best = g;
    }
  }
  if (partner == full) return false;
  (*wholes)[full].Exchange(static_cast<Group>(best), &(*wholes)[partner]);
  std::swap((*seconds)[full][best], (*seconds)[partner][best]);
  return true;
}

/// Whether a stage is an extension point of the search for a node.
bool IsInAlgorithm(const kube::StageRow& row) {
  return row.point &&
         (row.parent == kube::Stage::kAlgorithm || row.stage == kube::Stage::kPostFilter);
}

/// Whether a stage is an extension point between the search and the bind.
bool IsBeforeBind(const kube::StageRow& row) {
  return row.point && !row.parent && row.stage != kube::Stage::kPostFilter;
}

/// Attempts that ended in a cell: past the algorithm, or failed and without a sample of it.
struct Ended {
  ReconstructedAttempts full, loop_only;
};

/// One play of the whole window. Observations below `cutoff` seconds cannot matter to a slow
/// attempt: they are spread evenly.
class AttemptReconstruction {
 public:
  AttemptReconstruction(const TailPopulations& p, const TimeBreakdown& breakdown, double cutoff,
                        std::uint64_t seed)
      : p_(p), account_(breakdown), cutoff_(cutoff), random_(seed) {}

  /// Adds the shares of the `m` slowest attempts to `total`.
  void Run(std::size_t m, PartSeconds* total) {
    std::vector<ReconstructedAttempt> slowest;
    ForEachCell(p_.grids, [&](std::size_t g, std::size_t i) {
      if (i == 0) {
        waiting_.clear();
        running_.fill(0);
      }
      const Ended ended = PieceTogether(g, i);
      for (const auto* wholes : {&ended.full.large, &ended.loop_only.large}) {
        slowest.insert(slowest.end(), wholes->begin(), wholes->end());
      }
    });
    m = std::min(m, slowest.size());
    const auto rest = slowest.begin() + static_cast<std::ptrdiff_t>(m);
    std::ranges::nth_element(slowest, rest, std::greater<>(), &ReconstructedAttempt::seconds);
    slowest.erase(rest, slowest.end());
    double seconds = 0;
    for (const ReconstructedAttempt& w : slowest) seconds += w.seconds;
    if (!(seconds > 0)) return;
    for (const ReconstructedAttempt& w : slowest) {
      for (const kube::Stage part : kube::All<kube::Stage>())
        (*total)[part] += w.parts[part] / seconds;
    }
  }

 private:
  /// An observation; most are of one part, and only the others have a `whole`.
  struct Waiting {
    Group group;
    kube::Stage part;
    double seconds;
    std::unique_ptr<ReconstructedAttempt> whole;
  };

  DrawnCell Observe(const GridCells& cells, std::size_t i) {
    CheckBudget();
    if (cells.bounds.empty()) return {};
    return DrawObservations(View(cells, i), cutoff_, &random_);
  }

  ReconstructedAttempts Draw(const GridCells& cells, std::size_t i) {
    ReconstructedAttempts out;
    const DrawnCell drawn = Observe(cells, i);
    for (const double s : drawn.large) out.large.emplace_back(s);
    out.small_count = drawn.small_count;
    out.small_seconds = drawn.small_seconds;
    return out;
  }

  static void Append(ReconstructedAttempts more, ReconstructedAttempts* all) {
    all->large.insert(all->large.end(), more.large.begin(), more.large.end());
    all->small_count += more.small_count;
    all->small_seconds += more.small_seconds;
  }

  Ended EndedIn(std::size_t g, std::size_t i) {
    Ended out;
    double late = p_.points[ExtensionPoint::kUnreserve][g].counts[i];
    for (const auto& [result, cells] : p_.results) {
      ReconstructedAttempts drawn = Draw(cells[g], i);
      if (account_.algorithm_has_failures || result == AttemptResult::kScheduled) {
        Append(std::move(drawn), &out.full);
        continue;
      }
      // The slowest failed attempts are those that failed late.
      std::ranges::sort(drawn.large, std::greater<>(), &ReconstructedAttempt::seconds);
      const auto n = std::min(drawn.large.size(), CutTo<std::size_t>(std::round(late)));
      const auto split = drawn.large.begin() + static_cast<std::ptrdiff_t>(n);
      out.full.large.insert(out.full.large.end(), drawn.large.begin(), split);
      drawn.large.erase(drawn.large.begin(), split);
      late -= static_cast<double>(n);
      Append(std::move(drawn), &out.loop_only);
    }
    return out;
  }

  /// Gives a cell's observations of one part to the wholes; small ones evenly.
  void Fill(kube::Stage part, const GridCells& cells, std::size_t i,
            ReconstructedAttempts* wholes) {
    DrawnCell observed = Observe(cells, i);
    wholes->Spread(part, observed.small_seconds);
    std::ranges::sort(observed.large, std::greater<>());
    for (const double s : observed.large) {
      if (ReconstructedAttempt* w = BestFit(&wholes->large, std::nullopt, s, true)) {
        w->Give(part, s);
      }
    }
  }

  /// Gives the loop's points of a cell to its runs: the algorithm's, and the failed attempts it
  /// lacks. The former then wait for their attempts to end.
  void RunLoop(std::size_t g, std::size_t i, ReconstructedAttempts* loop_only) {
    ReconstructedAttempts runs = Draw(p_.algorithm[g], i);
    const auto observed = static_cast<std::ptrdiff_t>(runs.large.size());
    running_[kAlgorithmGroup] += runs.count();
    const double share =
        runs.small_count / std::max(1.0, runs.small_count + loop_only->small_count);
    Append(std::move(*loop_only), &runs);
    for (const kube::StageRow& row : kube::kStageTable) {
      if (IsInAlgorithm(row)) Fill(row.stage, p_.points[*row.point][g], i, &runs);
    }
    runs.Close(kube::Stage::kAlgorithmUnmeasured);
    const auto split = runs.large.begin() + observed;
    for (auto run = runs.large.begin(); run != split; ++run) WaitAsWhole(kAlgorithmGroup, *run);
    for (const kube::Stage part : kube::All<kube::Stage>())
      small_[part] += share * runs.small[part];
    *loop_only = {{split, runs.large.end()}, 0, {}, 0};
  }

  Ended PieceTogether(std::size_t g, std::size_t i) {
    Ended ended = EndedIn(g, i);
    small_ = {};
    RunLoop(g, i, &ended.loop_only);
    for (const kube::StageRow& row : kube::kStageTable) {
      if (IsBeforeBind(row)) Wait(row.stage, Observe(p_.points[*row.point][g], i));
    }
    Wait(kube::Stage::kPermitWait, Observe(p_.permit_wait[g], i));
    for (std::size_t group = 0; group < kBindGroup; ++group) running_[group] -= ended.full.count();
    Binds(g, i);
    Deal(&ended.full);
    Repair(cutoff_, &ended.full.large);
    const bool extender = account_.extender_binds > 0 && !account_.has_binding;
    ended.full.Close(extender ? kube::Stage::kBindUnmeasured : kube::Stage::kUnmeasured);
    return ended;
  }

  /// Deals what waits to the attempts that ended, the largest first. Those that fit nowhere may go
  /// on waiting, in proportion to the attempts that are still running.
  void Deal(ReconstructedAttempts* attempts) {
    for (const kube::Stage part : kube::All<kube::Stage>()) attempts->Spread(part, small_[part]);
    std::ranges::stable_sort(waiting_, std::greater<>(), &Waiting::seconds);
    std::array<double, kGroupCount> large{}, left{};
    for (const Waiting& w : waiting_) ++large[w.group];
    std::vector<Waiting> still;
    for (Waiting& w : waiting_) {
      const double all = attempts->count() + running_[w.group];
      const bool can_wait =
          left[w.group] < std::round(running_[w.group] * std::min(1.0, large[w.group] / all));
      if (ReconstructedAttempt* attempt =
              BestFit(&attempts->large, w.group, w.seconds, !can_wait)) {
        attempt->has[w.group] = true;
        if (w.whole) {
          attempt->Take(w.whole->parts);
        } else {
          attempt->Give(w.part, w.seconds);
        }
      } else if (can_wait) {
        ++left[w.group];
        still.push_back(std::move(w));
      }
    }
    waiting_ = std::move(still);
  }

  /// Binds end with their attempts, in the same cell.
  void Binds(std::size_t g, std::size_t i) {
    const GridCells& point = p_.points[ExtensionPoint::kBind][g];
    if (!account_.has_binding) {
      Wait(kube::Stage::kBindPlugins, Observe(point, i));
    } else {
      ReconstructedAttempts binds = Draw(p_.binding[g], i);
      Append(Draw(p_.bind_failed[g], i), &binds);
      Fill(kube::Stage::kBindPlugins, point, i, &binds);
      binds.Close(kube::Stage::kBindUnmeasured);
      for (const ReconstructedAttempt& bind : binds.large) WaitAsWhole(kBindGroup, bind);
      for (const kube::Stage part : kube::All<kube::Stage>()) small_[part] += binds.small[part];
    }
    running_[kBindGroup] = 0;
  }

  void Wait(kube::Stage part, const DrawnCell& observed) {
    const Group group = GroupOf(part);
    running_[group] += static_cast<double>(observed.large.size()) + observed.small_count;
    small_[part] += observed.small_seconds;
    for (const double s : observed.large) waiting_.push_back({group, part, s, nullptr});
  }

  void WaitAsWhole(Group group, const ReconstructedAttempt& one) {
    waiting_.push_back({group, {}, one.seconds, std::make_unique<ReconstructedAttempt>(one)});
  }

  const TailPopulations& p_;
  const TimeBreakdown& account_;
  const double cutoff_;
  std::mt19937_64 random_;
  std::vector<Waiting> waiting_;               // observed before their attempt's end
  std::array<double, kGroupCount> running_{};  // passed the part, but not ended
  PartSeconds small_{};                        // the cell's small observations together
};

/// The lower edge of the bucket of the m-th slowest attempt of all cells; 0 without buckets.
double LeastOfSlowest(const TailPopulations& p, std::size_t m) {
  std::map<double, double, std::greater<>> counts;  // by lower edge
  for (const GridCells& cells : p.e2e) {
    const std::size_t n = cells.bounds.size();
    for (std::size_t k = 0; k < cells.buckets.size(); ++k) {
      counts[k % n == 0 ? 0 : cells.bounds[k % n - 1]] += cells.buckets[k];
    }
  }
  double above = 0;
  for (const auto& [edge, count] : counts) {
    above += count;
    if (above >= static_cast<double>(m)) return edge;
  }
  return 0;
}

/// The sum over all cells of steps(observations that are not small).
template <typename StepsOf>
double StepsIn(const OnGridCells& population, double cutoff, StepsOf steps) {
  double all = 0;
  for (const GridCells& cells : population) {
    const auto small = std::ranges::upper_bound(cells.bounds, cutoff);
    for (std::size_t i = 0; i < cells.counts.size(); ++i) {
      if (IsSmallByMean(View(cells, i), cutoff)) continue;
      const auto row = cells.Buckets(i);
      all += steps(std::accumulate(row.begin() + (small - cells.bounds.begin()), row.end(), 0.0));
    }
  }
  return all;
}

/// Steps that fitting takes: each large observation of a cell against each large attempt. Those of
/// other populations are mostly fewer, but a recording may say otherwise: each is drawn.
double Steps(const TailPopulations& p, double cutoff) {
  const auto fit = [](double n) { return n * n; };
  const auto draw = [](double n) { return n; };
  double steps = StepsIn(p.e2e, cutoff, fit) + StepsIn(p.algorithm, cutoff, fit);
  for (const auto* population : {&p.binding, &p.permit_wait, &p.bind_failed}) {
    steps += StepsIn(*population, cutoff, draw);
  }
  for (const ExtensionPoint point : kube::All<ExtensionPoint>()) {
    steps += StepsIn(p.points[point], cutoff, draw);
  }
  return steps;
}

/// What is small: a twentieth of the shortest of the slowest attempts, or more where that leaves
/// too many to fit; nothing where even half of it does.
std::optional<double> Cutoff(const TailPopulations& p, std::size_t m) {
  constexpr double kMostSteps = 3e6;
  const double least = LeastOfSlowest(p, m);
  for (const double part : {0.05, 0.1, 0.2, 0.5}) {
    if (Steps(p, part * least) <= kMostSteps) return part * least;
  }
  return std::nullopt;
}

/// [0, 1) from the engine's own bits: the standard distributions differ between libraries.
double Uniform(std::mt19937_64* random) {
  return static_cast<double>((*random)() >> 11) * 0x1.0p-53;
}

/// `count` observations of the same value.
struct Observation {
  double value, low, high, count;
};

/// Moves every value toward its upper edge (or lower, for negative `missing`) by the same fraction.
void Bend(double missing, std::vector<Observation>* drawn) {
  double room = 0, open = 0;
  for (const Observation& o : *drawn) {
    if (std::isinf(o.high)) {
      ++open;
      room += missing < 0 ? o.value - o.low : 0;
    } else {
      room += o.count * (missing < 0 ? o.value - o.low : o.high - o.value);
    }
  }
  if (missing > 0 && open > 0) {
    for (Observation& o : *drawn) {
      if (std::isinf(o.high)) o.value += missing / open;
    }
    return;
  }
  if (!(room > 0)) return;
  const double part = std::min(1.0, std::abs(missing) / room);
  for (Observation& o : *drawn) {
    if (missing < 0 || std::isfinite(o.high)) {
      o.value += part * ((missing < 0 ? o.low : o.high) - o.value);
    }
  }
}

}  // namespace

void ReconstructedAttempt::Take(const PartSeconds& more) {
  for (const kube::Stage part : kube::All<kube::Stage>()) Give(part, more[part]);
}

double ReconstructedAttempt::SecondsOf(Group group) const {
  const auto [first, end] = PlacesOf(group);
  return std::accumulate(parts.begin() + first, parts.begin() + end, 0.0);
}

void ReconstructedAttempt::Exchange(Group group, ReconstructedAttempt* other) {
  const double mine = SecondsOf(group), its = other->SecondsOf(group);
  free += mine - its;
  other->free += its - mine;
  const auto [first, end] = PlacesOf(group);
  std::swap_ranges(parts.begin() + first, parts.begin() + end, other->parts.begin() + first);
  std::swap(has[group], other->has[group]);
}

void ReconstructedAttempts::Spread(kube::Stage part, double s) {
  if (count() == 0) return;
  for (ReconstructedAttempt& w : large) w.Give(part, s / count());
  small[part] += s / count() * small_count;
  small_seconds -= s / count() * small_count;
}

void ReconstructedAttempts::Close(kube::Stage rest) {
  small[rest] += std::max(0.0, small_seconds);
  small_seconds = 0;
  double room = 0, over = 0;
  for (const ReconstructedAttempt& w : large) (w.free > 0 ? room : over) += std::abs(w.free);
  const double left = room > 0 ? std::max(0.0, room - over) / room : 0;
  for (ReconstructedAttempt& w : large) {
    w.parts[rest] += left * std::max(0.0, w.free);
    w.seconds = std::accumulate(w.parts.begin(), w.parts.end(), 0.0);
    w.free = 0;
  }
}

ReconstructedAttempt* BestFit(std::vector<ReconstructedAttempt>* wholes, std::optional<Group> group,
                              double s, bool must) {
  constexpr double kBlur = 1.02;
  ReconstructedAttempt *best = nullptr, *roomiest = nullptr;
  for (ReconstructedAttempt& w : *wholes) {
    if (group && w.has[*group]) continue;
    if (w.free * kBlur >= s && (best == nullptr || w.free < best->free)) best = &w;
    if (roomiest == nullptr || w.free > roomiest->free) roomiest = &w;
  }
  return best != nullptr || !must ? best : roomiest;
}

void Repair(double least, std::vector<ReconstructedAttempt>* wholes) {
  GroupSeconds seconds = SecondsOfGroups(*wholes);
  for (std::size_t i = 0; i < wholes->size(); ++i) {
    for (std::size_t n = 0; n < kGroupCount && (*wholes)[i].free < -least; ++n) {
      if (!RepairOne(least / 2, i, wholes, &seconds)) break;
    }
  }
}

StageShares EstimateTail(const TailPopulations& populations, const TimeBreakdown& breakdown,
                         std::size_t attempts) {
  constexpr std::uint64_t kPlays = 3;
  const std::optional<double> cutoff = Cutoff(populations, attempts);
  if (!cutoff) return {};
  PartSeconds total{};
  for (std::uint64_t seed = 1; seed <= kPlays; ++seed) {
    AttemptReconstruction(populations, breakdown, *cutoff, seed).Run(attempts, &total);
  }
  if (std::accumulate(total.begin(), total.end(), 0.0) <= 0) return {};
  for (double& share : total) share /= kPlays;
  StageShares shares;
  for (const kube::StageRow& row : kube::kStageTable) {
    // No histogram has the two parts of a bind by its plugins.
    if (row.parent == kube::Stage::kBindPlugins) continue;
    shares[row.stage] += total[row.stage];
    if (row.parent) shares[*row.parent] += total[row.stage];
  }
  return shares;
}

bool IsSmallByMean(const CellView& cell, double least) {
  return cell.bounds.size() == 1 && std::isinf(cell.bounds[0]) &&
         cell.sum <= least * std::round(std::max(0.0, cell.buckets[0]));
}

DrawnCell DrawObservations(const CellView& cell, double least, std::mt19937_64* random) {
  if (IsSmallByMean(cell, least)) {
    return {{}, std::round(std::max(0.0, cell.buckets[0])), std::max(0.0, cell.sum)};
  }
  std::vector<Observation> drawn;
  std::size_t small = 0;  // entries of buckets that are not drawn one by one
  double sum = 0;
  for (std::size_t b = 0; b < cell.bounds.size(); ++b) {
    const double n = std::round(std::max(0.0, cell.buckets[b]));
    if (n == 0) continue;
    const double low = b == 0 ? 0 : cell.bounds[b - 1], high = cell.bounds[b];
    if (high <= least) {
      drawn.push_back({(low + high) / 2, low, high, n});
      sum += n * drawn.back().value;
      ++small;
      continue;
    }
    for (double i = 0; i < n; ++i) {
      const double u = Uniform(random);
      double value = high * u;
      if (std::isinf(high)) {
        value = low * (1 - 0.3 * std::log(1 - u));
      } else if (low > 0) {
        value = low * std::pow(high / low, u);
      }
      drawn.push_back({value, low, high, 1});
      sum += value;
    }
  }
  if (!std::isnan(cell.sum)) Bend(cell.sum - sum, &drawn);
  DrawnCell out;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    if (i >= small) {
      out.large.push_back(drawn[i].value);
    } else {
      out.small_count += drawn[i].count;
      out.small_seconds += drawn[i].count * drawn[i].value;
    }
  }
  return out;
}

}  // namespace schedlens
