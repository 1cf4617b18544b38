#include "source/http/kubeconfig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "schedlens/error.h"

namespace schedlens {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr const char* kText = R"(apiVersion: v1
kind: Config
current-context: prod
preferences: {colors: true}
clusters:
- name: east
  cluster:
    server: https://east.example:6443
    certificate-authority-data: Q0E=
    tls-server-name: kubernetes
    proxy-url: http://proxy.example:3128
    extensions: [{name: other, extension: {a: 1}}]
- name: lab
  cluster: {server: "https://lab.example", insecure-skip-tls-verify: true}
users:
- name: alice
  user: {client-certificate-data: Q0VSVA==, client-key: keys/alice.key, as: root, as-groups: [a, b]}
- name: bob
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: ./login
      args: [get-token, --cluster, east]
      env: [{name: PROFILE, value: work}]
      provideClusterInfo: true
      interactiveMode: Never
- name: carol
  user: {auth-provider: {name: oidc}}
contexts:
- {name: prod, context: {cluster: east, user: alice, namespace: x}}
- {name: test, context: {cluster: lab, user: bob}}
)";

std::string Failure(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "";
}

TEST(Kubeconfig, IsReadAsKubectlReadsIt) {
  const Kubeconfig config = ParseKubeconfig(kText, "/home/me/.kube/config");
  EXPECT_EQ(config.current_context, "prod");
  const KubeCluster& east = config.clusters.at("east");
  EXPECT_EQ(east.server, "https://east.example:6443");
  EXPECT_EQ(east.tls.ca, "CA");
  EXPECT_EQ(east.tls.server_name, "kubernetes");
  EXPECT_EQ(east.proxy_url, "http://proxy.example:3128");
  EXPECT_TRUE(config.clusters.at("lab").tls.insecure_skip_verify);
  const KubeUser& alice = config.users.at("alice");
  EXPECT_EQ(alice.cert, "CERT");
  EXPECT_EQ(alice.key_file, "/home/me/.kube/keys/alice.key") << "relative to the file";
  EXPECT_EQ(alice.impersonate_groups, (std::vector<std::string>{"a", "b"}));
  const KubeExec& exec = *config.users.at("bob").exec;
  EXPECT_EQ(exec.command, "/home/me/.kube/./login");
  EXPECT_EQ(exec.args, (std::vector<std::string>{"get-token", "--cluster", "east"}));
  EXPECT_EQ(exec.env.front(), (std::pair<std::string, std::string>{"PROFILE", "work"}));
  EXPECT_TRUE(exec.provide_cluster_info);
  EXPECT_EQ(config.users.at("carol").auth_provider, "oidc");
  EXPECT_EQ(config.contexts.at("test").user, "bob");
}

TEST(Kubeconfig, JsonAndNothingAreKubeconfigsToo) {
  EXPECT_EQ(ParseKubeconfig(R"({"current-context": "a"})", "f").current_context, "a");
  EXPECT_TRUE(ParseKubeconfig("", "f").contexts.empty());
}

TEST(Kubeconfig, AMistakeIsNamedWithItsLineAndNeverQuoted) {
  const auto failure = [](const std::string& text) {
    return Failure([&] { ParseKubeconfig(text, "kube.yaml"); });
  };
  EXPECT_THAT(failure("a: [1"), HasSubstr("kube.yaml:"));
  EXPECT_EQ(failure("- x\n"), "kube.yaml:1: must be a mapping");
  EXPECT_EQ(failure("clusters: 7\n"), "kube.yaml:1: `clusters` must be a list");
  const std::string bad = failure("users:\n- name: a\n  user:\n    client-key-data: \"s3cret!\"\n");
  EXPECT_EQ(bad, "kube.yaml:4: users.user: client-key-data is not base64");
  EXPECT_THAT(failure("users: [{name: a, user: {token: [s3cret]}}]"),
              testing::Not(HasSubstr("s3cret")));
}

TEST(Kubeconfig, TheFirstFileThatHasSomethingDecides) {
  const Kubeconfig first = ParseKubeconfig(
      "contexts: [{name: a, context: {cluster: one}}]\nclusters: [{name: c, cluster: {server: "
      "s1}}]",
      "1");
  const Kubeconfig second = ParseKubeconfig(
      "current-context: b\ncontexts: [{name: a, context: {cluster: two}}, {name: b, context: "
      "{cluster: c}}]\nclusters: [{name: c, cluster: {server: s2, tls-server-name: x}}]",
      "2");
  const Kubeconfig merged = MergeKubeconfigs({first, second});
  EXPECT_EQ(merged.name, "1, 2");
  EXPECT_EQ(merged.current_context, "b");
  EXPECT_EQ(merged.contexts.at("a").cluster, "one");
  EXPECT_EQ(merged.clusters.at("c").server, "s1");
  EXPECT_EQ(merged.clusters.at("c").tls.server_name, "") << "entries are not mixed";
}

TEST(Kubeconfig, IsFoundWhereKubectlFindsIt) {
  std::string folder = (fs::temp_directory_path() / "schedlens-kube-XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  fs::create_directories(folder + "/.kube");
  std::ofstream(folder + "/.kube/config") << "current-context: home";
  std::ofstream(folder + "/two") << "current-context: two";
  setenv("HOME", folder.c_str(), 1);
  unsetenv("KUBECONFIG");
  EXPECT_EQ(ReadKubeconfig("").current_context, "home");
  setenv("KUBECONFIG", (folder + "/missing::" + folder + "/two").c_str(), 1);
  EXPECT_EQ(ReadKubeconfig("").current_context, "two") << "files that are not there are left out";
  EXPECT_EQ(ReadKubeconfig(folder + "/.kube/config").current_context, "home");
  EXPECT_THROW(ReadKubeconfig(folder + "/missing"), Error);
  setenv("KUBECONFIG", (folder + "/missing").c_str(), 1);
  EXPECT_THAT(Failure([] { ReadKubeconfig(""); }), HasSubstr("missing does not exist"));
  unsetenv("KUBECONFIG");
  fs::remove_all(folder);
}

TEST(Kubeconfig, AContextThatIsNotThereNamesTheNearest) {
  const Kubeconfig config = ParseKubeconfig(kText, "f");
  EXPECT_EQ(FindContext(config, "").first, "prod");
  EXPECT_EQ(FindContext(config, "test").second.cluster, "lab");
  EXPECT_EQ(Failure([&] { FindContext(config, "prd"); }),
            "f: no such context: prd; did you mean prod?");
  Kubeconfig none = config;
  none.current_context = "";
  EXPECT_THAT(Failure([&] { FindContext(none, ""); }), HasSubstr("one of prod, test"));
  none.contexts.clear();
  EXPECT_THAT(Failure([&] { FindContext(none, "x"); }), HasSubstr("no contexts"));
}

}  // namespace
}  // namespace schedlens
