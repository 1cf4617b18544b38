#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/commands/diagnose.h"
#include "cli/run_main.h"
#include "contract/report.h"
#include "messages/catalog.h"

namespace schedlens {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

const std::string kIncident =
    std::string(SCHEDLENS_SOURCE_DIR) + "/examples/incidents/extender-bind-slow/metrics.om.gz";

Diagnosis WithStep(const std::string& step) {
  Diagnosis d;
  d.source.name = "http://p:9090";
  d.window = {1'795'200'000'000, 1'795'200'300'500};
  Finding finding;
  finding.next_steps = {{Message(step), "", {}}};
  d.findings = {finding};
  d.alert = AlertVerdict();
  d.alert->expr = "histogram_quantile(0.9, sum by (le) (rate(x_bucket{a='b'}[5m]))) > 3";
  d.alert->metric = "x";
  d.alert->quantile = 0.9;
  return d;
}

std::string CommandFor(const InvestigateOptions& options, Diagnosis d) {
  AddMaking(options, Context{std::cin, std::cout, std::cerr}, &d);
  const NextStep& step = d.findings.front().next_steps.front();
  if (!step.command.empty()) {
    EXPECT_THAT(InEnglish(step.text), HasSubstr("`" + step.command + "`"));
  }
  return step.command;
}

TEST(MakingTest, SourceSelectorAndWindowAreFilledIn) {
  InvestigateOptions options;
  options.source.prometheus = "https://me:s3cret@p:9090/x";
  options.source.tenant = "team a";
  options.source.headers = {"Authorization: Bearer s3cret"};
  options.source.selector = "job=\"s\"";
  options.source.semantics = ParseSemantics("2.42");
  EXPECT_EQ(CommandFor(options, WithStep("finding.bind.extender.step.4")),
            "schedlens whatif --set bind.extender=0 --exact --prometheus "
            "'https://<secret>@p:9090/x' --tenant 'team a' --header 'Authorization: <secret>' "
            "--semantics 2.42 --selector 'job=\"s\"' --start 2026-11-20T18:40:00Z "
            "--end 2026-11-20T18:45:00.500Z");
}

TEST(MakingTest, AServiceBehindAnApiServerIsNamedAsItWasGiven) {
  InvestigateOptions options;
  options.source.prometheus = "kubernetes:monitoring/prometheus-k8s:9090";
  options.source.context = "prod";
  EXPECT_EQ(CommandFor(options, WithStep("finding.data.missing.step.1")),
            "schedlens doctor --service monitoring/prometheus-k8s:9090 --context prod --start "
            "2026-11-20T18:40:00Z --end 2026-11-20T18:45:00.500Z");
}

TEST(MakingTest, TheServerOfTheAlertsLinkIsTheSource) {
  EXPECT_EQ(CommandFor({}, WithStep("finding.quantile.rate-extrapolation.step.3")),
            "schedlens quantile x -q 0.9 --prometheus http://p:9090 --start 2026-11-20T18:40:00Z "
            "--end 2026-11-20T18:45:00.500Z");
}

TEST(MakingTest, OfSeveralSchedulersTheOneThatWasJudged) {
  InvestigateOptions options;
  options.source.capture = "c.om";
  options.source.selector = "job=\"s\"";
  Diagnosis d = WithStep("finding.data.missing.step.1");
  d.units = {{{{"cluster", "a\"b"}}, Verdict::kIncident, {}, {}}};
  EXPECT_EQ(CommandFor(options, d),
            "schedlens doctor --capture c.om --selector 'job=\"s\",cluster=\"a\\\"b\"' --start "
            "2026-11-20T18:40:00Z --end 2026-11-20T18:45:00.500Z");
}

TEST(MakingTest, ALifetimeHasNoStart) {
  InvestigateOptions options;
  options.source.scrape_before = "a.txt";
  options.source.scrape_after = "b.txt";
  options.time.lifetime = true;
  EXPECT_EQ(CommandFor(options, WithStep("finding.data.missing.step.1")),
            "schedlens doctor --scrape-before a.txt --scrape-after b.txt --window lifetime");
}

TEST(MakingTest, TheAlertIsLintedForItsRelease) {
  Diagnosis d = WithStep("finding.quantile.saturated.step.2");
  d.release = "1.26";
  EXPECT_EQ(CommandFor({}, d), "schedlens lint --expr '" +
                                   std::string("histogram_quantile(0.9, sum by (le) (rate(x_bucket"
                                               "{a='\\''b'\\''}[5m]))) > 3' --release 1.26"));
  d.alert.reset();
  EXPECT_EQ(CommandFor({}, d), "");  // there is nothing to lint
}

TEST(MakingTest, TheClusterIsTheLabelsOrTheSelectors) {
  Diagnosis d = WithStep("x");
  const Context context{std::cin, std::cout, std::cerr};
  InvestigateOptions options;
  AddMaking(options, context, &d);
  EXPECT_EQ(d.cluster, "");
  options.source.selector = "job=\"s\",cluster=\"b\"";
  AddMaking(options, context, &d);
  EXPECT_EQ(d.cluster, "b");
  options.source.selector = "cluster=~\"b|c\"";
  d.alert->population = {{"cluster", "c"}, {"job", "s"}};
  AddMaking(options, context, &d);
  EXPECT_EQ(d.cluster, "c");
}

TEST(MakingTest, ADiagnosisSaysWhenAndHowItWasMade) {
  const Ran ran = RunMain({"diagnose", "--capture", kIncident, "--header=Authorization: s3cret",
                           "--no-cross-check", "-o", "json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const Json document = Json::parse(ran.out);
  EXPECT_EQ(document.at("made"), 1795226400);
  EXPECT_EQ(document.at("command"), "schedlens diagnose --capture " + kIncident +
                                        " '--header=Authorization: <secret>' --no-cross-check -o "
                                        "json");
  EXPECT_EQ(ran.out.find("s3cret"), std::string::npos);
  // A saved one is of when it was made, whoever prints it.
  const Ran text = RunMain({"report", "-", "--full", "--width", "80"}, ran.out);
  EXPECT_THAT(text.out, HasSubstr("Generated 2026-11-21 02:00:00 UTC"));
  EXPECT_THAT(text.out, HasSubstr("`schedlens diagnose --capture "));
  const Ran zone = RunMain({"report", "-", "--full", "--timezone", "+02:00"}, ran.out);
  EXPECT_THAT(zone.out, HasSubstr("Generated 2026-11-21 04:00:00 UTC+02:00"));
  EXPECT_THAT(zone.out, HasSubstr("Window    2026-11-21 03:09:20 to 03:15:30 UTC+02:00"));
  const Ran as_json = RunMain({"report", "-", "--timezone", "+02:00", "-o", "json"}, ran.out);
  EXPECT_EQ(as_json.out, ran.out);
}

TEST(MakingTest, WhatIsNoZoneAndNoLinkIsRefusedInOneLine) {
  const Ran zone = RunMain({"report", "-", "--timezone", "Europe/Berln"}, "{}");
  EXPECT_EQ(zone.code, 2);
  EXPECT_THAT(zone.err, HasSubstr("--timezone Europe/Berln: no such zone is installed"));
  EXPECT_EQ(std::count(zone.err.begin(), zone.err.end(), '\n'), 1);
  const Ran link = RunMain({"report", "-", "--link", "javascript:alert(1)"}, "{}");
  EXPECT_EQ(link.code, 2);
  EXPECT_THAT(link.err, HasSubstr("--link"));
}

}  // namespace
}  // namespace schedlens
