#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "base/text.h"

namespace schedlens {
namespace {

TEST(QuotePromql, EscapesAsGoDoes) {
  EXPECT_EQ(QuotePromql(""), R"("")");
  EXPECT_EQ(QuotePromql(R"(a"b\c)"), R"("a\"b\\c")");
  EXPECT_EQ(QuotePromql("a\n\t\r\x01\x7f"), R"("a\n\t\r\x01\x7f")");
  EXPECT_EQ(QuotePromql("é"), "\"é\"");
}

TEST(EscapeRegex, LeavesNoOperator) {
  EXPECT_EQ(EscapeRegex("kube-scheduler_1"), "kube-scheduler_1");
  EXPECT_EQ(EscapeRegex("a.b|c(d)[e]{f}^$*+?\\"), R"(a\.b\|c\(d\)\[e\]\{f\}\^\$\*\+\?\\)");
  EXPECT_EQ(QuotePromql(EscapeRegex("a.b\"")), R"("a\\.b\"")");
}

/// What a shell makes of the word.
std::string Read(const std::string& word) {
  setenv("WORD_TO_READ", word.c_str(), 1);
  std::FILE* pipe = popen("bash -c 'eval \"printf %s $WORD_TO_READ\"'", "r");
  std::string out;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) out += static_cast<char>(c);
  EXPECT_EQ(pclose(pipe), 0);
  return out;
}

TEST(ShellWordTest, QuotesWhatAShellWouldTakeApart) {
  EXPECT_EQ(ShellWord("metrics.om.gz"), "metrics.om.gz");
  EXPECT_EQ(ShellWord("http://host:9090/x-y_z@2"), "http://host:9090/x-y_z@2");
  EXPECT_EQ(ShellWord(""), "''");
  EXPECT_EQ(ShellWord("a b"), "'a b'");
  EXPECT_EQ(ShellWord(R"(job="a",x!~"b$")"), R"('job="a",x!~"b$"')");
  EXPECT_EQ(ShellWord("it's"), R"('it'\''s')");
  EXPECT_EQ(ShellWord("事故/报告.om"), "'事故/报告.om'");
}

TEST(ShellWordTest, WritesOutWhatDoesNotShow) {
  EXPECT_EQ(ShellWord("a`b"), R"($'a\x60b')");
  EXPECT_EQ(ShellWord("a\nb'c\\"), R"($'a\x0ab\'c\\')");
  EXPECT_EQ(ShellWord("\xE2\x80\xAE"), R"($'\xe2\x80\xae')");
  EXPECT_EQ(ShellWord("\xFF"), R"($'\xff')");
}

TEST(ShellWordTest, AShellReadsTheSameText) {
  for (const char* text : {"", "plain", "a b", "it's \"so\"", "$HOME `ls` \\x", "tab\there\n",
                           "事故", "\xE2\x80\xAEtxt", "-q", "a;b|c&d>(e)"}) {
    EXPECT_EQ(Read(ShellWord(text)), text);
  }
}

}  // namespace
}  // namespace schedlens
