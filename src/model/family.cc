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

bool IsCounterName(std::string_view metric) {
  for (const std::string_view suffix : {"_total", "_sum", "_count", "_bucket"}) {
    if (metric.ends_with(suffix)) return true;
  }
  return false;
}

}  // namespace schedlens
