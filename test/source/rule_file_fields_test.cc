#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "messages/written.h"
#include "source/rule_file.h"

namespace schedlens {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// "LINE id: sentence (what to write instead)" of each problem.
std::vector<std::string> FieldProblems(const std::string& text) {
  std::vector<std::string> said;
  for (const FileProblem& problem : ParseRuleFile(text, "r.yaml").problems) {
    std::string one =
        std::to_string(problem.line) + " " + problem.id + ": " + InEnglish(problem.message);
    if (!problem.fix.empty()) one += " (" + InEnglish(problem.fix) + ")";
    said.push_back(std::move(one));
  }
  return said;
}

std::string RuleWith(const std::string& fields) {
  return "groups:\n- name: g\n  rules:\n  - alert: A\n    expr: up == 0\n" + fields;
}

TEST(RuleFileFieldsTest, FieldsThatNobodyHas) {
  EXPECT_THAT(FieldProblems(RuleWith("    severity: page\n")),
              ElementsAre("6 bad-field: a rule has no field severity"));
  EXPECT_THAT(FieldProblems(RuleWith("    anotations: {}\n")),
              ElementsAre("6 bad-field: a rule has no field anotations (did you mean "
                          "annotations?)"));
  EXPECT_THAT(FieldProblems("groups:\n- name: g\n  intervall: 1m\n  rules: []\n"),
              ElementsAre("3 bad-field: a group has no field intervall (did you mean interval?)"));
  EXPECT_THAT(FieldProblems("x-for: &for 5m\ngroups: [{name: g, rules: []}]\n"),
              ElementsAre("1 bad-field: a rule file has no field x-for"));
}

TEST(RuleFileFieldsTest, FieldsTwiceAndListsForTexts) {
  EXPECT_THAT(FieldProblems(RuleWith("    for: 5m\n    for: 5m\n")),
              ElementsAre("7 bad-field: for is set twice"));
  EXPECT_THAT(FieldProblems(RuleWith("    labels: {team: a, team: b}\n")),
              ElementsAre("6 bad-field: team is set twice"));
  EXPECT_THAT(FieldProblems(RuleWith("    annotations: {steps: [a, b]}\n")),
              ElementsAre("6 bad-field: steps is a list or a map, not a text"));
  EXPECT_THAT(FieldProblems(RuleWith("    labels: page\n")),
              ElementsAre("6 bad-field: labels is no map of names and texts"));
  EXPECT_THAT(FieldProblems("groups:\ngroups: []\n"),
              ElementsAre("2 bad-field: groups is set twice"));
  EXPECT_THAT(FieldProblems(RuleWith("    annotations: {n: 5, on: true, none: }\n")), IsEmpty());
}

// Their fields are their own.
TEST(RuleFileFieldsTest, LeavesOthersAlone) {
  const std::string odd = "    update: 1\n    annotations: {d: '{{ $value | crlfEscape }}'}\n";
  const std::string indented =
      "spec:\n  groups:\n  - name: g\n    rules:\n    - alert: A\n      expr: up\n"
      "      update: 1\n";
  EXPECT_EQ(FieldProblems(RuleWith(odd)).size(), 1u);
  EXPECT_THAT(FieldProblems("apiVersion: operator.victoriametrics.com/v1beta1\n" + indented),
              IsEmpty());
  EXPECT_EQ(FieldProblems("apiVersion: monitoring.coreos.com/v1\n" + indented).size(), 1u);
  EXPECT_EQ(FieldProblems("# {% raw %}\n" + RuleWith(odd)).size(), 1u);
  EXPECT_THAT(FieldProblems(RuleWith(odd + "    labels: {a: '{{ .Values.a }}'}\n")), IsEmpty());
  EXPECT_THAT(FieldProblems("groups:\n- name: g\n  concurrency: 2\n  rules:\n  - alert: A\n"
                            "    expr: up\n" +
                            odd),
              IsEmpty());
  EXPECT_THAT(FieldProblems("apiVersion: 1\ngroups:\n- name: g\n  orgId: 1\n  folder: F\n"
                            "  rules: []\n"),
              IsEmpty());
  EXPECT_THAT(FieldProblems("namespace: n\ngroups:\n- name: g\n  partial_response_strategy: warn\n"
                            "  source_tenants: [a]\n  rules: []\n"),
              IsEmpty());
}

TEST(RuleFileFieldsTest, MergedMapsAreJudgedWhereTheyStand) {
  EXPECT_THAT(FieldProblems("groups:\n- name: g\n  rules:\n  - &a\n    alert: A\n    expr: up\n"
                            "    labels: &l {team: a}\n  - <<: *a\n    alert: B\n"
                            "    labels: {<<: *l, team: b}\n"),
              IsEmpty());
}

}  // namespace
}  // namespace schedlens
