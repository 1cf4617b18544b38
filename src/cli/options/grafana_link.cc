#include "cli/options/grafana_link.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "analysis/alert/grafana_rule.h"
#include "analysis/alert/webhook.h"
#include "cli/options/alert.h"
#include "model/url.h"
#include "schedlens/error.h"
#include "source/http/prometheus_source.h"

namespace schedlens {
namespace {

std::string ProxyOf(const std::string& grafana, const std::string& uid) {
  return fmt::format("{}/api/datasources/proxy/uid/{}", grafana, uid);
}

bool HasSource(const SourceOptions& source) {
  return !source.prometheus.empty() || !source.capture.empty() || !source.scenario.empty() ||
         !source.scrape_before.empty();
}

/// What --header and its like hold is for the server that is named next to them.
void CheckMayAsk(const GrafanaRulePage& page, const SourceOptions& source) {
  if (source.prometheus.empty()) return CheckGivenFor(page.grafana, source);
  if (!SendsCredentials(source)) return;
  if (SameServer(source.prometheus, page.grafana)) return;
  const auto url = ParseUrl(page.grafana);
  throw Error(ErrorKind::kUsage,
              fmt::format("--alert is a rule's page at {}, and credentials for --prometheus are "
                          "sent to no other server: give the rule's expression as --alert",
                          url ? url->WithoutSecrets() : "?"));
}

void FollowRule(const GrafanaRulePage& page, AlertRequest* request, SourceOptions* source) {
  std::string uid;
  if (page.uid.empty()) {
    request->alert = page.name;
    request->is_name = true;
    if (HasSource(*source)) return;
    CheckMayAsk(page, *source);
    uid = ReadDatasourceUid(FetchPage(
        *source, page.grafana + "/api/datasources/name/" + PercentEncode(page.datasource)));
  } else {
    CheckMayAsk(page, *source);
    const GrafanaRule rule = ReadGrafanaRule(
        FetchPage(*source, page.grafana + "/api/v1/provisioning/alert-rules/" + page.uid));
    request->alert = rule.expr;
    uid = rule.datasource_uid;
  }
  if (!HasSource(*source)) source->prometheus = ProxyOf(page.grafana, uid);
}

void RefuseDashboard(const char* option, const std::string& text) {
  const auto url = text.find("://") == std::string::npos ? std::nullopt : ParseUrl(text);
  if (!url || url->path.find("/d/") == std::string::npos) return;
  if (url->path.find("/api/") != std::string::npos) return;
  throw Error(ErrorKind::kUsage,
              fmt::format("{}: a Grafana dashboard's address names no data source: give the "
                          "address of a panel's Explore, or --prometheus "
                          "GRAFANA/api/datasources/proxy/uid/UID",
                          option));
}

}  // namespace

bool SameServer(const std::string& one, const std::string& other) {
  const auto same = [](const std::string& a, const std::string& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
      return std::tolower(x) == std::tolower(y);
    });
  };
  const auto a = ParseUrl(one), b = ParseUrl(other);
  return a && b && a->unix_socket.empty() && b->unix_socket.empty() && a->scheme == b->scheme &&
         same(a->host, b->host) && a->PortOrDefault() == b->PortOrDefault();
}

void FollowExplore(SourceOptions* source) {
  RefuseDashboard("--prometheus", source->prometheus);
  if (source->prometheus.find("/explore?") == std::string::npos) return;
  const auto linked = ReadGraphUrl(source->prometheus);
  if (linked && !linked->server.empty()) source->prometheus = linked->server;
}

void FollowGrafana(AlertRequest* request, SourceOptions* source) {
  FollowExplore(source);
  if (request->is_name) return;
  RefuseDashboard("--alert", request->alert);
  if (const auto page = ReadRulePage(request->alert)) FollowRule(*page, request, source);
}

}  // namespace schedlens
