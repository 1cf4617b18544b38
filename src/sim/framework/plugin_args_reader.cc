#include "sim/framework/plugin_args_reader.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

namespace schedlens::sim::core {
namespace {

class ArgsReader : private YamlFields {
 public:
  ArgsReader(const YamlFields& yaml, ApiVersion version) : YamlFields(yaml), version_(version) {}

  void Read(const std::string& name, const YAML::Node& at, const YAML::Node& values,
            PluginArgs& args) const {
    ReadFields(values, fmt::format("{}Args", name), FieldsOf(name, args));
    if (name == "RequestedToCapacityRatio" && args.ratio_shape.empty()) {
      Fail(at, "RequestedToCapacityRatioArgs needs a shape");
    }
    if (name == "PodTopologySpread" && args.system_default_constraints &&
        !args.default_constraints.empty()) {
      Fail(at, "defaultConstraints need defaultingType List");
    }
  }

 private:
  // The fields of one plugin's arguments, each with where its value goes.
  Fields FieldsOf(const std::string& name, PluginArgs& args) const {
    Fields fields = {{"apiVersion", Ignore}, {"kind", Ignore}};
    const auto resources = [&](std::vector<ResourceWeight>& out) {
      return [this, &out](const YAML::Node& n) { out = ReadResources(n); };
    };
    const auto shape = [&](std::vector<ShapePoint>& out) {
      return [this, &out](const YAML::Node& n) { out = ReadShape(n); };
    };
    const auto texts = [&](std::vector<std::string>& out) {
      return [this, &out](const YAML::Node& n) {
        ReadList(n, "it", [&](const auto& item) { out.push_back(Text(item)); });
      };
    };
    if (name == "NodeResourcesFit") {
      fields["ignoredResources"] = texts(args.ignored_resources);
      fields["ignoredResourceGroups"] = texts(args.ignored_resource_groups);
      fields["scoringStrategy"] = [&](const YAML::Node& n) { ReadStrategy(n, args); };
    } else if (name == "NodeResourcesLeastAllocated") {
      fields["resources"] = resources(args.least_resources);
    } else if (name == "NodeResourcesMostAllocated") {
      fields["resources"] = resources(args.most_resources);
    } else if (name == "RequestedToCapacityRatio") {
      fields["resources"] = resources(args.ratio_resources);
      fields["shape"] = shape(args.ratio_shape);
    } else if (name == "NodeResourcesBalancedAllocation") {
      fields["resources"] = resources(args.balanced_resources);
    } else if (name == "NodeAffinity") {
      fields["addedAffinity"] = [&](const YAML::Node& n) { ReadAddedAffinity(n, args); };
    } else if (name == "InterPodAffinity") {
      fields["hardPodAffinityWeight"] = [&](const YAML::Node& n) {
        args.hard_pod_affinity_weight = Integer(n, 0, 100);
      };
      fields["ignorePreferredTermsOfExistingPods"] = [&](const YAML::Node& n) {
        args.ignore_preferred_terms_of_existing_pods = Truth(n);
      };
    } else if (name == "PodTopologySpread") {
      ReadSpreadArgs(fields, args);
    } else if (name == "DefaultPreemption") {
      fields["minCandidateNodesPercentage"] = [&](const YAML::Node& n) {
        args.min_candidate_nodes_percentage = Integer(n, 0, 100);
      };
      fields["minCandidateNodesAbsolute"] = [&](const YAML::Node& n) {
        args.min_candidate_nodes_absolute = Integer(n, 0, 1'000'000'000);
      };
    } else if (name == "VolumeBinding") {
      fields["bindTimeoutSeconds"] = [&](const YAML::Node& n) {
        args.bind_timeout_seconds = Integer(n, 0, 1'000'000'000);
      };
      fields["shape"] = [&](const YAML::Node& n) { ReadShape(n); };
    }
    return fields;
  }

  void ReadStrategy(const YAML::Node& node, PluginArgs& args) const {
    ReadFields(node, "scoringStrategy",
               {{"type",
                 [&](const auto& n) {
                   const std::string text = Text(n);
                   if (text == "LeastAllocated") {
                     args.strategy = ScoringStrategy::kLeastAllocated;
                   } else if (text == "MostAllocated") {
                     args.strategy = ScoringStrategy::kMostAllocated;
                   } else if (text == "RequestedToCapacityRatio") {
                     args.strategy = ScoringStrategy::kRequestedToCapacityRatio;
                   } else {
                     Fail(n, fmt::format("unknown scoringStrategy `{}`; use LeastAllocated, "
                                         "MostAllocated or RequestedToCapacityRatio",
                                         text));
                   }
                 }},
                {"resources", [&](const auto& n) { args.fit_resources = ReadResources(n); }},
                {"requestedToCapacityRatio", [&](const auto& n) {
                   ReadFields(n, "requestedToCapacityRatio",
                              {{"shape", [&](const auto& s) { args.fit_shape = ReadShape(s); }}});
                 }}});
    if (args.strategy == ScoringStrategy::kRequestedToCapacityRatio && args.fit_shape.empty()) {
      Fail(node, "RequestedToCapacityRatio needs a shape");
    }
  }

  std::vector<ResourceWeight> ReadResources(const YAML::Node& node) const {
    std::vector<ResourceWeight> out;
    ReadList(node, "resources", [&](const auto& item) {
      ResourceWeight& resource = out.emplace_back();
      ReadFields(item, "a resource",
                 {{"name", [&](const auto& n) { resource.name = Text(n); }},
                  {"weight", [&](const auto& n) { resource.weight = Integer(n, 1, 100); }}});
    });
    return out;
  }

  std::vector<ShapePoint> ReadShape(const YAML::Node& node) const {
    std::vector<ShapePoint> out;
    ReadList(node, "shape", [&](const auto& item) {
      ShapePoint point;
      ReadFields(item, "a shape point",
                 {{"utilization", [&](const auto& n) { point.utilization = Integer(n, 0, 100); }},
                  {"score", [&](const auto& n) { point.score = Integer(n, 0, 10); }}});
      if (!out.empty() && out.back().utilization >= point.utilization) {
        Fail(item, "the shape's utilization must increase from point to point");
      }
      out.push_back(point);
    });
    return out;
  }

  void ReadSpreadArgs(Fields& fields, PluginArgs& args) const {
    if (version_ == ApiVersion::kV1Beta1) args.system_default_constraints = true;
    fields["defaultingType"] = [&](const YAML::Node& n) {
      const std::string text = Text(n);
      if (text != "List" && text != "System") Fail(n, "defaultingType must be List or System");
      args.system_default_constraints = text == "System";
    };
    fields["defaultConstraints"] = [&](const YAML::Node& n) {
      ReadList(n, "defaultConstraints", [&](const auto& item) {
        ConstraintText& out = args.default_constraints.emplace_back();
        ReadFields(item, "a constraint",
                   {{"maxSkew", [&](const auto& v) { out.max_skew = Int32(v, 1, 1'000'000); }},
                    {"topologyKey", [&](const auto& v) { out.topology_key = Text(v); }},
                    {"whenUnsatisfiable", [&](const auto& v) {
                       const std::string text = Text(v);
                       if (text != "DoNotSchedule" && text != "ScheduleAnyway") {
                         Fail(v, "whenUnsatisfiable must be DoNotSchedule or ScheduleAnyway");
                       }
                       out.hard = text == "DoNotSchedule";
                     }}});
        if (out.topology_key.empty()) Fail(item, "a constraint needs a topologyKey");
      });
    };
  }

  NodeSelectorTermText ReadTerm(const YAML::Node& node) const {
    NodeSelectorTermText out;
    const auto requirements = [&](std::vector<RequirementText>& list) {
      return [this, &list](const YAML::Node& n) {
        ReadList(n, "matchExpressions", [&](const auto& item) {
          RequirementText& requirement = list.emplace_back();
          ReadFields(item, "a requirement",
                     {{"key", [&](const auto& v) { requirement.key = Text(v); }},
                      {"operator", [&](const auto& v) { requirement.op = Text(v); }},
                      {"values", [&](const auto& v) {
                         ReadList(v, "values", [&](const auto& value) {
                           requirement.values.push_back(Text(value));
                         });
                       }}});
        });
      };
    };
    ReadFields(node, "a node selector term",
               {{"matchExpressions", requirements(out.expressions)},
                {"matchFields", requirements(out.fields)}});
    return out;
  }

  void ReadAddedAffinity(const YAML::Node& node, PluginArgs& args) const {
    AddedAffinity& out = args.added_affinity;
    ReadFields(
        node, "addedAffinity",
        {{"requiredDuringSchedulingIgnoredDuringExecution",
          [&](const auto& n) {
            out.required.emplace();
            ReadFields(n, "required", {{"nodeSelectorTerms", [&](const auto& terms) {
                                          ReadList(terms, "nodeSelectorTerms",
                                                   [&](const auto& term) {
                                                     out.required->push_back(ReadTerm(term));
                                                   });
                                        }}});
          }},
         {"preferredDuringSchedulingIgnoredDuringExecution", [&](const auto& n) {
            ReadList(n, "preferred", [&](const auto& item) {
              auto& preferred = out.preferred.emplace_back();  // clang 14 captures no bindings
              ReadFields(item, "a preferred term",
                         {{"weight", [&](const auto& v) { preferred.first = Integer(v, 1, 100); }},
                          {"preference", [&](const auto& v) { preferred.second = ReadTerm(v); }}});
            });
          }}});
  }

  ApiVersion version_;
};

}  // namespace

void ReadPluginArgs(const YamlFields& yaml, ApiVersion version, const std::string& name,
                    const YAML::Node& at, const YAML::Node& values, PluginArgs& args) {
  ArgsReader(yaml, version).Read(name, at, values, args);
}

}  // namespace schedlens::sim::core
