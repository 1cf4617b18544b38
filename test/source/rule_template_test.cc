#include "source/rule_template.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace schedlens {
namespace {

// Each of these lists was held against `promtool check rules` 2.42.

TEST(TemplateFaultTest, ReadsWhatPrometheusReads) {
  for (const char* text :
       {"no template",
        "} } { {",
        "{{ $value }}",
        "{{$value|humanize}}",
        "{{- $value -}}",
        "{{/* a comment */}}",
        "{{/*/ another */}}",
        "{{- /* trimmed */ -}}",
        "{{ printf \"%.2f\" $value }}",
        "{{ printf `%.2f` .Value }} {{ .Labels.job }} {{ $externalLabels.cluster }}",
        "{{ ($labels).job }} {{ (query \"up\" | first).Value }}",
        "{{ range $i, $e := query \"up\" }}{{ $i }} {{ $e.Labels.job }}{{ break }}{{ end }}",
        "{{ with query \"up{a=\\\"b\\\"}\" }}{{ . | first | value }}{{ else }}none{{ end }}",
        "{{ if gt $value 1.5e3 }}a{{ else if true }}b{{ else }}c{{ end }}",
        "{{ $x := 1 }}{{ $x = 2 }}{{ $x }}",
        "{{ define \"t\" }}a{{ end }}{{ template \"t\" . }}",
        "{{ block \"t\" . }}a{{ end }}",
        "{{ index $labels \"a-b\" }}",
        "{{ 'x' }} {{ '\\n' }}",
        "{{ \"{{\" }} $value {{ \"}}\" }}",
        "{{ $value -1 }}",
        "{{ -.5 }} {{ 0x1F }} {{ 1_000 }}",
        "{{ and .A (or .B .C) }}",
        "{{ nil }}",
        "{{ $.Value }}",
        "{{ template \"unknown\" }}"}) {
    EXPECT_EQ(TemplateFault(text), "") << text;
  }
}

TEST(TemplateFaultTest, SaysWhyPrometheusRefuses) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"{{ $value * 100 }}", "unexpected \"*\" in operand"},
      {"{{ $value > 1 }}", "unexpected \">\" in operand"},
      {"{{ $value - 1 }}", "illegal number syntax: \"-\""},
      {"{{ $label.job }}", "undefined variable \"$label\""},
      {"{{ $value | humanise }}", "function \"humanise\" not defined"},
      {"{{ $labels.a-b }}", "bad character U+002D '-'"},
      {"{{ $labels[\"a\"] }}", "bad character U+005B '['"},
      {"{{ $value ", "unclosed action"},
      {"{{ ($value }}", "unclosed left paren"},
      {"{{ printf '%.2f' $value }}", "malformed character constant: '%.2f'"},
      {"{{ \"a }}", "unterminated quoted string"},
      {"{{ 'a }}", "unterminated character constant"},
      {"{{ `a }}", "unterminated raw quoted string"},
      {"{{ \"a\\.b\" }}", "invalid syntax"},
      {"{{ }}", "missing value for command"},
      {"{{ () }}", "missing value for parenthesized pipeline"},
      {"{{ if }}a{{ end }}", "missing value for if"},
      {"{{ if true }}a", "unexpected EOF"},
      {"{{ end }}", "unexpected {{end}}"},
      {"{{ else }}", "unexpected {{else}}"},
      {"{{ if true }}{{ else }}{{ else }}{{ end }}", "expected end; found {{else}}"},
      {"{{ continue }}", "{{continue}} outside {{range}}"},
      {"{{ $x, $y := 1 }}", "too many declarations in command"},
      {"{{ range $x, 1 }}{{ end }}", "range can only initialize variables"},
      {"{{ if $x := 1 }}{{ end }}{{ $x }}", "undefined variable \"$x\""},
      {"{{ 1 | 2 }}", "non executable command in pipeline stage 2"},
      {"{{ true.a }}", "unexpected . after term \"true\""},
      {"{{ 12abc }}", "bad number syntax: \"12a\""},
      {"{{ $value 1.2. }}", "unexpected \".\" in operand"},
      {"{{ :x }}", "expected :="},
      {"{{/* open }}", "unclosed comment"},
      {"{{/* a */ b }}", "comment ends before closing delimiter"},
      {"{{ template t }}", "unexpected \"t\" in template clause"},
      {"{{ if 1 }}{{ define \"t\" }}{{ end }}{{ end }}", "unexpected <define> in command"},
  };
  for (const auto& [text, fault] : cases) EXPECT_EQ(TemplateFault(text), fault) << text;
}

TEST(TemplateFaultTest, SaysNothingOfWhatIsNestedDeep) {
  std::string parens(100000, '(');
  EXPECT_EQ(TemplateFault("{{ " + parens + "1"), "");
  std::string blocks;
  for (int i = 0; i < 100000; ++i) blocks += "{{ if 1 }}";
  EXPECT_EQ(TemplateFault(blocks), "");
}

}  // namespace
}  // namespace schedlens
