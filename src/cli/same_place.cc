#include "cli/same_place.h"

#include <filesystem>
#include <system_error>

namespace schedlens {
namespace {

namespace fs = std::filesystem;

/// A link to nothing is followed too: whoever writes its target first makes it lead there.
fs::path Place(const std::string& name) {
  constexpr int kMostLinks = 40;  // as Linux follows
  std::error_code none;
  fs::path place = fs::weakly_canonical(fs::absolute(name, none), none);
  for (int i = 0; i < kMostLinks && fs::is_symlink(fs::symlink_status(place, none)); ++i) {
    place = fs::weakly_canonical(place.parent_path() / fs::read_symlink(place, none), none);
  }
  return place;
}

}  // namespace

bool SamePlace(const std::string& a, const std::string& b) {
  if (a == "-" || b == "-") return a == b;
  return Place(a) == Place(b);
}

}  // namespace schedlens
