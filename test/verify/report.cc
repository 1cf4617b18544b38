#include "verify/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <utility>

#include "base/json.h"
#include "scheduler/cluster/objects_json.h"

namespace schedlens::verify {
namespace {

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

void WriteMismatch(JsonText& json, const SetReport& set, const Mismatch& m) {
  json("attempt", m.attempt);
  json("kind", m.kind);
  json("node", m.node);
  json("own", m.own);
  json("plugin", m.plugin);
  json("pod", m.pod);
  json("recorded", m.recorded);
  json("seq", m.seq);
  json("set", set.directory);
}

void WriteSet(JsonText& json, const SetReport& set) {
  const KindCount total = Total(set.log.by_kind());
  json("attempts", set.attempts);
  json("compared", total.compared);
  json("directory", set.directory);
  json("kubernetes_version", set.kubernetes_version);
  json("mismatches", total.mismatches);
  if (!set.not_modelled.empty()) json("not_modelled", set.not_modelled);
  json("skipped", set.skipped);
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
  const auto members = [&](JsonText& json) {
    json("attempts", summary.attempts);
    json.Object("by_kind", [&] {
      for (const auto& [kind, count] : summary.by_kind) {
        const KindCount& one = count;
        json.Object(kind, [&] {
          json("compared", one.compared);
          json("mismatches", one.mismatches);
        });
      }
    });
    json("compared", summary.compared);
    json("directory", summary.directory);
    json("kubernetes_version", summary.kubernetes_version);
    json.Object("ignored", [&] {
      for (const auto& [what, count] : summary.ignored) json(what, count);
    });
    json.Array("list", [&] {
      for (const SetReport& set : summary.sets) {
        for (const Mismatch& m : set.log.mismatches()) {
          json.ObjectElement([&] { WriteMismatch(json, set, m); });
        }
      }
    });
    json("mismatches", summary.mismatches);
    json.Array("sets", [&] {
      for (const SetReport& set : summary.sets) json.ObjectElement([&] { WriteSet(json, set); });
    });
    json("skipped", summary.skipped);
  };
  return JsonText::Document(JsonStyle::kCompact, members) + "\n";
}

}  // namespace schedlens::verify
