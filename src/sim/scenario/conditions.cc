#include "sim/scenario/conditions.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <set>

#include "model/nearest.h"

namespace schedlens::sim {
namespace {

StepCost ReadStep(Section& section, const std::string& key, StepCost step) {
  const YAML::Node node = section.Find(key);
  if (!node || node.IsNull()) return step;
  step.computed = false;
  if (node.IsScalar()) {
    step.wall = section.ReadDistribution(node, key);
    step.per_node = 0;
    step.per_pod = 0;
    return step;
  }
  Section map = section.Child(node, key);
  step.wall = map.Spread("wall", step.wall);
  step.per_node = map.Number("per_node", step.per_node, 0, 10);
  step.per_pod = map.Number("per_pod", step.per_pod, 0, 10);
  map.Finish();
  return step;
}

struct Fault {
  Nanos start = 0;
  Nanos end = 0;
  YAML::Node node;
  std::string path;
};

void BuildSegments(const Section& root, const std::vector<Fault>& faults, const Conditions& base,
                   Scenario* scenario) {
  std::set<Nanos> edges = {0};
  for (const Fault& fault : faults) {
    edges.insert(fault.start);
    edges.insert(fault.end);
  }
  for (Nanos edge : edges) {
    Segment segment{edge, base};
    for (const Fault& fault : faults) {
      if (edge < fault.start || edge >= fault.end) continue;
      Section section = root.Child(fault.node, fault.path);
      section.Find("name");
      section.Find("start");
      section.Find("end");
      ReadConditions(section, *scenario, &segment.conditions);
      ReadRequestPath(section, &segment.conditions.path);
      section.Finish();
    }
    scenario->segments.push_back(std::move(segment));
  }
}

// Microseconds, unless the text has a unit of time.
double ReadMicroseconds(const Section& section, const YAML::Node& node, const std::string& name) {
  constexpr double kMost = 1e6;
  std::string text = node.IsScalar() ? node.Scalar() : "";
  const std::string_view severity = "severity";
  for (auto at = text.find(severity); at != std::string::npos; at = text.find(severity)) {
    text.erase(at, severity.size());
  }
  const bool number = text.find_first_not_of(" 0123456789.+-*eE") == std::string::npos;
  const double value = section.Scalar(node, name);
  return section.Bounded(node, name, number ? value : value * 1e6, 0, kMost);
}

void ReadCores(Section& section, Conditions* conditions) {
  const char* key = section.Has("processors") ? "processors" : "cores";
  if (section.Has("processors") && section.Has("cores")) {
    section.Fail(section.node()["processors"],
                 "`processors` is the old name of `cores`; only one of them may be given");
  }
  section.Find("cores");
  section.Find("processors");
  conditions->cores = section.Count(key, conditions->cores, 0, 1024);
  conditions->gc = section.Flag("gc", conditions->gc);
}

}  // namespace

void ReadUnitCosts(Section& parent, cost::UnitCosts* units) {
  const YAML::Node given = parent.Find("unit_costs");
  if (!given || given.IsNull()) return;
  Section section = parent.Child(given, "unit_costs");
  if (const std::string release = section.Text("release", ""); !release.empty()) {
    const auto measured = cost::UnitCosts::Measured(release);
    if (!measured) {
      section.Fail(given["release"],
                   fmt::format("unit costs were measured on 1.30 and 1.36, not on `{}`", release));
    }
    *units = *measured;
  }
  for (const std::string& name : cost::UnitNames()) {
    const YAML::Node node = section.Find(name);
    if (!node || node.IsNull()) continue;
    cost::UnitCost unit;
    if (node.IsMap()) {
      Section map = section.Child(node, name);
      unit.hot_us = map.Number("hot_us", 0, 0, 1e6);
      unit.cold_us = map.Number("cold_us", unit.hot_us, 0, 1e6);
      map.Finish();
    } else {
      unit.hot_us = unit.cold_us = ReadMicroseconds(section, node, name);
    }
    units->Set(*cost::FindUnit(name), unit);
  }
  const double core_ns = section.Number("core_ns", units->core_ns(), 0.01, 1000);
  units->Calibrate(core_ns, section.Number("memory_ns", units->memory_ns(), 0.01, 100'000));
  section.Finish();
}

void ReadCosts(Section section, Costs* costs) {
  for (std::size_t i = 0; i < kCostCount; ++i) {
    const auto cost = static_cast<Cost>(i);
    (*costs)[cost] = ReadStep(section, std::string(CostKey(cost)), (*costs)[cost]);
  }
  costs->noise = section.Spread("noise", costs->noise);
  costs->prefilter_error = section.Number("prefilter_error", costs->prefilter_error, 0, 1);
  costs->claim_late = section.Number("claim_late", costs->claim_late, 0, 1);
  costs->filter_error = section.Number("filter_error", costs->filter_error, 0, 1);
  costs->reserve_error = section.Number("reserve_error", costs->reserve_error, 0, 1);
  costs->prebind_error = section.Number("prebind_error", costs->prebind_error, 0, 1);
  costs->bind_error = section.Number("bind_error", costs->bind_error, 0, 1);
  costs->ext_filter_error = section.Number("ext_filter_error", costs->ext_filter_error, 0, 1);
  costs->ext_bind_error = section.Number("ext_bind_error", costs->ext_bind_error, 0, 1);
  section.Finish();
}

CostOverrides ReadOverrides(Section section) {
  CostOverrides out;
  for (std::size_t i = 0; i < kCostCount; ++i) {
    const auto cost = static_cast<Cost>(i);
    const std::string key(CostKey(cost));
    if (section.Has(key)) {
      out.emplace_back(cost, ReadStep(section, key, StepCost()));
    } else {
      section.Find(key);
    }
  }
  section.Finish();
  return out;
}

std::size_t TemplateIndex(const Section& section, const Scenario& scenario, const YAML::Node& at,
                          const std::string& name) {
  std::vector<std::string> names;
  for (const PodTemplate& pod : scenario.templates) names.push_back(pod.name);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    section.Fail(at,
                 fmt::format("no template `{}`, did you mean `{}`?", name, Nearest(name, names)));
  }
  return static_cast<std::size_t>(found - names.begin());
}

void ReadConditions(Section& section, const Scenario& scenario, Conditions* conditions) {
  conditions->rate = section.Number("rate", conditions->rate, 0, 1e5);
  conditions->burst = section.Count("burst", conditions->burst, 1, 100'000);
  ReadCores(section, conditions);
  conditions->slice = section.Number("slice", conditions->slice, 0, 10);
  if (const YAML::Node weights = section.Find("weights"); weights) {
    for (const auto& item : weights) {
      const std::string name = item.first.Scalar();
      const std::size_t index = TemplateIndex(section, scenario, item.first, name);
      conditions->weights[index] =
          section.Bounded(item.second, name, section.Scalar(item.second, name), 0, 1e6);
    }
  }
  if (section.Has("costs")) {
    ReadCosts(section.Sub("costs"), &conditions->costs);
  } else {
    section.Find("costs");
  }
  ReadUnitCosts(section, &conditions->units);
  if (const YAML::Node by_template = section.Find("template_costs"); by_template) {
    for (const auto& item : by_template) {
      const std::string name = item.first.Scalar();
      const std::size_t index = TemplateIndex(section, scenario, item.first, name);
      CostOverrides overrides = ReadOverrides(section.Child(item.second, name));
      CostOverrides& target = conditions->template_costs[index];
      // The later one wins, so new overrides go in front.
      target.insert(target.begin(), overrides.begin(), overrides.end());
    }
  }
}

void ReadSegments(Section& top, const Conditions& base, Scenario* scenario) {
  std::vector<Fault> faults;
  if (const YAML::Node list = top.Find("faults"); list) {
    if (!list.IsSequence()) top.Fail(list, "`faults` must be a list");
    for (std::size_t i = 0; i < list.size(); ++i) {
      Section section = top.Child(list[i], fmt::format("faults[{}]", i));
      Fault fault;
      fault.start = section.Duration("start", scenario->incident_start);
      fault.end = section.Duration("end", scenario->incident_end);
      fault.node = list[i];
      fault.path = fmt::format("faults[{}]", i);
      if (fault.end <= fault.start) section.Fail(list[i], "`end` must be later than `start`");
      faults.push_back(fault);
    }
  }
  BuildSegments(top, faults, base, scenario);
}

}  // namespace schedlens::sim
