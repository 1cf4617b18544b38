#include <gtest/gtest.h>

#include "base/url.h"
#include "report/format.h"

namespace schedlens {
namespace {

TEST(EscapeTest, CleanUtf8KeepsWhatIsWellFormed) {
  EXPECT_EQ(CleanUtf8("aé中\n"), "aé中\n");
  EXPECT_EQ(CleanUtf8("a\xFFz"), "a\xEF\xBF\xBDz");
}

TEST(EscapeTest, VisibleSpellsWhatActs) {
  EXPECT_EQ(Visible("a\x1b[2J\r\n\t\x7f"), "a\\x1b[2J\\r\\n\\t\\x7f");
  EXPECT_EQ(Visible("\xC2\x9B"), "\\x9b");
  EXPECT_EQ(Visible("\xE2\x80\xAE"), "\\u202e");
  EXPECT_EQ(Visible("\xEF\xBB\xBF"), "\\ufeff");
  EXPECT_EQ(Visible("plain é中"), "plain é中");
  EXPECT_EQ(Visible(Visible("\x1b")), Visible("\x1b"));
}

TEST(EscapeTest, ShortenCutsTheMiddle) {
  EXPECT_EQ(Shorten("abcdefghij", 10), "abcdefghij");
  EXPECT_EQ(Shorten("abcdefghijk", 5), "ab…jk");
  EXPECT_EQ(Shorten("中文字符很多", 5), "中文…很多");
}

TEST(EscapeTest, ASecretIsMaskedBeforeItIsCut) {
  RegisterSecret("s3cret-token-of-a-server");
  EXPECT_EQ(Shorten("quoted: s3cret-token-of-a-server!", 20), "quoted: [secret]!");
  ForgetSecrets();
}

TEST(EscapeTest, DisplayWidthKnowsWideAndCombining) {
  EXPECT_EQ(DisplayWidth("abc"), 3);
  EXPECT_EQ(DisplayWidth("中文"), 4);
  EXPECT_EQ(DisplayWidth("e\xCC\x81"), 1);
  EXPECT_EQ(DisplayWidth("█▏"), 2);
}

TEST(EscapeTest, Html) {
  EXPECT_EQ(EscapeHtml("<a href=\"x\" y='z'>&"), "&lt;a href=&quot;x&quot; y=&#39;z&#39;&gt;&amp;");
  EXPECT_EQ(EscapeHtml("\n"), "\\n");
}

TEST(EscapeTest, MarkdownEscapesOnlyWhatWouldFormat) {
  EXPECT_EQ(EscapeMarkdown("scheduler_e2e_seconds 2.048 (a)"), "scheduler_e2e_seconds 2.048 (a)");
  EXPECT_EQ(EscapeMarkdown("_it_ **b** [x](y) `c` a|b"),
            "\\_it\\_ \\*\\*b\\*\\* \\[x\\](y) \\`c\\` a\\|b");
  EXPECT_EQ(EscapeMarkdown("# title"), "\\# title");
  EXPECT_EQ(EscapeMarkdown("1. item"), "1\\. item");
  EXPECT_EQ(EscapeMarkdown("- item"), "\\- item");
  EXPECT_EQ(EscapeMarkdown("<b>&@all"), "&lt;b&gt;&amp;&#64;all");
}

TEST(EscapeTest, MarkdownCodeHoldsBackticksAndPipes) {
  EXPECT_EQ(MarkdownCode("a"), "`a`");
  EXPECT_EQ(MarkdownCode("a``b"), "```a``b```");
  EXPECT_EQ(MarkdownCode("`a"), "`` `a ``");
  EXPECT_EQ(MarkdownCode("a|b"), "`a\\|b`");
  EXPECT_EQ(MarkdownCode(""), "`  `");
}

TEST(EscapeTest, Slack) {
  EXPECT_EQ(EscapeSlack("<!channel> *b* `c` &"), "&lt;!channel&gt; ∗b∗ 'c' &amp;");
}

TEST(EscapeTest, Url) {
  EXPECT_EQ(UrlPart("a b{c=\"d\"}&é/", "/"), "a%20b%7Bc%3D%22d%22%7D%26%C3%A9/");
}

TEST(LinksTest, AGraphOfTheAlertOverTheWindow) {
  SourceInfo source;
  source.name = "https://prometheus.example/base/";
  EXPECT_EQ(GraphUrl(source, "a > 3", {1'795'200'000'000, 1'795'200'300'000}),
            "https://prometheus.example/base/graph?g0.expr=a%20%3E%203&g0.tab=0&g0.range_input=5m"
            "&g0.end_input=2026-11-20%2018%3A45%3A00");
  EXPECT_EQ(TableUrl(source, "a", 1'795'200'300'000),
            "https://prometheus.example/base/graph?g0.expr=a&g0.tab=1&g0.moment_input=2026-11-20%20"
            "18%3A45%3A00&g0.end_input=2026-11-20%2018%3A45%3A00");
}

TEST(LinksTest, OnlyTheWebIsLinkedTo) {
  for (const char* name : {"metrics.om.gz", "javascript:alert(1)", "unix:/run/p.sock",
                           "http://a/<b>", "http://a b", "https://a|b", "http://a\"b"}) {
    SourceInfo source;
    source.name = name;
    EXPECT_EQ(GraphUrl(source, "up", {0, 60'000}), "") << name;
    EXPECT_FALSE(IsWebLink(name)) << name;
  }
  SourceInfo source;
  source.name = "http://a";
  EXPECT_EQ(GraphUrl(source, "", {0, 60'000}), "");
}

}  // namespace
}  // namespace schedlens
