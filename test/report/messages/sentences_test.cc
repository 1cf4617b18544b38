// The Chinese of what the analysis writes. That no sentence lacks one is read off the sources, so
// that it holds for sentences that no example shows; test/cli/language_test.cc renders the
// examples.

#include "report/messages/sentences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "contract/report.h"
#include "report/english.h"
#include "report/samples.h"

namespace schedlens {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::IsEmpty;

TEST(InChineseTest, CarriesOverWhatVaries) {
  EXPECT_EQ(InChinese("That is 0.298 s an extender bind on average."),
            "平均每次 extender bind 0.298 s。");
  EXPECT_EQ(InChinese("7108 of 7200 attempts ended as error (98.7 %), 1.0 % in the baseline."),
            "7200 次调度中有 7108 次以 error 告终（98.7 %），基线为 1.0 %。");
}

TEST(InChineseTest, TranslatesSentencesInsideSentences) {
  EXPECT_EQ(
      InChinese("An extender's bind call is slow: 99.7 % of all e2e time, and 2 more causes."),
      "extender 的 bind 调用很慢：占全部 e2e 时间的 99.7 %，另有 2 个原因。");
  EXPECT_EQ(InChinese("Filter took 1.0 s of the window's 2.0 s of e2e time (50.0 %)."),
            "Filter 用去 1.0 s，窗口内的 e2e 时间共 2.0 s（50.0 %）。");
}

TEST(InChineseTest, LeavesWhatItDoesNotKnow) {
  EXPECT_EQ(InChinese("A sentence of another release."), "A sentence of another release.");
  EXPECT_EQ(InChinese(""), "");
  EXPECT_EQ(InChinese("{0}"), "{0}");
}

TEST(InChineseTest, ReadsNoPlaceholderInAValue) {
  EXPECT_EQ(InChinese("{1} preemption attempts were made."), "共尝试抢占 {1} 次。");
}

TEST(InChineseTest, IsLinearInAHostileName) {
  std::string name;
  for (int i = 0; i < 100'000; ++i) name += " of the window's ";
  EXPECT_THAT(InChinese(name + " took 1 s of the window's 2 s"), testing::StartsWith(name));
}

TEST(SentencesTest, EveryRowIsThereOnceAndUsesItsArguments) {
  std::set<std::string_view> seen;
  for (const Message& row : SentenceTable()) {
    EXPECT_TRUE(seen.insert(row.english).second) << "twice: " << row.english;
    for (char number = '0'; number <= '9'; ++number) {
      const std::string place = {'{', number, '}'};
      if (row.english.find(place) != std::string_view::npos) continue;
      EXPECT_EQ(row.chinese.find(place), std::string_view::npos)
          << row.english << " has no " << place;
    }
    EXPECT_THAT(EnglishRuns(std::string(row.chinese)), IsEmpty());
  }
}

// A source file: its string literals joined, and the code between them with a mark for each.
struct Literals {
  std::vector<std::string> texts;
  std::string code;  ///< without blanks; `@` stands for a literal
};

Literals LiteralsOf(const fs::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_FALSE(text.str().empty()) << path;
  const std::string source =
      std::regex_replace(text.str(), std::regex("(^|\n)[ ]*//[^\n]*|#include[^\n]*"), "\n");
  Literals out;
  bool joined = false;
  for (std::size_t at = 0; at < source.size(); ++at) {
    const char c = source[at];
    if (c == ' ' || c == '\n') continue;
    const bool digits = at > 0 && std::isdigit(static_cast<unsigned char>(source[at - 1])) != 0;
    if (c == '\'' && !digits && at + 2 < source.size()) {  // a character, not a text
      at = source.find('\'', at + (source[at + 1] == '\\' ? 3 : 2));
      continue;
    }
    if (c != '"') {
      out.code += c;
      joined = false;
      continue;
    }
    if (!joined) {
      out.texts.emplace_back();
      out.code += '@';
    }
    for (++at; source[at] != '"'; ++at) {
      if (source[at] == '\\') {
        ++at;
        if (source[at] == 'n') out.texts.back() += '\\';
      }
      out.texts.back() += source[at];
    }
    joined = true;
  }
  return out;
}

const std::regex& Words() {
  static const std::regex words("[A-Za-z']{2,}[,:;]?( [a-zA-Z']+[,:;]?){2,}");
  return words;
}

/// True when some row holds every part between placeholders that is words.
bool IsKnown(const std::string& literal) {
  static const std::regex placeholder("\\{(:[^{}]*|[0-9])?\\}");
  const std::sregex_token_iterator parts(literal.begin(), literal.end(), placeholder, -1);
  return std::all_of(parts, {}, [](const std::string& part) {
    if (!std::regex_search(part, Words())) return true;
    const auto& rows = SentenceTable();
    return std::any_of(rows.begin(), rows.end(), [&](const Message& row) {
      return row.english.find(part) != std::string_view::npos;
    });
  });
}

/// Literals of a file that are sentences, but for those of errors, which end the command.
std::vector<std::string> SentencesOf(const fs::path& path) {
  const Literals literals = LiteralsOf(path);
  std::vector<std::string> sentences;
  std::size_t number = 0;
  bool thrown = false;
  for (std::size_t at = 0; at < literals.code.size(); ++at) {
    if (literals.code.compare(at, 5, "throw") == 0) thrown = true;
    if (literals.code[at] == ';') thrown = false;
    if (literals.code[at] != '@') continue;
    const std::string& text = literals.texts[number++];
    if (!thrown && std::regex_search(text, Words())) sentences.push_back(text);
  }
  return sentences;
}

TEST(SentencesTest, EverySentenceOfTheSourcesHasChinese) {
  // What feeds other commands, or is `explain`'s own.
  static const std::set<std::string> others = {"compare", "doctor", "glossary", "lint"};
  // In no report: whom a stage counts, what a number rests on, what `quantile` alone prints, parts
  // of queries and of errors.
  static const std::set<std::string> unseen = {
      "attempts past PreFilter",
      "attempts with several feasible nodes",
      "attempts without a feasible node",
      "attempts that found a node",
      "pods told to wait by a Permit plugin",
      "attempts that reached binding",
      "binds by the framework",
      "binds by an extender, cache FinishBinding",
      "nothing after the line `# EOF`",
      "a line end (is the file cut off?)",
      "a timestamp (this file does not say when it was scraped)",
      ", job, instance, pod) (",
      "--prometheus URL, --capture FILE, --scrape-before FILE with --scrape-after FILE, or "
      "--scenario NAME",
      "rate limiter sums",
      "difference of sums",
      "counts over the threshold",
      "against the baseline",
      "proven, any pairing; value by reconstruction",
      "proven, any pairing",
      "about 10 % of cycles, then a lossy buffer",
      "algorithm, PostFilter, Reserve, Permit: seconds a second",
      "mean of the scrapes",
      "keep _sum in the recording: sums per scrape narrow the bucket",
      "buckets with finite bounds, or native histograms",
      "bounds above the present highest one, or native histograms",
      "one bucket layout in all replicas",
      "shorter scrape intervals, series kept apart (result, profile, instance), a bound inside "
      "this "
      "bucket, or native histograms: at this rate the sums say no more than the buckets"};
  const fs::path source = fs::path(SCHEDLENS_SOURCE_DIR) / "src";
  std::vector<fs::path> files = {source / "model/exposition_reader.cc",
                                 source / "reference/cross_check.cc",
                                 source / "reference/named_configuration.cc",
                                 source / "source/by_label/by_label.cc",
                                 source / "source/open_source.cc",
                                 source / "stats/histogram_series.cc",
                                 source / "stats/links.cc",
                                 source / "stats/proven_interval.cc"};
  for (const auto& entry : fs::recursive_directory_iterator(source / "analysis")) {
    const std::string folder = entry.path().parent_path().filename();
    const bool source_file = entry.path().extension() == ".cc";
    if (source_file && !others.count(folder) && entry.path().filename() != "webhook.cc") {
      files.push_back(entry.path());
    }
  }
  std::size_t sentences = 0;
  for (const fs::path& path : files) {
    for (const std::string& sentence : SentencesOf(path)) {
      if (unseen.count(sentence)) continue;
      ++sentences;
      EXPECT_TRUE(IsKnown(sentence)) << path.filename() << ": " << sentence;
    }
  }
  EXPECT_GT(sentences, 100U);
}

TEST(SentencesTest, EveryTitleAndNextStepHasChinese) {
  const Literals literals =
      LiteralsOf(fs::path(SCHEDLENS_SOURCE_DIR) / "src/analysis/glossary/findings.cc");
  const std::regex entry(R"(\{@,@,@,@,\{(@(,@)*)\},@\})");
  std::size_t findings = 0;
  for (auto it = std::sregex_iterator(literals.code.begin(), literals.code.end(), entry);
       it != std::sregex_iterator(); ++it) {
    ++findings;
    const auto first = static_cast<std::size_t>(
        std::count(literals.code.begin(), literals.code.begin() + it->position(), '@'));
    const auto steps = static_cast<std::size_t>(std::count((*it)[1].first, (*it)[1].second, '@'));
    const std::string& title = literals.texts[first + 1];
    EXPECT_NE(InChinese(title), title);
    for (std::size_t i = 0; i < steps; ++i) {
      const std::string& step = literals.texts[first + 4 + i];
      EXPECT_NE(InChinese(step), step);
    }
  }
  EXPECT_GT(findings, 25U);
}

TEST(SentencesTest, NoReportOfASampleHoldsEnglish) {
  for (const auto& [name, d] : AllSamples()) {
    if (name == "hostile") continue;  // its sentences are nobody's
    EXPECT_THAT(EnglishRuns(RenderText(d, {.lang = "zh"})), IsEmpty()) << name;
    EXPECT_THAT(EnglishRuns(RenderMarkdown(d, {.lang = "zh"})), IsEmpty()) << name;
    EXPECT_THAT(EnglishRuns(RenderHtml(d, {.lang = "zh"})), IsEmpty()) << name;
  }
}

TEST(EnglishRunsTest, FindsSentencesAndNothingElse) {
  EXPECT_THAT(EnglishRuns("缺少：the queue is not seen."), Contains("the queue is not seen"));
  EXPECT_THAT(EnglishRuns("<p>at most two\n  words more</p>"), Contains("at most two words more"));
  EXPECT_THAT(EnglishRuns("用 `kubectl get the pods now`，sum by (le) (rate(x[5m]))"), IsEmpty());
  EXPECT_THAT(EnglishRuns("“the words of the server”，<code>a b c d e f</code>"), IsEmpty());
}

}  // namespace
}  // namespace schedlens
