#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>

#include "diagnose/doctor/doctor.h"

namespace schedlens {
namespace {

using kube::Component;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::vector<Component> kAll = {Component::kApiServer, Component::kEtcd,
                                     Component::kKubeStateMetrics, Component::kControllerManager,
                                     Component::kCsiSidecar};

std::vector<std::string> JobsIn(const YAML::Node& items) {
  std::vector<std::string> jobs;
  for (const YAML::Node& item : items) jobs.push_back(item["job_name"].as<std::string>());
  return jobs;
}

std::string YamlOf(const std::vector<ScrapeConfiguration>& all, const std::string& tool) {
  for (const ScrapeConfiguration& one : all) {
    if (one.tool == tool) return one.yaml;
  }
  ADD_FAILURE() << "none for " << tool;
  return "";
}

TEST(ScrapeConfiguration, ThereIsNoneWhereNothingIsMissing) {
  EXPECT_THAT(ScrapeConfigurations({}), IsEmpty());
}

TEST(ScrapeConfiguration, EachToolGetsTheJobsThatAreMissing) {
  const auto all = ScrapeConfigurations({Component::kKubeStateMetrics, Component::kEtcd});
  ASSERT_EQ(all.size(), 3U);
  for (const ScrapeConfiguration& one : all) {
    EXPECT_THAT(one.components, ElementsAre("etcd", "kube-state-metrics")) << one.tool;
  }
  EXPECT_THAT(JobsIn(YAML::Load(YamlOf(all, "prometheus"))["scrape_configs"]),
              ElementsAre("etcd", "kube-state-metrics"));
  const YAML::Node values = YAML::Load(YamlOf(all, "kube-prometheus-stack"));
  EXPECT_TRUE(values["kubeEtcd"]["enabled"].as<bool>());
  EXPECT_TRUE(values["kubeStateMetrics"]["enabled"].as<bool>());
  EXPECT_FALSE(values["kubeApiServer"]);
  EXPECT_FALSE(values["prometheus"]) << "the chart knows both";
}

TEST(ScrapeConfiguration, EachJobFindsItsTargetsByKubernetes) {
  const YAML::Node items =
      YAML::Load(YamlOf(ScrapeConfigurations(kAll), "prometheus"))["scrape_configs"];
  ASSERT_EQ(items.size(), kAll.size());
  for (const YAML::Node& item : items) {
    const auto role = item["kubernetes_sd_configs"][0]["role"].as<std::string>();
    EXPECT_TRUE(role == "pod" || role == "endpoints") << role;
    EXPECT_GT(item["relabel_configs"].size(), 0U) << "every pod would be a target";
  }
}

TEST(ScrapeConfiguration, WhatTheChartDoesNotKnowIsAScrapeConfigurationThere) {
  const YAML::Node values = YAML::Load(YamlOf(ScrapeConfigurations(kAll), "kube-prometheus-stack"));
  EXPECT_THAT(JobsIn(values["prometheus"]["prometheusSpec"]["additionalScrapeConfigs"]),
              ElementsAre("csi-sidecars"));
}

/// The collector puts the environment in place of `$NAME`, and a dollar in place of `$$`: what is
/// left is what Prometheus gets.
TEST(ScrapeConfiguration, TheCollectorScrapesWhatPrometheusWould) {
  const auto all = ScrapeConfigurations(kAll);
  const std::string yaml = YamlOf(all, "opentelemetry-collector");
  EXPECT_EQ(yaml.find("\"$1"), std::string::npos) << "would be an empty environment variable";
  const std::string expanded = std::regex_replace(yaml, std::regex("\\$\\$"), "$$");
  const YAML::Node collector = YAML::Load(expanded);
  const YAML::Node prometheus = YAML::Load(YamlOf(all, "prometheus"));
  EXPECT_EQ(YAML::Dump(collector["receivers"]["prometheus/neighbours"]["config"]["scrape_configs"]),
            YAML::Dump(prometheus["scrape_configs"]));
  EXPECT_EQ(
      collector["service"]["pipelines"]["metrics/neighbours"]["receivers"][0].as<std::string>(),
      "prometheus/neighbours");
}

/// Debian's promtool knows no discovery by Kubernetes: a fixed target stands in for it.
TEST(ScrapeConfiguration, PrometheusTakesIt) {
  if (std::system("promtool --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no promtool here";
  const std::string path = std::filesystem::temp_directory_path() / "schedlens-scrape.yml";
  std::ofstream(path) << std::regex_replace(YamlOf(ScrapeConfigurations(kAll), "prometheus"),
                                            std::regex("kubernetes_sd_configs: .*"),
                                            "static_configs: [{targets: [a]}]");
  const std::string check = "promtool check config --syntax-only " + path;
  EXPECT_EQ(std::system((check + " >/dev/null").c_str()), 0) << check;
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace schedlens
