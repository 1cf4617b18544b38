#include "sim/framework/extender_reader.h"

#include <yaml-cpp/yaml.h>

namespace schedlens::sim::core {

void ReadExtenders(const YamlFields& f, const YAML::Node& node,
                   std::vector<ExtenderConfiguration>& extenders) {
  f.ReadList(node, "extenders", [&](const auto& item) {
    ExtenderConfiguration& out = extenders.emplace_back();
    f.ReadFields(item, "an extender",
                 {{"urlPrefix", [&](const auto& n) { out.url_prefix = f.Text(n); }},
                  {"filterVerb", [&](const auto& n) { out.filter_verb = f.Text(n); }},
                  {"prioritizeVerb", [&](const auto& n) { out.prioritize_verb = f.Text(n); }},
                  {"preemptVerb", [&](const auto& n) { out.preempt_verb = f.Text(n); }},
                  {"bindVerb", [&](const auto& n) { out.bind_verb = f.Text(n); }},
                  {"weight", [&](const auto& n) { out.weight = f.Integer(n, 0, 1'000'000'000); }},
                  {"enableHTTPS", [&](const auto& n) { out.enable_https = f.Truth(n); }},
                  {"tlsConfig", YamlFields::Ignore},
                  {"apiVersion", YamlFields::Ignore},  // of a Policy
                  {"httpTimeout",
                   [&](const auto& n) {
                     const double timeout = f.Duration(n);
                     if (timeout > 0) out.http_timeout_seconds = timeout;
                   }},
                  {"nodeCacheCapable", [&](const auto& n) { out.node_cache_capable = f.Truth(n); }},
                  {"ignorable", [&](const auto& n) { out.ignorable = f.Truth(n); }},
                  {"managedResources", [&](const auto& n) {
                     f.ReadList(n, "managedResources", [&](const auto& r) {
                       auto& managed = out.managed_resources.emplace_back();
                       f.ReadFields(r, "a managed resource",
                                    {{"name", [&](const auto& v) { managed.name = f.Text(v); }},
                                     {"ignoredByScheduler", [&](const auto& v) {
                                        managed.ignored_by_scheduler = f.Truth(v);
                                      }}});
                     });
                   }}});
    if (out.url_prefix.empty()) f.Fail(item, "an extender needs a urlPrefix");
    if (!out.prioritize_verb.empty() && out.weight < 1) {
      f.Fail(item, "an extender that prioritizes needs a weight above 0");
    }
  });
}

}  // namespace schedlens::sim::core
