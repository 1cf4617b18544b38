// The first sentence of a report is the same in every format, and so is what is behind a cause.

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "contract/report.h"
#include "report/samples.h"

namespace schedlens {
namespace {

Diagnosis WebhookIncident() {
  Diagnosis d = ExtenderIncident();
  CauseBehind behind;
  behind.id = "apiserver.webhook";
  behind.object = "quota.policy.example";
  behind.title = Message("behind.apiserver.webhook", {{"object", behind.object}});
  behind.confidence = Confidence::kLikely;
  behind.share = Bounded(0.5, 0.6, 0.7, "1", BasisKind::kControlPlane);
  CauseBehind load = behind;
  load.id = "load.workload";
  load.object = "shop/cart";
  load.title = Message("behind.load.workload", {{"object", load.object}});
  load.share = Bounded(0.3, 0.44, 0.5, "1", BasisKind::kGrowth);
  d.findings.front().behind = {behind, load};
  d.headline = Message("headline.share", {{"confidence", Message("headline.likely")},
                                          {"title", behind.title},
                                          {"share", arg::Share(0.6)}});
  return d;
}

/// In one line, without the marks of a format.
std::string Plain(const std::string& text) {
  static const std::map<std::string, std::string> marks = {
      {"&gt;", ">"}, {"\\>", ">"}, {"\\.", "."}, {"\n", " "}, {"\\-", "-"}};
  std::string out = text;
  for (const auto& [mark, plain] : marks) {
    for (std::size_t at = 0; (at = out.find(mark, at)) != std::string::npos; at += plain.size()) {
      out.replace(at, mark.size(), plain);
    }
  }
  std::string spaced;
  for (const char c : out) {
    if (c != ' ' || spaced.empty() || spaced.back() != ' ') spaced += c;
  }
  return spaced;
}

std::map<std::string, std::string> EveryFormat(const Diagnosis& d) {
  return {{"text", RenderText(d, {.full = true})},
          {"json", RenderJson(d)},
          {"markdown", RenderMarkdown(d, {})},
          {"html", RenderHtml(d, {})},
          {"slack", RenderSlack(d)}};
}

TEST(HeadlineFormatsTest, EveryFormatNamesWhatIsBehindTheBindingCall) {
  const std::string said =
      "Likely: the webhook quota.policy.example is slow on pods/binding (60.0 % of all e2e time).";
  for (const auto& [format, text] : EveryFormat(WebhookIncident())) {
    EXPECT_NE(Plain(text).find(said), std::string::npos) << format << "\n" << text.substr(0, 1500);
  }
}

}  // namespace
}  // namespace schedlens
