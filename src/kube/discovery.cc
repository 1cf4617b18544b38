#include "kube/discovery.h"

#include <set>

#include "model/quote.h"

namespace schedlens::kube {

std::string JobMatcher(const std::vector<Labels>& schedulers) {
  std::set<std::string> jobs;
  for (const Labels& labels : schedulers) {
    if (!labels.Has("job")) return "";
    jobs.insert(EscapeRegex(labels.Get("job")));
  }
  std::string any;
  for (const std::string& job : jobs) any += (any.empty() ? "" : "|") + job;
  return jobs.empty() ? "" : "job=~" + QuotePromql(any);
}

}  // namespace schedlens::kube
