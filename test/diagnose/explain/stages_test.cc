#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diagnose/explain/glossary.h"
#include "messages/catalog.h"

namespace schedlens {
namespace {

TEST(GlossaryStages, HasTheContractsStageIds) {
  std::vector<std::string> ids;
  for (const StageText& text : StageTexts()) ids.push_back(text.id);
  EXPECT_THAT(ids, testing::ElementsAre(
                       "algorithm", "algorithm.prefilter", "algorithm.filter", "algorithm.prescore",
                       "algorithm.score", "algorithm.unmeasured", "postfilter", "reserve", "permit",
                       "permit-wait", "prebind", "bind", "bind.plugins", "bind.throttle",
                       "bind.request", "bind.network", "apiserver", "apiserver.flowcontrol",
                       "apiserver.webhook", "apiserver.admission", "apiserver.storage",
                       "apiserver.rest", "bind.unmeasured", "unmeasured"));
}

TEST(GlossaryStages, EachNamesItsMeasurement) {
  for (const StageText& text : StageTexts()) {
    for (const std::string part : {".title", ".meaning", ".measured_by"}) {
      EXPECT_FALSE(InEnglish(Message("stage." + text.id + part)).empty()) << text.id;
    }
  }
}

}  // namespace
}  // namespace schedlens
