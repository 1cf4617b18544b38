#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "base/text.h"
#include "contract/report.h"
#include "report/samples.h"

namespace schedlens {
namespace {

using ParsedJson = nlohmann::json;

ParsedJson Brief(const Diagnosis& d) {
  const std::string text = RenderBrief(d);
  EXPECT_LE(text.size(), kLongestBrief);
  EXPECT_EQ(text.find('\n'), text.size() - 1);
  return ParsedJson::parse(text);
}

/// Any text that a server can make a diagnosis hold: long, escaped, not ASCII.
std::string AnyText(std::mt19937_64* random) {
  static const std::string kPieces[] = {"a", "\x01", "\"\\", "调度", "\xff", "pods/binding ", "\n"};
  std::string text;
  const std::size_t length = std::uniform_int_distribution<std::size_t>(0, 3000)(*random);
  while (text.size() < length) text += kPieces[(*random)() % std::size(kPieces)];
  return text;
}

void Inflate(std::mt19937_64* random, Diagnosis* d) {
  const auto many = [&](auto* list) {
    if (list->empty()) return;
    const auto first = list->front();
    list->resize((*random)() % 60, first);
  };
  d->headline = Verbatim(AnyText(random));
  d->command = AnyText(random);
  d->cluster = AnyText(random);
  d->source.name = AnyText(random);
  d->release = AnyText(random);
  if (d->alert) d->alert->expr = d->alert->metric = AnyText(random);
  d->gaps.push_back(Verbatim(AnyText(random)));
  d->warnings.push_back(Verbatim(AnyText(random)));
  d->episodes.emplace_back().command = AnyText(random);
  for (Finding& finding : d->findings) {
    finding.id = AnyText(random);
    finding.title = Verbatim(AnyText(random));
    if (finding.share) finding.share->unit = AnyText(random);
    finding.action = Remedy{Verbatim(AnyText(random)),
                            Verbatim(AnyText(random)),
                            {},
                            Verbatim(AnyText(random)),
                            AnyText(random)};
    NextStep& step = finding.next_steps.emplace_back();
    step.text = Verbatim(AnyText(random));
    step.query = AnyText(random);
    CauseBehind& behind = finding.behind.emplace_back();
    behind.id = behind.object = AnyText(random);
    many(&finding.next_steps);
    many(&finding.behind);
  }
  many(&d->findings);
  many(&d->gaps);
  many(&d->warnings);
  many(&d->episodes);
}

TEST(BriefTest, NeverIsLongerAndAlwaysIsJson) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 60; ++round) {
    for (auto [name, d] : AllSamples()) {
      if (name != "hostile") {
        EXPECT_EQ(Brief(d)["findings_more"], 0) << name << ": all fit";
      }
      Inflate(&random, &d);
      const ParsedJson brief = Brief(d);
      for (const auto& [key, size] :
           {std::pair("findings", d.findings.size()), std::pair("episodes", d.episodes.size()),
            std::pair("warnings", d.warnings.size())}) {
        EXPECT_EQ(brief.at(key).size() + brief.at(std::string(key) + "_more").get<std::size_t>(),
                  size);
      }
    }
  }
}

TEST(BriefTest, LeavesOutACommandRatherThanCutIt) {
  Diagnosis d = ExtenderIncident();
  d.command = std::string(900, 'x');
  EXPECT_EQ(Brief(d)["command"], d.command);
  d.command = std::string(9000, 'x');
  EXPECT_EQ(Brief(d)["command"], "");
  EXPECT_EQ(Brief(d)["verdict"], "incident");
}

TEST(BriefTest, NamesFieldsAsTheWholeJsonDoes) {
  const Diagnosis d = ExtenderIncident();
  const ParsedJson brief = Brief(d), whole = ParsedJson::parse(RenderJson(d));
  for (const char* same : {"verdict", "headline", "tool_version", "made", "command", "cluster",
                           "release", "window", "baseline", "attempts"}) {
    EXPECT_EQ(brief.at(same), whole.at(same)) << same;
  }
  EXPECT_EQ(brief.at("findings").at(0).at("share"), whole.at("findings").at(0).at("share"));
  EXPECT_EQ(brief.at("findings").at(0).at("id"), whole.at("findings").at(0).at("id"));
}

}  // namespace
}  // namespace schedlens
