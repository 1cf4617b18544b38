#include "analysis/breakdown/plugins.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "analysis/breakdown/time_breakdown.h"

namespace schedlens {

std::vector<PluginRow> RankPlugins(const Facts& facts, const TimeRange& window) {
  std::map<std::pair<std::string, std::string>, Amount> amounts;
  std::map<std::string, double> seconds_of_point;
  for (const CounterIncrease& c : IncreasesOf(facts, "plugin_execution", window)) {
    const std::string point(c.labels.Get("extension_point"));
    Amount& amount = amounts[{point, std::string(c.labels.Get("plugin"))}];
    if (c.labels.Get(kMetricName).ends_with("_count")) {
      amount.count += c.increase;
    } else {
      amount.seconds += c.increase;
      seconds_of_point[point] += c.increase;
    }
  }
  std::vector<PluginRow> rows;
  for (const auto& [key, amount] : amounts) {
    if (amount.count <= 0) continue;
    const double all = seconds_of_point[key.first];
    PluginRow row{key.first, key.second, amount.count, amount.mean(), {}};
    if (all > 0) row.wall_share = Estimated(amount.seconds / all, "1", BasisKind::kLossySample);
    rows.push_back(std::move(row));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const PluginRow& a, const PluginRow& b) {
    if (a.extension_point != b.extension_point) return a.extension_point < b.extension_point;
    return a.wall_share.value.value_or(0) > b.wall_share.value.value_or(0);
  });
  return rows;
}

}  // namespace schedlens
