#pragma once

// Bars, sparklines and heatmaps of characters: eight levels of blocks, or ASCII.

#include <optional>
#include <string>
#include <vector>

namespace schedlens {

/// A bar of `width` columns filled to `fraction` (0 to 1, clamped), in eighths of a column. Where
/// `mark` is given, that place shows a tick: the baseline.
std::string TextBar(double fraction, std::optional<double> mark, int width, bool ascii);

/// One column a value from zero to the greatest, NaN as a dot. More values than `width` are
/// thinned, each column showing its greatest.
std::string Sparkline(const std::vector<double>& values, int width, bool ascii);

/// One shade for a cell: 0 is blank, anything above 0 shows. `greatest` fills the cell.
std::string Shade(double value, double greatest, bool ascii);

}  // namespace schedlens
