#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "source/capture/recording.h"

namespace schedlens {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

const char* const kCode = "n[0-9a-f]{16}";

Exposition Parse(const std::string& text) { return ParseExposition(text, "f", 1000); }

/// The value of a label after redaction, alone in its series.
std::string Value(const std::string& label, const std::string& value) {
  Exposition one;
  one.series.push_back({Labels({{"__name__", "up"}, {label, value}}), {}, {}});
  return std::string(Redacted(one, "s").series[0].labels.Get(label));
}

std::vector<std::string> Header(const std::vector<std::string>& comments,
                                const std::string& series = "up 1\n") {
  Exposition exposition = Parse(series);
  exposition.comments = comments;
  return Redacted(exposition, "s").comments;
}

TEST(Redacted, HidesNamesConsistentlyAndKeepsWords) {
  const Exposition redacted =
      Redacted(Parse("up{instance=\"ip-10-0-0-1.internal:10259\",job=\"kube-scheduler\",pod=\"kube-"
                     "scheduler-0\"} 1\n"
                     "scheduler_pending_pods{node=\"ip-10-0-0-1.internal\",queue=\"active\"} 1\n"
                     "rest_client_requests_total{url=\"https://ip-10-0-0-1.internal:6443/api/v1/"
                     "namespaces/%7Bnamespace%7D/pods/%7Bname%7D/binding\",exported_pod=\"kube-"
                     "scheduler-0\"} 1\n"),
               "salt");
  const std::string node(redacted.series[1].labels.Get("node"));
  const std::string pod(redacted.series[0].labels.Get("pod"));
  EXPECT_THAT(node, MatchesRegex(kCode));
  EXPECT_NE(node, pod);
  EXPECT_EQ(redacted.series[0].labels.Get("instance"), node + ":10259");
  EXPECT_EQ(redacted.series[0].labels.Get("job"), "kube-scheduler");
  EXPECT_EQ(redacted.series[1].labels.Get("queue"), "active");
  EXPECT_EQ(redacted.series[2].labels.Get("url"),
            "https://" + node + ":6443/api/v1/namespaces/%7Bnamespace%7D/pods/%7Bname%7D/binding");
  EXPECT_EQ(redacted.series[2].labels.Get("exported_pod"), pod);
}

TEST(Redacted, AWordIsPublicOnlyWhereItIsKnown) {
  for (const auto& [label, value] :
       {std::pair{"le", "0.5"}, std::pair{"result", "scheduled"}, std::pair{"code", "201"},
        std::pair{"plugin", "NodeAffinity"}, std::pair{"version", "v1.30.2"},
        std::pair{"resource", "storageclasses.storage.k8s.io"},
        std::pair{"namespace", "default"}}) {
    EXPECT_EQ(Value(label, value), value) << label;
  }
  for (const auto& [label, value] :
       {std::pair{"le", "acme"}, std::pair{"result", "acme"}, std::pair{"plugin", "AcmeFit"},
        std::pair{"resource", "widgets.acme.io"}, std::pair{"namespace", "payments"},
        std::pair{"job", "acme/kube-scheduler"}, std::pair{"pod", "default"},
        std::pair{"nodeName", "etcd"}, std::pair{"container_id", "7"}, std::pair{"fqdn", "a.b"}}) {
    EXPECT_THAT(Value(label, value).empty() ? "n0000000000000000" : Value(label, value),
                MatchesRegex(kCode))
        << label;
  }
  EXPECT_THAT(Value("git_version", "v1.30.2-acme.4"), MatchesRegex("v1[.]30[.]2-n[0-9a-f]{16}"));
}

TEST(Redacted, TheSaltDecidesTheCodes) {
  const Exposition plain = Parse("up{pod=\"a\"} 1\n");
  const auto code = [&](std::string_view salt) {
    return std::string(Redacted(plain, salt).series[0].labels.Get("pod"));
  };
  EXPECT_EQ(code("one"), code("one"));
  EXPECT_NE(code("one"), code("two"));
  EXPECT_EQ(code("one"), RedactedName("a", "one"));
  EXPECT_NE(RandomSalt(), RandomSalt());
}

TEST(Redacted, AddressesOfEveryKindKeepTheirPort) {
  for (const std::string host : {"10.0.0.1", "[fd00::1]", "node-1"}) {
    const std::string instance = Value("instance", host + ":10259");
    EXPECT_THAT(instance, MatchesRegex("n[0-9a-f]{16}:10259")) << host;
    EXPECT_EQ(Value("endpoint", "http://" + host + ":1/"),
              "http://" + instance.substr(0, 17) + ":1/");
  }
  EXPECT_THAT(Value("instance", "fd00::1"), MatchesRegex(kCode));
}

TEST(Redacted, TheHeaderKeepsOnlyWhatItKnows) {
  EXPECT_THAT(Header({"recorded by schedlens 1 at 2026-01-01T00:00:00Z",
                      "from http://acme:9090 (prometheus)",
                      "range: 2026-01-01T00:00:00Z to 2026-01-01T01:00:00Z", "release: 1.30",
                      "release: acme", "semantics: 2.42", "acme wrote this"}),
              testing::ElementsAre("recorded by schedlens 1 at 2026-01-01T00:00:00Z",
                                   "range: 2026-01-01T00:00:00Z to 2026-01-01T01:00:00Z",
                                   "release: 1.30", "semantics: 2.42"));
}

TEST(Redacted, SelectorsAndRulesAskTheSameOfTheCodes) {
  const std::string code = RedactedName("acme-sched", "s");
  const std::string other = RedactedName("acme-other", "s");
  const std::string series =
      "up{job=\"acme-sched\"} 1\nup{job=\"acme-other\"} 1\nup{job=\"etcd\"} 1\n";
  EXPECT_EQ(Header({"selector: job=~\"acme-(s|x).*\""}, series)[0],
            "selector: job=~\"" + code + "\"");
  const std::string both = other < code ? other + "|" + code : code + "|" + other;
  EXPECT_EQ(Header({"selector: job=~\"acme.*\",acme_team!=\"blue\""}, series)[0],
            "selector: job=~\"" + both + "\"," + RedactedName("acme_team", "s") + "!=\"" +
                RedactedName("blue", "s") + "\"");
  EXPECT_EQ(Header({"selector: job=~\"etcd|kubelet\",code=~\"5..\""}, series)[0],
            "selector: job=~\"etcd|kubelet\",code=~\"5..\"");
  EXPECT_TRUE(Header({"selector: job=~\"acme"}, series).empty()) << "what does not parse";
  EXPECT_EQ(Header({"alert: AcmeSlow: sum by(acme_team) (up{job=\"acme-sched\"}) > 3 # acme"})[0],
            fmt::format("alert: {}: sum by ({}) (up{{job=\"{}\"}}) > 3",
                        RedactedName("AcmeSlow", "s"), RedactedName("acme_team", "s"), code));
  EXPECT_EQ(Header({"alert: acme: slow: up > 3"})[0],
            fmt::format("alert: {}: up > 3", RedactedName("acme: slow", "s")));
}

TEST(Redacted, RulesKeepWhatTheirReaderReads) {
  const std::string rules = Header(
      {R"(rules: {"data":{"groups":[{"name":"acme","file":"/acme.yml","rules":[{"type":"alerting",)"
       R"("name":"AcmeSlow","query":"acme:p99{team=\"acme\"} > 3","duration":300,"labels":)"
       R"({"severity":"page","team":"acme"},"annotations":{"summary":"call acme"},"alerts":)"
       R"([{"state":"firing","activeAt":"2026-01-01T00:00:00Z","value":"3e+00",)"
       R"("labels":{"alertname":"AcmeSlow"}}]},{"type":"recording","name":"acme:p99",)"
       R"("query":"up"}]}]}})"})[0];
  EXPECT_THAT(rules, Not(HasSubstr("cme")));
  const auto group = nlohmann::json::parse(rules.substr(7))["data"]["groups"][0];
  const auto& alert = group["rules"][0];
  const std::string name = RedactedName("AcmeSlow", "s");
  EXPECT_EQ(alert["name"], name);
  EXPECT_EQ(alert["alerts"][0]["labels"]["alertname"], name);
  EXPECT_EQ(alert["alerts"][0]["activeAt"], "2026-01-01T00:00:00Z");
  EXPECT_EQ(alert["labels"]["severity"], "page");
  EXPECT_EQ(alert["duration"], 300);
  const auto recorded = group["rules"][1]["name"].get<std::string>();
  EXPECT_EQ(alert["query"].get<std::string>().substr(0, recorded.size() + 1), recorded + "{");
}

TEST(Redacted, ARealRecordingKeepsItsSeriesAndSamples) {
  const Exposition plain = ReadExposition(
      std::string(SCHEDLENS_TEST_DATA) + "/captures/restart-and-two-replicas-A.om.gz",
      std::nullopt);
  const Exposition redacted = Redacted(plain, "s");
  std::set<Labels> distinct;
  ASSERT_EQ(redacted.series.size(), plain.series.size());
  for (std::size_t i = 0; i < plain.series.size(); ++i) {
    distinct.insert(redacted.series[i].labels);
    EXPECT_EQ(redacted.series[i].samples.size(), plain.series[i].samples.size());
  }
  EXPECT_EQ(distinct.size(), plain.series.size()) << "no two series may become one";
  EXPECT_THAT(WriteOpenMetrics(redacted), Not(HasSubstr("127.0.0.1")));
}

/// Names as clusters have them, and the other forms of each.
class Names {
 public:
  explicit Names(unsigned seed) : random_(seed) {}

  std::string Next() {
    static constexpr const char* kStems[] = {"zebra", "quagga", "okapi", "tapir"};
    const unsigned number = random_() % 200;
    const std::string stem = fmt::format("{}{}", kStems[random_() % 4], number);
    const std::string forms[] = {stem,
                                 stem + ".corp.example",
                                 stem + "-" + std::to_string(number),
                                 fmt::format("10.77.{}.9", number),
                                 fmt::format("ip-10-77-{}-9.ec2.internal", number),
                                 stem + ".corp.example:6443",
                                 "https://user:word@" + stem + ".corp.example:6443/" + stem,
                                 stem + "/" + stem,
                                 stem + " of " + stem};
    return forms[random_() % std::size(forms)];
  }

 private:
  std::mt19937 random_;
};

TEST(Redacted, NoNameIsLeftWhereverItStood) {
  constexpr const char* kLabels[] = {
      "node",        "pod",         "instance",     "kubernetes_io_hostname",
      "node_ip",     "ip",          "address",      "endpoint",
      "fqdn",        "nodeName",    "container_id", "job",
      "namespace",   "le",          "result",       "plugin",
      "verb",        "code",        "name",         "resource",
      "version",     "git_version", "url",          "host",
      "profile",     "event",       "severity",     "alertname",
      "acme_quagga7"};
  for (unsigned seed = 0; seed < 300; ++seed) {
    Names names(seed);
    Exposition plain;
    for (const char* label : kLabels) {
      plain.series.push_back(
          {Labels({{"__name__", seed % 2 == 0 ? "scheduler_pending_pods" : "tapir3:p99"},
                   {label, names.Next()}}),
           {{.t = 1, .v = 1}},
           {}});
    }
    plain.types["okapi_seconds"] = "histogram";
    const auto quoted = [&names] { return nlohmann::json(names.Next()).dump(); };
    const std::string expr = fmt::format(
        "sum by(zebra1, {}) (up{{{}={},le=~\"10.77.3.9\",pod=~\"(quagga|10[.]77).*\"}}) / "
        "on(tapir2) "
        "label_replace(okapi4, \"zebra1\", {}, \"okapi2\", \"tapir(.*)\") # {}",
        kLabels[seed % std::size(kLabels)], kLabels[seed % std::size(kLabels)], quoted(), quoted(),
        names.Next());
    const nlohmann::json rules = {
        {"data",
         {{"groups",
           {{{"name", names.Next()},
             {"rules",
              {{{"type", "alerting"},
                {"name", names.Next()},
                {"query", expr},
                {"labels", {{"severity", names.Next()}, {"okapi9", names.Next()}}},
                {"annotations", {{"summary", names.Next()}}},
                {"state", names.Next()},
                {"alerts", {{{"labels", {{"node", names.Next()}}}, {"activeAt", names.Next()}}}},
                {"zebra9", names.Next()}}}}}}}}}};
    plain.comments = {"from " + names.Next(),      "selector: node=" + quoted(),
                      "release: " + names.Next(),  "alert: " + names.Next() + ": " + expr,
                      "rules: " + rules.dump(),    names.Next(),
                      "semantics: " + names.Next()};
    plain.warnings.push_back(Verbatim(names.Next()));
    const Exposition redacted = Redacted(plain, "s");
    std::string all = WriteOpenMetrics(redacted) + redacted.warnings[0].args[0].value.text;
    for (const char* stem :
         {"zebra", "quagga", "okapi", "tapir", "corp", ".ec2", "10.77", "10-77", "user", "word"}) {
      ASSERT_THAT(all, Not(HasSubstr(stem))) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace schedlens
