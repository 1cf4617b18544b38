#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "schedlens/error.h"
#include "source/http/config.h"
#include "source/http/prometheus_source.h"
#include "support/fake_server.h"

namespace schedlens {
namespace {

using test::FakeRequest;
using test::FakeServer;
using test::Http;

/// Options that reach `server` by a kubeconfig with a bearer token, and its other contexts.
SourceOptions By(const std::string& server, const std::string& user = "token: s3cret",
                 const std::string& cluster = "") {
  SourceOptions options;
  options.kubeconfig = testing::TempDir() + "/kubeconfig";
  std::ofstream(options.kubeconfig)
      << "current-context: c\nclusters: [{name: k, cluster: {server: \"" << server << "\""
      << cluster
      << "}}]\ncontexts: [{name: c, context: {cluster: k, user: u}}, {name: other, context: "
         "{cluster: k, user: u}}]\nusers: [{name: u, user: {"
      << user << "}}]\n";
  options.first_backoff_seconds = 0.001;
  return options;
}

/// What the call throws as kUsage; "other: ..." for another kind, empty for nothing.
template <typename Call>
std::string UsageError(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return (error.kind() == ErrorKind::kUsage ? "" : "other: ") + std::string(error.what());
  }
  return "";
}

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

TEST(ApiServer, ThroughItGoesWithTheKubeconfigsCredentials) {
  SourceOptions options = By("https://api.example:6443/prefix/", "token: s3cret",
                             ", proxy-url: \"http://proxy.example:3128\", tls-server-name: k8s");
  options.prometheus = "kubernetes:monitoring/prometheus:9090";
  const SourceOptions reached = ThroughApiServer(options);
  EXPECT_EQ(reached.prometheus,
            "https://api.example:6443/prefix/api/v1/namespaces/monitoring/services/prometheus:9090/"
            "proxy");
  ASSERT_TRUE(reached.access);
  EXPECT_EQ(reached.access->authorization, "Bearer s3cret");
  EXPECT_EQ(reached.access->proxy.url, "http://proxy.example:3128");
  EXPECT_EQ(reached.access->tls.server_name, "k8s");
  EXPECT_FALSE(reached.access->follow_redirects);

  std::ofstream(options.kubeconfig) << "changed\n";
  EXPECT_EQ(ThroughApiServer(options).prometheus, reached.prometheus) << "kept for a minute";
}

TEST(ApiServer, AUserAndAPasswordAreBasicAuthentication) {
  SourceOptions options = By("https://127.0.0.1:1", "username: me, password: s3cret");
  options.prometheus = "kubernetes:a/b:1";
  const SourceOptions reached = ThroughApiServer(options);
  ASSERT_TRUE(reached.access->basic_auth);
  EXPECT_EQ(reached.access->basic_auth->password, "s3cret");
  EXPECT_EQ(reached.access->authorization, "");
}

TEST(ApiServer, NamesTheContextsOfAKubeconfig) {
  EXPECT_EQ(ContextNames(By("http://127.0.0.1:1").kubeconfig),
            (std::vector<std::string>{"c", "other"}));
  EXPECT_EQ(ContextNames("/no/such/file"), std::vector<std::string>());
}

TEST(ApiServer, FetchesAKeyOfAConfigMap) {
  nlohmann::json map = {{"data", {{"only.yaml", "a: 1"}}}};
  FakeRequest got;
  FakeServer server([&](const FakeRequest& request) {
    got = request;
    return Http(200, map.dump());
  });
  SourceOptions options = By(server.url());
  options.headers = {"X-Of-Prometheus: 1"};
  EXPECT_EQ(FetchConfigMap(options, "kube-system/scheduler"), "a: 1");
  EXPECT_EQ(got.target, "/api/v1/namespaces/kube-system/configmaps/scheduler");
  EXPECT_FALSE(got.headers.contains("authorization")) << "not without TLS";
  EXPECT_FALSE(got.headers.contains("x-of-prometheus"));

  map["data"]["config.yaml"] = "b: 2";
  EXPECT_EQ(FetchConfigMap(options, "kube-system/scheduler"), "b: 2") << "a usual name";
  EXPECT_EQ(FetchConfigMap(options, "kube-system/scheduler/only.yaml"), "a: 1");
  EXPECT_EQ(UsageError([&] { FetchConfigMap(options, "kube-system/scheduler/onli.yaml"); }),
            "configmap:kube-system/scheduler/onli.yaml: no such key; did you mean only.yaml?");
  map["data"] = {{"x", "1"}, {"y", "2"}};
  EXPECT_EQ(UsageError([&] { FetchConfigMap(options, "kube-system/scheduler"); }),
            "configmap:kube-system/scheduler: which key? It has x, y: add /KEY");
  map["data"] = nullptr;
  EXPECT_EQ(UsageError([&] { FetchConfigMap(options, "kube-system/scheduler"); }),
            "configmap:kube-system/scheduler: it has no data");
}

TEST(ApiServer, AConfigMapThatCannotBeHad) {
  const SourceOptions nobody = By("http://127.0.0.1:1");
  for (const char* bad : {"", "a", "a/", "A/b", "a/b/../c"}) {
    EXPECT_NE(UsageError([&] { FetchConfigMap(nobody, bad); }).find("expected configmap:NAMESPACE"),
              std::string::npos)
        << bad;
  }
  int status = 404;
  FakeServer server([&](const FakeRequest&) { return Http(status, "[]"); });
  const SourceOptions options = By(server.url());
  EXPECT_NE(UsageError([&] { FetchConfigMap(options, "a/b"); }).find("404"), std::string::npos);
  status = 200;
  EXPECT_NE(UsageError([&] { FetchConfigMap(options, "a/b"); }).find("no JSON object"),
            std::string::npos);
}

}  // namespace
}  // namespace schedlens
