#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

namespace {

// ctest runs a program in parts. GoogleTest deals tests out one by one, so that every part sets up
// nearly every suite, servers and their recordings among them; here each suite is of one part, the
// one that has the fewest tests so far. A filter of one's own is split as GoogleTest does.
void KeepSuitesWhole() {
  const char* const total = std::getenv("GTEST_TOTAL_SHARDS");
  const char* const index = std::getenv("GTEST_SHARD_INDEX");
  if (total == nullptr || index == nullptr || GTEST_FLAG_GET(filter) != "*") return;
  std::vector<int> tests(std::stoul(total));
  std::string mine;
  for (int i = 0; i < testing::UnitTest::GetInstance()->total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *testing::UnitTest::GetInstance()->GetTestSuite(i);
    const auto part = std::min_element(tests.begin(), tests.end());
    *part += suite.total_test_count();
    if (part - tests.begin() != std::stol(index)) continue;
    mine += std::string(suite.name()) + ".*:";
  }
  GTEST_FLAG_SET(filter, mine);
  unsetenv("GTEST_TOTAL_SHARDS");
  unsetenv("GTEST_SHARD_INDEX");
}

}  // namespace

// The main function of every test program. testing::TempDir() is a folder of this process alone,
// gone after it: ctest runs the tests of a program side by side, and they write files of the same
// name.
int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  KeepSuitesWhole();
  std::string folder = (std::filesystem::temp_directory_path() / "schedlens-test-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr || setenv("TEST_TMPDIR", (folder + "/").c_str(), 1) != 0) {
    std::cerr << "no folder for this run's files in " << std::filesystem::temp_directory_path()
              << '\n';
    return EXIT_FAILURE;
  }
  const int failed = RUN_ALL_TESTS();
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return failed;
}
