#include "model/exposition_header.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "model/byte_source.h"
#include "model/exposition.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

class ReadHeaderTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    path_ = (std::filesystem::path(testing::TempDir()) / info->name()).string();
  }
  void TearDown() override { std::filesystem::remove(path_); }
  std::vector<std::string> Read(const std::string& content) {
    std::ofstream(path_, std::ios::binary) << content;
    return ReadHeader(path_);
  }
  std::string path_;
};

TEST_F(ReadHeaderTest, IsWhatWasWritten) {
  Exposition written;
  written.comments = {"recorded: today", "rules: {\"a\":\"b\\n\\\\c\"}", std::string(200'000, 'x')};
  written.series = {{.labels = Labels({{std::string(kMetricName), "up"}}),
                     .samples = {{1000, 1}},
                     .histograms = {}}};
  const std::string text = WriteOpenMetrics(written);
  EXPECT_EQ(Read(text), written.comments);
  EXPECT_EQ(Read(Gzip(text)), written.comments);
}

TEST_F(ReadHeaderTest, NothingWhereThereIsNone) {
  for (const char* text :
       {"", "\n", "up 1\n", "# HELP up help\n# TYPE up gauge\nup 1 1\n",
        "up 1 1\n# HELP schedlens_comments late\n", "# HELP schedlens_comments"}) {
    EXPECT_TRUE(Read(text).empty()) << text;
  }
  EXPECT_THROW(ReadHeader("/no/such/file"), Error);
}

}  // namespace
}  // namespace schedlens
