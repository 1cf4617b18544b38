#pragma once

// The source tree as the house rules see it.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace schedlens {

/// Regular files below `folder` of the source tree, as paths relative to the tree, sorted.
inline std::vector<std::string> FilesBelow(const std::string& folder) {
  const std::filesystem::path root = SCHEDLENS_SOURCE_DIR;
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
    if (!entry.is_regular_file()) continue;
    files.push_back(std::filesystem::relative(entry.path(), root).generic_string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

inline std::string ReadText(const std::string& path) {
  std::ifstream in(std::filesystem::path(SCHEDLENS_SOURCE_DIR) / path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline bool StartsWith(const std::string& text, const std::string& head) {
  return text.compare(0, head.size(), head) == 0;
}

inline bool EndsWith(const std::string& text, const std::string& tail) {
  return text.size() >= tail.size() &&
         text.compare(text.size() - tail.size(), tail.size(), tail) == 0;
}

}  // namespace schedlens
