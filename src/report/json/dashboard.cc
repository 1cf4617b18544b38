// The Grafana dashboard of the stage tree.

#include "kube/stage.h"
#include "model/text.h"
#include "report/json/writer.h"
#include "report/rules.h"
#include "report/rules_names.h"

namespace schedlens {

namespace {

struct Target {
  std::string expr, legend;
};

struct Panel {
  std::string title, type, unit, description;
  int x, y, width, height;
  std::vector<Target> targets;
  bool stacked = false;
};

void WriteDataSource(JsonWriter& json) {
  json.Object("datasource", [&] {
    json("type", "prometheus");
    json("uid", "${datasource}");
  });
}

void WriteTarget(JsonWriter& json, const Panel& panel, std::size_t i) {
  WriteDataSource(json);
  json("expr", panel.targets[i].expr);
  json("legendFormat", panel.targets[i].legend);
  json("format", panel.type == "heatmap" ? "heatmap" : "time_series");
  json("refId", std::string(1, static_cast<char>('A' + i)));
}

void WriteDefaults(JsonWriter& json, const Panel& panel) {
  json("unit", panel.unit);
  json("min", 0);
  if (!panel.stacked) return;
  json.Object("custom", [&] {
    json("fillOpacity", 40);
    json.Object("stacking", [&] { json("mode", "normal"); });
  });
}

void WritePanel(JsonWriter& json, const Panel& panel, std::size_t id) {
  json("id", id);
  json("title", panel.title);
  json("type", panel.type);
  json("description", panel.description);
  WriteDataSource(json);
  json.Object("gridPos", [&] {
    json("x", panel.x);
    json("y", panel.y);
    json("w", panel.width);
    json("h", panel.height);
  });
  json.Array("targets", [&] {
    for (std::size_t i = 0; i < panel.targets.size(); ++i) {
      json.ObjectElement([&] { WriteTarget(json, panel, i); });
    }
  });
  json.Object("fieldConfig", [&] {
    json.Object("defaults", [&] { WriteDefaults(json, panel); });
    json.Array("overrides", [] {});
  });
}

std::vector<Panel> Panels(const WatchOptions& options) {
  const std::string attempt = AttemptMetric(options);
  const std::string job = "{job=~\"$job\"}";
  return {{"Where scheduling time goes",
           "timeseries",
           "s",
           "Seconds of attempts per second, by stage. Sums add up; quantiles do not.",
           0,
           0,
           24,
           10,
           {{"sum by (extension_point) (schedlens:extension_point_seconds:rate5m" + job + ")",
             "{{extension_point}}"},
            {"sum(schedlens:algorithm_unmeasured_seconds:rate5m" + job + ")",
             std::string(ToString(kube::Stage::kAlgorithmUnmeasured))},
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

void WriteVariables(JsonWriter& json, const std::string& attempt) {
  json.ObjectElement([&] {
    json("name", "datasource");
    json("type", "datasource");
    json("query", "prometheus");
  });
  json.ObjectElement([&] {
    json("name", "job");
    json("type", "query");
    WriteDataSource(json);
    json("query", "label_values(" + attempt + "_count, job)");
    json("refresh", 2);
    json("multi", true);
    json("includeAll", true);
  });
}

}  // namespace

std::string Dashboard(const WatchOptions& options) {
  CheckWatchOptions(options);
  const auto members = [&](JsonWriter& json) {
    json("title", "kube-scheduler: where the time goes");
    json("uid", "schedlens-stages");
    json("tags", std::vector<std::string>{"schedlens", "kube-scheduler"});
    json("timezone", "utc");
    json("schemaVersion", 36);
    json("refresh", "30s");
    json.Object("time", [&] {
      json("from", "now-1h");
      json("to", "now");
    });
    json.Object("templating",
                [&] { json.Array("list", [&] { WriteVariables(json, AttemptMetric(options)); }); });
    json.Array("panels", [&] {
      std::size_t id = 0;
      for (const Panel& panel : Panels(options)) {
        json.ObjectElement([&] { WritePanel(json, panel, ++id); });
      }
    });
  };
  return JsonWriter::Document(JsonStyle::kDocument, members) + "\n";
}

}  // namespace schedlens
