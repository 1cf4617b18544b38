// One recording behind Prometheus, behind VictoriaMetrics, and in a file: the same diagnosis. Then
// credentials and TLS as real servers ask for them.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/process.h"
#include "e2e/recorded.h"
#include "support/without_source.h"

namespace schedlens::test {
namespace {

using nlohmann::json;
using schedlens::Finished;
using schedlens::RunBinary;

bool NoServers() { return !Installed("prometheus") || !Installed("promtool"); }

std::vector<std::string> Diagnose(std::vector<std::string> source, const TimeRange& window) {
  source.insert(source.begin(), "diagnose");
  for (const std::string& word :
       {std::string("--start"), fmt::format("{:.3f}", static_cast<double>(window.start) / 1000),
        std::string("--end"), fmt::format("{:.3f}", static_cast<double>(window.end) / 1000),
        std::string("--alert"), std::string(kSlowExpr), std::string("-o"), std::string("json")}) {
    source.push_back(word);
  }
  return source;
}

/// The diagnosis without the field that says where it came from.
json WithoutSourceOf(const Finished& finished) {
  return test::WithoutSource(json::parse(finished.out, nullptr, false));
}

/// A pod's wait is the difference of two sums per pod, which VictoriaMetrics keeps to some digits
/// only: its error is that of the sums, about a second a pod here, not of the difference.
constexpr double kSumAPod = 1;

/// Where two documents differ by more than `tolerance`, the first few places.
void Differences(const json& a, const json& b, double tolerance, const std::string& at,
                 std::vector<std::string>& out, double whole = 0) {
  if (out.size() > 5) return;
  if (a.is_number() && b.is_number()) {
    const double x = a.get<double>(), y = b.get<double>();
    if (std::fabs(x - y) > tolerance * std::max({std::fabs(x), std::fabs(y), whole})) {
      out.push_back(fmt::format("{}: {} and {}", at, a.dump(), b.dump()));
    }
  } else if (a.is_object() && b.is_object()) {
    if (a.contains("id") && a["id"] == "pod.wait") whole = kSumAPod;
    for (const auto& [key, value] : a.items()) {
      Differences(value, b.value(key, json()), tolerance, at + "/" + key, out, whole);
    }
  } else if (a.is_array() && b.is_array() && a.size() == b.size()) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      Differences(a[i], b[i], tolerance, at + "/" + std::to_string(i), out, whole);
    }
  } else if (a != b) {
    out.push_back(
        fmt::format("{}: {} and {}", at, a.dump().substr(0, 200), b.dump().substr(0, 200)));
  }
}

class Live : public testing::Test {
 protected:
  void SetUp() override {
    if (NoServers()) GTEST_SKIP() << "no Prometheus here";
  }
};

TEST_F(Live, PrometheusAFileAndACaptureOfPrometheusGiveTheSameBytes) {
  const TempDir work;
  const Exposition capture = ReadCapture("extender-bind-slow-A");
  const TimeRange extent = ExtentOf(capture);
  const TimeRange window{extent.start + 200'000, extent.start + 500'000};
  const auto server = StartOver(capture, work.path());
  const Finished live = RunBinary(Diagnose({"--prometheus", server->url()}, window));
  ASSERT_EQ(live.code, 0) << live.err;
  const json expected = WithoutSourceOf(live);
  EXPECT_EQ(expected.at("verdict"), "incident");

  const std::string recorded = (work.path() / "recorded.om").string();
  const Finished record =
      RunBinary({"capture", "--prometheus", server->url(), "--out", recorded, "--start",
                 fmt::format("{:.3f}", static_cast<double>(window.start) / 1000), "--end",
                 fmt::format("{:.3f}", static_cast<double>(window.end) / 1000)});
  ASSERT_EQ(record.code, 0) << record.err;
  const Finished replay = RunBinary(Diagnose({"--capture", recorded}, window));
  ASSERT_EQ(replay.code, 0) << replay.err;
  std::vector<std::string> differences;
  Differences(expected, WithoutSourceOf(replay), 0, "", differences);
  for (const std::string& difference : differences) ADD_FAILURE() << difference;
  EXPECT_EQ(expected.dump(), WithoutSourceOf(replay).dump());
}

TEST_F(Live, AMomentIsEnough) {
  const TempDir work;
  const Exposition capture = ReadCapture("extender-bind-slow-A");
  const auto server = StartOver(capture, work.path());
  const std::string at = fmt::format("{:.3f}", static_cast<double>(ExtentOf(capture).end) / 1000);
  const auto run = [&](const std::string& command, const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {command, "--prometheus", server->url(), "--at", at};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunBinary(arguments);
  };
  const Finished found = run("diagnose", {"-o", "json"});
  ASSERT_EQ(found.code, 0) << found.err << found.out;
  EXPECT_EQ(json::parse(found.out).at("verdict"), "incident");
  // A day later nothing is there, and the moment is named; over TLS nobody answers.
  const std::string day_later = FormatTime(ExtentOf(capture).end + 24 * 3600 * 1000);
  const Finished late =
      RunBinary({"diagnose", "--prometheus", server->url(), "--at", day_later, "-o", "json"});
  EXPECT_EQ(late.code, 5) << late.err;
  EXPECT_NE(late.out.find("kube-scheduler was last scraped at 2026-11-21T"), std::string::npos);
  const std::string secure = "https" + server->url().substr(4);
  EXPECT_NE(RunBinary({"doctor", "--prometheus", secure}).err.find("try http:// in the URL"),
            std::string::npos);
  EXPECT_EQ(run("doctor", {}).code, 0);
  const std::string recorded = (work.path() / "recorded.om").string();
  const Finished record = run("capture", {"--out", recorded});
  ASSERT_EQ(record.code, 0) << record.err;
  const std::vector<std::string> comments = ReadExposition(recorded, std::nullopt).comments;
  EXPECT_NE(std::find(comments.begin(), comments.end(), "release: 1.20"), comments.end());
}

TEST_F(Live, VictoriaMetricsAgreesToNineDigits) {
  if (!Installed("victoria-metrics")) GTEST_SKIP() << "no VictoriaMetrics here";
  const TempDir work;
  const Exposition capture = ReadCapture("extender-bind-slow-A");
  const TimeRange extent = ExtentOf(capture);
  const TimeRange window{extent.start + 200'000, extent.start + 500'000};
  const auto server = StartVictoriaMetrics(work.path());
  Import(capture.series, *server);
  const Finished live = RunBinary(Diagnose({"--prometheus", server->url()}, window));
  ASSERT_EQ(live.code, 0) << live.err;
  EXPECT_EQ(json::parse(live.out).at("source").at("kind"), "victoriametrics");

  const std::string file = (work.path() / "capture.om").string();
  std::ofstream(file) << WriteOpenMetrics(capture);
  std::vector<std::string> local = Diagnose({"--capture", file}, window);
  local.insert(local.end(), {"--semantics", "victoriametrics"});
  const Finished replay = RunBinary(local);
  ASSERT_EQ(replay.code, 0) << replay.err;
  std::vector<std::string> differences;
  Differences(WithoutSourceOf(live), WithoutSourceOf(replay), 1e-9, "", differences);
  for (const std::string& difference : differences) ADD_FAILURE() << difference;
}

TEST_F(Live, BasicAuthAndTlsAsPrometheusAsksForThem) {
  if (!Installed("openssl")) GTEST_SKIP() << "no openssl here";
  const TempDir work;
  const auto file = [&work](const char* name) { return (work.path() / name).string(); };
  for (const char* name : {"server", "other"}) {
    Process make({"openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
                  "/CN=prom.test", "-addext", "subjectAltName=DNS:prom.test", "-keyout",
                  file((std::string(name) + ".key").c_str()), "-out",
                  file((std::string(name) + ".crt").c_str())},
                 work.path() / "openssl.log");
    ASSERT_EQ(make.Wait(), 0);
  }
  // The hash is of the word "secret".
  std::ofstream(work.path() / "web.yml")
      << "tls_server_config: {cert_file: server.crt, key_file: server.key}\n"
         "basic_auth_users:\n"
         "  me: $2b$04$wN80zJhv5quobHYtpzwrvukQy/ffw8g250CQSJEPv1nIndrP5crjO\n";
  std::ofstream(work.path() / "password") << "secret\n";
  const auto config = [&](const std::string& name, const std::string& text) {
    std::ofstream(work.path() / name) << text;
    return (work.path() / name).string();
  };
  const std::string auth = "basic_auth: {username: me, password_file: password}\n";
  const std::string good =
      config("good.yml", auth + "tls_config: {ca_file: server.crt, server_name: prom.test}\n");
  const std::string wrong_ca =
      config("ca.yml", auth + "tls_config: {ca_file: other.crt, server_name: prom.test}\n");
  const std::string wrong_name = config("name.yml", auth + "tls_config: {ca_file: server.crt}\n");
  const std::string blind =
      config("blind.yml", auth + "tls_config: {insecure_skip_verify: true}\n");
  const std::string wrong_password =
      config("user.yml",
             "basic_auth: {username: me, password: geheim}\n"
             "tls_config: {ca_file: server.crt, server_name: prom.test}\n");

  std::ofstream(work.path() / "prometheus.yml") << "global: {}\n";
  const std::string address = "127.0.0.1:" + std::to_string(FreePort());
  setenv("GODEBUG", "http2debug=1", 1);
  Process server({"prometheus", "--config.file=" + file("prometheus.yml"),
                  "--storage.tsdb.path=" + file("data"), "--web.config.file=" + file("web.yml"),
                  "--web.listen-address=" + address, "--log.level=error"},
                 work.path() / "prometheus.log");
  const std::string url = "https://" + address;
  const auto doctor = [&](const std::string& http) {
    return RunBinary({"doctor", "--prometheus", url, "--http.config.file", http});
  };
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  Finished finished = doctor(good);
  while (finished.code == 1 && std::chrono::steady_clock::now() < deadline) finished = doctor(good);
  // An empty server: reached and read, but no scheduler in it.
  EXPECT_EQ(finished.code, 5) << finished.err;
  EXPECT_EQ(doctor(blind).code, 5);
  // Without a ca_file the system's roots count, wherever a system keeps them.
  const std::string system = config("system.yml", auth + "tls_config: {server_name: prom.test}\n");
  EXPECT_EQ(doctor(system).code, 1);
  setenv("SSL_CERT_FILE", file("server.crt").c_str(), 1);
  EXPECT_EQ(doctor(system).code, 5);
  EXPECT_EQ(doctor(wrong_ca).code, 1);
  unsetenv("SSL_CERT_FILE");
  const Finished told = RunBinary({"doctor", "--prometheus", url, "--http.config.file", good,
                                   "--verbose", "--header", "X-A: s3"});
  EXPECT_NE(told.err.find(url + "/api/v1/query -> 200 in "), std::string::npos) << told.err;
  for (const char* hidden : {"secret", "s3", "bWU6"}) {
    EXPECT_EQ((told.err + told.out).find(hidden), std::string::npos) << hidden;
  }
  // Prometheus writes its frames down: the questions came by HTTP/2.
  EXPECT_NE(ReadAll((work.path() / "prometheus.log").string()).find("read frame HEADERS"),
            std::string::npos);
  for (const std::string& http : {wrong_ca, wrong_name}) {
    const Finished refused = doctor(http);
    EXPECT_EQ(refused.code, 1);
    EXPECT_NE(refused.err.find("TLS failed"), std::string::npos) << refused.err;
  }
  const Finished plain = RunBinary({"doctor", "--prometheus", "http://" + address});
  EXPECT_EQ(plain.code, 1);
  EXPECT_NE(plain.err.find("try https:// in the URL"), std::string::npos) << plain.err;
  const Finished denied = doctor(wrong_password);
  EXPECT_EQ(denied.code, 4) << denied.err;
  EXPECT_EQ((denied.err + denied.out).find("geheim"), std::string::npos);
  const Finished nobody = RunBinary({"doctor", "--prometheus", url});
  EXPECT_EQ(nobody.code, 1);
  EXPECT_NE(nobody.err.find("TLS failed"), std::string::npos) << nobody.err;
}

}  // namespace
}  // namespace schedlens::test
