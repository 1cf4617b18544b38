#include "sim/framework/client_reader.h"

#include <yaml-cpp/yaml.h>

namespace schedlens::sim::core {

void ReadClientConnection(const YamlFields& f, const YAML::Node& node, Configuration& out) {
  f.ReadFields(node, "clientConnection",
               {{"kubeconfig", YamlFields::Ignore},
                {"acceptContentTypes", YamlFields::Ignore},
                {"contentType", YamlFields::Ignore},
                {"qps",
                 [&](const auto& n) {
                   const double qps = f.Number(n, -1, 1e9);
                   if (qps != 0) out.client_qps = qps;
                 }},
                {"burst", [&](const auto& n) {
                   const std::int32_t burst = f.Int32(n, 0, 1'000'000'000);
                   if (burst != 0) out.client_burst = burst;
                 }}});
}

void CheckLeaderElection(const YamlFields& f, const YAML::Node& node) {
  f.ReadFields(node, "leaderElection",
               {{"leaderElect", [&](const auto& n) { f.Truth(n); }},
                {"leaseDuration", YamlFields::Ignore},
                {"renewDeadline", YamlFields::Ignore},
                {"retryPeriod", YamlFields::Ignore},
                {"resourceLock", YamlFields::Ignore},
                {"resourceName", YamlFields::Ignore},
                {"resourceNamespace", YamlFields::Ignore},
                // What these two were called up to v1alpha1.
                {"lockObjectName", YamlFields::Ignore},
                {"lockObjectNamespace", YamlFields::Ignore}});
}

}  // namespace schedlens::sim::core
