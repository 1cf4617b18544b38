#include "sim/engine/rest_metrics.h"

#include <fmt/format.h>

namespace schedlens::sim {
namespace {

struct RequestRow {
  std::string_view verb;
  std::string_view path;
};

// By Request. Names are replaced by placeholders, percent-encoded in the label.
constexpr RequestRow kRequests[] = {
    {"POST", "/api/v1/namespaces/%7Bnamespace%7D/pods/%7Bname%7D/binding"},
    {"PATCH", "/api/v1/namespaces/%7Bnamespace%7D/pods/%7Bname%7D/status"},
    {"DELETE", "/api/v1/namespaces/%7Bnamespace%7D/pods/%7Bname%7D"},
    {"PUT", "/api/v1/namespaces/%7Bnamespace%7D/persistentvolumeclaims/%7Bname%7D"},
    {"POST", "/apis/events.k8s.io/v1/namespaces/%7Bnamespace%7D/events"},
    {"PATCH", "/apis/events.k8s.io/v1/namespaces/%7Bnamespace%7D/events/%7Bname%7D"},
};

// What the informers list at start-up.
constexpr std::string_view kLists[] = {
    "/api/v1/nodes?limit=%7Bvalue%7D&resourceVersion=%7Bvalue%7D",
    "/api/v1/persistentvolumeclaims?limit=%7Bvalue%7D&resourceVersion=%7Bvalue%7D",
    "/api/v1/persistentvolumes?limit=%7Bvalue%7D&resourceVersion=%7Bvalue%7D",
    "/api/v1/pods?fieldSelector=%7Bvalue%7D&limit=%7Bvalue%7D&resourceVersion=%7Bvalue%7D",
    "/api/v1/replicationcontrollers?limit=%7Bvalue%7D&resourceVersion=%7Bvalue%7D",
    "/api/v1/services?limit=%7Bvalue%7D&resourceVersion=%7Bvalue%7D",
    "/apis/apps/v1/replicasets?limit=%7Bvalue%7D&resourceVersion=%7Bvalue%7D",
    "/apis/apps/v1/statefulsets?limit=%7Bvalue%7D&resourceVersion=%7Bvalue%7D",
    "/apis/events.k8s.io/v1?timeout=32s",
    "/apis/policy/v1beta1/poddisruptionbudgets?limit=%7Bvalue%7D&resourceVersion=%7Bvalue%7D",
    "/apis/storage.k8s.io/v1/csinodes?limit=%7Bvalue%7D&resourceVersion=%7Bvalue%7D",
    "/apis/storage.k8s.io/v1/storageclasses?limit=%7Bvalue%7D&resourceVersion=%7Bvalue%7D",
};

std::string HostOf(const std::string& api) {
  const std::size_t at = api.find("://");
  return at == std::string::npos ? api : api.substr(at + 3);
}

}  // namespace

std::string RestMetrics::Target(std::string_view path) const {
  const std::string host = HostOf(scenario_.api_host);
  if (scenario_.release.rest_client_by_host()) return host;
  const bool has_scheme = host.size() != scenario_.api_host.size();
  return fmt::format("{}{}{}", has_scheme ? "" : "https://", scenario_.api_host, path);
}

void RestMetrics::ObserveLists(Random& random) {
  for (std::string_view path : kLists) {
    const double seconds = 0.002 + 0.002 * random.Uniform();
    registry_.Get(Metric::kRestRequest, {"GET", Target(path)}).Observe(seconds);
    registry_.Get(Metric::kRestLimiter, {"GET", Target(path)}).Observe(1e-6);
    registry_.Get(Metric::kRestRequests, {"200", "GET", HostOf(scenario_.api_host)}).value += 2;
  }
}

void RestMetrics::Observe(Request request, int code, Nanos wait, Nanos total) {
  const RequestRow& row = kRequests[static_cast<std::size_t>(request)];
  Children& children = children_[static_cast<std::size_t>(request)];
  if (children.request == nullptr) {
    const std::string target = Target(row.path);
    children.request = &registry_.Get(Metric::kRestRequest, {row.verb, target});
    children.limiter = &registry_.Get(Metric::kRestLimiter, {row.verb, target});
  }
  children.request->Observe(ToSeconds(total));
  // Even an idle limiter takes a few microseconds.
  children.limiter->Observe(ToSeconds(wait) + 2.5e-6);
  if (children.answers == nullptr || children.code != code) {
    children.code = code;
    children.answers =
        &registry_.Get(Metric::kRestRequests,
                       {fmt::format_int(code).c_str(), row.verb, HostOf(scenario_.api_host)});
  }
  children.answers->value += 1;
}

}  // namespace schedlens::sim
