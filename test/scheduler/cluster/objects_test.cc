#include "scheduler/cluster/objects.h"

#include <gtest/gtest.h>

#include "schedlens/error.h"
#include "scheduler/bed.h"

namespace schedlens::sim::core {
namespace {

TEST(Objects, SelectorsHoldAsKubernetesSaysForMissingKeys) {
  Strings strings;
  const Id key = strings.Intern("k"), a = strings.Intern("a"), b = strings.Intern("b");
  const ObjectLabels has = {{key, a}}, none;
  const struct {
    Operator op;
    std::vector<Id> values;
    bool with, without;
  } cases[] = {{Operator::kIn, {a, b}, true, false}, {Operator::kIn, {b}, false, false},
               {Operator::kNotIn, {a}, false, true}, {Operator::kNotIn, {b}, true, true},
               {Operator::kExists, {}, true, false}, {Operator::kDoesNotExist, {}, false, true}};
  for (const auto& c : cases) {
    const LabelSelector selector{false, {{key, c.op, c.values}}};
    EXPECT_EQ(Matches(selector, has), c.with);
    EXPECT_EQ(Matches(selector, none), c.without);
  }
  EXPECT_FALSE(Matches(LabelSelector{}, has)) << "no selector selects nothing";
  EXPECT_TRUE(Matches(LabelSelector{false, {}}, has)) << "an empty one selects all";
}

TEST(Objects, GtAndLtNeedIntegersOnBothSides) {
  Strings strings;
  const Id gen = strings.Intern("gen");
  const auto matches = [&](Operator op, const char* bound, const char* value) {
    NodeSelectorTerm term;
    term.expressions = {{gen, op, {strings.Intern(bound)}}};
    return Matches(term, {{gen, strings.Intern(value)}}, 0, strings);
  };
  EXPECT_TRUE(matches(Operator::kGt, "5", "6"));
  EXPECT_FALSE(matches(Operator::kGt, "5", "5"));
  EXPECT_TRUE(matches(Operator::kLt, "5", "-7"));
  EXPECT_FALSE(matches(Operator::kGt, "5", "six"));
  EXPECT_FALSE(matches(Operator::kGt, "5", "99999999999999999999"));
  EXPECT_FALSE(Matches(NodeSelectorTerm{}, {}, 0, strings)) << "an empty term matches no node";
}

TEST(Objects, TolerationsByKeyOperatorAndEffect) {
  Strings strings;
  const Taint taint{strings.Intern("k"), strings.Intern("v"), Effect::kNoSchedule};
  EXPECT_TRUE(Tolerates({{taint.key, taint.value, false, false, Effect::kAny}}, taint));
  EXPECT_FALSE(Tolerates({{taint.key, 0, false, false, Effect::kAny}}, taint));
  EXPECT_TRUE(Tolerates({{taint.key, 0, true, false, Effect::kNoSchedule}}, taint));
  EXPECT_TRUE(Tolerates({{0, 0, true, false, Effect::kAny}}, taint));
  EXPECT_FALSE(Tolerates({{taint.key, 0, true, false, Effect::kNoExecute}}, taint));
}

TEST(ObjectsJson, ReadsWhatKubectlPrints) {
  Bed bed;
  const Loaded loaded = LoadObjects(
      R"({"kind":"List","items":[
        {"kind":"Pod","metadata":{"name":"a"},"spec":{"nodeName":"n1","containers":[{"name":"c",
          "image":"nginx","resources":{"requests":{"cpu":"250m","memory":"64Mi"}}}]},
          "status":{"phase":"Running","startTime":"2021-03-01T08:00:01Z"}},
        {"kind":"Pod","metadata":{"name":"b"},"spec":{"containers":[{"name":"c"}]}},
        {"kind":"Pod","metadata":{"name":"done"},"spec":{"nodeName":"n1"},
          "status":{"phase":"Succeeded"}},
        {"kind":"ResourceClaim","metadata":{"name":"x"},"spec":{"devices":3}},
        {"kind":"Node","metadata":{"name":"n1"},
          "status":{"allocatable":{"cpu":"2","memory":"4Gi","pods":"110"}}},
        {"kind":"ConfigMap","metadata":{"name":"x"}}]})",
      "dump.json", bed.cluster);
  EXPECT_EQ(loaded.nodes, 1);
  EXPECT_EQ(loaded.pods, 2);
  EXPECT_EQ(loaded.ignored, 3);
  EXPECT_EQ(loaded.ignored_fields.at("objects of kind ResourceClaim"), 1);
  EXPECT_EQ(bed.cluster.node(0).requested.milli_cpu, 250);
  EXPECT_EQ(bed.cluster.node(0).nonzero.memory, 64 << 20);
  EXPECT_EQ(bed.cluster.pod(0).start_ms, 1614585601000);
}

TEST(ObjectsJson, BadInputIsOneClearLine) {
  const struct {
    const char* json;
    const char* says;
  } cases[] = {
      {"{", "dump.json: not JSON"},
      {R"({"items":3})", "`items` must be a list"},
      {R"({"kind":"Node","metadata":{"name":"n"},"status":{"allocatable":{"cpu":"many"}}})",
       "dump.json:1: Node `n`: status.allocatable: cpu `many` is not a quantity"},
      {R"({"kind":"Node","metadata":{"name":"n"},"status":{"allocatable":{"cpu":"-1"}}})",
       "is negative"},
      {R"({"kind":"Node","metadata":{}})", "it has no name"},
      {R"({"kind":"Pod","metadata":{"name":"p"},"spec":{"containers":{}}})",
       "`containers` must be a list"},
      {R"({"kind":"Pod","metadata":{"name":"p"},"spec":{"resourceClaims":[{"name":"gpu"}]}})",
       "dump.json: Pod `p`: spec.resourceClaims (dynamic resource allocation) is not modelled"},
  };
  for (const auto& c : cases) {
    Bed bed;
    try {
      LoadObjects(c.json, "dump.json", bed.cluster);
      ADD_FAILURE() << c.json;
    } catch (const Error& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find(c.says), std::string::npos) << message;
      EXPECT_EQ(message.find('\n'), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace schedlens::sim::core
