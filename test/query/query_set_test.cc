#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "contract/query.h"
#include "query/query_set.h"
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
    const auto it = std::find_if(all.begin(), all.end(), [&](const EmbeddedQuery& query) {
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
  for (const EmbeddedQuery& file : EmbeddedQueries()) {
    const Question parsed = ParseQuestion(file.name, file.text, file.name);
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

}  // namespace
}  // namespace schedlens
