// What a diagnosis has to be before it is rendered: one that was just made loses what it may not
// have and says so, a saved one is refused with the field's name. A saved diagnosis is damaged in
// every place and given to every renderer.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "contract/report.h"
#include "messages/catalog.h"
#include "report/commands.h"
#include "report/samples.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

/// Whether a number that is none was printed. `+Inf` is a bucket's bound.
bool HasNoNumber(const std::string& text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (std::isalpha(static_cast<unsigned char>(text[at])) == 0) continue;
    const std::size_t start = at;
    while (at < text.size() && std::isalpha(static_cast<unsigned char>(text[at])) != 0) ++at;
    const std::string_view word = std::string_view(text).substr(start, at - start);
    if (word == "nan" || word == "NaN" || word == "inf") return true;
    if (word == "Inf" && (start == 0 || text[start - 1] != '+')) return true;
  }
  return false;
}

/// Every output of it.
std::vector<std::string> Rendered(const Diagnosis& d, const std::string& lang) {
  const Against against{d, d, {}, {}, {}};
  const SplitDiagnosis split{"cluster", {{"a", d}}};
  const RenderOptions options{.lang = lang};
  return {RenderJson(d),
          RenderGrafanaAnnotation(d),
          RenderText(d, {.full = true, .lang = lang}),
          RenderText(d, {.ascii = true, .lang = lang}),
          RenderMarkdown(d, options),
          RenderHtml(d, options),
          RenderSlack(d, options),
          RenderText(against, options),
          RenderHtml(against, options),
          RenderHtml(split, options)};
}

/// A diagnosis with all that one can hold, and few columns.
Diagnosis Whole() {
  Diagnosis d = ExtenderIncident();
  d.inversion = InvertedQuantiles().inversion;
  d.units = {{{{"cluster", "a"}}, Verdict::kIncident, d.headline, 7.5}};
  d.findings.front().consequences = {{"queue.backlog", Verbatim("x"), Exact(0.5, "1")}};
  CauseBehind behind;
  behind.id = "apiserver.slow";
  behind.title = Verbatim("The API server is slow");
  behind.share = Exact(0.4, "1");
  behind.next_steps = {{Verbatim("look"), "up", StepAnswer{1, Verbatim("one")}, ""}};
  behind.action = d.findings.front().action;
  d.findings.front().behind = {behind};
  d.calm = {{d.window.start - 100'000, d.window.start}};
  Episode other;
  other.window = {d.window.start - 300'000, d.window.start - 200'000};
  other.headline = Message("headline.slow");
  other.reasons = {Message("hurt.median", {{"value", arg::Duration(2)}})};
  other.pods = other.attempts = 20;
  other.shown = 1.5;
  other.findings = {d.findings.back()};
  other.command = "schedlens diagnose";
  d.episodes = {other, other};
  d.episodes.back().window = d.window;
  d.episodes.back().reported = true;
  const Measured half = Bounded(0.4, 0.5, 0.6, "1", BasisKind::kMeanOfScrapes);
  d.holders = {{"queue", half, half, half}, {"queue.algorithm", half, half, half}};
  d.pods = {{"shop", "cart-0", d.window.start, d.window.end, half, d.holders}};
  d.events = {{"scheduler.down", "cp-1", d.window.start, d.window.end}};
  d.chain = {{"scheduler.down", "cp-1", d.window.start, d.window.end, {"queue.backlog"}}};
  Timeline& t = d.timeline;
  t.pending_gated.resize(3);
  t.times.resize(3);
  t.e2e.resize(3);
  for (auto* list : {&t.shown, &t.low, &t.high, &t.scheduled, &t.failed, &t.pending_active,
                     &t.pending_backoff, &t.pending_unschedulable, &t.binding}) {
    list->resize(3);
  }
  return Checked(d);
}

struct Damaged {
  std::size_t refused = 0, rendered = 0;
};

/// Gives the document to the reader and, where that takes it, to every renderer.
void Try(const Json& document, const std::string& where, Damaged* seen) {
  try {
    const Diagnosis d = ParseDiagnosis(document.dump(), "saved.json");
    for (const std::string& text : Rendered(d, seen->rendered % 2 == 0 ? "en" : "zh")) {
      EXPECT_FALSE(HasNoNumber(text)) << where << "\n" << text.substr(0, 2000);
    }
    EXPECT_EQ(RenderJson(Checked(d)), RenderJson(d)) << where;
    ++seen->rendered;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kFailed) << where;
    EXPECT_THAT(error.what(), HasSubstr("saved.json")) << where;
    ++seen->refused;
  }
}

/// Damages `place`, which is within `document`, in every way, and then what is within it. Of long
/// arrays the ends are enough.
void DamageAll(const Json& document, Json* place, const std::string& where, Damaged* seen) {
  const Json good = *place;
  const auto with = [&](const Json& bad) {
    *place = bad;
    Try(document, where + " = " + bad.dump().substr(0, 60), seen);
    *place = good;
  };
  if (good.is_number()) {
    for (const double bad : {0.0, -1.0, 1e17, 1e100, 1e308}) with(bad);
    with(nullptr);
    with("text");
  } else if (good.is_array()) {
    with(Json::array());
    if (good.empty()) return;
    Json twice = good, cut = good;
    twice.insert(twice.end(), good.begin(), good.end());
    cut.erase(cut.size() - 1);
    with(twice);
    with(cut);
    for (std::size_t i = 0; i < good.size(); ++i) {
      if (i > 0 && i + 1 < good.size()) continue;
      DamageAll(document, &(*place)[i], where + "[" + std::to_string(i) + "]", seen);
    }
  } else if (good.is_object()) {
    for (const auto& [key, value] : good.items()) {
      Json without = good;
      without.erase(key);
      with(without);
      // Words for what the sentence beside them says: that one is shown where they are damaged.
      if (key.find("_detail") != std::string::npos) continue;
      DamageAll(document, &(*place)[key], where + "." + key, seen);
    }
  } else if (good.is_string()) {
    with("");
    with(1);
  }
}

TEST(CheckedTest, DamageAnywhereInASavedDiagnosisIsRefusedOrRenders) {
  Json document = Json::parse(RenderJson(Whole()));
  Damaged seen;
  const Json good = document;
  for (const auto& [key, value] : good.items()) {
    DamageAll(document, &document[key], key, &seen);
  }
  EXPECT_GT(seen.refused, 1000U);
  EXPECT_GT(seen.rendered, 1000U);
}

struct Damage {
  const char* named;  ///< what the warning and the error name
  std::function<void(Diagnosis*)> make;
};

const double kNone = std::nan("");

std::string Joined(const std::vector<Message>& messages) {
  return fmt::format("{}", fmt::join(InEnglish(messages), "\n"));
}

const std::vector<Damage>& Damages() {
  static const std::vector<Damage> all = {
      {"timeline", [](Diagnosis* d) { d->timeline.bounds.clear(); }},
      {"timeline", [](Diagnosis* d) { d->timeline.bounds[1] = d->timeline.bounds[0]; }},
      {"timeline", [](Diagnosis* d) { d->timeline.bounds.pop_back(); }},
      {"timeline", [](Diagnosis* d) { d->timeline.e2e.pop_back(); }},
      {"timeline", [](Diagnosis* d) { d->timeline.e2e[1].clear(); }},
      {"timeline", [](Diagnosis* d) { d->timeline.shown.pop_back(); }},
      {"timeline", [](Diagnosis* d) { d->timeline.times[2] = d->timeline.times[1]; }},
      {"timeline.high", [](Diagnosis* d) { d->timeline.high[0] = 1e101; }},
      {"inversion", [](Diagnosis* d) { d->inversion->lower.pop_back(); }},
      {"inversion",
       [](Diagnosis* d) { std::swap(d->inversion->bounds[0], d->inversion->bounds[1]); }},
      {"cross_check", [](Diagnosis* d) { d->cross_check->cdf[1].bound = 0; }},
      {"stages", [](Diagnosis* d) { d->stages[0].parent = d->stages[1].id; }},
      {"stages", [](Diagnosis* d) { d->stages[0].parent = d->stages[0].id; }},
      {"stages", [](Diagnosis* d) { d->stages.push_back(d->stages[0]); }},
      {"stages[0].share", [](Diagnosis* d) { d->stages[0].share.low = 1; }},
      {"stages[0].seconds.value", [](Diagnosis* d) { d->stages[0].seconds.value = -1e200; }},
      {"quantiles[0].interval",
       [](Diagnosis* d) {
         d->quantiles[0].interval = {2, 1};
       }},
      {"alert", [](Diagnosis* d) { d->alert->for_seconds = 1e50; }},
      {"impact", [](Diagnosis* d) { d->impact->above_seconds = -1; }},
      {"changes[0]", [](Diagnosis* d) { d->changes[0].earliest = d->changes[0].at + 1; }},
      {"changes[0].at", [](Diagnosis* d) { d->changes[0].at = TimeMs{1} << 60; }},
      {"queries", [](Diagnosis* d) { d->queries.resize(10'001, d->queries[0]); }},
      {"baseline", [](Diagnosis* d) { std::swap(d->baseline->start, d->baseline->end); }},
      {"calm[0]", [](Diagnosis* d) { std::swap(d->calm[0].start, d->calm[0].end); }},
      {"episodes[0]",
       [](Diagnosis* d) { std::swap(d->episodes[0].window.start, d->episodes[0].window.end); }},
  };
  return all;
}

TEST(CheckedTest, WhatWasJustMadeLosesWhatFailsAndSaysSo) {
  for (const Damage& damage : Damages()) {
    SCOPED_TRACE(damage.named);
    Diagnosis d = Whole();
    damage.make(&d);
    const Diagnosis checked = Checked(d);
    EXPECT_THAT(Joined(checked.warnings), HasSubstr(damage.named));
    for (const char* lang : {"en", "zh"}) {
      for (const std::string& text : Rendered(checked, lang)) EXPECT_FALSE(HasNoNumber(text));
    }
    // What is left is fine: it is read back, and nothing more is left out.
    const std::string json = RenderJson(checked);
    EXPECT_EQ(RenderJson(ParseDiagnosis(json, "saved.json")), json);
  }
}

TEST(CheckedTest, ASavedOneIsRefusedWithTheFieldsName) {
  for (const Damage& damage : Damages()) {
    SCOPED_TRACE(damage.named);
    Diagnosis d = Whole();
    damage.make(&d);
    try {
      ParseDiagnosis(RenderJson(d), "saved.json");
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kFailed);
      EXPECT_THAT(error.what(), HasSubstr("cannot read diagnosis saved.json: field "));
      EXPECT_THAT(error.what(), HasSubstr(damage.named));
    }
  }
}

TEST(CheckedTest, ANumberThatMayBeAbsentIsAbsentWithoutAWord) {
  Diagnosis d = Whole();
  d.attempts = d.alert->quantile = d.timeline.shown[1] = kNone;
  d.alert->shown = d.stages[0].seconds.low = HUGE_VAL;
  const Diagnosis checked = Checked(d);
  EXPECT_EQ(checked.warnings, d.warnings);
  EXPECT_EQ(checked.alert->shown, std::nullopt);
  EXPECT_EQ(checked.stages[0].seconds.low, std::nullopt);
  EXPECT_EQ(RenderText(checked, {}), RenderText(ParseDiagnosis(RenderJson(checked), "again"), {}));
}

TEST(CheckedTest, APromisedNumberThatIsNoneTakesItsEntryAway) {
  Diagnosis d = Whole();
  d.changes[1].count = kNone;
  d.impact->threshold = kNone;
  const Diagnosis checked = Checked(d);
  EXPECT_EQ(checked.changes.size(), d.changes.size() - 1);
  EXPECT_FALSE(checked.impact);
  EXPECT_THAT(Joined(checked.warnings), HasSubstr("impact.threshold"));
}

TEST(CheckedTest, ASentenceOverNothingIsNoEvidence) {
  Diagnosis d = Whole();
  std::vector<Evidence>& evidence = d.findings.front().evidence;
  const std::size_t before = evidence.size();
  evidence.push_back({Message("evidence.extender.mean", {{"mean", arg::Duration(kNone)}}), ""});
  const Diagnosis checked = Checked(d);
  EXPECT_EQ(checked.findings.front().evidence.size(), before);
  EXPECT_THAT(Joined(checked.warnings), HasSubstr(fmt::format("findings[0].evidence[{}]", before)));
}

TEST(CheckedTest, WithoutItsWindowThereIsNoDiagnosis) {
  Diagnosis d = Whole();
  std::swap(d.window.start, d.window.end);
  try {
    Checked(d);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("field window must end no sooner than it starts"));
  }
}

template <class Answer>
std::string WhyRefused(const Answer& answer) {
  try {
    Checked(answer);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kFailed);
    return error.what();
  }
  return "";
}

TEST(CheckedTest, AQuantileLosesWhatContradictsItself) {
  QuantileReport report;
  report.rows.resize(2);
  report.rows[1].shown = HUGE_VAL;
  report.rows[1].proven.proof.interval = {2, 1};
  report.rows[1].estimate = {3.0, 1.0, 2.0, "s", {}};
  const QuantileReport checked = Checked(report);
  EXPECT_EQ(checked.rows[1].shown, HUGE_VAL);
  EXPECT_FALSE(checked.rows[1].proven.proof.interval.low);
  EXPECT_FALSE(checked.rows[1].estimate.value);
  EXPECT_THAT(Joined(checked.warnings),
              HasSubstr("2 values of this answer contradict themselves and are left out: "
                        "groups.proof.interval, groups.estimate"));
  report.rows[0].proven.observations = kNone;
  EXPECT_THAT(WhyRefused(report), HasSubstr("the answer cannot be shown: field groups."));
}

TEST(CheckedTest, AComparisonLosesWhatContradictsItself) {
  Comparison comparison;
  comparison.part.shown = HUGE_VAL;
  comparison.whole_rate = kNone;
  comparison.witness = Witness{HUGE_VAL};
  const Comparison checked = Checked(comparison);
  EXPECT_FALSE(checked.part.shown);
  EXPECT_FALSE(checked.whole_rate);
  EXPECT_FALSE(checked.witness);
  EXPECT_THAT(Joined(checked.warnings), HasSubstr("left out: witness.bound"));
}

TEST(CheckedTest, APredictionLosesWhatContradictsItself) {
  Prediction prediction;
  prediction.e2e = {{0.5, {1.0, 2.0, 3.0, "s", {}}, {2.0, 1.0, kNone, "s", {}}}};
  const Prediction checked = Checked(prediction);
  EXPECT_FALSE(checked.e2e[0].before.value);
  EXPECT_EQ(checked.e2e[0].after.value, 2);
  EXPECT_FALSE(checked.e2e[0].after.high);
  EXPECT_THAT(Joined(checked.assumptions), HasSubstr("e2e[0].before"));
  prediction.after.loop = kNone;
  EXPECT_THAT(WhyRefused(prediction), HasSubstr("after.loop must be a number"));

  Headroom headroom;
  headroom.factor = {2.0, 3.0, 4.0, "1", {}};
  headroom.now = kNone;
  EXPECT_FALSE(Checked(headroom).factor.value);
  EXPECT_FALSE(Checked(headroom).now);
  headroom.qps = HUGE_VAL;
  EXPECT_THAT(WhyRefused(headroom), HasSubstr("client_qps must be a number"));
}

TEST(CheckedTest, TextIsWellFormedWhereverItIs) {
  Diagnosis d = Whole();
  d.alert->labels = {{"a", "\xFF"}};
  d.findings[0].evidence[0].text = Message("evidence.results", {{"count", arg::Count(1)},
                                                                {"attempts", arg::Count(2)},
                                                                {"result", "\xC3("},
                                                                {"share", arg::Share(0.5)}});
  const Diagnosis checked = Checked(d);
  EXPECT_EQ(checked.alert->labels[0].second, "\xEF\xBF\xBD");
  EXPECT_EQ(RenderJson(checked), RenderJson(d));
}

}  // namespace
}  // namespace schedlens
