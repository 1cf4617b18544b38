#include "cli/web/same_site.h"

#include <strings.h>

#include <optional>

#include "model/url.h"

namespace schedlens {
namespace {

bool SameName(const std::string& one, const char* other) {
  return strcasecmp(one.c_str(), other) == 0;
}

bool IsAddress(const std::string& host) {
  return host.starts_with('[') || host.find_first_not_of("0123456789.") == std::string::npos;
}

bool IsOurs(const Url& host, const ListenAddress& listen, const std::optional<Url>& external) {
  if (external && SameName(host.host, external->host.c_str())) return true;
  if (!listen.IsLoopback() && (!external || IsAddress(host.host))) return true;
  return SameName(host.host, "localhost") || host.host == "[::1]" ||
         (host.host.starts_with("127.") && IsAddress(host.host));
}

}  // namespace

WebReply CheckSite(const WebRequest& request, const ListenAddress& listen,
                   const std::string& external_url) {
  const auto external = ParseUrl(external_url);
  const auto host = ParseUrl("http://" + request.host);
  const bool probe =
      request.path == "/metrics" || request.path.starts_with("/-/") || request.path == "/healthz";
  if (!request.host.empty() && !probe && !(host && IsOurs(*host, listen, external))) {
    return {.status = 403, .body = "not a name of this server: see --web.external-url\n"};
  }
  if (request.method == "GET" || request.method == "HEAD") return {};
  const auto origin = ParseUrl(request.origin);
  const bool same =
      request.origin.empty() ||
      (origin && host && SameName(origin->host, host->host.c_str()) &&
       (origin->port == host->port || origin->PortOrDefault() == host->PortOrDefault())) ||
      (origin && external && SameName(origin->host, external->host.c_str()));
  const std::string& site = request.fetch_site;
  if (same && (site.empty() || site == "same-origin" || site == "none")) return {};
  return {.status = 403, .body = "from a page of another site\n"};
}

}  // namespace schedlens
