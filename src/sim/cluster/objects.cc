#include "sim/cluster/objects.h"

#include <algorithm>
#include <charconv>

namespace schedlens::sim::core {
namespace {

bool Holds(const Requirement& requirement, Id value, const Strings* strings) {
  const bool present = value != kNone;
  const auto listed = [&] {
    return std::binary_search(requirement.values.begin(), requirement.values.end(), value);
  };
  switch (requirement.op) {
    case Operator::kIn:
      return present && listed();
    case Operator::kNotIn:
      return !present || !listed();
    case Operator::kExists:
      return present;
    case Operator::kDoesNotExist:
      return !present;
    case Operator::kGt:
    case Operator::kLt: {
      if (!present || strings == nullptr || requirement.values.size() != 1) return false;
      const auto& own = strings->Integer(value);
      const auto& bound = strings->Integer(requirement.values[0]);
      if (!own || !bound) return false;
      return requirement.op == Operator::kGt ? *own > *bound : *own < *bound;
    }
  }
  return false;
}

}  // namespace

Strings::Strings() { Intern(""); }

Id Strings::Intern(std::string_view text) {
  if (const auto it = ids_.find(text); it != ids_.end()) return it->second;
  const Id id = static_cast<Id>(texts_.size());
  const std::string& kept = texts_.emplace_back(text);
  ids_.emplace(kept, id);
  std::string_view digits = text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool whole = error == std::errc() && end == digits.data() + digits.size() &&
                     !digits.empty() && !(text.starts_with('+') && digits.starts_with('-'));
  integers_.push_back(whole ? std::optional(value) : std::nullopt);
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
  return std::all_of(
      selector.requirements.begin(), selector.requirements.end(),
      [&](const Requirement& r) { return Holds(r, FindLabel(labels, r.key), nullptr); });
}

bool Matches(const NodeSelectorTerm& term, const ObjectLabels& labels, Id name,
             const Strings& strings) {
  if (term.invalid || (term.expressions.empty() && term.fields.empty())) return false;
  for (const Requirement& r : term.expressions) {
    if (!Holds(r, FindLabel(labels, r.key), &strings)) return false;
  }
  return std::all_of(term.fields.begin(), term.fields.end(),
                     [&](const Requirement& r) { return Holds(r, name, nullptr); });
}

bool Tolerates(const Toleration& toleration, const Taint& taint) {
  if (toleration.invalid) return false;
  if (toleration.effect != Effect::kAny && toleration.effect != taint.effect) return false;
  if (toleration.key != kEmptyText && toleration.key != taint.key) return false;
  return toleration.exists || toleration.value == taint.value;
}

std::int64_t Resources::Scalar(Id name) const {
  for (const ScalarAmount& scalar : scalars) {
    if (scalar.name == name) return scalar.amount;
  }
  return 0;
}

void Resources::AddScalar(Id name, std::int64_t amount) {
  const auto at = std::lower_bound(scalars.begin(), scalars.end(), name,
                                   [](const ScalarAmount& s, Id id) { return s.name < id; });
  if (at != scalars.end() && at->name == name) {
    at->amount += amount;
  } else {
    scalars.insert(at, {name, amount});
  }
}

void Resources::RaiseTo(const Resources& least) {
  milli_cpu = std::max(milli_cpu, least.milli_cpu);
  memory = std::max(memory, least.memory);
  ephemeral_storage = std::max(ephemeral_storage, least.ephemeral_storage);
  for (const ScalarAmount& s : least.scalars) {
    AddScalar(s.name, std::max<std::int64_t>(s.amount - Scalar(s.name), 0));
  }
}

}  // namespace schedlens::sim::core
