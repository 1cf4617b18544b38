#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/process.h"
#include "schedlens/error.h"
#include "source/http/config.h"

namespace schedlens {
namespace {

using testing::HasSubstr;

const std::string kHash = "$2y$10$" + std::string(53, 'a');

TEST(WebConfig, ReadsWhatPrometheusReads) {
  const TempDir dir;
  const WebConfig config = ReadWebConfig(dir.Write("web.yml", R"(
tls_server_config:
  cert_file: tls/server.pem
  key_file: /etc/server.key
  client_ca_file: ca.pem
  client_auth_type: VerifyClientCertIfGiven
  min_version: TLS13
  prefer_server_cipher_suites: true
http_server_config:
  http2: true
  headers: {Strict-Transport-Security: max-age=31536000}
basic_auth_users:
  prometheus: )" + kHash + "\n"));
  ASSERT_TRUE(config.tls);
  EXPECT_EQ(config.tls->cert_file, dir / "tls/server.pem");
  EXPECT_EQ(config.tls->key_file, "/etc/server.key");
  EXPECT_EQ(config.tls->client_ca_file, dir / "ca.pem");
  EXPECT_EQ(config.tls->client_auth, "VerifyClientCertIfGiven");
  EXPECT_EQ(config.tls->min_version, "TLS13");
  EXPECT_EQ(config.users, (std::map<std::string, std::string>{{"prometheus", kHash}}));
  ASSERT_EQ(config.headers.size(), 1u);
  EXPECT_EQ(config.headers[0].second, "max-age=31536000");
  const WebConfig empty = ReadWebConfig(dir.Write("empty.yml", ""));
  EXPECT_FALSE(empty.tls);
  EXPECT_TRUE(empty.users.empty());
}

TEST(WebConfig, SaysWhereAMistakeIs) {
  const TempDir dir;
  const std::pair<std::string, std::string> rows[] = {
      {"tls_server_confg: {}", "web.yml:1: unknown key `tls_server_confg`"},
      {"tls_server_config: {cert_file: a}", "needs cert_file and key_file"},
      {"tls_server_config: {cert_file: a, key_file: b, min_version: SSL3}",
       "min_version must be one of TLS10, TLS11"},
      {"tls_server_config: {cert_file: a, key_file: b, client_ca_file: c}",
       "needs a client_auth_type"},
      {"tls_server_config: {cert_file: a, key_file: b, cipher_suites: [X]}",
       "cipher_suites is not supported"},
      {"basic_auth_users:\n  prom: plain", "web.yml:2: a user's password must be a bcrypt hash"},
      {"basic_auth_users: [prom]", "must be a mapping"},
      {"http_server_config: {headers: {X-Other: a}}", "unknown key `X-Other`"},
      {"http_server_config: {headers: {X-Frame-Options: \"a\\r\\nb\"}}", "spans lines"},
      {"a: [", "web.yml:1: not YAML"},
  };
  for (const auto& [text, why] : rows) {
    try {
      ReadWebConfig(dir.Write("web.yml", text));
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      EXPECT_THAT(error.what(), HasSubstr(why));
    }
  }
  EXPECT_THROW(ReadWebConfig(dir / "none.yml"), Error);
}

}  // namespace
}  // namespace schedlens
