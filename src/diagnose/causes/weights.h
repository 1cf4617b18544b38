#pragma once

namespace schedlens {

/// A cause must explain this much of what grew; below it, it is noise next to the real one.
inline constexpr double kLeastWeight = 0.1;
/// From this much on it is called likely.
inline constexpr double kLikelyWeight = 0.3;

}  // namespace schedlens
