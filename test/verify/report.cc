#include "verify/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/json.h"
#include "scheduler/cluster/objects_json.h"

namespace schedlens::verify {
namespace {

using Json = nlohmann::json;  // members by name

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
  Json json = {{"attempt", m.attempt},   {"kind", m.kind},     {"node", m.node},
               {"own", m.own},           {"plugin", m.plugin}, {"pod", m.pod},
               {"recorded", m.recorded}, {"seq", m.seq},       {"set", set.directory}};
  return json;
}

Json SetJson(const SetReport& set) {
  const KindCount total = Total(set.log.by_kind());
  Json json = {{"attempts", set.attempts},       {"compared", total.compared},
               {"directory", set.directory},     {"kubernetes_version", set.kubernetes_version},
               {"mismatches", total.mismatches}, {"skipped", set.skipped}};
  if (!set.not_modelled.empty()) json["not_modelled"] = set.not_modelled;
  return json;
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
    for (const auto& [what, count] : set.ignored) out.ignored[what] += count;
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
  if (!summary.ignored.empty()) {
    out += fmt::format("ignored: {}\n", sim::core::IgnoredText(summary.ignored));
  }
  for (const SetReport& set : summary.sets) {
    if (set.not_modelled.empty()) continue;
    out += fmt::format("{}: {} not modelled\n", set.directory, set.not_modelled);
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
  Json json;
  json["attempts"] = summary.attempts;
  json["compared"] = summary.compared;
  json["directory"] = summary.directory;
  json["kubernetes_version"] = summary.kubernetes_version;
  json["mismatches"] = summary.mismatches;
  json["skipped"] = summary.skipped;
  json["by_kind"] = summary.by_kind;
  json["ignored"] = summary.ignored;
  json["list"] = Json::array();
  json["sets"] = Json::array();
  for (const SetReport& set : summary.sets) {
    json["sets"].push_back(SetJson(set));
    for (const Mismatch& m : set.log.mismatches()) json["list"].push_back(MismatchJson(set, m));
  }
  return WriteJson(json) + "\n";
}

}  // namespace schedlens::verify
