#include "base/yaml_load.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <yaml-cpp/yaml.h>

#include "base/file.h"

namespace schedlens {
namespace {

/// The refusal, with its line; empty where there is none.
std::string Refusal(const std::string& text) {
  try {
    LoadAllYaml(text);
    return "";
  } catch (const YAML::Exception& error) {
    return fmt::format("{}: {}", error.mark.line + 1, error.msg);
  }
}

/// Ten lists, each of ten aliases of the one before.
std::string BillionLaughs() {
  std::string text = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string one = fmt::format("*a{}", i - 1);
    text += fmt::format("a{}: &a{} [{}", i, i, one);
    for (int k = 1; k < 10; ++k) text += "," + one;
    text += "]\n";
  }
  return text;
}

TEST(YamlLoad, GivesWhatIsWritten) {
  EXPECT_EQ(LoadAllYaml("a: {b: [1, two]}").at(0)["a"]["b"][1].Scalar(), "two");
  EXPECT_TRUE(LoadAllYaml("---\n").at(0).IsNull());
  EXPECT_EQ(LoadAllYaml("a: 1\n---\nb: 2\n").size(), 2u);
  EXPECT_EQ(LoadAllYaml("").size(), 0u);
  const YAML::Node merged = LoadAllYaml("base: &base {k: v}\nother: *base\n").at(0);
  EXPECT_EQ(merged["other"]["k"].Scalar(), "v");
  EXPECT_THROW(LoadAllYaml("a: [1"), YAML::Exception);
}

TEST(YamlLoad, TextAfterADocumentIsRefused) {
  for (const char* text : {"{a: b}, c\n", "{\"a\": 1},\n{\"b\": 2}\n", "[a], [b]"}) {
    EXPECT_EQ(Refusal(text), "1: text after the end of a document") << text;
  }
  EXPECT_EQ(Refusal("---\n---\n"), "");
  EXPECT_EQ(Refusal("a\n...\n---\nb\n"), "");
}

TEST(YamlLoad, AReasonStandsOnOneLine) {
  const std::string text("{n: a}\xee\0\ns: x\n", 14);
  EXPECT_EQ(Refusal(text), "2: unknown escape character:  ");
  EXPECT_EQ(Refusal("\"\\\x01\""), "1: unknown escape character:  ");
}

TEST(YamlLoad, AliasesThatMultiplyAreRefused) {
  const std::string words = ": its aliases stand for more than 100000 entries or 16777216 bytes";
  // In the line of the alias that is one too many.
  EXPECT_EQ(Refusal(BillionLaughs()), "5" + words);
  // What names itself has no end.
  EXPECT_NE(Refusal("&a [*a, *a]"), "");
  EXPECT_NE(Refusal("a: &a\n  b: *a\n"), "");
  // A wide list of a wide list is no deep one.
  std::string wide = "a: &a [";
  for (int i = 0; i < 1000; ++i) wide += "x,";
  wide += "x]\nb: [";
  for (int i = 0; i < 1000; ++i) wide += "*a,";
  EXPECT_EQ(Refusal(wide + "*a]\n"), "2" + words);
  std::string large = "a: &a " + std::string(100'000, 'x') + "\nb: [";
  for (int i = 0; i < 200; ++i) large += "*a,";
  EXPECT_EQ(Refusal(large + "*a]\n"), "2" + words);
}

TEST(YamlLoad, ManyEntriesAndSomeAliasesAreNot) {
  std::string text = "a: &a [1, 2, 3]\n";
  for (int i = 0; i < 20'000; ++i) text += fmt::format("k{}: *a\n", i);
  EXPECT_EQ(Refusal(text), "");
  EXPECT_EQ(Refusal("[" + std::string(3'000, ',') + "]"), "");
}

TEST(YamlLoad, BracesThatTakeFarMoreMemoryThanTheirTextAre) {
  if (mallinfo2().uordblks == 0)
    GTEST_SKIP() << "a sanitizer's allocator does not say what it holds";
  EXPECT_NE(Refusal("[" + std::string(300'000, ',') + "]").find("too much memory"),
            std::string::npos);
}

TEST(YamlLoad, DepthHasALimit) {
  const auto nested = [](int depth) {
    return std::string(static_cast<std::size_t>(depth), '[') +
           std::string(static_cast<std::size_t>(depth), ']');
  };
  EXPECT_EQ(Refusal(nested(kDeepestYaml)), "");
  EXPECT_EQ(Refusal(nested(kDeepestYaml + 1)), "1: lists and maps nest deeper than 256");
  EXPECT_NE(Refusal(nested(58'000)), "");
  std::string indented;
  for (std::size_t i = 0; i <= kDeepestYaml; ++i) indented += std::string(i, ' ') + "a:\n";
  EXPECT_EQ(Refusal(indented + std::string(kDeepestYaml + 1, ' ') + "b: 1\n"),
            "257: lists and maps nest deeper than 256");
}

TEST(YamlLoad, TellsHowFarItHasRead) {
  const std::string text = "a: [" + std::string(200'000, ' ') + "1]\n";
  std::vector<std::size_t> done;
  ListenToReading([&](const std::string& name, std::size_t bytes, std::size_t total) {
    if (name.empty()) return;
    EXPECT_EQ(name, "YAML");
    EXPECT_EQ(total, text.size());
    done.push_back(bytes);
  });
  EXPECT_EQ(LoadAllYaml(text).at(0)["a"][0].Scalar(), "1");
  ListenToReading({});
  // Once for the limits, once for the documents.
  EXPECT_EQ(done, (std::vector<std::size_t>{0, 65536, 131072, 196608, 0, 65536, 131072, 196608}));
}

TEST(TemplateTextTest, IsKnownByItsActions) {
  EXPECT_TRUE(LooksLikeTemplate("{{- if .Values.rules }}\ngroups: []\n{{- end }}\n"));
  EXPECT_TRUE(LooksLikeTemplate("metadata:\n  labels:\n{{ toYaml .Values.labels | indent 4 }}\n"));
  EXPECT_TRUE(LooksLikeTemplate("name: {{ .Release.Name }}-rules\n"));
  EXPECT_TRUE(LooksLikeTemplate("{% raw %}\ngroups: []\n{% endraw %}"));
  EXPECT_TRUE(LooksLikeTemplate("  {%- for g in groups %}\r\n"));
  EXPECT_TRUE(LooksLikeTemplate("tier: {{ required \"missing\" .Values.tier }}\n"));
  EXPECT_TRUE(LooksLikeTemplate("description: {{`{{ $labels.node }}`}} is slow\n"));
}

TEST(TemplateTextTest, AnnotationsAreNone) {
  EXPECT_FALSE(LooksLikeTemplate(""));
  EXPECT_FALSE(LooksLikeTemplate("groups: [\n"));
  EXPECT_FALSE(LooksLikeTemplate(
      "annotations:\n  summary: \"{{ $labels.pod }} waits {{ $value | humanizeDuration }}\"\n"));
  EXPECT_FALSE(LooksLikeTemplate("description: |\n  {{ $labels.pod }} waits\n"));
  EXPECT_FALSE(LooksLikeTemplate("{\"panels\": [{\"legendFormat\": \"{{instance}}\"}]}"));
}

TEST(TemplateTextTest, SaysWhatToDo) {
  EXPECT_EQ(NotYaml("a: [", "end of sequence flow not found"),
            "not YAML: end of sequence flow not found");
  EXPECT_EQ(NotYaml("{{- if .Values.x }}", "illegal block entry"),
            "not YAML: illegal block entry; a template is to be rendered first (helm template, or "
            "what it is for): give what that prints");
  EXPECT_EQ(AdviceForTemplate("groups: []\n"), "");
}

}  // namespace
}  // namespace schedlens
