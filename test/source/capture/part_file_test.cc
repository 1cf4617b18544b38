#include "source/capture/part_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "model/file.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

class CapturePartFileTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove(path_); }
  void TearDown() override { std::filesystem::remove(path_); }

  static Query Asking(TimeMs end) {
    return {.promql = "a[1m]", .start = end, .end = end, .step_ms = 0};
  }
  static Answer One(TimeMs t) {
    Answer answer;
    answer.series.push_back(
        {.labels = Labels({{"__name__", "a"}}), .samples = {{t, 1}}, .histograms = {}});
    return answer;
  }
  /// A run that ends after three answers.
  void Begun() {
    CapturePartFile part(path_, "q");
    EXPECT_EQ(part.note(), "");
    part.Begin({.asked = "q", .recorded = 5, .range = {1, 9}, .selector = "s"});
    for (const TimeMs end : {1, 2, 3}) part.Keep(Asking(end), One(end));
    EXPECT_EQ(part.count(), 3u);
  }

  const std::string path_ = testing::TempDir() + "/x.om.part";
};

TEST_F(CapturePartFileTest, ALaterRunHasTheAnswersOnce) {
  Begun();
  struct stat status = {};
  ASSERT_EQ(stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  {
    CapturePartFile part(path_, "q");
    ASSERT_TRUE(part.head());
    EXPECT_EQ(part.head()->recorded, 5);
    EXPECT_EQ(part.head()->range, (TimeRange{1, 9}));
    EXPECT_NE(part.note().find("going on with the 3 answers"), std::string::npos);
    EXPECT_EQ(part.Take(Asking(4)), std::nullopt);
    const auto answer = part.Take(Asking(2));
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->series.at(0).samples.at(0).t, 2);
    EXPECT_FALSE(part.Take(Asking(2)));
    part.Keep(Asking(4), One(4));
  }
  CapturePartFile again(path_, "q");
  EXPECT_EQ(again.count(), 4u);
  again.Remove();
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(CapturePartFileTest, TheSmallestAnswerThatWasWholeIsTheOneToAskAgain) {
  {
    CapturePartFile part(path_, "q");
    part.Begin({.asked = "q", .recorded = 5, .range = {1, 9}, .selector = "s"});
    Answer two = One(2);
    two.series.front().samples.insert(two.series.front().samples.begin(), {1, 1});
    part.Keep(Asking(2), two);
    part.Keep(Asking(3), Answer{});
    part.Keep(Asking(4), One(4));
    part.Keep(Asking(6), One(6));
    EXPECT_FALSE(part.Smallest()) << "nothing is of an earlier run";
  }
  const CapturePartFile part(path_, "q");
  ASSERT_TRUE(part.Smallest());
  EXPECT_EQ(part.Smallest()->first.end, 4);
  EXPECT_EQ(part.Smallest()->first.promql, "a[1m]");
  EXPECT_TRUE(SameSamples(part.Smallest()->second, One(4)));
}

TEST_F(CapturePartFileTest, ADamagedEndIsCutOff) {
  Begun();
  std::filesystem::resize_file(path_, std::filesystem::file_size(path_) - 3);
  {
    CapturePartFile part(path_, "q");
    EXPECT_EQ(part.count(), 2u);
    EXPECT_NE(part.note().find("damaged"), std::string::npos);
    part.Keep(Asking(3), One(3));
  }
  EXPECT_EQ(CapturePartFile(path_, "q").count(), 3u);
}

TEST_F(CapturePartFileTest, AFileThatIsNoCapturesIsLeftAlone) {
  const std::string theirs = "# EOF\n";
  std::ofstream(path_) << theirs;
  try {
    const CapturePartFile part(path_, "q");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_NE(std::string(error.what()).find("not part of a capture"), std::string::npos);
  }
  EXPECT_EQ(ReadFile(path_), theirs);
}

TEST_F(CapturePartFileTest, WhatIsOfAnotherQuestionOrCutOffInItsHeadIsBegunAnew) {
  for (const bool other : {true, false}) {
    if (other) {
      Begun();
    } else {
      std::ofstream(path_) << "schedlens capture part 1\n{";
    }
    CapturePartFile part(path_, "r");
    EXPECT_FALSE(part.head());
    EXPECT_NE(part.note().find("restarting the capture"), std::string::npos) << part.note();
    EXPECT_EQ(part.count(), 0u);
    part.Begin({.asked = "r", .recorded = 6, .range = {}, .selector = ""});
    part.Keep(Asking(1), One(1));
    EXPECT_EQ(ReadCapturePart(ReadFile(path_)).head.asked, "r");
  }
}

TEST_F(CapturePartFileTest, NothingIsLeftWhereNothingWasAnswered) {
  {
    CapturePartFile part(path_, "q");
    part.Begin({.asked = "q", .recorded = 5, .range = {1, 9}, .selector = "s"});
    EXPECT_TRUE(std::filesystem::exists(path_));
  }
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(CapturePartFileTest, TwoAtATimeAreRefused) {
  Begun();
  const CapturePartFile part(path_, "q");
  try {
    const CapturePartFile second(path_, "q");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
  }
  EXPECT_EQ(part.count(), 3u);
}

TEST_F(CapturePartFileTest, AFolderInItsPlaceIsAnError) {
  std::filesystem::create_directory(path_);
  EXPECT_THROW(CapturePartFile(path_, "q"), Error);
}

}  // namespace
}  // namespace schedlens
