#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "schedlens/error.h"
#include "source/http/kubeconfig.h"

namespace schedlens {
namespace {

using testing::HasSubstr;

ClusterAccess Access(const std::string& user,
                     const std::string& cluster = "server: \"https://h:6443\"") {
  const Kubeconfig config = ParseKubeconfig(
      "current-context: c\nclusters: [{name: k, cluster: {" + cluster +
          "}}]\n"
          "contexts: [{name: c, context: {cluster: k, user: u}}]\nusers: [{name: u, user: " +
          user + "}]\n",
      "f");
  return AccessOf(config, "", 10);
}

std::string Failure(const std::string& user) {
  try {
    Access(user);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ClusterAccess, HasOneWayToShowWhoWeAre) {
  EXPECT_EQ(Access("{token: abc, username: x, password: y}").http.authorization, "Bearer abc");
  EXPECT_EQ(Access("{username: x, password: y}").http.basic_auth.value().password, "y");
  EXPECT_EQ(Access("{client-certificate-data: Q0VSVA==, client-key-data: S0VZ}").http.tls.key,
            "KEY");
  EXPECT_EQ(Access("{token: abc}").http.origin, "user u of context c in f");
  const std::string program =
      "{exec: {apiVersion: client.authentication.k8s.io/v1, command: \"false\"}";
  EXPECT_EQ(Access(program + ", token: abc}").http.authorization, "Bearer abc")
      << "no plugin where there is a token";
  EXPECT_THAT(Failure(program + "}"), HasSubstr("exec plugin false failed"));
}

TEST(ClusterAccess, AServerWithoutASchemeSpeaksTlsWhereTlsIsSetUp) {
  const auto server = [](const std::string& cluster, const std::string& user = "{token: abc}") {
    return Access(user, "server: \"h:6443\"" + cluster).server;
  };
  EXPECT_EQ(server(", certificate-authority-data: Q0E="), "https://h:6443");
  EXPECT_EQ(server(", certificate-authority: ca.crt"), "https://h:6443");
  EXPECT_EQ(server(", insecure-skip-tls-verify: true"), "https://h:6443");
  EXPECT_EQ(server("", "{client-certificate-data: Q0VSVA==, client-key-data: S0VZ}"),
            "https://h:6443");
  EXPECT_EQ(server(""), "http://h:6443");
}

TEST(ClusterAccess, NoCredentialsGoInClearText) {
  for (const char* cluster : {"server: \"h:6443\"", "server: \"http://h:6443\""}) {
    const ClusterAccess found = Access("{token: abc, username: x, password: y, as: root}", cluster);
    EXPECT_EQ(found.http.authorization, "") << cluster;
    EXPECT_FALSE(found.http.basic_auth) << cluster;
    EXPECT_EQ(found.http.headers.size(), 1u) << "whom it acts for is no secret";
  }
  EXPECT_EQ(Access("{token: abc}", "server: \"h:6443\", insecure-skip-tls-verify: true")
                .http.authorization,
            "Bearer abc");
}

TEST(ClusterAccess, ATokensFileGoesBeforeTheToken) {
  std::string path = (std::filesystem::temp_directory_path() / "schedlens-token-XXXXXX").string();
  close(mkstemp(path.data()));
  std::ofstream(path) << "from-file\n";
  EXPECT_EQ(Access("{token: abc, tokenFile: " + path + "}").http.authorization, "Bearer from-file");
  std::filesystem::remove(path);
  EXPECT_THAT(Failure("{tokenFile: " + path + "}"), HasSubstr(path));
}

TEST(ClusterAccess, ActsForAnotherUser) {
  const auto access = Access("{token: abc, as: root, as-groups: [a, b]}");
  EXPECT_EQ(access.http.headers.size(), 3u);
  EXPECT_EQ(access.http.headers.back(),
            (std::pair<std::string, std::string>{"Impersonate-Group", "b"}));
}

TEST(ClusterAccess, SaysWhatIsWrong) {
  EXPECT_THAT(Failure("{client-certificate-data: Q0VSVA==}"), HasSubstr("and client-key"));
  EXPECT_THAT(Failure("{client-certificate: /no/cert, client-key: /no/key}"),
              HasSubstr("cannot read /no/cert"));
  EXPECT_THAT(Failure("{auth-provider: {name: gcp}}"), HasSubstr("auth-provider gcp is gone"));
  const auto broken = [](const std::string& text) {
    try {
      AccessOf(ParseKubeconfig(text, "f"), "c", 10);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string contexts = "contexts: [{name: c, context: {cluster: k, user: u}}]\n";
  EXPECT_EQ(broken(contexts), "f: context c names the cluster k, which is not there");
  EXPECT_EQ(broken(contexts + "clusters: [{name: k, cluster: {server: \"https://h\"}}]"),
            "f: context c names the user u, which is not there");
  EXPECT_THAT(broken(contexts + "users: [{name: u, user: {}}]\n"
                                "clusters: [{name: k, cluster: {server: \"ftp://h\"}}]"),
              HasSubstr("cluster k has no server"));
}

}  // namespace
}  // namespace schedlens
