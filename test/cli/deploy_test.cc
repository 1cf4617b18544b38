// The manifests of examples/deploy: every field is one of the API's, with the API's type; names
// that must agree do; and `serve` starts with the container's own arguments.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <map>
#include <regex>
#include <sstream>

#include "base/file.h"
#include "base/url.h"
#include "cli/serving.h"

namespace schedlens::test {
namespace {

namespace fs = std::filesystem;

const fs::path kDeploy = fs::path(SCHEDLENS_SOURCE_DIR) / "examples/deploy";

/// Path to type, of one kind and of any.
std::map<std::string, std::string> FieldsOf(const std::string& kind) {
  std::map<std::string, std::string> fields;
  std::istringstream lines(ReadFile(fs::path(SCHEDLENS_TEST_DATA) / "kubernetes/fields.txt"));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string of, path, type;
    if (line.starts_with('#') || !(words >> of >> path >> type)) continue;
    if (of == kind || of == "any") fields[path] = type;
  }
  return fields;
}

bool IsNumber(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

/// Whether a scalar decodes into the API's type as kubectl would send it: YAML's own rules say what
/// a plain scalar is, and a quoted one is a string.
bool IsOfType(const YAML::Node& node, const std::string& type) {
  const std::string text = node.Scalar();
  const bool quoted = node.Tag() == "!";
  const bool truth = !quoted && (text == "true" || text == "false");
  const bool number = !quoted && IsNumber(text);
  if (type == "int") return number;
  if (type == "bool") return truth;
  if (type == "port") return number || std::regex_match(text, std::regex("[a-z][a-z0-9-]{0,14}"));
  if (type == "quantity") return std::regex_match(text, std::regex("[0-9]+(m|[KMG]i?)?"));
  return type == "string" && !truth && !number && !text.empty();
}

class Decoder {
 public:
  explicit Decoder(const std::string& kind) : fields_(FieldsOf(kind)) {}

  /// What is wrong, a line each.
  std::vector<std::string> Check(const YAML::Node& node, const std::string& path = "") {
    const auto field = fields_.find(path);
    if (field != fields_.end()) {
      Value(node, path, field->second);
    } else if (node.IsMap() && IsAbove(path)) {
      for (const auto& member : node) {
        Check(member.second, (path.empty() ? "" : path + ".") + member.first.Scalar());
      }
    } else if (node.IsSequence() && IsAbove(path + "[]")) {
      for (const YAML::Node& one : node) Check(one, path + "[]");
    } else {
      wrong_.push_back(path);
    }
    return wrong_;
  }

 private:
  bool IsAbove(const std::string& path) const {
    const std::string start = path.empty() ? "" : path + ".";
    const auto next = fields_.lower_bound(start);
    return next != fields_.end() && next->first.starts_with(start);
  }

  void Value(const YAML::Node& node, const std::string& path, const std::string& type) {
    bool right = false;
    if (type == "map" || type == "quantities") {
      right = node.IsMap();
      for (const auto& member : node) {
        right &= IsOfType(member.second, type == "map" ? "string" : "quantity");
      }
    } else if (type == "strings") {
      right = node.IsSequence();
      for (const YAML::Node& one : node) right &= IsOfType(one, "string");
    } else {
      right = node.IsScalar() && IsOfType(node, type);
    }
    if (!right) wrong_.push_back(path + " is no " + type);
  }

  std::map<std::string, std::string> fields_;
  std::vector<std::string> wrong_;
};

YAML::Node Manifest(const char* name) { return YAML::LoadFile(kDeploy / name); }

TEST(DeployTest, EveryFieldIsTheApis) {
  for (const auto& entry : fs::directory_iterator(kDeploy)) {
    if (entry.path().extension() != ".yaml") continue;
    const YAML::Node node = YAML::LoadFile(entry.path());
    EXPECT_THAT(Decoder(node["kind"].Scalar()).Check(node), testing::IsEmpty()) << entry.path();
  }
}

TEST(DeployTest, TheCheckSeesMisspeltAndMistypedFields) {
  const auto wrong = [](const char* text) { return Decoder("Deployment").Check(YAML::Load(text)); };
  EXPECT_THAT(wrong("spec: {replica: 1}"), testing::ElementsAre("spec.replica"));
  EXPECT_THAT(wrong("spec: {replicas: '1'}"), testing::ElementsAre("spec.replicas is no int"));
  EXPECT_THAT(wrong("spec: {template: {spec: {containers: [{args: [1]}]}}}"),
              testing::ElementsAre("spec.template.spec.containers[].args is no strings"));
  EXPECT_THAT(wrong("spec: {template: {spec: {containers: {name: a}}}}"), testing::SizeIs(1));
}

TEST(DeployTest, KustomizationHasAllManifests) {
  std::vector<std::string> listed, there;
  for (const YAML::Node& one : Manifest("kustomization.yaml")["resources"]) {
    listed.push_back(one.Scalar());
  }
  for (const auto& entry : fs::directory_iterator(kDeploy)) {
    const std::string name = entry.path().filename();
    if (name.ends_with(".yaml") && name != "kustomization.yaml") there.push_back(name);
  }
  EXPECT_THAT(listed, testing::UnorderedElementsAreArray(there));
}

TEST(DeployTest, NamesAgree) {
  const YAML::Node spec = Manifest("deployment.yaml")["spec"], pod = spec["template"]["spec"];
  const YAML::Node container = pod["containers"][0];
  const std::string label = "app.kubernetes.io/name";
  const std::string app = spec["template"]["metadata"]["labels"][label].Scalar();
  EXPECT_EQ(spec["selector"]["matchLabels"][label].Scalar(), app);
  EXPECT_EQ(Manifest("service.yaml")["spec"]["selector"][label].Scalar(), app);
  EXPECT_EQ(Manifest("networkpolicy.yaml")["spec"]["podSelector"]["matchLabels"][label].Scalar(),
            app);
  EXPECT_EQ(Manifest("servicemonitor.yaml")["spec"]["selector"]["matchLabels"][label].Scalar(),
            Manifest("service.yaml")["metadata"]["labels"][label].Scalar());
  EXPECT_EQ(pod["serviceAccountName"].Scalar(),
            Manifest("serviceaccount.yaml")["metadata"]["name"].Scalar());
  const std::string port = container["ports"][0]["name"].Scalar();
  EXPECT_EQ(Manifest("service.yaml")["spec"]["ports"][0]["targetPort"].Scalar(), port);
  for (const char* probe : {"livenessProbe", "readinessProbe"}) {
    EXPECT_EQ(container[probe]["httpGet"]["port"].Scalar(), port);
  }
  std::map<std::string, YAML::Node> volumes;
  for (const YAML::Node& one : pod["volumes"]) volumes[one["name"].Scalar()] = one;
  for (const YAML::Node& one : container["volumeMounts"]) {
    EXPECT_EQ(volumes.count(one["name"].Scalar()), 1U) << one["name"].Scalar();
  }
  EXPECT_EQ(container["volumeMounts"].size(), volumes.size());
  EXPECT_EQ(volumes["credentials"]["secret"]["secretName"].Scalar(),
            Manifest("secret.yaml")["metadata"]["name"].Scalar());
  EXPECT_EQ(volumes["reports"]["persistentVolumeClaim"]["claimName"].Scalar(),
            Manifest("storage.yaml")["metadata"]["name"].Scalar());
}

/// The value of the container's argument `--name=`.
std::string ArgumentOf(const YAML::Node& args, const std::string& name) {
  for (const YAML::Node& one : args) {
    if (one.Scalar().starts_with(name + "=")) return one.Scalar().substr(name.size() + 1);
  }
  return "";
}

TEST(DeployTest, AlertmanagerPostsToTheNameThatServeAnswersTo) {
  const YAML::Node args =
      Manifest("deployment.yaml")["spec"]["template"]["spec"]["containers"][0]["args"];
  const auto own = ParseUrl(ArgumentOf(args, "--web.external-url"));
  const YAML::Node alertmanager = YAML::LoadFile(kDeploy / "alertmanager.yml");
  const auto posted = ParseUrl(alertmanager["receivers"][1]["webhook_configs"][0]["url"].Scalar());
  ASSERT_TRUE(own && posted);
  EXPECT_EQ(posted->host, own->host);
  EXPECT_EQ(posted->port, own->port);
  EXPECT_EQ(posted->host, Manifest("service.yaml")["metadata"]["name"].Scalar() + "." +
                              Manifest("kustomization.yaml")["namespace"].Scalar());
  EXPECT_EQ(posted->port, Manifest("service.yaml")["spec"]["ports"][0]["port"].as<int>());
  const std::string listen = ArgumentOf(args, "--listen");
  EXPECT_TRUE(listen.ends_with(":" + std::to_string(posted->port))) << listen;
}

TEST(DeployTest, ServeStartsWithTheContainersArguments) {
  const YAML::Node container =
      Manifest("deployment.yaml")["spec"]["template"]["spec"]["containers"][0];
  const YAML::Node args = container["args"];
  ASSERT_EQ(args[0].Scalar(), "serve");
  TempDir dir;
  WriteTextFile(dir / "http.yml", Manifest("secret.yaml")["stringData"]["http.yml"].Scalar());
  std::vector<std::string> more;
  for (std::size_t i = 1; i < args.size(); ++i) {
    const std::string argument = args[i].Scalar(), name = argument.substr(0, argument.find('='));
    if (name == "--prometheus" || name == "--listen" || name == "--out") continue;  // of the test
    more.push_back(name == "--http.config.file" ? name + "=" + (dir / "http.yml") : argument);
  }
  Serving serving("http://127.0.0.1:1", dir / "out", more);
  for (const char* probe : {"livenessProbe", "readinessProbe"}) {
    const std::string path = container[probe]["httpGet"]["path"].Scalar();
    EXPECT_EQ(
        StatusOf(Exchange(serving.port(), "GET " + path + " HTTP/1.1\r\nHost: 10.0.0.7\r\n\r\n")),
        200)
        << path;
  }
}

}  // namespace
}  // namespace schedlens::test
