// No sentence of a report contradicts another one, or a number: of every golden report in every
// format and language. Diagnoses of simulated incidents: test/cli/contradictions_test.cc.

#include "report/contradictions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "contract/report.h"
#include "report/samples.h"

namespace schedlens {
namespace {

using test::Form;
using testing::Contains;
using testing::IsEmpty;

struct Golden {
  std::string name, lang;
  Form form;
  std::string text;
};

/// Every rendered golden report but the hostile ones, whose names are there to look like anything.
std::vector<Golden> GoldenReports() {
  std::vector<Golden> all;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(SCHEDLENS_SOURCE_DIR) + "/test/golden")) {
    const std::string file = entry.path().filename();
    const std::string extension = entry.path().extension();
    const bool table = file == "account.txt" || file == "what-if.txt" || file == "unit-costs.txt" ||
                       file == "control_plane.txt";
    // Several diagnoses on one page have no headline of their own.
    const bool several = file.starts_with("clusters.");
    if (table || several || extension == ".json" || file.starts_with("hostile") ||
        file.find(".color.") != file.npos) {
      continue;
    }
    Golden golden{file.substr(0, file.find('.')), file.find(".zh.") == file.npos ? "en" : "zh",
                  Form::kText, ""};
    if (extension == ".md") golden.form = Form::kMarkdown;
    if (extension == ".html") golden.form = Form::kHtml;
    if (file.ends_with(".slack.txt")) golden.form = Form::kSlack;
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    golden.text = text.str();
    all.push_back(std::move(golden));
  }
  return all;
}

/// Lines end at a space, or in Chinese anywhere.
std::string WithoutSpaces(std::string text) {
  std::erase(text, ' ');
  return text;
}

TEST(ContradictionsTest, NoGoldenReportContradictsItself) {
  std::map<std::pair<std::string, std::string>, test::Said> first;
  int read = 0;
  for (const Golden& golden : GoldenReports()) {
    const test::Said said = ReadReport(golden.form, golden.lang, golden.text);
    SCOPED_TRACE(golden.name + " " + golden.lang + " " +
                 std::to_string(static_cast<int>(golden.form)) + ": " + said.headline);
    EXPECT_FALSE(said.verdict.empty()) << "the headline is not understood";
    EXPECT_THAT(ContradictionsIn(said), IsEmpty());
    // Every format says the same.
    const auto& one = first.emplace(std::pair(golden.name, golden.lang), said).first->second;
    EXPECT_EQ(WithoutSpaces(said.headline), WithoutSpaces(one.headline));
    EXPECT_EQ(said.decided, one.decided);
    EXPECT_EQ(said.shown, one.shown);
    EXPECT_EQ(said.low, one.low);
    if (!said.cut) {
      EXPECT_EQ(said.findings, one.findings);
    }
    ++read;
  }
  EXPECT_GE(read, 5 * 8);
}

std::string ReadGolden(const std::string& name) {
  std::stringstream text;
  text << std::ifstream(std::string(SCHEDLENS_SOURCE_DIR) + "/test/golden/" + name).rdbuf();
  return text.str();
}

TEST(ContradictionsTest, NoGoldenJsonContradictsItsNumbers) {
  for (const auto& [name, sample] : AllSamples()) {
    if (name == "hostile") continue;
    const Diagnosis d = ParseDiagnosis(ReadGolden(name + ".json"), name);
    EXPECT_THAT(test::ContradictionsIn(d), IsEmpty()) << name;
    const auto note = nlohmann::json::parse(ReadGolden(name + ".annotation.json"));
    EXPECT_EQ(note.at("tags").at(1), ToString(d.verdict));
    const test::Said said =
        ReadReport(Form::kHtml, "en", "<h1>" + note.at("text").get<std::string>() + "</h1>");
    EXPECT_EQ(said.verdict, ToString(d.verdict)) << name;
  }
}

/// What is read in each format of a diagnosis, the languages' together.
std::vector<test::Said> EveryReading(const Diagnosis& d) {
  std::vector<test::Said> all = {ReadReport(Form::kSlack, "en", RenderSlack(d))};
  for (const std::string lang : {"en", "zh"}) {
    const RenderOptions options{.full = true, .lang = lang};
    all.push_back(ReadReport(Form::kText, lang, RenderText(d, options)));
    all.push_back(ReadReport(Form::kText, lang, RenderText(d, {.width = 80, .lang = lang})));
    all.push_back(ReadReport(Form::kMarkdown, lang, RenderMarkdown(d, options)));
    all.push_back(ReadReport(Form::kHtml, lang, RenderHtml(d, options)));
  }
  return all;
}

TEST(ContradictionsTest, ReadsWhatIsThereInEveryFormat) {
  for (const test::Said& said : EveryReading(ExtenderIncident())) {
    EXPECT_EQ(said.verdict, "incident");
    EXPECT_EQ(said.sure, "certain");
    EXPECT_EQ(said.decided, "above");
    EXPECT_EQ(said.threshold, 3);
    EXPECT_EQ(said.shown, 3.84);
    EXPECT_EQ(said.low, 3.21);
    EXPECT_EQ(said.high, 4.096);
    EXPECT_EQ(said.more, 1);
    ASSERT_FALSE(said.findings.empty()) << said.headline;
    EXPECT_EQ(said.findings[0], (std::pair<std::string, std::string>("bind.extender", "certain")));
    EXPECT_THAT(said.percents, Contains(91.2));
  }
  for (const test::Said& said : EveryReading(Unsettled())) {
    EXPECT_EQ(said.sure, "likely");
    EXPECT_TRUE(said.runner_up);
    EXPECT_TRUE(said.partial);
  }
}

/// Contradictions made by hand: each is found in every format.
TEST(ContradictionsTest, FindsWhatContradicts) {
  const auto expect = [](const std::string& what, const Diagnosis& d, bool badges_only = false) {
    for (const test::Said& said : EveryReading(d)) {
      if (badges_only && said.badge.empty()) continue;
      EXPECT_THAT(test::ContradictionsIn(said), Contains(testing::HasSubstr(what)))
          << said.headline;
    }
  };
  Diagnosis d = HealthyCluster();
  d.alert->decided = Decided::kAbove;
  expect("No incident, truly above", d);
  expect("the proven interval ends below", d);
  d = ExtenderIncident();
  d.verdict = Verdict::kUndecidable;
  d.headline = Message("headline.undecidable");
  expect("cannot decide, truly above", d);
  d = ExtenderIncident();
  d.alert->decided = Decided::kBelow;
  expect("truly not above, and the proven interval ends above", d);
  d = ExtenderIncident();
  d.findings[0].confidence = Confidence::kPossible;
  expect("the headline is certain, its cause possible", d);
  d = ExtenderIncident();
  d.findings[0].share = Measured{3.323, {}, {}, "1", BasisKind::kSums};
  expect("a share of 332.3 %", d);
  d = ExtenderIncident();
  d.verdict = Verdict::kNoIncident;
  expect("badge no-incident over a headline of incident", d, true);
  d = HealthyCluster();
  d.findings = ExtenderIncident().findings;
  expect("none slower, and yet bind.extender is certain", d);
  d = Unsettled();
  d.findings[0].confidence = Confidence::kCertain;
  expect("bind.apiserver is certain although data was left out", d);
  d = Unsettled();
  d.findings.pop_back();
  d.warnings.clear();  // so that a message has room for all
  d.findings[0].action.reset();
  d.gaps.clear();
  d.source = ExtenderIncident().source;
  expect("a runner-up and no second cause", d);
}

TEST(ContradictionsTest, FindsNumbersThatContradict) {
  const auto found = [](const Diagnosis& d) { return test::ContradictionsIn(d); };
  Diagnosis d = HealthyCluster();
  d.timeline = ExtenderIncident().timeline;
  EXPECT_THAT(found(d), Contains("none slower, and the proven p99 is three times the baseline's"));
  d = HealthyCluster();
  d.alert->interval = {3.2, 4.1};
  d.alert->shown = 3.8;
  EXPECT_THAT(found(d), Contains("no-incident, shown and proven above"));
  EXPECT_THAT(found(d),
              Contains("none slower, and the alert's proven p99 is three times the baseline's"));
  d = ExtenderIncident();
  d.findings[0].share->value = 1.2;
  EXPECT_THAT(found(d), Contains("bind.extender over 100 %"));
  d = ExtenderIncident();
  d.quantiles[0].estimate.value = 5;
  EXPECT_THAT(found(d), Contains("an estimate outside the proven interval"));
}

}  // namespace
}  // namespace schedlens
