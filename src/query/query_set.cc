#include <algorithm>
#include <filesystem>

#include "contract/source.h"
#include "model/file.h"
#include "model/nearest.h"
#include "query/embedded.h"
#include "query/question_text.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExtension = ".promql";
constexpr std::size_t kMostText = std::size_t{1} << 20;

std::vector<std::string> Names(const std::vector<Question>& questions) {
  std::vector<std::string> names;
  for (const Question& question : questions) names.push_back(question.name);
  return names;
}

std::vector<fs::path> QuestionFiles(const std::string& directory) {
  std::error_code error;
  if (!fs::is_directory(directory, error)) {
    throw Error(ErrorKind::kUsage, "--queries " + directory +
                                       ": not a directory; give the one that holds NAME" +
                                       kExtension + " files");
  }
  std::vector<fs::path> files;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() == kExtension) files.push_back(it->path());
  }
  if (error) {
    throw Error(ErrorKind::kUsage,
                "--queries " + directory + ": cannot list it: " + error.message());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

QuerySet QuerySet::Embedded() {
  QuerySet set;
  for (const EmbeddedQuery& file : EmbeddedQueries()) {
    set.questions_.push_back(ReadQuestion(file.name, file.text));
  }
  return set;
}

QuerySet QuerySet::WithOverrides(const std::string& directory) {
  QuerySet set = Embedded();
  const std::vector<std::string> names = Names(set.questions_);
  for (const fs::path& path : QuestionFiles(directory)) {
    const std::string name = path.stem().string();
    const auto it = std::find(names.begin(), names.end(), name);
    if (it == names.end()) {
      throw Error(ErrorKind::kUsage, path.string() + ": no question has this name; did you mean " +
                                         Nearest(name, names) + kExtension + "?");
    }
    set.questions_[static_cast<std::size_t>(it - names.begin())] =
        ParseQuestion(name, ReadFile(path.string(), kMostText), path.string());
  }
  return set;
}

const Question& QuerySet::Get(std::string_view name) const {
  for (const Question& question : questions_) {
    if (question.name == name) return question;
  }
  throw Error(ErrorKind::kFailed, "no question is named " + std::string(name) + "; did you mean " +
                                      Nearest(name, Names(questions_)) + "?");
}

}  // namespace schedlens
