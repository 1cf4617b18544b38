#ifndef SCHEDLENS_SIM_ENGINE_TEXT_LINES_H_
#define SCHEDLENS_SIM_ENGINE_TEXT_LINES_H_

// Lines of 80 columns, for what a person reads in a terminal.

#include <cstddef>
#include <string>
#include <vector>

namespace schedlens::sim {

using Lines = std::vector<std::string>;

/// Puts words over as many lines as they need; all but the first are indented by `hang`.
void PutWrapped(Lines& lines, std::string text, std::size_t hang);

/// The first names, and how many more there are.
std::string Some(const std::vector<std::string>& names, std::size_t shown);

}  // namespace schedlens::sim

#endif  // SCHEDLENS_SIM_ENGINE_TEXT_LINES_H_
