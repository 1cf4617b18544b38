#include "analysis/alert/webhook.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/text.h"
#include "model/url.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using nlohmann::json;

std::string TextAt(const json& object, const char* key) {
  const auto at = object.find(key);
  return at != object.end() && at->is_string() ? at->get<std::string>() : "";
}

/// Go's zero time, year 1, says "none". Nothing too for a malformed time.
std::optional<TimeMs> TimeAt(const json& object, const char* key) {
  const std::string text = TextAt(object, key);
  if (text.empty() || text.starts_with("0001-")) return std::nullopt;
  return ParseTime(text, 0);
}

std::optional<WebhookAlert> ReadAlert(const json& entry) {
  if (!entry.is_object()) return std::nullopt;
  const auto found = entry.find("labels");
  if (found == entry.end() || !found->is_object()) return std::nullopt;
  std::vector<Labels::Pair> pairs;
  for (const auto& [label, value] : found->items()) {
    if (value.is_string()) pairs.emplace_back(label, value.get<std::string>());
  }
  WebhookAlert alert;
  alert.labels = Labels(pairs);
  alert.name = alert.labels.Get("alertname");
  alert.firing = TextAt(entry, "status") != "resolved";
  alert.start = TimeAt(entry, "startsAt");
  if (!alert.firing) alert.end = TimeAt(entry, "endsAt");
  alert.url = TextAt(entry, "generatorURL");
  return alert;
}

/// The first text under a key `expr`, however deep.
std::string FindExpr(const json& value, int depth = 0) {
  if (depth > 20 || !value.is_structured()) return "";
  if (value.is_object()) {
    if (std::string own = TextAt(value, "expr"); !own.empty()) return own;
  }
  for (const json& child : value) {
    if (std::string below = FindExpr(child, depth + 1); !below.empty()) return below;
  }
  return "";
}

/// `2026-11-21 10:00` and `2026-11-21T10:00:05`, as graph pages write their times: UTC.
std::optional<TimeMs> PageTime(std::string text) {
  std::replace(text.begin(), text.end(), ' ', 'T');
  constexpr std::size_t kMinutes = 16;  // 2026-11-21T10:00
  if (text.size() == kMinutes) text += ":00";
  if (text.size() == kMinutes + 3) text += 'Z';
  return ParseTime(text, 0);
}

}  // namespace

std::vector<WebhookAlert> ReadWebhook(std::string_view text, const std::string& name) {
  const json document = json::parse(text, nullptr, false);
  if (document.is_discarded()) {
    throw Error(ErrorKind::kFailed, fmt::format("{}: not JSON: expected what Alertmanager or "
                                                "Grafana posts to a webhook",
                                                name));
  }
  std::vector<WebhookAlert> alerts;
  const bool posted = document.is_object() && document.contains("alerts");
  const json& list = posted ? document["alerts"] : document;
  if (list.is_array()) {
    for (const json& entry : list) {
      if (auto alert = ReadAlert(entry)) alerts.push_back(std::move(*alert));
    }
  } else if (auto alert = ReadAlert(list)) {
    alerts.push_back(std::move(*alert));
  }
  if (alerts.empty()) {
    throw Error(ErrorKind::kFailed,
                fmt::format("{}: no alert in it: expected what Alertmanager or Grafana posts to a "
                            "webhook (alerts with labels)",
                            name));
  }
  return alerts;
}

std::optional<LinkedExpression> ReadGraphUrl(std::string_view url) {
  // VictoriaMetrics keeps its parameters behind `#/?`, the others behind `?`.
  LinkedExpression linked;
  for (auto at = url.find('?'); at != std::string_view::npos; at = url.find('?', at + 1)) {
    for (const auto& [key, value] :
         ParseQueryString(url.substr(at + 1, url.find('#', at) - at - 1))) {
      if (key == "g0.expr") linked.expr = value;
      if (key == "g0.end_input" || key == "g0.moment_input") {
        if (const auto time = PageTime(value)) linked.at = time;
      }
      if (key == "left" || key == "panes") {
        const json state = json::parse(value, nullptr, false);
        if (!state.is_discarded() && linked.expr.empty()) linked.expr = FindExpr(state);
      }
    }
    if (!linked.expr.empty()) return linked;
  }
  return std::nullopt;
}

}  // namespace schedlens
