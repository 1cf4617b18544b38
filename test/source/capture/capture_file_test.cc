#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"
#include "source/capture/capture_formats.h"
#include "source/capture/capture_source.h"

namespace schedlens {
namespace {

TEST(CaptureFile, TellsTheFormatByItsContent) {
  const std::pair<std::string, std::string> cases[] = {
      {"x{a=\"b\"} 1 2\n# EOF\n", "x{a=\"b\"} 1@2000\n"},
      {"{\"x.y\", a=\"b\"} 1 2\n# EOF\n", "{\"x.y\",a=\"b\"} 1@2000\n"},
      {"\n{__name__=\"x\"} 1 2\n", "x 1@2\n"},
      {R"({"metric":{"__name__":"x"},"values":[1],"timestamps":[2]})", "x 1@2\n"},
      {R"({"status":"success","data":{"resultType":"vector","result":[)"
       R"({"metric":{"__name__":"x"},"value":[2,"1"]}]}})",
       "x 1@2000\n"}};
  for (const auto& [text, read] : cases) EXPECT_EQ(ReadAs(text), read) << text;
}

TEST(CaptureFile, ReadsPlainAndPackedFiles) {
  const std::string path = testing::TempDir() + "capture_file_test";
  const std::string dump = "{__name__=\"x\"} 1 2\n";
  for (const std::string& bytes : {dump, Gzip(dump)}) {
    WriteFileAtomically(path, bytes);
    const LongExposition read = ReadCapture(path, 0);
    ASSERT_EQ(read.series.size(), 1u);
    EXPECT_EQ(read.series[0].samples, (std::vector<Sample>{{2, 1}}));
  }
  std::filesystem::remove(path);
}

TEST(CaptureFile, RefusesTimesInAnotherUnit) {
  const char* const texts[] = {
      "{__name__=\"x\"} 1 1795223190353000\n",
      R"({"metric":{"__name__":"x"},"values":[1],"timestamps":[1795223190353000]})",
      R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{"__name__":"x"},
          "value":[1795223190353,"1"]}]}})"};
  for (const char* text : texts) {
    EXPECT_NE(ReadAs(text).find("error: reading F: x has times beyond the year 5138"),
              std::string::npos)
        << ReadAs(text);
  }
}

TEST(CaptureFile, LeavesJunkToTheExpositionReader) {
  EXPECT_EQ(ReadAs(""), "error: reading F: the file is empty");
  EXPECT_NE(ReadAs(std::string(5000, '\0')).find("binary data"), std::string::npos);
  EXPECT_NE(ReadAs("PK\x03\x04 junk\n").find("error: "), std::string::npos);
}

TEST(CaptureFile, KnowsJsonOfServersFromASavedDiagnosis) {
  EXPECT_TRUE(IsJsonCapture(" {\"status\": \"success\"}"));
  EXPECT_TRUE(IsJsonCapture("{\"metric\":{}}"));
  EXPECT_FALSE(IsJsonCapture("{\"schema\": 1}"));
  EXPECT_FALSE(IsJsonCapture("{\"warnings\": []}"));
  EXPECT_FALSE(IsJsonCapture("{}"));
}

}  // namespace
}  // namespace schedlens
