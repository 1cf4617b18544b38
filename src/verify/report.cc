#include "verify/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <set>
#include <utility>

namespace schedlens::verify {
namespace {

using Json = nlohmann::json;

KindCount Total(const std::map<std::string, KindCount>& by_kind) {
  KindCount sum;
  for (const auto& [kind, count] : by_kind) {
    sum.compared += count.compared;
    sum.mismatches += count.mismatches;
  }
  return sum;
}

std::string MismatchText(const Mismatch& m) {
  std::string out = fmt::format("mismatch: line {} {} attempt {}", m.seq, m.pod, m.attempt);
  if (!m.node.empty()) out += " node " + m.node;
  if (!m.plugin.empty()) out += " " + m.plugin;
  return out + fmt::format(": {}: recorded `{}`, own `{}`\n", m.kind, m.recorded, m.own);
}

Json MismatchJson(const SetReport& set, const Mismatch& m) {
  return {{"set", set.directory}, {"seq", m.seq},   {"pod", m.pod},
          {"attempt", m.attempt}, {"node", m.node}, {"plugin", m.plugin},
          {"kind", m.kind},       {"own", m.own},   {"recorded", m.recorded}};
}

}  // namespace

ReplaySummary Summarize(const std::string& directory, std::vector<SetReport> sets) {
  ReplaySummary out;
  out.directory = directory;
  std::set<std::string> versions;
  for (const SetReport& set : sets) {
    versions.insert(set.kubernetes_version);
    out.attempts += set.attempts;
    out.skipped += set.skipped;
    for (const auto& [kind, count] : set.log.by_kind()) {
      out.by_kind[kind].compared += count.compared;
      out.by_kind[kind].mismatches += count.mismatches;
    }
  }
  out.kubernetes_version = fmt::format("{}", fmt::join(versions, ", "));
  const KindCount total = Total(out.by_kind);
  out.compared = total.compared;
  out.mismatches = total.mismatches;
  out.sets = std::move(sets);
  return out;
}

std::string ReplayText(const ReplaySummary& summary) {
  std::string out = fmt::format("{}: {} attempts of kube-scheduler {} replayed\n",
                                summary.directory, summary.attempts, summary.kubernetes_version);
  if (summary.skipped > 0) {
    out +=
        fmt::format("{} attempts skipped: the recorder did not know the state\n", summary.skipped);
  }
  for (const auto& [kind, count] : summary.by_kind) {
    out += fmt::format("  {:<20} {:>9} compared {:>6} different\n", kind, count.compared,
                       count.mismatches);
  }
  const bool several = summary.sets.size() > 1;
  for (const SetReport& set : summary.sets) {
    if (several && !set.log.mismatches().empty()) out += set.directory + ":\n";
    for (const Mismatch& m : set.log.mismatches()) out += MismatchText(m);
  }
  out += fmt::format("{} compared, {} mismatches", summary.compared, summary.mismatches);
  if (several) out += fmt::format(", {} sets", summary.sets.size());
  return out + "\n";
}

std::string ReplayJson(const ReplaySummary& summary) {
  Json out = {{"compared", summary.compared},
              {"mismatches", summary.mismatches},
              {"kubernetes_version", summary.kubernetes_version},
              {"directory", summary.directory},
              {"attempts", summary.attempts},
              {"skipped", summary.skipped},
              {"by_kind", Json::object()},
              {"list", Json::array()},
              {"sets", Json::array()}};
  for (const auto& [kind, count] : summary.by_kind) {
    out["by_kind"][kind] = {{"compared", count.compared}, {"mismatches", count.mismatches}};
  }
  for (const SetReport& set : summary.sets) {
    const KindCount total = Total(set.log.by_kind());
    out["sets"].push_back({{"directory", set.directory},
                           {"kubernetes_version", set.kubernetes_version},
                           {"attempts", set.attempts},
                           {"skipped", set.skipped},
                           {"compared", total.compared},
                           {"mismatches", total.mismatches}});
    for (const Mismatch& m : set.log.mismatches()) out["list"].push_back(MismatchJson(set, m));
  }
  return out.dump() + "\n";
}

}  // namespace schedlens::verify
