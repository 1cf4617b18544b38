// The Grafana dashboard of the stage tree.

#include <nlohmann/json.hpp>

#include "model/text.h"
#include "report/rules.h"
#include "report/rules_names.h"

namespace schedlens {

namespace {

using Json = nlohmann::ordered_json;

struct Target {
  std::string expr, legend;
};

struct Panel {
  std::string title, type, unit, description;
  int x, y, width, height;
  std::vector<Target> targets;
  bool stacked = false;
};

const Json& DataSource() {
  static const Json source = {{"type", "prometheus"}, {"uid", "${datasource}"}};
  return source;
}

Json Draw(const Panel& panel, int id) {
  Json targets = Json::array();
  for (const Target& target : panel.targets) {
    const std::string ref(1, static_cast<char>('A' + targets.size()));
    targets.push_back({{"datasource", DataSource()},
                       {"expr", target.expr},
                       {"legendFormat", target.legend},
                       {"format", panel.type == "heatmap" ? "heatmap" : "time_series"},
                       {"refId", ref}});
  }
  Json json = {
      {"id", id},
      {"title", panel.title},
      {"type", panel.type},
      {"description", panel.description},
      {"datasource", DataSource()},
      {"gridPos", {{"x", panel.x}, {"y", panel.y}, {"w", panel.width}, {"h", panel.height}}},
      {"targets", targets},
      {"fieldConfig",
       {{"defaults", {{"unit", panel.unit}, {"min", 0}}}, {"overrides", Json::array()}}}};
  if (panel.stacked) {
    json["fieldConfig"]["defaults"]["custom"] = {{"fillOpacity", 40},
                                                 {"stacking", {{"mode", "normal"}}}};
  }
  return json;
}

std::vector<Panel> Panels(const WatchOptions& options) {
  const std::string attempt = AttemptMetric(options);
  const std::string job = "{job=~\"$job\"}";
  return {
      {"Where scheduling time goes",
       "timeseries",
       "s",
       "Seconds of attempts per second, by stage. Sums add up; quantiles do not.",
       0,
       0,
       24,
       10,
       {{"sum by (extension_point) (schedlens:extension_point_seconds:rate5m" + job + ")",
         "{{extension_point}}"},
        {"sum(schedlens:algorithm_unmeasured_seconds:rate5m" + job + ")", "algorithm.unmeasured"},
        {"sum(schedlens:unmeasured_seconds:rate5m" + job + ")", "bind.unmeasured and rest"}},
       true},
      {"Scheduled attempts over " + FormatNumber(options.threshold) + " s",
       "timeseries",
       "percentunit",
       "The bound of a bucket: counted, not interpolated. 1 % is the p99.",
       0,
       10,
       12,
       8,
       {{"schedlens:attempts_over_threshold:ratio_rate5m" + job, "{{job}}"}}},
      {"Attempts by result",
       "timeseries",
       "ops",
       "Failed attempts are quick and dilute quantiles.",
       12,
       10,
       12,
       8,
       {{"sum by (result) (schedlens:attempts:rate5m" + job + ")", "{{result}}"}}},
      {"Scheduled attempts by duration",
       "heatmap",
       "s",
       "The buckets themselves.",
       0,
       18,
       12,
       9,
       {{"sum by (le) (increase(" + attempt +
             "_bucket{job=~\"$job\", result=\"scheduled\"}[$__rate_interval]))",
         "{{le}}"}}},
      {"Pods waiting",
       "timeseries",
       "short",
       "By queue.",
       12,
       18,
       12,
       9,
       {{"sum by (queue) (scheduler_pending_pods" + job + ")", "{{queue}}"}}}};
}

Json Variables(const std::string& attempt) {
  return {{{"name", "datasource"}, {"type", "datasource"}, {"query", "prometheus"}},
          {{"name", "job"},
           {"type", "query"},
           {"datasource", DataSource()},
           {"query", "label_values(" + attempt + "_count, job)"},
           {"refresh", 2},
           {"multi", true},
           {"includeAll", true}}};
}

}  // namespace

std::string Dashboard(const WatchOptions& options) {
  CheckWatchOptions(options);
  Json panels = Json::array();
  for (const Panel& panel : Panels(options)) {
    panels.push_back(Draw(panel, static_cast<int>(panels.size()) + 1));
  }
  const Json dashboard = {{"title", "kube-scheduler: where the time goes"},
                          {"uid", "schedlens-stages"},
                          {"tags", {"schedlens", "kube-scheduler"}},
                          {"timezone", "utc"},
                          {"schemaVersion", 36},
                          {"refresh", "30s"},
                          {"time", {{"from", "now-1h"}, {"to", "now"}}},
                          {"templating", {{"list", Variables(AttemptMetric(options))}}},
                          {"panels", panels}};
  return dashboard.dump(2) + "\n";
}

}  // namespace schedlens
