// The JSON contract: what is written reads back, and says what it must.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "contract/report.h"
#include "report/samples.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using ::testing::HasSubstr;
using ParsedJson = nlohmann::json;

TEST(JsonTest, ReadsBackToTheSameBytes) {
  for (const auto& [name, diagnosis] : AllSamples()) {
    const std::string json = RenderJson(diagnosis);
    EXPECT_EQ(RenderJson(ParseDiagnosis(json, name)), json) << name;
  }
}

TEST(JsonTest, ASavedDiagnosisRendersToTheSameBytes) {
  for (const auto& [name, diagnosis] : AllSamples()) {
    const Diagnosis saved = ParseDiagnosis(RenderJson(diagnosis), name);
    for (const char* lang : {"en", "zh"}) {
      const RenderOptions options{.full = true, .lang = lang};
      EXPECT_EQ(RenderText(saved, options), RenderText(diagnosis, options)) << name;
      EXPECT_EQ(RenderMarkdown(saved, options), RenderMarkdown(diagnosis, options)) << name;
      EXPECT_EQ(RenderHtml(saved, options), RenderHtml(diagnosis, options)) << name;
    }
    EXPECT_EQ(RenderSlack(saved), RenderSlack(diagnosis)) << name;
    EXPECT_EQ(RenderGrafanaAnnotation(saved), RenderGrafanaAnnotation(diagnosis)) << name;
  }
}

TEST(JsonTest, SeveralSchedulersAndAnAlertThatIsNoQuantileReadBackToo) {
  Diagnosis d = ExtenderIncident();
  d.units.resize(2);
  d.units[0] = {{{"cluster", "a"}}, Verdict::kIncident, d.headline, 7.5};
  d.alert->quantile = std::nan("");
  d.alert->population = {{"cluster", "a"}};
  d.alert->fires = {FiresState::kYes, {1'795'200'000'000}};
  d.alert->value = 0.25;
  d.alert->shown_proven_wrong = true;
  const std::string json = RenderJson(d);
  EXPECT_EQ(RenderJson(ParseDiagnosis(json, "two")), json);
  const ParsedJson document = ParsedJson::parse(json);
  EXPECT_EQ(document.at("alert").at("fires"),
            (ParsedJson{{"state", "yes"}, {"times", {1795200000}}}));
  EXPECT_EQ(document.at("units").at(0).at("verdict"), "incident");
}

TEST(JsonTest, ADocumentOfBeforeAFieldWasAddedIsRead) {
  ParsedJson document = ParsedJson::parse(RenderJson(ExtenderIncident()));
  document.erase("units");
  for (const char* added : {"population", "fires", "value", "shown_proven_wrong"}) {
    document.at("alert").erase(added);
  }
  EXPECT_EQ(ParseDiagnosis(document.dump(), "old").headline.id, ExtenderIncident().headline.id);
}

TEST(JsonTest, SlowPodsComeBack) {
  Diagnosis d = ExtenderIncident();
  SlowPod pod{.name_space = "shop", .name = "cart-0", .created = 1'763'719'300'000, .seconds = {}};
  pod.seconds = {90.0, 89.0, 91.0, "s", BasisKind::kControlPlane};
  pod.held = {{"nobody", pod.seconds, {1.0, 1.0, 1.0, "1", BasisKind::kControlPlane}}};
  d.pods = {pod};
  const std::string written = RenderJson(d);
  const ParsedJson json = ParsedJson::parse(written)["pods"][0];
  EXPECT_EQ(json["pod"], "cart-0");
  EXPECT_TRUE(json["scheduled"].is_null());
  EXPECT_EQ(json["holders"][0]["id"], "nobody");
  EXPECT_EQ(RenderJson(ParseDiagnosis(written, "saved.json")), written);
}

/// Times that were no incident stood among the episodes.
TEST(JsonTest, ADocumentOfBeforeThereWasAlsoSeenIsRead) {
  Diagnosis d = ExtenderIncident();
  d.also_seen.clear();
  Episode reported, other, little;
  for (Episode* one : {&reported, &other, &little}) {
    one->window = d.window;
    one->headline = Message("headline.slow");
  }
  reported.reported = true;
  reported.verdict = little.verdict = Verdict::kNoIncident;
  d.episodes = {little, reported, other, little};
  ParsedJson document = ParsedJson::parse(RenderJson(d));
  EXPECT_EQ(ParseDiagnosis(document.dump(), "new").episodes.size(), 4U);
  document.erase("also_seen");
  const Diagnosis old = ParseDiagnosis(document.dump(), "old");
  ASSERT_EQ(old.episodes.size(), 2U);
  EXPECT_TRUE(old.episodes[0].reported);
  EXPECT_EQ(old.episodes[1].verdict, Verdict::kIncident);
  EXPECT_EQ(old.also_seen.size(), 2U);
}

TEST(JsonTest, HoldsTheContract) {
  const ParsedJson json = ParsedJson::parse(RenderJson(ExtenderIncident()));
  EXPECT_EQ(json["schema"], "schedlens.diagnosis/1");
  EXPECT_EQ(json["verdict"], "incident");
  EXPECT_EQ(json["window"]["start"], 1763719300);
  EXPECT_EQ(json["alert"]["decided"], "above");
  EXPECT_EQ(json["alert"]["interval"]["low"], 3.2118);
  EXPECT_EQ(json["results"][0]["count"]["value"], 1200);
  EXPECT_EQ(json["stages"][7]["id"], "bind");
  EXPECT_EQ(json["stages"][7]["tail_time_share"]["low"], 0.907);
  EXPECT_EQ(json["stages"][7]["share"]["unit"], "1");
  EXPECT_TRUE(json["stages"][1]["sufficient"].is_null());
  EXPECT_TRUE(json["quantiles"][1]["interval"]["high"].is_null());
  EXPECT_EQ(json["findings"][0]["confidence"], "certain");
  EXPECT_EQ(json["cross_check"]["verdict"], "explained");
  EXPECT_TRUE(json["timeline"]["bounds"].back().is_null());
  EXPECT_TRUE(json["timeline"]["shown"][3].is_null());
}

TEST(JsonTest, ConsequencesComeBackWithTheirCause) {
  Diagnosis d = ExtenderIncident();
  Consequence known{"bind.client-throttling", Message("finding.bind.client-throttling.title"),
                    Measured{0.4, 0.3, 0.5, "1", BasisKind::kSums}};
  d.findings.at(0).consequences = {known, {"queue.backlog", {}, std::nullopt}};
  const std::string written = RenderJson(d);
  const ParsedJson json = ParsedJson::parse(written)["findings"][0]["consequences"];
  ASSERT_EQ(json.size(), 2U);
  EXPECT_EQ(json[0]["id"], "bind.client-throttling");
  EXPECT_EQ(json[0]["title_detail"]["id"], "finding.bind.client-throttling.title");
  EXPECT_EQ(json[0]["share"]["high"], 0.5);
  EXPECT_TRUE(json[1]["share"].is_null());
  const Diagnosis saved = ParseDiagnosis(written, "saved.json");
  ASSERT_EQ(saved.findings.at(0).consequences.size(), 2U);
  EXPECT_EQ(saved.findings[0].consequences[0].title, known.title);
  EXPECT_EQ(RenderJson(saved), written);
}

TEST(JsonTest, EveryFieldIsPresentWhenNothingIsKnown) {
  const ParsedJson full = ParsedJson::parse(RenderJson(ExtenderIncident()));
  const ParsedJson empty = ParsedJson::parse(RenderJson(Diagnosis{}));
  for (const auto& [key, value] : full.items()) EXPECT_TRUE(empty.contains(key)) << key;
  EXPECT_TRUE(empty["alert"].is_null());
  EXPECT_EQ(empty["verdict"], "insufficient-data");
}

TEST(JsonTest, NumbersAreShortAndExact) {
  Diagnosis d;
  d.e2e_seconds = 0.1;
  EXPECT_THAT(RenderJson(d), HasSubstr("\"value\": 0.1,"));
  d.e2e_seconds = 5e-324;
  EXPECT_EQ(ParseDiagnosis(RenderJson(d), "d").e2e_seconds, 5e-324);
}

struct Bad {
  const char* from;
  const char* to;
  const char* message;
};

TEST(JsonTest, NamesTheFieldThatIsWrong) {
  const std::string good = RenderJson(ExtenderIncident());
  const Bad cases[] = {
      {"\"schedlens.diagnosis/1\"", "\"schedlens.diagnosis/9\"", "schedlens.diagnosis/9"},
      {"\"verdict\": \"incident\"", "\"verdict\": \"bad\"", "field verdict"},
      {"\"start\": 1763719300", "\"start\": 1e99", "field window.start must be a time"},
      {"\"id\": \"bind\"", "\"id\": 7", "field stages[7].id must be text"},
      {"\"window_found\": true", "\"window_lost\": true", "field window_found must be present"},
      {"\"saturated\": true", "\"saturated\": null", "must be true or false"},
      {"\"value\": 1234", "\"value\": \"1234\"", "attempts.value must be a number or null"},
      {"\"value\": 1234", "\"value\": 1e999", "out of range"},
      {"{", "", "not JSON at byte"},
  };
  for (const Bad& bad : cases) {
    std::string text = good;
    const std::size_t at = text.find(bad.from);
    ASSERT_NE(at, std::string::npos) << bad.from;
    text.replace(at, std::string(bad.from).size(), bad.to);
    try {
      ParseDiagnosis(text, "saved.json");
      FAIL() << bad.to;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kFailed);
      EXPECT_THAT(error.what(), HasSubstr(bad.message));
      EXPECT_THAT(error.what(), HasSubstr("saved.json"));
    }
  }
}

TEST(JsonTest, DeepNestingIsNotFollowed) {
  EXPECT_THROW(ParseDiagnosis(std::string(1'000'000, '['), "deep"), Error);
}

TEST(ParseDiagnosisTest, AnObjectWithTooManyMembersIsRefusedAtOnce) {
  std::string json = "{\"schema\": 1";
  for (int i = 0; i < 300'000; ++i) json += ",\"k" + std::to_string(i) + "\":0";
  try {
    ParseDiagnosis(json + "}", "wide");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("more than 256 members"), std::string::npos);
  }
}

}  // namespace
}  // namespace schedlens
