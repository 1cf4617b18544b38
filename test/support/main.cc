#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>

// The main function of every test program. testing::TempDir() is a folder of this process alone,
// gone after it: ctest runs the tests of a program side by side, and they write files of the same
// name.
int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
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
