// Which devices several claims get on a node: every way is tried until one does.

#include <algorithm>
#include <set>
#include <utility>

#include "sim/cluster/devices.h"

namespace schedlens::sim::core {
namespace {

struct Candidate {
  DeviceId id;
  const cel::Device* facts;
};

// One request with the devices that its class and selectors let through.
struct Wanted {
  std::size_t claim = 0;
  const ResourceClaim::Request* request = nullptr;
  std::vector<const Candidate*> fits;
  std::int64_t count = 1;
};

class Search {
 public:
  Search(const Devices& devices, const std::vector<const ResourceClaim*>& claims, const Node& node,
         const Strings& strings)
      : devices_(devices), claims_(claims) {
    Gather(node, strings);
  }

  bool Prepare() {
    for (std::size_t i = 0; i < claims_.size(); ++i) {
      for (const ResourceClaim::Request& request : claims_[i]->requests) {
        if (!Add(i, request)) return false;
      }
      values_.emplace_back(claims_[i]->matches.size(), nullptr);
    }
    taken_.resize(wanted_.size());
    return true;
  }

  bool Run() { return Fill(0, 0, 0); }

  std::vector<std::vector<AllocatedDevice>> Taken() const {
    std::vector<std::vector<AllocatedDevice>> out(claims_.size());
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      for (const Candidate* candidate : taken_[i]) {
        out[wanted_[i].claim].push_back({wanted_[i].request->name, candidate->id});
      }
    }
    return out;
  }

 private:
  // Of each pool only the newest slices that can be used on the node.
  void Gather(const Node& node, const Strings& strings) {
    struct Pool {
      std::int64_t generation = 0, expected = 0;
      std::vector<const ResourceSlice*> slices;
    };
    std::map<std::pair<Id, Id>, Pool> pools;
    for (const ResourceSlice& slice : devices_.slices()) {
      const bool usable =
          slice.node != kEmptyText
              ? slice.node == node.name
              : slice.all_nodes ||
                    (slice.node_selector && MatchesAny(*slice.node_selector, node, strings));
      if (!usable) continue;
      Pool& pool = pools[{slice.driver, slice.pool}];
      if (!pool.slices.empty() && slice.generation < pool.generation) continue;
      if (slice.generation > pool.generation) pool.slices.clear();
      pool.generation = slice.generation;
      pool.expected = slice.slices_of_pool;
      pool.slices.push_back(&slice);
    }
    for (const auto& [id, pool] : pools) {
      complete_ &= static_cast<std::int64_t>(pool.slices.size()) == pool.expected;
      for (const ResourceSlice* slice : pool.slices) {
        for (const ResourceSlice::Device& device : slice->devices) {
          all_.push_back({{id.first, id.second, device.name}, &device.facts});
        }
      }
    }
  }

  static bool Passes(const DeviceSelectors& selectors, const Candidate& candidate) {
    return std::all_of(selectors.begin(), selectors.end(),
                       [&](const auto& selector) { return selector->Matches(*candidate.facts); });
  }

  bool Add(std::size_t claim, const ResourceClaim::Request& request) {
    const DeviceClass* device_class = devices_.FindClass(request.device_class);
    if (device_class == nullptr) return false;
    Wanted wanted{claim, &request, {}, request.count};
    for (const Candidate& candidate : all_) {
      if (!Passes(device_class->selectors, candidate) || !Passes(request.selectors, candidate)) {
        continue;
      }
      const bool free = !devices_.InUse(candidate.id);
      // All devices means those in use too: then there is nothing to wait for but them.
      if (request.all && !free) return false;
      if (free) wanted.fits.push_back(&candidate);
    }
    if (request.all) {
      if (!complete_ || wanted.fits.empty()) return false;
      wanted.count = static_cast<std::int64_t>(wanted.fits.size());
    }
    if (static_cast<std::int64_t>(wanted.fits.size()) < wanted.count) return false;
    wanted_.push_back(std::move(wanted));
    return true;
  }

  // Takes `left` devices for one request after the other, each in rising order.
  bool Fill(std::size_t which, std::size_t from, std::int64_t done) {
    if (which == wanted_.size()) return true;
    const Wanted& wanted = wanted_[which];
    if (done == wanted.count) return Fill(which + 1, 0, 0);
    for (std::size_t i = from; i < wanted.fits.size(); ++i) {
      const Candidate* candidate = wanted.fits[i];
      if (used_.count(candidate->id) > 0) continue;
      const auto before = values_[wanted.claim];
      if (Agrees(wanted, *candidate)) {
        used_.insert(candidate->id);
        taken_[which].push_back(candidate);
        if (Fill(which, i + 1, done + 1)) return true;
        taken_[which].pop_back();
        used_.erase(candidate->id);
      }
      values_[wanted.claim] = before;
      if (wanted.request->all) return false;  // it needs each of them
    }
    return false;
  }

  // Whether the device has the values that the claim's constraints have come to, which the first
  // device decides.
  bool Agrees(const Wanted& wanted, const Candidate& candidate) {
    const auto& matches = claims_[wanted.claim]->matches;
    auto& values = values_[wanted.claim];
    for (std::size_t i = 0; i < matches.size(); ++i) {
      const auto& requests = matches[i].requests;
      const bool concerned = requests.empty() || std::find(requests.begin(), requests.end(),
                                                           wanted.request->name) != requests.end();
      if (!concerned) continue;
      const auto at = candidate.facts->attributes.find(matches[i].attribute);
      if (at == candidate.facts->attributes.end()) return false;
      if (values[i] == nullptr) {
        values[i] = &at->second;
      } else if (*values[i] != at->second) {
        return false;
      }
    }
    return true;
  }

  const Devices& devices_;
  const std::vector<const ResourceClaim*>& claims_;
  bool complete_ = true;
  std::vector<Candidate> all_;
  std::vector<Wanted> wanted_;
  std::vector<std::vector<const Candidate*>> taken_;    // by request
  std::vector<std::vector<const cel::Value*>> values_;  // by claim and constraint
  std::set<DeviceId> used_;
};

}  // namespace

bool MatchesAny(const std::vector<NodeSelectorTerm>& terms, const Node& node,
                const Strings& strings) {
  return std::any_of(terms.begin(), terms.end(), [&](const NodeSelectorTerm& term) {
    return Matches(term, node.labels, node.name, strings);
  });
}

std::optional<std::vector<std::vector<AllocatedDevice>>> AllocateDevices(
    const Devices& devices, const std::vector<const ResourceClaim*>& claims, const Node& node,
    const Strings& strings) {
  Search search(devices, claims, node, strings);
  if (!search.Prepare() || !search.Run()) return std::nullopt;
  return search.Taken();
}

}  // namespace schedlens::sim::core
