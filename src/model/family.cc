#include "model/family.h"

namespace schedlens {

std::string FamilyOf(std::string_view metric) {
  for (const std::string_view suffix : {"_bucket", "_sum", "_count"}) {
    if (metric.size() > suffix.size() && metric.ends_with(suffix)) {
      metric.remove_suffix(suffix.size());
      break;
    }
  }
  return std::string(metric);
}

}  // namespace schedlens
