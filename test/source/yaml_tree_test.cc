#include "source/yaml_tree.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <yaml-cpp/yaml.h>

#include <filesystem>

#include "base/yaml_load.h"
#include "cli/process.h"

namespace schedlens {
namespace {

/// An entry with all in it: kinds, texts, lines and bytes.
std::string Told(YamlNode node) {
  std::string out = fmt::format("{}@{}", node.line(), node.pos());
  if (node.IsNull()) return out + " null";
  if (node.IsScalar()) return out + " '" + node.Scalar() + "'";
  out += node.IsMap() ? " {" : " [";
  for (const auto& [key, value] : node) out += (key ? Told(key) + ": " : "") + Told(value) + ", ";
  return out + (node.IsMap() ? "}" : "]");
}

std::string Told(const YAML::Node& node) {
  std::string out = fmt::format("{}@{}", node.Mark().line + 1, node.Mark().pos);
  if (node.IsNull()) return out + " null";
  if (node.IsScalar()) return out + " '" + node.Scalar() + "'";
  out += node.IsMap() ? " {" : " [";
  for (const auto& member : node) {
    out += node.IsMap() ? Told(member.first) + ": " + Told(member.second) : Told(member);
    out += ", ";
  }
  return out + (node.IsMap() ? "}" : "]");
}

std::string Refusal(const std::string& text) {
  try {
    YamlTree tree(text);
    return "";
  } catch (const YAML::Exception& error) {
    return error.msg;
  }
}

// As yaml-cpp reads them, which is what the rest of the program goes by.
TEST(YamlTree, HoldsWhatYamlCppReads) {
  std::vector<std::string> texts = {
      "",
      "a: &a [1, {b: null}]\nc: *a\n---\nd: |\n  e\n  f\n",
      "\xEF\xBB\xBF{\"a\": [1, -2.5e3, true, null, \"x\\n\\u00e9\\/\"],\n \"b\": {}, \"c\": []}\n",
      "[{\"a\": \"\xC3\xA9\"}, []]",
      "{a: b, 'c': [d]}  # no JSON\n",
      "~\n",
      "? [k]\n: v\n",
  };
  for (const char* folder : {"rules", "dashboards", "configmaps"}) {
    for (const auto& file : std::filesystem::directory_iterator(std::string(SCHEDLENS_TEST_DATA) +
                                                                "/lint/" + folder)) {
      texts.push_back(ReadAll(file.path()));
    }
  }
  for (const std::string& text : texts) {
    std::string wanted, got;
    try {
      for (const YAML::Node& document : LoadAllYaml(text)) wanted += Told(document) + "\n";
    } catch (const YAML::Exception& error) {
      wanted = error.msg;
    }
    try {
      const YamlTree tree(text);
      for (const YamlNode document : tree.documents()) got += Told(document) + "\n";
    } catch (const YAML::Exception& error) {
      got = error.msg;
    }
    // Halves of letters in JSON are read here alone.
    if (wanted == "invalid unicode: 55357") continue;
    EXPECT_EQ(got, wanted) << text;
  }
}

TEST(YamlTree, WhatIsNotThereIsNothing) {
  const YamlTree tree("a: {b: [c]}\n");
  const YamlNode root = tree.documents().front();
  EXPECT_EQ(root["a"]["b"].First().Scalar(), "c");
  EXPECT_EQ(root["a"]["b"].size(), 1u);
  EXPECT_FALSE(root["x"]);
  EXPECT_FALSE(root["x"]["y"].IsNull());
  EXPECT_FALSE(root["a"]["b"]["c"]);
  EXPECT_EQ(YamlNode().Scalar(), "");
}

// Half a letter beyond 16 bits stays as long as it is written.
TEST(YamlTree, ReadsLettersOfJson) {
  const YamlTree tree("{\"a\": \"\\ud83d\\ude00x\"}");
  EXPECT_EQ(tree.documents().front()["a"].Scalar(), "????????????x");
}

TEST(YamlTree, HasTheLimitsOfAllYaml) {
  EXPECT_EQ(Refusal("{a: b}, c\n"), "text after the end of a document");
  EXPECT_EQ(Refusal("&a [*a]"), "lists and maps nest deeper than 256");
  const auto nested = [](std::size_t n) { return std::string(n, '[') + std::string(n, ']'); };
  EXPECT_EQ(Refusal(nested(256)), "");
  EXPECT_EQ(Refusal(nested(257)), "lists and maps nest deeper than 256");
  EXPECT_EQ(Refusal("a: &a " + nested(200) + "\nb: [[*a]]\n"), "");
  EXPECT_EQ(Refusal("a: &a " + nested(200) + "\nb: " + std::string(60, '[') + "*a" +
                    std::string(60, ']') + "\n"),
            "lists and maps nest deeper than 256");
  std::string wide = "a: &a [";
  for (int i = 0; i < 1000; ++i) wide += "x,";
  wide += "x]\nb: [";
  for (int i = 0; i < 1000; ++i) wide += "*a,";
  EXPECT_EQ(Refusal(wide + "*a]\n"),
            "its aliases stand for more than 100000 entries or 16777216 bytes");
}

std::string EmptyMaps(std::size_t n) {
  std::string text;
  for (std::size_t i = 0; i < n; ++i) text += "{},";
  return text;
}

// yaml-cpp keeps 88 bytes of each bracket until the last one.
TEST(YamlTree, BracesOfYamlMayNotTakeMuchMoreThanTheirText) {
  if (mallinfo2().uordblks == 0) GTEST_SKIP() << "a sanitizer's allocator tells no sizes";
  EXPECT_EQ(Refusal("[" + EmptyMaps(450'000) + "no JSON]").substr(0, 30),
            "lists and maps in braces that ");
  EXPECT_EQ(Refusal("[" + EmptyMaps(1'000) + "no JSON]"), "");
  EXPECT_EQ(Refusal("a: [" + EmptyMaps(450'000) + "]"), "");
  EXPECT_EQ(Refusal("[" + EmptyMaps(450'000) + "{}]"), "") << "JSON";
  std::string lines = "a:\n";
  for (int i = 0; i < 400'000; ++i) lines += "- a\n";
  EXPECT_EQ(Refusal(lines), "") << "no braces";
}

}  // namespace
}  // namespace schedlens
