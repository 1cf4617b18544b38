// A Prometheus behind a Kubernetes API server: `--service`, each kind of credentials a kubeconfig
// has, and ConfigMaps.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "base/url.h"
#include "cli/api_server.h"
#include "cli/replayed_server.h"

namespace schedlens {
namespace {

using Json = nlohmann::json;
using test::ApiServer;
using test::FakeReply;
using test::FakeRequest;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kService = "monitoring/prometheus-k8s:9090";

class Kubernetes : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    dir_ = new TempDir;
    certificates_ = new test::Certificates(*dir_);
    prometheus_ = new test::ReplayedServer(dir_->Write("s.yaml", test::kPassingIncident));
    prometheus_->SetSecond(480);
  }
  static void TearDownTestSuite() {
    delete prometheus_;
    delete certificates_;
    delete dir_;
  }

  static std::string Path(const std::string& name) { return certificates_->Path(name); }
  static std::string Base64Of(const std::string& name) { return EncodeBase64(ReadAll(Path(name))); }
  /// The stub's cluster, its certificate checked.
  static std::string Cluster(const ApiServer& api) {
    return fmt::format(
        "{{server: \"{}\", certificate-authority: {}, tls-server-name: "
        "kubernetes.example}}",
        api.url(), Path("ca.crt"));
  }
  static Finished Run(const std::string& kubeconfig, std::vector<std::string> arguments = {}) {
    const std::string file = dir_->Write("kubeconfig", kubeconfig);
    if (arguments.empty()) {
      arguments = {"query", "vector(7)", "--service", kService, "--kubeconfig", file};
    }
    Finished done = RunBinary(arguments, "", {"KUBECONFIG=" + file});
    return done;
  }
  /// What a caller with these credentials gets.
  static Finished As(const Json& caller, const std::string& user) {
    const ApiServer api(*dir_, *certificates_, prometheus_->url(), caller);
    return Run(test::Kubeconfig(Cluster(api), user));
  }
  static void ExpectAnswer(const Finished& done) {
    EXPECT_EQ(done.code, 0) << done.err;
    EXPECT_THAT(done.out, HasSubstr("7"));
  }
  static void ExpectRefused(const Finished& done) {
    EXPECT_EQ(done.code, 4);
    EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
    EXPECT_THAT(done.err, HasSubstr("user alice of context prod"));
    EXPECT_THAT(done.err, Not(HasSubstr("s3cret")));
    EXPECT_EQ(done.out, "");
  }

  static TempDir* dir_;
  static test::Certificates* certificates_;
  static test::ReplayedServer* prometheus_;
};

TempDir* Kubernetes::dir_ = nullptr;
test::Certificates* Kubernetes::certificates_ = nullptr;
test::ReplayedServer* Kubernetes::prometheus_ = nullptr;

const Json kToken = {{"authorization", "Bearer s3cret-right"}};
const Json kCertificate = {{"certificate", "alice"}};

TEST_F(Kubernetes, AToken) {
  ExpectAnswer(As(kToken, "{token: s3cret-right}"));
  ExpectRefused(As(kToken, "{token: s3cret-wrong}"));
  ExpectRefused(As(kToken, "{}"));
}

TEST_F(Kubernetes, AFileWithAToken) {
  const std::string file = dir_->Write("token", "s3cret-right\n");
  ExpectAnswer(As(kToken, "{tokenFile: " + file + "}"));
}

TEST_F(Kubernetes, AUserAndAPassword) {
  const Json caller = {{"authorization", "Basic " + EncodeBase64("me:s3cret-right")}};
  ExpectAnswer(As(caller, "{username: me, password: s3cret-right}"));
  ExpectRefused(As(caller, "{username: me, password: s3cret-wrong}"));
}

TEST_F(Kubernetes, AClientCertificateInFilesAndInTheKubeconfig) {
  const auto files = [](const std::string& name) {
    return fmt::format("{{client-certificate: {}, client-key: {}}}", Path(name + ".crt"),
                       Path(name + ".key"));
  };
  ExpectAnswer(As(kCertificate, files("alice")));
  ExpectAnswer(As(kCertificate, fmt::format("{{client-certificate-data: {}, client-key-data: {}}}",
                                            Base64Of("alice.crt"), Base64Of("alice.key"))));
  ExpectRefused(As(kCertificate, files("mallory")));
  ExpectRefused(As(kCertificate, files("stranger")));
}

TEST_F(Kubernetes, ACertificateIsNotShownWhereARedirectLeads) {
  const ApiServer api(*dir_, *certificates_, prometheus_->url(), kCertificate);
  const std::string place =
      api.url() + "/api/v1/namespaces/monitoring/services/prometheus-k8s:9090/proxy";
  test::FakeServer before([&](const FakeRequest& request) {
    return test::Http(307, "", "Location: " + place + request.target + "\r\n");
  });
  const std::string config =
      dir_->Write("http.yml", fmt::format("tls_config: {{cert_file: {}, key_file: {}, ca_file: {}, "
                                          "server_name: kubernetes.example}}\n",
                                          Path("alice.crt"), Path("alice.key"), Path("ca.crt")));
  const auto ask = [&](const std::string& url) {
    return RunBinary({"query", "vector(7)", "--prometheus", url, "--http.config.file", config});
  };
  EXPECT_THAT(ask(before.url()).err, HasSubstr("where credentials and headers are not sent"));
}

TEST_F(Kubernetes, AnExecPluginWithATokenIsRunOnceACommand) {
  const std::string script = dir_->Write(
      "login", "#!/bin/sh\necho run >> " + (*dir_ / "runs") +
                   "\nprintf '{\"apiVersion\":\"client.authentication.k8s.io/v1beta1\","
                   "\"kind\":\"ExecCredential\",\"status\":{\"token\":\"%s\"}}' \"$SECRET-$1\"\n");
  chmod(script.c_str(), 0700);
  const auto user = [&](const std::string& argument) {
    return fmt::format(
        "{{exec: {{apiVersion: client.authentication.k8s.io/v1beta1, command: {}, "
        "args: [{}], env: [{{name: SECRET, value: s3cret}}]}}}}",
        script, argument);
  };
  ExpectAnswer(As(kToken, user("right")));
  EXPECT_EQ(ReadAll(*dir_ / "runs"), "run\n");
  ExpectRefused(As(kToken, user("wrong")));
}

TEST_F(Kubernetes, AnExecPluginWithACertificate) {
  const Json credential = {{"apiVersion", "client.authentication.k8s.io/v1"},
                           {"kind", "ExecCredential"},
                           {"status",
                            {{"clientCertificateData", ReadAll(Path("alice.crt"))},
                             {"clientKeyData", ReadAll(Path("alice.key"))}}}};
  const std::string file = dir_->Write("credential.json", credential.dump());
  ExpectAnswer(As(kCertificate,
                  fmt::format("{{exec: {{apiVersion: client.authentication.k8s.io/v1, command: "
                              "cat, args: [{}], interactiveMode: Never}}}}",
                              file)));
}

TEST_F(Kubernetes, ActingForAnotherUser) {
  Json caller = kToken;
  caller["impersonate"] = "viewer";
  ExpectAnswer(As(caller, "{token: s3cret-right, as: viewer}"));
}

TEST_F(Kubernetes, TheServersCertificateIsCheckedUnlessToldOtherwise) {
  const ApiServer api(*dir_, *certificates_, prometheus_->url(), Json::object());
  const auto with = [&](const std::string& tls) {
    return Run(test::Kubeconfig(fmt::format("{{server: \"{}\", {}}}", api.url(), tls), "{}"));
  };
  ExpectAnswer(with("insecure-skip-tls-verify: true"));
  ExpectAnswer(with("certificate-authority-data: " + Base64Of("ca.crt") +
                    ", tls-server-name: kubernetes.example"));
  for (const std::string& tls :
       {"certificate-authority: " + Path("other-ca.crt") + ", tls-server-name: kubernetes.example",
        "certificate-authority: " + Path("ca.crt")}) {
    const Finished refused = with(tls);
    EXPECT_EQ(refused.code, 1) << tls;
    EXPECT_THAT(refused.err, HasSubstr("TLS failed"));
    EXPECT_THAT(refused.err, HasSubstr("check the certificates of user alice of context prod"));
  }
}

TEST_F(Kubernetes, TheKubeconfigsProxyIsUsed) {
  test::FakeServer proxy([](const FakeRequest&) {
    return test::Http(200, R"({"status":"success","data":{"resultType":"vector","result":[]}})");
  });
  Run(test::Kubeconfig("{server: \"http://api.invalid:8080\", proxy-url: \"" + proxy.url() + "\"}",
                       "{token: s3cret-right}"));
  EXPECT_THAT(proxy.last().target,
              testing::StartsWith("http://api.invalid:8080/api/v1/namespaces/monitoring/"
                                  "services/prometheus-k8s:9090/proxy/api/v1/"));
}

TEST_F(Kubernetes, SeveralKubeconfigsCountAsOne) {
  const ApiServer api(*dir_, *certificates_, prometheus_->url(), kToken);
  const std::string first = dir_->Write("first", "current-context: other\n");
  const std::string second =
      dir_->Write("second", test::Kubeconfig(Cluster(api), "{token: s3cret-right}"));
  const auto run = [&](const std::string& context) {
    return RunBinary({"query", "vector(7)", "--service", kService, "--context", context}, "",
                     {"KUBECONFIG=" + first + ":" + second});
  };
  ExpectAnswer(run("prod"));
  const Finished mistyped = run("prd");
  EXPECT_EQ(mistyped.code, 2);
  EXPECT_THAT(mistyped.err, HasSubstr("no such context: prd; did you mean prod?"));
}

TEST_F(Kubernetes, WhatTheApiServerSaysIsTold) {
  const ApiServer api(*dir_, *certificates_, prometheus_->url(), kToken);
  const std::string config = test::Kubeconfig(Cluster(api), "{token: s3cret-right}");
  const auto failure = [&](const std::string& service) {
    return Run(config, {"query", "vector(7)", "--service", "monitoring/" + service});
  };
  EXPECT_THAT(failure("gone:9090").err, HasSubstr("services \"gone:9090\" not found"));
  EXPECT_THAT(failure("empty:9090").err, HasSubstr("no endpoints available for service \"empty\""));
  const Finished secret = failure("secret:9090");
  EXPECT_EQ(secret.code, 4);
  EXPECT_THAT(secret.err, HasSubstr("User \"alice\" cannot get it"));
}

TEST_F(Kubernetes, AWholeDiagnosisWithTheConfigurationOfAConfigMap) {
  const Json configmaps = {
      {"kube-system/scheduler",
       {{"config.yaml",
         "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
         "extenders: [{urlPrefix: \"http://planner.example/x\", bindVerb: bind}]\n"},
        {"notes", "none"}}},
      {"kube-system/two", {{"a", "1"}, {"b", "2"}}}};
  const ApiServer api(*dir_, *certificates_, prometheus_->url(), kToken, configmaps);
  const std::string config = test::Kubeconfig(Cluster(api), "{token: s3cret-right}");
  const auto diagnose = [&](const std::string& place) {
    return Run(config, {"diagnose", "--service", kService, "--window", "3m", "--no-cross-check",
                        "-o", "json", "--scheduler-config", place});
  };
  const Finished done = diagnose("configmap:kube-system/scheduler");
  ASSERT_EQ(done.code, 0) << done.err;
  const Json diagnosis = Json::parse(done.out);
  EXPECT_EQ(diagnosis["verdict"], "incident");
  EXPECT_EQ(diagnosis["findings"][0]["id"], "bind.apiserver");
  EXPECT_THAT(done.out, HasSubstr("prometheus-k8s:9090/proxy"));
  EXPECT_THAT(done.out, Not(HasSubstr("s3cret")));
  EXPECT_EQ(diagnose("configmap:kube-system/scheduler/config.yaml").code, 0);

  const auto refused = [&](const std::string& place, const std::string& why) {
    const Finished failed = diagnose(place);
    EXPECT_EQ(failed.code, 2) << place;
    EXPECT_THAT(failed.err, HasSubstr(why));
  };
  refused("configmap:kube-system/two", "which key? It has a, b: add /KEY");
  refused("configmap:kube-system/scheduler/config.yml", "did you mean config.yaml?");
  refused("configmap:scheduler", "expected configmap:NAMESPACE/NAME");
  EXPECT_THAT(diagnose("configmap:kube-system/gone").err,
              HasSubstr("configmaps \"gone\" not found"));
}

TEST_F(Kubernetes, APluginWithoutArgumentsFindsPrometheusAndAnswers) {
  const auto service = [](const char* name_space, const char* name, const Json& ports) {
    return Json{{"metadata", {{"namespace", name_space}, {"name", name}}},
                {"spec", {{"ports", ports}}}};
  };
  const std::string plugin = *dir_ / "kubectl-schedlens";
  std::filesystem::create_symlink(SCHEDLENS_BINARY, plugin);
  const auto run = [&](const Json& services, const std::vector<std::string>& typed = {}) {
    const ApiServer api(*dir_, *certificates_, prometheus_->url(), kToken, {}, services);
    const std::string file =
        dir_->Write("kubeconfig", test::Kubeconfig(Cluster(api), "{token: s3cret-right}"));
    std::vector<std::string> words = {plugin};
    words.insert(words.end(), typed.begin(), typed.end());
    return RunProgram(words, "", {"KUBECONFIG=" + file, "SCHEDLENS_CONFIG=/dev/null"});
  };
  const Json web = {{{"name", "reloader-web"}, {"port", 8080}}, {{"name", "web"}, {"port", 9090}}};
  const Json services = {
      {"app.kubernetes.io/name=prometheus",
       {service("other", "later", web), service("monitoring", "prometheus-k8s", web)}},
      {"operated-prometheus=true", {service("a", "not-asked", web)}}};
  const Finished done = run(services);
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.err, HasSubstr("monitoring/prometheus-k8s:9090 found, the first of 2; the same "
                                  "again: kubectl schedlens diagnose --service "
                                  "monitoring/prometheus-k8s:9090\n"));
  EXPECT_THAT(done.out, HasSubstr("Window"));

  // With every command that takes a source, and with options alone.
  const Finished doctor = run(services, {"doctor", "--window", "3m"});
  EXPECT_EQ(doctor.code, 0) << doctor.err;
  EXPECT_THAT(doctor.err, HasSubstr("kubectl schedlens doctor --service "
                                    "monitoring/prometheus-k8s:9090 --window 3m\n"));
  const Finished query = run(services, {"query", "--context", "prod", "vector(7)"});
  EXPECT_EQ(query.code, 0) << query.err;
  const Finished options = run(services, {"--context", "prod", "--window", "3m"});
  EXPECT_EQ(options.code, 0) << options.err;
  EXPECT_THAT(options.out, HasSubstr("Window"));
  EXPECT_THAT(run(services, {"--context", "prd"}).err, HasSubstr("did you mean prod?"));
  // Which names a source, or needs none, is asked as it stands.
  for (const std::vector<std::string>& typed :
       {std::vector<std::string>{"--help"}, {"explain", "window"}, {"lint", "--expr", "up == 0"}}) {
    const Finished asked = run(Json::object(), typed);
    EXPECT_EQ(asked.code, 0) << typed[0] << asked.err;
    EXPECT_EQ(asked.err, "") << typed[0];
  }
  EXPECT_THAT(run(services, {"doctor", "--capture", "/none"}).err, HasSubstr("reading /none"));

  const Finished none = run(Json::object());
  EXPECT_EQ(none.code, 5);
  EXPECT_THAT(none.err, HasSubstr("no service of this cluster has the labels of Prometheus"));
  EXPECT_THAT(none.err, HasSubstr("--service NAMESPACE/NAME:PORT"));
  EXPECT_EQ(none.out, "");
}

TEST_F(Kubernetes, DoctorSaysHowItGotThere) {
  const ApiServer api(*dir_, *certificates_, prometheus_->url(), kToken);
  const Finished done = Run(test::Kubeconfig(Cluster(api), "{token: s3cret-right}"),
                            {"doctor", "--service", kService, "--window", "3m"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("the credentials of the kubeconfig"));
}

TEST_F(Kubernetes, OneSourceOnly) {
  const auto refused = [](const std::vector<std::string>& arguments, const std::string& why) {
    const Finished done = Run("", arguments);
    EXPECT_EQ(done.code, 2);
    EXPECT_THAT(done.err, HasSubstr(why));
  };
  refused({"diagnose", "--service", kService, "--prometheus", "http://h"}, "--prometheus");
  refused({"diagnose", "--service", kService, "--capture", "x"}, "--capture");
  refused({"diagnose", "--service", "prometheus:9090"}, "expected NAMESPACE/NAME:PORT");
  refused({"diagnose", "--service", kService}, "no contexts in it");
}

}  // namespace
}  // namespace schedlens
