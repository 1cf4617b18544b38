#pragma once

// The tables of this folder (*.txt) as the build put them into the binary.

#include <functional>
#include <string_view>
#include <vector>

namespace schedlens::kube {

struct EmbeddedTable {
  std::string_view name;  ///< file name without `.txt`
  std::string_view text;
};

const std::vector<EmbeddedTable>& EmbeddedTables();

/// The parts of a text between marks; none is empty.
std::vector<std::string_view> Split(std::string_view text, char mark);

/// Hands over the words of each line of a table; what begins with `#` comes as one word. Lines of
/// nothing but that are left out.
void ReadTable(std::string_view name,
               const std::function<void(const std::vector<std::string_view>& words)>& take);

}  // namespace schedlens::kube
