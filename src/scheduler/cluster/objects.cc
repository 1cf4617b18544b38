#include "scheduler/cluster/objects.h"

#include <algorithm>

#include "base/text.h"

namespace schedlens::sim::core {
namespace {

bool Holds(const Requirement& requirement, Id value, const Strings* strings) {
  const bool present = value != kNone;
  const auto listed = [&] { return std::ranges::binary_search(requirement.values, value); };
  if (requirement.op == Operator::kIn) return present && listed();
  if (requirement.op == Operator::kNotIn) return !present || !listed();
  if (requirement.op == Operator::kExists) return present;
  if (requirement.op == Operator::kDoesNotExist) return !present;
  if (!present || strings == nullptr || requirement.values.size() != 1) return false;
  const auto& own = strings->Integer(value);
  const auto& bound = strings->Integer(requirement.values[0]);
  return own && bound && (requirement.op == Operator::kGt ? *own > *bound : *own < *bound);
}

constexpr std::int64_t kDefaultMilliCpu = 100;
constexpr std::int64_t kDefaultMemory = std::int64_t{200} * 1024 * 1024;

// Which of cpu and memory a container that does not ask for it is given a minimum of.
struct Minima {
  bool cpu = false, memory = false;
};

// A container's requests, with the minima. While a resize is under way what the kubelet has given
// counts too, for containers and sidecars.
Resources Of(const PodSpec& spec, const Container& container, const Release& release,
             const Minima& minima) {
  Resources out = container.requests;
  if (container.actual && release.minor >= 33) {
    if (spec.resize_infeasible) out = Resources();
    out.RaiseTo(*container.actual);
  }
  if (minima.cpu && !container.has_cpu) out.milli_cpu = kDefaultMilliCpu;
  if (minima.memory && !container.has_memory) out.memory = kDefaultMemory;
  return out;
}

// Without overhead. Sidecars (from 1.28) run on beside containers and later init containers.
Resources Total(const PodSpec& spec, const Release& release, const Minima& minima) {
  Resources sum;
  for (const Container& c : spec.containers) sum.Add(Of(spec, c, release, minima));
  Resources sidecars, peak;
  for (const Container& c : spec.init_containers) {
    Resources now = Of(spec, c, release, minima);
    if (c.sidecar && release.minor >= 28) {
      sum.Add(now);
      sidecars.Add(now);
      now = sidecars;
    } else {
      now.Add(sidecars);
    }
    peak.RaiseTo(now);
  }
  sum.RaiseTo(peak);
  return sum;
}

// From 1.28 to 1.31 the requests with minima know sidecars only as init containers, each with those
// before it; the minimum is for the sum that has nothing.
Resources TotalWithoutSidecars(const PodSpec& spec, const Release& release) {
  Resources sum;
  for (const Container& c : spec.containers) sum.Add(Of(spec, c, release, {true, true}));
  Resources sidecars;
  Minima missing{true, true};  // of all sidecars so far
  for (const Container& c : spec.init_containers) {
    Resources now = Of(spec, c, release, {});
    now.Add(sidecars);
    const Minima left{missing.cpu && !c.has_cpu, missing.memory && !c.has_memory};
    if (c.sidecar) {
      sidecars = now;
      missing = left;
    }
    if (left.cpu) now.milli_cpu = kDefaultMilliCpu;
    if (left.memory) now.memory = kDefaultMemory;
    sum.RaiseTo(now);
  }
  return sum;
}

// The pod's own requests take the place of its containers' (from 1.34).
void TakePodLevel(const PodSpec& spec, const Release& release, Resources& sum) {
  if (release.minor < 34) return;
  sum.milli_cpu = spec.pod_requests.milli_cpu.value_or(sum.milli_cpu);
  sum.memory = spec.pod_requests.memory.value_or(sum.memory);
  for (const ScalarAmount& s : spec.pod_requests.hugepages) {
    sum.AddScalar(s.name, s.amount - sum.Scalar(s.name));
  }
}

// Next to requests of the pod itself, a minimum is only for what nobody asks for.
Minima MinimaOf(const PodSpec& spec, const Release& release) {
  Minima out{true, true};
  if (release.minor < 34 || !spec.pod_requests.any()) return out;
  out.cpu = !spec.pod_requests.milli_cpu && !spec.overhead_has_cpu;
  out.memory = !spec.pod_requests.memory && !spec.overhead_has_memory;
  for (const auto* containers : {&spec.containers, &spec.init_containers}) {
    for (const Container& c : *containers) {
      out.cpu = out.cpu && !c.has_cpu;
      out.memory = out.memory && !c.has_memory;
    }
  }
  return out;
}

Resources NonZeroOf(const PodSpec& spec, const Release& release) {
  if (release.minor >= 28 && release.minor < 32) return TotalWithoutSidecars(spec, release);
  Resources out = Total(spec, release, MinimaOf(spec, release));
  TakePodLevel(spec, release, out);
  return out;
}

}  // namespace

Strings::Strings() { Intern(""); }

Id Strings::Intern(std::string_view text) {
  if (const auto it = ids_.find(text); it != ids_.end()) return it->second;
  const Id id = static_cast<Id>(texts_.size());
  const std::string& kept = texts_.emplace_back(text);
  ids_.emplace(kept, id);
  const bool signs = text.starts_with("+-");
  integers_.push_back(signs ? std::nullopt
                            : WholeNumber<std::int64_t>(text.substr(text.starts_with('+'))));
  return id;
}

Id Strings::Find(std::string_view text) const {
  const auto it = ids_.find(text);
  return it == ids_.end() ? kNone : it->second;
}

Id FindLabel(const ObjectLabels& labels, Id key) {
  for (const Label& label : labels) {
    if (label.key == key) return label.value;
    if (label.key > key) break;
  }
  return kNone;
}

bool Matches(const LabelSelector& selector, const ObjectLabels& labels) {
  if (selector.nothing) return false;
  return std::ranges::all_of(selector.requirements, [&](const Requirement& r) {
    return Holds(r, FindLabel(labels, r.key), nullptr);
  });
}

bool Matches(const NodeSelectorTerm& term, const ObjectLabels& labels, Id name,
             const Strings& strings) {
  if (term.invalid || (term.expressions.empty() && term.fields.empty())) return false;
  for (const Requirement& r : term.expressions) {
    if (!Holds(r, FindLabel(labels, r.key), &strings)) return false;
  }
  return std::ranges::all_of(term.fields,
                             [&](const Requirement& r) { return Holds(r, name, nullptr); });
}

bool MatchesAny(const std::optional<std::vector<NodeSelectorTerm>>& terms,
                const ObjectLabels& labels, Id name, const Strings& strings) {
  return !terms || std::ranges::any_of(*terms, [&](const NodeSelectorTerm& term) {
    return Matches(term, labels, name, strings);
  });
}

const Taint* UntoleratedTaint(const PodSpec& spec, const Node& node, Effect also) {
  for (const Taint& taint : node.taints) {
    if (taint.effect != Effect::kNoSchedule && taint.effect != also) continue;
    if (!Tolerates(spec.tolerations, taint)) return &taint;
  }
  return nullptr;
}

bool MatchesRequiredNodeAffinity(const PodSpec& spec, const Node& node, const Strings& strings) {
  for (const Label& label : spec.node_selector) {
    if (FindLabel(node.labels, label.key) != label.value) return false;
  }
  return MatchesAny(spec.node_affinity.required, node.labels, node.name, strings);
}

bool Tolerates(const std::vector<Toleration>& tolerations, const Taint& taint) {
  return std::ranges::any_of(tolerations, [&](const Toleration& toleration) {
    if (toleration.invalid) return false;
    if (toleration.effect != Effect::kAny && toleration.effect != taint.effect) return false;
    if (toleration.key != kEmptyText && toleration.key != taint.key) return false;
    return toleration.exists || toleration.value == taint.value;
  });
}

bool Collide(const std::vector<HostPort>& wanted, const std::vector<HostPort>& used) {
  return std::ranges::any_of(wanted, [&](const HostPort& port) {
    return std::ranges::any_of(used, [&](const HostPort& other) {
      const bool same_ip = other.ip == port.ip || other.ip == kEmptyText || port.ip == kEmptyText;
      return same_ip && other.port == port.port && other.protocol == port.protocol;
    });
  });
}

std::int64_t Resources::Scalar(Id name) const {
  const auto at = std::ranges::find(scalars, name, &ScalarAmount::name);
  return at == scalars.end() ? 0 : at->amount;
}

void Resources::AddScalar(Id name, std::int64_t amount) {
  auto at = std::ranges::lower_bound(scalars, name, {}, &ScalarAmount::name);
  if (at == scalars.end() || at->name != name) at = scalars.insert(at, {name, 0});
  at->amount += amount;
}

void Resources::Add(const Resources& more, int times) {
  milli_cpu += times * more.milli_cpu;
  memory += times * more.memory;
  ephemeral_storage += times * more.ephemeral_storage;
  for (const ScalarAmount& s : more.scalars) AddScalar(s.name, times * s.amount);
}

void Resources::RaiseTo(const Resources& least) {
  milli_cpu = std::max(milli_cpu, least.milli_cpu);
  memory = std::max(memory, least.memory);
  ephemeral_storage = std::max(ephemeral_storage, least.ephemeral_storage);
  for (const ScalarAmount& s : least.scalars) {
    AddScalar(s.name, std::max<std::int64_t>(s.amount - Scalar(s.name), 0));
  }
}

bool Resources::FitsIn(const Resources& capacity) const {
  return milli_cpu <= capacity.milli_cpu && memory <= capacity.memory &&
         ephemeral_storage <= capacity.ephemeral_storage &&
         std::ranges::all_of(scalars, [&](const ScalarAmount& scalar) {
           return scalar.amount <= capacity.Scalar(scalar.name);
         });
}

void Resolve(PodSpec& spec, const Release& release) {
  spec.request = Total(spec, release, {});
  TakePodLevel(spec, release, spec.request);
  spec.request.Add(spec.overhead);
  const Resources nonzero = NonZeroOf(spec, release);
  spec.nonzero = {nonzero.milli_cpu + spec.overhead.milli_cpu,
                  nonzero.memory + spec.overhead.memory};
  // Until 1.27 the scorers add an incoming pod's cpu overhead as whole cores, taken for milli.
  const std::int64_t overhead_cpu =
      release.minor <= 27 ? spec.overhead_cpu_value : spec.overhead.milli_cpu;
  // Scorers with minima add up the containers, whatever the pod itself asks for.
  const Resources scored = Total(spec, release, {true, true});
  spec.score_nonzero = {scored.milli_cpu + overhead_cpu, scored.memory + spec.overhead.memory};
  spec.score_milli_cpu = spec.request.milli_cpu - spec.overhead.milli_cpu + overhead_cpu;
  if (release.minor >= 34) {
    spec.host_ports.insert(spec.host_ports.end(), spec.sidecar_ports.begin(),
                           spec.sidecar_ports.end());
    spec.sidecar_ports.clear();
  }
}

}  // namespace schedlens::sim::core
