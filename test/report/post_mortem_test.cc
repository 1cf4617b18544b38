#include "report/post_mortem.h"

#include <gtest/gtest.h>

#include "report/samples.h"

namespace schedlens {
namespace {

TEST(PostMortemTest, EventsAreInOrderAndNameTheCrossings) {
  const auto events = EventsOf(Messages{"en"}, ExtenderIncident());
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (i > 0) {
      EXPECT_LE(events[i - 1].time, events[i].time);
    }
    texts.push_back(events[i].text);
  }
  EXPECT_EQ(texts,
            (std::vector<std::string>{
                "baseline starts", "Node added: node-17 and 19 more",
                "New webhook configuration: ValidatingWebhookConfiguration vendor-policy",
                "baseline ends", "window of the diagnosis starts",
                "the alert's value is first above 3 s", "from here on it is proven to be above 3 s",
                "the alert is pending", "the alert fires, after 1m", "window of the diagnosis ends",
                "the alert's value is last above 3 s", "the alert is resolved"}));
}

TEST(PostMortemTest, WhatDataCannotProveStaysBlank) {
  for (const PostMortemField& field : PostMortem(Messages{"en"}, ExtenderIncident())) {
    const bool for_people = field.name == "Authors" || field.name == "Status" ||
                            field.name == "Trigger" || field.name == "Resolution" ||
                            field.name.rfind("What went", 0) == 0;
    EXPECT_EQ(field.lines.empty(), for_people) << field.name;
  }
}

TEST(PostMortemTest, ConclusionsAreMarkedAsInference) {
  for (const PostMortemField& field : PostMortem(Messages{"en"}, ExtenderIncident())) {
    if (field.name == "Contributing factors") {
      EXPECT_TRUE(field.inference);
    }
    if (field.name == "Impact") {
      EXPECT_FALSE(field.inference);
    }
  }
}

}  // namespace
}  // namespace schedlens
