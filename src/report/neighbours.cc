#include "report/neighbours.h"

#include <algorithm>

#include "report/format.h"

namespace schedlens {
namespace {

bool AsksForThem(const Finding& finding) {
  return finding.id == "bind.apiserver" || finding.id == "attempts.error";
}

bool AreShown(const Diagnosis& d) {
  if (!d.neighbours) return false;
  const NeighboursSeen& n = *d.neighbours;
  return n.apiserver.seen + n.etcd.seen + n.kube_state_metrics.seen > 0 ||
         std::any_of(d.findings.begin(), d.findings.end(), AsksForThem);
}

std::string Seen(const Messages& t, const NeighbourSeen& one) {
  if (one.seen < 1) return t("neighbours.none");
  const std::optional<double>& all = one.instances.value;
  if (!all || *all <= one.seen) return Count(one.seen);
  return t("neighbours.seen_of", Count(one.seen), Count(*all));
}

}  // namespace

std::string NeighboursSentence(const Messages& t, const Diagnosis& d) {
  if (!AreShown(d)) return "";
  const NeighboursSeen& n = *d.neighbours;
  std::string servers = Seen(t, n.apiserver);
  if (n.apiserver.covered && n.apiserver.covered->value) {
    servers += t("join.comma") + t("neighbours.answered", Percent(t, *n.apiserver.covered->value));
  }
  return t("neighbours.apiservers", servers) + t("join.semicolon") +
         t("neighbours.etcd", Seen(t, n.etcd)) + t("join.semicolon") +
         t("neighbours.kube_state_metrics", Seen(t, n.kube_state_metrics));
}

std::vector<std::string> GapSentences(const Messages& t, const Diagnosis& d) {
  std::vector<std::string> gaps = t(d.gaps);
  if (!AreShown(d)) return gaps;
  const NeighboursSeen& n = *d.neighbours;
  for (const NeighbourSeen* one : {&n.apiserver, &n.etcd, &n.kube_state_metrics}) {
    for (std::string& missing : t(one->missing)) gaps.push_back(std::move(missing));
  }
  return gaps;
}

}  // namespace schedlens
