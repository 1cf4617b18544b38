#pragma once

// What exec takes, made before the fork: in the child of a process with threads another thread may
// have held the heap's lock, for ever.

#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

namespace schedlens::test {

/// The process's own environment with these variables, each `NAME=value`, instead of its own.
inline std::vector<std::string> EnvironmentWith(const std::vector<std::string>& changed) {
  const auto name = [](const std::string& variable) {
    return variable.substr(0, variable.find('='));
  };
  std::vector<std::string> all;
  for (char** at = environ; *at != nullptr; ++at) all.emplace_back(*at);
  for (const std::string& one : changed) {
    std::erase_if(all, [&](const std::string& other) { return name(other) == name(one); });
    all.push_back(one);
  }
  return all;
}

/// A null behind the last one. Valid as long as the words.
inline std::vector<char*> Pointers(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace schedlens::test
