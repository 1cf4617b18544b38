#pragma once

// The files of `queries/*.promql`: lines that start with `#` are comments, statements are separated
// by blank lines and tried in order.

#include "base/source.h"
#include "base/text.h"

namespace schedlens {

/// Every one of them, in order of name.
const std::vector<EmbeddedFile>& EmbeddedQueries();

/// Reads one file. `origin` is what errors name. Throws Error(kUsage) with `origin` and the line of
/// the statement when the file holds no statement, or (with `check`) one that does not parse once
/// its placeholders are filled in. Checking takes longer than most of a process's start; of the
/// embedded files a test does it.
Question ParseQuestion(const std::string& name, std::string_view text, const std::string& origin,
                       bool check = true);

}  // namespace schedlens
