#include <gtest/gtest.h>
#include <sys/stat.h>

#include "cli/commands/serve.h"
#include "cli/process.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

TEST(ServeState, ReadsWhatItHasWritten) {
  const TempDir dir;
  EXPECT_TRUE(ReadReported(dir / "state.json").empty());
  const std::deque<std::uint64_t> states = {1, 0xffffffffffffffffU, 7};
  WriteReported(dir / "state.json", states);
  EXPECT_EQ(ReadReported(dir / "state.json"), states);
  EXPECT_EQ(ReadAll(dir / "state.json"),
            R"({"reported":["0000000000000001","ffffffffffffffff","0000000000000007"]})");
  struct stat status = {};
  ASSERT_EQ(stat((dir / "state.json").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640u);
}

TEST(ServeState, SaysWhichFileIsDamaged) {
  const TempDir dir;
  for (const char* bad : {"", "{", "[]", "{}", R"({"reported":[1]})", R"({"reported":["x"]})",
                          R"({"reported":["1ffffffffffffffff"]})"}) {
    EXPECT_THROW(ReadReported(dir.Write("state.json", bad)), Error) << bad;
  }
}

}  // namespace
}  // namespace schedlens
