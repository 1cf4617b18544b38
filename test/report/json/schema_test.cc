// The published JSON Schema holds for everything that is rendered, and is strict enough to notice.
// The validator here knows the few keywords that the schema uses, and refuses others.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "contract/report.h"
#include "report/commands.h"
#include "report/samples.h"

namespace schedlens {
namespace {

using ParsedJson = nlohmann::json;

bool HasType(const ParsedJson& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "null") return value.is_null();
  if (type == "number") return value.is_number();
  if (type == "integer") return value.is_number_integer();
  ADD_FAILURE() << "unknown type " << type;
  return false;
}

// Each violation as "path: what".
class Validator {
 public:
  explicit Validator(const ParsedJson& root) : root_(root) {}

  void Check(const ParsedJson& schema, const ParsedJson& value, const std::string& path) {
    static const std::set<std::string> kKnown = {
        "$schema",  "$id",         "$defs",   "$ref",
        "title",    "description", "type",    "properties",
        "required", "items",       "minimum", "maximum",
        "enum",     "const",       "anyOf",   "additionalProperties"};
    for (const auto& [key, unused] : schema.items()) {
      EXPECT_EQ(kKnown.count(key), 1U) << "the validator does not know " << key;
    }
    if (schema.contains("$ref")) {
      const auto name = schema["$ref"].get<std::string>();
      if (name.starts_with('#')) {
        Check(root_.at(ParsedJson::json_pointer(name.substr(1))), value, path);
      } else {
        CheckOther(name, value, path);
      }
    }
    if (schema.contains("anyOf")) CheckAny(schema["anyOf"], value, path);
    if (schema.contains("type")) CheckType(schema["type"], value, path);
    if (schema.contains("const") && value != schema["const"]) Fail(path, "not the constant");
    if (schema.contains("enum")) {
      bool found = false;
      for (const ParsedJson& one : schema["enum"]) found = found || one == value;
      if (!found) Fail(path, "not in the enumeration");
    }
    if (value.is_number() && schema.contains("minimum") && value < schema["minimum"]) {
      Fail(path, "too small");
    }
    if (value.is_number() && schema.contains("maximum") && value > schema["maximum"]) {
      Fail(path, "too large");
    }
    if (value.is_object()) CheckObject(schema, value, path);
    if (value.is_array() && schema.contains("items")) {
      for (std::size_t i = 0; i < value.size(); ++i) {
        Check(schema["items"], value[i], path + "[" + std::to_string(i) + "]");
      }
    }
  }

  const std::vector<std::string>& violations() const { return violations_; }

 private:
  void Fail(const std::string& path, const std::string& what) {
    violations_.push_back(path + ": " + what);
  }

  void CheckType(const ParsedJson& type, const ParsedJson& value, const std::string& path) {
    bool found = false;
    for (const ParsedJson& one : type.is_array() ? type : ParsedJson::array({type})) {
      found = found || HasType(value, one.get<std::string>());
    }
    if (!found) Fail(path, "has another type than " + type.dump());
  }

  void CheckOther(const std::string& id, const ParsedJson& value, const std::string& path) {
    const ParsedJson other = ParsedJson::parse(DiagnosisSchema());
    ASSERT_EQ(other.at("$id"), id);
    Validator inner(other);
    inner.Check(other, value, path);
    violations_.insert(violations_.end(), inner.violations().begin(), inner.violations().end());
  }

  void CheckAny(const ParsedJson& schemas, const ParsedJson& value, const std::string& path) {
    for (const ParsedJson& schema : schemas) {
      Validator inner(root_);
      inner.Check(schema, value, path);
      if (inner.violations().empty()) return;
    }
    Fail(path, "fits no alternative");
  }

  void CheckObject(const ParsedJson& schema, const ParsedJson& value, const std::string& path) {
    const ParsedJson properties = schema.value("properties", ParsedJson::object());
    for (const ParsedJson& name : schema.value("required", ParsedJson::array())) {
      if (!value.contains(name.get<std::string>())) Fail(path, "lacks " + name.dump());
    }
    for (const auto& [name, member] : value.items()) {
      if (properties.contains(name)) {
        Check(properties[name], member, path + "." + name);
      } else if (schema.contains("additionalProperties")) {
        Check(schema["additionalProperties"], member, path + "." + name);
      } else if (!properties.empty()) {
        Fail(path, "has the undocumented field " + name);
      }
    }
  }

  const ParsedJson& root_;
  std::vector<std::string> violations_;
};

std::vector<std::string> Violations(const ParsedJson& document,
                                    std::string_view published = DiagnosisSchema()) {
  const ParsedJson schema = ParsedJson::parse(published);
  Validator validator(schema);
  validator.Check(schema, document, "$");
  return validator.violations();
}

TEST(SchemaTest, HoldsForEveryDiagnosis) {
  for (const auto& [name, d] : AllSamples()) {
    for (const std::string& violation : Violations(ParsedJson::parse(RenderJson(d)))) {
      ADD_FAILURE() << name << " " << violation;
    }
  }
  EXPECT_TRUE(Violations(ParsedJson::parse(RenderJson(Diagnosis{}))).empty());
}

TEST(SchemaTest, HoldsForEveryDiagnosisInBrief) {
  for (const auto& [name, d] : AllSamples()) {
    for (const std::string& violation :
         Violations(ParsedJson::parse(RenderBrief(d)), BriefSchema())) {
      ADD_FAILURE() << name << " " << violation;
    }
  }
  EXPECT_TRUE(Violations(ParsedJson::parse(RenderBrief(Diagnosis{})), BriefSchema()).empty());
}

TEST(SchemaTest, HoldsForSeveralDiagnoses) {
  SplitDiagnosis split{.label = "cluster", .parts = {}};
  for (const auto& [name, d] : AllSamples()) split.parts.push_back({name, d});
  const ParsedJson good = ParsedJson::parse(RenderJson(split));
  for (const std::string& violation : Violations(good, DiagnosesSchema()))
    ADD_FAILURE() << violation;
  EXPECT_TRUE(
      Violations(ParsedJson::parse(RenderJson(SplitDiagnosis{})), DiagnosesSchema()).empty());
  const auto violated = [&](const char* pointer, const ParsedJson& value) {
    ParsedJson bad = good;
    bad[ParsedJson::json_pointer(pointer)] = value;
    return !Violations(bad, DiagnosesSchema()).empty();
  };
  EXPECT_TRUE(violated("/schema", "schedlens.diagnosis/1"));
  EXPECT_TRUE(violated("/summary/0/verdict", "fine"));
  EXPECT_TRUE(violated("/summary/0/extra", 1));
  EXPECT_TRUE(violated("/diagnoses/0/alert/quantile", 1.5)) << "by the other schema";
}

TEST(SchemaTest, HoldsForTwoSideBySide) {
  Against bare;
  for (const Against& both : {AgainstSample(), bare}) {
    for (const std::string& violation :
         Violations(ParsedJson::parse(RenderJson(both)), AgainstSchema())) {
      ADD_FAILURE() << violation;
    }
  }
  const ParsedJson good = ParsedJson::parse(RenderJson(AgainstSample()));
  const auto violated = [&](const char* pointer, const ParsedJson& value) {
    ParsedJson bad = good;
    bad[ParsedJson::json_pointer(pointer)] = value;
    return !Violations(bad, AgainstSchema()).empty();
  };
  EXPECT_TRUE(violated("/schema", "schedlens.against/2"));
  EXPECT_TRUE(violated("/then/verdict", "fine"));
  EXPECT_TRUE(violated("/now/window/start", "now"));
  EXPECT_TRUE(violated("/stages/0/seconds_per_pod_now", "1"));
  EXPECT_TRUE(violated("/findings/0/fate", "lost"));
  EXPECT_TRUE(violated("/findings/0/confidence_now", "sure"));
  EXPECT_TRUE(violated("/notes/0", 7));
  EXPECT_TRUE(violated("/extra", 1));
}

TEST(SchemaTest, KnowsConsequences) {
  Diagnosis d = ExtenderIncident();
  d.findings.at(0).consequences = {
      {"queue.backlog", {}, Measured{0.4, 0.3, 0.5, "1", BasisKind::kSums}},
      {"bind.apiserver", {}, std::nullopt}};
  ParsedJson document = ParsedJson::parse(RenderJson(d));
  EXPECT_TRUE(Violations(document).empty());
  document["findings"][0]["consequences"][1]["share"] = 0.4;
  EXPECT_FALSE(Violations(document).empty());
}

TEST(SchemaTest, NoticesEachKindOfViolation) {
  const ParsedJson good = ParsedJson::parse(RenderJson(ExtenderIncident()));
  const auto violated = [&](const char* pointer, const ParsedJson& value) {
    ParsedJson bad = good;
    bad[ParsedJson::json_pointer(pointer)] = value;
    return !Violations(bad).empty();
  };
  EXPECT_FALSE(violated("/verdict", "artifact"));
  EXPECT_TRUE(violated("/verdict", "fine"));
  EXPECT_TRUE(violated("/schema", "schedlens.diagnosis/2"));
  EXPECT_TRUE(violated("/stages/0/id", 7));
  EXPECT_TRUE(violated("/stages/0/seconds/value", "1"));
  EXPECT_TRUE(violated("/alert/quantile", 1.5));
  EXPECT_TRUE(violated("/baseline", "none"));
  EXPECT_TRUE(violated("/findings/0/extra", 1));
  ParsedJson bad = good;
  bad["stages"][0].erase("saturated");
  EXPECT_FALSE(Violations(bad).empty());
}

}  // namespace
}  // namespace schedlens
