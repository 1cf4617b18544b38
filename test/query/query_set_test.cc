#include "query/query_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/source.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// A directory of question files that is gone after the test.
class Directory {
 public:
  Directory() {
    std::string pattern = (fs::temp_directory_path() / "schedlens-queries-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~Directory() { fs::remove_all(path_); }
  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(fs::path(path_) / name) << text;
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string ErrorOf(const std::string& directory) {
  try {
    QuerySet::WithOverrides(directory);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "";
}

TEST(QuerySet, EmbeddedIsWhatTheFilesSay) {
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(SCHEDLENS_SOURCE_DIR "/queries")) {
    if (entry.path().extension() != ".promql") continue;
    std::ifstream in(entry.path());
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    const auto& all = EmbeddedQueries();
    const auto it = std::find_if(all.begin(), all.end(), [&](const EmbeddedFile& query) {
      return query.name == entry.path().stem().string();
    });
    ASSERT_NE(it, all.end()) << entry.path();
    EXPECT_EQ(it->text, text) << entry.path();
    ++files;
  }
  EXPECT_EQ(EmbeddedQueries().size(), files);
  EXPECT_EQ(QuerySet::Embedded().questions().size(), files);
}

TEST(QuerySet, EveryEmbeddedStatementTakesSelectorAndWindow) {
  const QuerySet set = QuerySet::Embedded();
  for (const Question& question : set.questions()) {
    EXPECT_FALSE(question.statements.empty()) << question.name;
    for (const std::string& statement : question.statements) {
      EXPECT_THAT(statement, HasSubstr("$selector")) << question.name;
    }
  }
}

/// Embedded() takes them without a look.
TEST(QuerySet, EveryEmbeddedStatementParses) {
  const QuerySet set = QuerySet::Embedded();
  for (const EmbeddedFile& file : EmbeddedQueries()) {
    const Question parsed =
        ParseQuestion(std::string(file.name), file.text, std::string(file.name));
    EXPECT_EQ(set.Get(file.name).statements, parsed.statements) << file.name;
  }
}

TEST(QuerySet, GetNamesTheNearestQuestion) {
  const QuerySet set = QuerySet::Embedded();
  EXPECT_EQ(set.Get("e2e").name, "e2e");
  try {
    set.Get("e2ee");
    FAIL() << "an unknown name was found";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kFailed);
    EXPECT_THAT(error.what(), HasSubstr("did you mean e2e?"));
  }
}

TEST(QuerySet, AFileOfTheDirectoryTakesItsNamesakesPlace) {
  Directory directory;
  directory.Write("e2e.promql", "my_attempts_bucket{$selector}[$window]\n");
  directory.Write("notes.txt", "not a question");
  const QuerySet set = QuerySet::WithOverrides(directory.path());
  EXPECT_THAT(set.Get("e2e").statements,
              testing::ElementsAre("my_attempts_bucket{$selector}[$window]"));
  EXPECT_EQ(set.questions().size(), QuerySet::Embedded().questions().size());
}

TEST(QuerySet, AFileThatIsNoQuestionNamesTheNearest) {
  Directory directory;
  directory.Write("e2.promql", "a{$selector}");
  EXPECT_THAT(ErrorOf(directory.path()),
              HasSubstr("e2.promql: no question has this name; did you mean e2e.promql?"));
}

TEST(QuerySet, AMalformedOverrideNamesItsFileAndLine) {
  Directory directory;
  directory.Write("e2e.promql", "# mine\nsum by (\n");
  EXPECT_THAT(ErrorOf(directory.path()), HasSubstr("e2e.promql:2: "));
}

TEST(QuerySet, AMissingDirectoryOrAFileIsAnError) {
  EXPECT_THAT(ErrorOf("/nonexistent/queries"), HasSubstr("not a directory"));
  EXPECT_THAT(ErrorOf(SCHEDLENS_SOURCE_DIR "/CMakeLists.txt"), HasSubstr("not a directory"));
}

using testing::ElementsAre;
using testing::HasSubstr;

std::string TextErrorOf(const std::string& text) {
  try {
    ParseQuestion("q", text, "dir/q.promql");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "";
}

TEST(QuestionText, StatementsAreSeparatedByBlankLines) {
  const Question question =
      ParseQuestion("q", "# why\na{$selector}\n\n# older\nb{$selector}\n", "q");
  EXPECT_EQ(question.name, "q");
  EXPECT_THAT(question.statements, ElementsAre("a{$selector}", "b{$selector}"));
}

TEST(QuestionText, AStatementMaySpanLinesWithCommentsBetween) {
  const Question question = ParseQuestion("q", "sum(\n# inner\n  a{$selector}\n)\n \t\nb", "q");
  EXPECT_THAT(question.statements, ElementsAre("sum(\n  a{$selector}\n)", "b"));
}

TEST(QuestionText, CarriageReturnsAndAMissingLastLineEndDoNotMatter) {
  EXPECT_THAT(ParseQuestion("q", "a\r\n\r\nb", "q").statements, ElementsAre("a", "b"));
}

TEST(QuestionText, AFileWithoutStatementIsAnError) {
  EXPECT_THAT(TextErrorOf(""), HasSubstr("dir/q.promql: holds no statement"));
  EXPECT_THAT(TextErrorOf("# only\n\n# comments\n"), HasSubstr("holds no statement"));
}

TEST(QuestionText, AStatementThatDoesNotParseNamesFileAndLine) {
  EXPECT_THAT(TextErrorOf("a\n\nsum(\n"), HasSubstr("dir/q.promql:3: "));
  EXPECT_THAT(TextErrorOf("a{$selektor}\n"), HasSubstr("dir/q.promql:1: "));
}

TEST(Substitute, PutsSelectorAndWindowIn) {
  EXPECT_EQ(Substitute("a{x=\"1\", $selector}[$window]", "job=\"s\"", "10m"),
            "a{x=\"1\", job=\"s\"}[10m]");
  EXPECT_EQ(
      Substitute("rate(a{$selector}[$window]) / rate(b{$selector}[$window])", "j=~\"a|b\"", "5m"),
      "rate(a{j=~\"a|b\"}[5m]) / rate(b{j=~\"a|b\"}[5m])");
}

TEST(Substitute, AnEmptySelectorLeavesNoLooseComma) {
  struct Row {
    const char* statement;
    const char* text;
  };
  const Row rows[] = {
      {"a{x=\"1\", $selector}", "a{x=\"1\"}"},
      {"a{x=\"1\",$selector}", "a{x=\"1\"}"},
      {"a{$selector}", "a{}"},
      {"a{$selector, x=\"1\"}", "a{ x=\"1\"}"},
      {"a{x=\"1\",\n  $selector\n}", "a{x=\"1\"\n}"},
      {"$selector", ""},
      {"a{$selector} + b{y=\"2\", $selector}", "a{} + b{y=\"2\"}"},
  };
  for (const Row& row : rows) EXPECT_EQ(Substitute(row.statement, "", "5m"), row.text);
}

TEST(Substitute, ASelectorThatHoldsAPlaceholdersTextIsPutInOnce) {
  EXPECT_EQ(Substitute("a{$selector}[$window]", "x=\"$selector\"", "5m"), "a{x=\"$selector\"}[5m]");
}

}  // namespace
}  // namespace schedlens
