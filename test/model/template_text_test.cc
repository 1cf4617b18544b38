#include "model/template_text.h"

#include <gtest/gtest.h>

namespace schedlens {
namespace {

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
