#include "analysis/alert/webhook.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>

#include "model/json.h"
#include "model/text.h"
#include "model/url.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using nlohmann::json;

/// Longer text is no link that anybody followed.
constexpr std::size_t kLongestLink = std::size_t{64} << 10;

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
  alert.fingerprint = TextAt(entry, "fingerprint");
  if (alert.fingerprint.empty()) alert.fingerprint = alert.labels.ToString();
  return alert;
}

/// The first text under the key, however deep.
std::string FindText(const json& value, const char* key, int depth = 0) {
  if (depth > 20 || !value.is_structured()) return "";
  if (value.is_object()) {
    if (std::string own = TextAt(value, key); !own.empty()) return own;
  }
  for (const json& child : value) {
    if (std::string below = FindText(child, key, depth + 1); !below.empty()) return below;
  }
  return "";
}

/// The link's own server: what stands before the page of a graph.
std::string ServerOf(std::string_view url) {
  const std::size_t host = url.find("://");
  if (host == url.npos) return "";
  const std::string_view path = url.substr(0, url.find_first_of("?#", host));
  for (const std::string_view page : {"/classic/graph", "/graph", "/query", "/vmui", "/explore"}) {
    const std::size_t at = path.rfind(page);
    if (at == path.npos || at < host + 3) continue;
    const std::string_view rest = path.substr(at + page.size());
    if (rest.empty() || rest == "/") return std::string(path.substr(0, at));
  }
  return "";
}

/// What Grafana's Explore shows: the state in its address.
void ReadExplore(const json& state, std::string_view url, LinkedExpression* linked) {
  if (state.is_discarded() || !linked->expr.empty()) return;
  linked->expr = FindText(state, "expr");
  const std::string to = FindText(state, "to");
  if (to.size() > 10 && to.find_first_not_of("0123456789") == to.npos) {
    const std::size_t seconds = to.size() - 3;
    linked->at = ParseTime(to.substr(0, seconds) + "." + to.substr(seconds), 0);
  }
  std::string uid = FindText(state, "uid");
  if (uid.empty()) uid = FindText(state, "datasource");
  const std::string grafana = ServerOf(url);
  const bool plain = std::all_of(uid.begin(), uid.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
  });
  if (!uid.empty() && plain && !grafana.empty()) {
    linked->server = grafana + "/api/datasources/proxy/uid/" + uid;
  }
}

/// `2026-11-21 10:00` and `2026-11-21T10:00:05`, as graph pages write their times: UTC.
std::optional<TimeMs> PageTime(std::string text) {
  std::replace(text.begin(), text.end(), ' ', 'T');
  constexpr std::size_t kMinutes = 16;  // 2026-11-21T10:00
  if (text.size() == kMinutes) text += ":00";
  if (text.size() == kMinutes + 3) text += 'Z';
  return ParseTime(text, 0);
}

/// The parameters behind `?`, and those behind the `#/?` where VictoriaMetrics keeps its own.
std::array<std::string_view, 2> QueriesOf(std::string_view url) {
  const std::size_t hash = std::min(url.find('#'), url.size());
  const auto behind = [](std::string_view part) {
    const std::size_t mark = part.find('?');
    return mark == part.npos ? std::string_view() : part.substr(mark + 1);
  };
  return {behind(url.substr(0, hash)), behind(url.substr(hash))};
}

}  // namespace

std::vector<WebhookAlert> ReadWebhook(std::string_view text, const std::string& name) {
  const json document = ReadJson(text);
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
  if (url.size() > kLongestLink) return std::nullopt;
  LinkedExpression linked;
  for (const std::string_view query : QueriesOf(url)) {
    for (const auto& [key, value] : ParseQueryString(query)) {
      if (key == "g0.expr") linked.expr = value;
      if (key == "g0.end_input" || key == "g0.moment_input") {
        if (const auto time = PageTime(value)) linked.at = time;
      }
      if (key == "left" || key == "panes") {
        ReadExplore(ReadJson(value), url, &linked);
      }
    }
    if (linked.expr.empty()) continue;
    if (linked.server.empty() && url.find("/explore") == url.npos) linked.server = ServerOf(url);
    return linked;
  }
  return std::nullopt;
}

}  // namespace schedlens
