#include "verify/queue_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/json.h"

namespace schedlens::verify {
namespace {

using Json = nlohmann::json;  // members by name

// Comparisons of our own hints and events with the recorded ones; the queue was given those.
bool OfHints(const std::string& kind) { return kind.starts_with("own "); }

KindCount Total(const std::map<std::string, KindCount>& by_kind, bool hints) {
  KindCount sum;
  for (const auto& [kind, count] : by_kind) {
    if (OfHints(kind) != hints) continue;
    sum.compared += count.compared;
    sum.mismatches += count.mismatches;
  }
  return sum;
}

Json MismatchJson(const TraceReport& trace, const QueueMismatch& m) {
  Json json = {{"field", m.field}, {"file", trace.file}, {"got", m.got},
               {"line", m.line},   {"op", m.op},         {"wanted", m.wanted}};
  return json;
}

Json TraceJson(const TraceReport& trace) {
  const KindCount own = Total(trace.log.by_kind(), false);
  const KindCount hints = Total(trace.log.by_kind(), true);
  Json json = {{"compared", own.compared},
               {"file", trace.file},
               {"hint_mismatches", hints.mismatches},
               {"hints_compared", hints.compared},
               {"kubernetes_version", trace.release},
               {"mismatches", own.mismatches},
               {"operations", trace.operations}};
  return json;
}

}  // namespace

QueueSummary SummarizeQueues(const std::string& path, std::vector<TraceReport> traces) {
  QueueSummary out;
  out.path = path;
  std::set<std::string> versions;
  for (const TraceReport& trace : traces) {
    versions.insert(trace.release);
    out.operations += trace.operations;
    for (const auto& [kind, count] : trace.log.by_kind()) {
      out.by_kind[kind].compared += count.compared;
      out.by_kind[kind].mismatches += count.mismatches;
    }
  }
  out.kubernetes_version = fmt::format("{}", fmt::join(versions, ", "));
  const KindCount own = Total(out.by_kind, false);
  const KindCount hints = Total(out.by_kind, true);
  out.compared = own.compared;
  out.mismatches = own.mismatches;
  out.hints_compared = hints.compared;
  out.hint_mismatches = hints.mismatches;
  out.traces = std::move(traces);
  return out;
}

std::string QueueText(const QueueSummary& summary) {
  std::string out = fmt::format("{}: {} operations of the queue of kube-scheduler {} replayed\n",
                                summary.path, summary.operations, summary.kubernetes_version);
  for (const auto& [kind, count] : summary.by_kind) {
    out += fmt::format("  {:<20} {:>9} compared {:>6} different\n", kind, count.compared,
                       count.mismatches);
  }
  for (const TraceReport& trace : summary.traces) {
    for (const QueueMismatch& m : trace.log.mismatches()) {
      out += fmt::format("mismatch: {}: operation {} {}: {}: wanted `{}`, got `{}`\n", trace.file,
                         m.line, m.op, m.field, m.wanted, m.got);
    }
  }
  out += fmt::format("{} compared, {} mismatches, {} hints compared, {} hint mismatches",
                     summary.compared, summary.mismatches, summary.hints_compared,
                     summary.hint_mismatches);
  if (summary.traces.size() > 1) out += fmt::format(", {} traces", summary.traces.size());
  return out + "\n";
}

std::string QueueJson(const QueueSummary& summary) {
  Json json;
  json["compared"] = summary.compared;
  json["directory"] = summary.path;
  json["hint_mismatches"] = summary.hint_mismatches;
  json["hints_compared"] = summary.hints_compared;
  json["kubernetes_version"] = summary.kubernetes_version;
  json["mismatches"] = summary.mismatches;
  json["operations"] = summary.operations;
  json["by_kind"] = summary.by_kind;
  json["list"] = Json::array();
  json["traces"] = Json::array();
  for (const TraceReport& trace : summary.traces) {
    json["traces"].push_back(TraceJson(trace));
    for (const QueueMismatch& m : trace.log.mismatches())
      json["list"].push_back(MismatchJson(trace, m));
  }
  return WriteJson(json) + "\n";
}

}  // namespace schedlens::verify
