#include "source/http/api_server.h"

#include <gtest/gtest.h>

#include "schedlens/error.h"

namespace schedlens {
namespace {

TEST(ApiServer, AServiceIsBehindItsProxy) {
  const std::string monitoring = "/api/v1/namespaces/monitoring/services/";
  EXPECT_EQ(ServiceProxyPath("monitoring/prometheus-k8s:9090"),
            monitoring + "prometheus-k8s:9090/proxy");
  EXPECT_EQ(ServiceProxyPath("monitoring/prometheus:web"), monitoring + "prometheus:web/proxy");
  EXPECT_EQ(ServiceProxyPath("monitoring/prometheus"), monitoring + "prometheus/proxy");
  EXPECT_EQ(ServiceProxyPath("monitoring/https:prometheus:9091"),
            monitoring + "https:prometheus:9091/proxy");
  EXPECT_EQ(ServiceProxyPath("monitoring/https:prometheus"),
            monitoring + "https:prometheus:/proxy");
  EXPECT_EQ(ServiceProxyPath("monitoring/mimir:8080/prometheus"),
            monitoring + "mimir:8080/proxy/prometheus");
}

TEST(ApiServer, RefusesWhatNamesNoService) {
  for (const char* bad : {"", "prometheus:9090", "/p:9090", "a/", "a/:9090", "a/b:", "a/b:9/../x:1",
                          "a b/c:9", "../x/y:1", "A/b:1", "a/ftp:b:1"}) {
    EXPECT_THROW(ServiceProxyPath(bad), Error) << bad;
  }
}

TEST(ApiServer, OtherServersStayAsTheyAre) {
  SourceOptions options;
  options.prometheus = "http://localhost:9090";
  EXPECT_EQ(ThroughApiServer(options).prometheus, "http://localhost:9090");
  EXPECT_EQ(ThroughApiServer(options).access, nullptr);
}

}  // namespace
}  // namespace schedlens
