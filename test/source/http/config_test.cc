#include "source/http/config.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "schedlens/error.h"

namespace schedlens {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

HttpConfig Parse(const std::string& text) { return ParseHttpConfig(text, "http.yml", "/etc/x"); }

std::string ConfigErrorOf(const std::string& text) {
  try {
    Parse(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "no error";
}

TEST(HttpConfig, AnEmptyFileIsTheDefaults) {
  const HttpConfig config = Parse("# nothing\n");
  EXPECT_TRUE(config.follow_redirects);
  EXPECT_TRUE(config.enable_http2);
  EXPECT_FALSE(config.basic_auth);
  EXPECT_FALSE(config.proxy.from_environment);
}

TEST(HttpConfig, WithoutAFileTheEnvironmentsProxyCounts) {
  EXPECT_TRUE(HttpConfig{}.proxy.from_environment);
}

TEST(HttpConfig, EveryKeyOfTheFormat) {
  const HttpConfig config = Parse(R"(
oauth2:
  grant_type: client_credentials
  client_id: me
  client_secret: s
  scopes: [a, b]
  token_url: https://idp/token
  endpoint_params: {audience: x}
  tls_config: {ca_file: idp.pem}
  proxy_url: http://p1
tls_config:
  ca: PEM
  cert_file: c.pem
  key_file: /abs/k.pem
  server_name: prom
  insecure_skip_verify: true
  min_version: TLS12
  max_version: TLS13
follow_redirects: false
enable_http2: false
proxy_url: http://p2:3128
no_proxy: a,b
proxy_connect_header: {X-P: [1, 2]}
http_headers:
  X-A: {values: [v], secrets: [w]}
)");
  ASSERT_TRUE(config.oauth2);
  EXPECT_EQ(config.oauth2->client_id, "me");
  EXPECT_EQ(config.oauth2->client_secret, "s");
  EXPECT_EQ(config.oauth2->scopes, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(config.oauth2->token_url, "https://idp/token");
  EXPECT_EQ(config.oauth2->endpoint_params, (Pairs{{"audience", "x"}}));
  EXPECT_EQ(config.oauth2->tls.ca_file, "/etc/x/idp.pem");
  EXPECT_EQ(config.oauth2->proxy.url, "http://p1");
  EXPECT_EQ(config.tls.ca, "PEM");
  EXPECT_EQ(config.tls.cert_file, "/etc/x/c.pem");
  EXPECT_EQ(config.tls.key_file, "/abs/k.pem");
  EXPECT_EQ(config.tls.server_name, "prom");
  EXPECT_TRUE(config.tls.insecure_skip_verify);
  EXPECT_EQ(config.tls.min_version, "TLS12");
  EXPECT_EQ(config.tls.max_version, "TLS13");
  EXPECT_FALSE(config.follow_redirects);
  EXPECT_FALSE(config.enable_http2);
  EXPECT_EQ(config.proxy.url, "http://p2:3128");
  EXPECT_EQ(config.proxy.no_proxy, "a,b");
  EXPECT_EQ(config.proxy.connect_headers, (Pairs{{"X-P", "1"}, {"X-P", "2"}}));
  EXPECT_EQ(config.headers, (Pairs{{"X-A", "v"}, {"X-A", "w"}}));
}

TEST(HttpConfig, Authorization) {
  EXPECT_EQ(Parse("authorization: {credentials: abc}").authorization, "Bearer abc");
  EXPECT_EQ(Parse("authorization: {type: Token, credentials: abc}").authorization, "Token abc");
  EXPECT_EQ(Parse("bearer_token: abc").authorization, "Bearer abc");
}

TEST(HttpConfig, SecretFilesAreRelativeToTheFile) {
  const std::string directory = ::testing::TempDir() + "http_config";
  std::filesystem::create_directories(directory + "/sub");
  std::ofstream(directory + "/sub/pass") << "  geheim\n";
  std::ofstream(directory + "/http.yml") << "basic_auth: {username: me, password_file: sub/pass}\n"
                                            "http_headers: {X-T: {files: [sub/pass]}}\n";
  const HttpConfig config = ReadHttpConfig(directory + "/http.yml");
  EXPECT_EQ(config.basic_auth->username, "me");
  EXPECT_EQ(config.basic_auth->password, "geheim");
  EXPECT_EQ(config.headers, (Pairs{{"X-T", "geheim"}}));
  std::ofstream(directory + "/sub/name") << "you\n";
  std::ofstream(directory + "/http.yml") << "basic_auth: {username_file: sub/name, password: p}\n"
                                            "proxy_from_environment: true\n";
  EXPECT_EQ(ReadHttpConfig(directory + "/http.yml").basic_auth->username, "you");
  EXPECT_TRUE(ReadHttpConfig(directory + "/http.yml").proxy.from_environment);
  std::ofstream(directory + "/http.yml") << "bearer_token_file: sub/pass\n";
  EXPECT_EQ(ReadHttpConfig(directory + "/http.yml").authorization, "Bearer geheim");
}

TEST(HttpConfig, MistakesNameLineAndCure) {
  struct Case {
    const char* text;
    const char* message;
  };
  for (const Case& c : {
           Case{"tls_config:\n  insecure_skip_verfy: true",
                "http.yml:2: tls_config: unknown key `insecure_skip_verfy`, did you mean "
                "`insecure_skip_verify`?"},
           Case{"basic_auht: {}",
                "http.yml:1: unknown key `basic_auht`, did you mean `basic_auth`?"},
           Case{"basic_auth: {username: a}\nauthorization: {credentials: b}",
                "http.yml:1: give one of basic_auth, authorization, oauth2 and bearer_token"},
           Case{"bearer_token: a\nauthorization: {credentials: b}",
                "http.yml:1: give one of basic_auth, authorization, oauth2 and bearer_token"},
           Case{"bearer_token: a\nbearer_token_file: b",
                "http.yml:1: give bearer_token or bearer_token_file, not both"},
           Case{"authorization:\n  credentials_ref: vault",
                "http.yml:2: authorization: credentials_ref: secret stores are not supported, use "
                "the _file key"},
           Case{"tls_config: {ca_ref: x}",
                "http.yml:1: tls_config: ca_ref: secret stores are not supported, use the _file "
                "key"},
           Case{"follow_redirects: maybe", "http.yml:1: `follow_redirects` is true or false"},
           Case{"basic_auth: word", "http.yml:1: basic_auth: must be a mapping"},
           Case{"basic_auth: {password: a, password_file: b}",
                "http.yml:1: basic_auth: give password or password_file, not both"},
           Case{"tls_config: {cert_file: c}",
                "http.yml:1: tls_config: a client certificate needs both cert and key"},
           Case{"tls_config: {min_version: TLS9}",
                "http.yml:1: tls_config: min_version must be one of TLS10, TLS11, TLS12, TLS13"},
           Case{"proxy_url: 'ftp://x'", "http.yml:1: proxy_url is not an http or https URL"},
           Case{"no_proxy: x", "http.yml:1: no_proxy needs proxy_url"},
           Case{"authorization: {type: Basic, credentials: x}",
                "http.yml:1: authorization: type Basic: use basic_auth"},
           Case{"http_headers: {X: {values: [\"a\\nb\"]}}",
                "http.yml:1: the value of header X spans lines"},
           Case{"oauth2: {client_id: x}",
                "http.yml:1: oauth2: needs client_id and token_url (an http or https URL)"},
           Case{"oauth2:\n  grant_type: urn:ietf:params:oauth:grant-type:jwt-bearer",
                "http.yml:2: oauth2: grant_type: a token request signed as JWT (grant type "
                "jwt-bearer) is "
                "not supported: fetch the token by other means and give it in authorization, "
                "credentials_file"},
           Case{"oauth2:\n  client_id: x\n  client_certificate_key_file: key.pem",
                "http.yml:3: oauth2: client_certificate_key_file: a token request signed as JWT "
                "(grant "
                "type jwt-bearer) is not supported: fetch the token by other means and give it in "
                "authorization, credentials_file"},
           Case{"oauth2: {grant_type: password}",
                "http.yml:1: oauth2: grant_type must be client_credentials or "
                "urn:ietf:params:oauth:grant-type:jwt-bearer"},
           Case{"oauth2: {client_secret_ref: x}",
                "http.yml:1: oauth2: client_secret_ref: secret stores are not supported, use the "
                "_file key"},
           Case{"azuread: {}",
                "http.yml:1: azuread: it belongs to Prometheus' remote_write, not to its HTTP "
                "configuration: give a token in authorization, credentials_file"},
           Case{"enable_http2: true\nenable_http2: false",
                "http.yml:2: key `enable_http2` is given twice"},
           Case{"- a", "http.yml:1: must be a mapping"},
       }) {
    EXPECT_EQ(ConfigErrorOf(c.text), c.message);
  }
  EXPECT_EQ(ConfigErrorOf("a: [").rfind("http.yml:", 0), 0u);
}

TEST(HttpConfig, MissingFilesAreNamed) {
  EXPECT_THROW(ReadHttpConfig("/nowhere/http.yml"), Error);
  try {
    Parse("basic_auth: {username: a, password_file: nowhere}");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("/etc/x/nowhere"), std::string::npos);
  }
}

}  // namespace
}  // namespace schedlens
