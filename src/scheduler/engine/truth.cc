#include "scheduler/engine/truth.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <numeric>

#include "base/json.h"

namespace schedlens::sim {
namespace {

constexpr auto kStages = static_cast<std::size_t>(AttemptStage::kCount);
using Out = std::back_insert_iterator<fmt::memory_buffer>;

// Seconds with all nine digits, exactly.
void PutSeconds(Out out, Nanos t) { fmt::format_to(out, ",{}.{:09}", t / kSecond, t % kSecond); }

/// One event a line.
class TraceWriter {
 public:
  /// `args` of an event with none are null.
  void Slice(std::string_view name, int track, Nanos start, Nanos length, const Json& args) {
    Json event = Event(name, "X", track);
    event["ts"] = Micros(start);
    event["dur"] = Micros(length);
    if (!args.is_null()) event["args"] = args;
    Add(std::move(event));
  }
  void Track(int track, std::string_view name) {
    Json event = Event("thread_name", "M", track);
    event["args"]["name"] = name;
    Add(std::move(event));
  }
  std::string Done() { return "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[" + text_ + "\n]}\n"; }

 private:
  static double Micros(Nanos t) { return static_cast<double>(t) / 1e3; }
  static Json Event(std::string_view name, std::string_view kind, int track) {
    return {{"name", name}, {"ph", kind}, {"pid", 1}, {"tid", track}};
  }
  void Add(Json event) {
    text_ += (text_.empty() ? "\n" : ",\n") + JsonText(std::move(event), JsonStyle::kCompact);
  }

  std::string text_;
};

// The loop's stages come first, then the binding goroutine's.
constexpr auto kOnLoop = static_cast<std::size_t>(AttemptStage::kSpawn);

// Nested slices for the stages in [from, to) that took time; returns where they end.
Nanos PutStages(TraceWriter* trace, const AttemptRecord& a, std::size_t from, std::size_t to,
                int track, Nanos at) {
  for (std::size_t i = from; i < to; ++i) {
    if (a.stages[i] <= 0) continue;
    trace->Slice(StageName(static_cast<AttemptStage>(i)), track, at, a.stages[i], {});
    at += a.stages[i];
  }
  return at;
}

double Quantile(std::vector<double>* values, double q) {
  std::ranges::sort(*values);
  const auto rank = static_cast<std::size_t>(std::ceil(q * static_cast<double>(values->size())));
  return (*values)[std::max<std::size_t>(rank, 1) - 1];
}

/// What ended in (start, end].
Json PhaseOf(Nanos start, Nanos end, const SimulationResult& result) {
  std::array<Nanos, kStages> seconds{};
  Json phase = {{"start", ToSeconds(start)}, {"end", ToSeconds(end)}, {"results", Json::object()}};
  for (AttemptResult kind :
       {AttemptResult::kScheduled, AttemptResult::kUnschedulable, AttemptResult::kError}) {
    std::vector<double> e2e;
    for (const AttemptRecord& a : result.attempts) {
      const Nanos ended = a.start + a.e2e;
      if (a.result != kind || ended <= start || ended > end) continue;
      e2e.push_back(ToSeconds(a.e2e));
      for (std::size_t i = 0; i < kStages; ++i) seconds[i] += a.stages[i];
    }
    if (e2e.empty()) continue;
    Json& row = phase["results"][kube::ToString(kind)] = {{"count", e2e.size()}};
    for (double q : {0.5, 0.9, 0.99, 0.999}) {
      row[fmt::format("p{}", q * 100)] = Quantile(&e2e, q);
    }
  }
  for (std::size_t i = 0; i < kStages; ++i) {
    phase["stage_seconds"][StageName(static_cast<AttemptStage>(i))] = ToSeconds(seconds[i]);
  }
  return phase;
}

Json CountsOf(const SimulationResult& result) {
  const SimulationCounts& c = result.counts;
  return {{"pods_created", c.pods_created},
          {"pods_bound", c.pods_bound},
          {"pods_deleted_bound", c.pods_deleted_bound},
          {"pods_deleted_pending", c.pods_deleted_pending},
          {"pods_pending", c.pods_pending},
          {"pods_running", c.pods_running},
          {"attempts", c.attempts},
          {"preemptions", c.preemptions},
          {"victims", c.victims},
          {"restarts", c.restarts},
          {"api_requests", c.api_requests},
          {"plugin_samples_dropped", c.plugin_samples_dropped},
          {"scrapes", c.scrapes},
          {"series", result.exposition.series.size()}};
}

/// As RFC 4180 has it: in quotes where it must be.
std::string CsvField(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

}  // namespace

std::string PodName(const Scenario& scenario, const SimulationResult& result, std::uint32_t pod) {
  if (pod < result.object_pods.size()) return result.object_pods[pod];
  const PodInfo& info = result.pods[pod];
  return TemplatePodName(scenario.templates[info.pod_template], info.number);
}

std::string TruthCsv(const Scenario& scenario, const SimulationResult& result) {
  fmt::memory_buffer text;
  Out out(text);
  fmt::format_to(
      out, "end_s,pod,attempt,result,node,evaluated,feasible,algorithm_done,start_s,algorithm_s");
  for (std::size_t i = 0; i < kStages; ++i) {
    fmt::format_to(out, ",{}_s", StageName(static_cast<AttemptStage>(i)));
  }
  fmt::format_to(out, ",throttle_s,e2e_s,cpu_s\n");
  for (const AttemptRecord& a : result.attempts) {
    const Nanos end = a.start + a.e2e;
    fmt::format_to(out, "{}.{:09},{},{},{},{},{},{},{}", end / kSecond, end % kSecond,
                   CsvField(PodName(scenario, result, a.pod)), a.number, kube::ToString(a.result),
                   a.node < 0 ? "" : CsvField(result.nodes[static_cast<std::size_t>(a.node)]),
                   a.evaluated, a.feasible, a.algorithm_done ? 1 : 0);
    for (const Nanos part : {a.start, a.algorithm}) PutSeconds(out, part);
    for (const Nanos stage : a.stages) PutSeconds(out, stage);
    for (const Nanos part : {a.throttle, a.e2e, a.cpu}) PutSeconds(out, part);
    fmt::format_to(out, "\n");
  }
  return std::string(text.data(), text.size());
}

std::string BindingsCsv(const Scenario& scenario, const SimulationResult& result) {
  fmt::memory_buffer text;
  Out out(text);
  fmt::format_to(out,
                 "end_s,pod,throttle_s,network_s,flowcontrol_s,webhook_s,slowest_webhook,"
                 "admission_s,storage_s,rest_s,audit_s,code\n");
  for (const BindingRecord& b : result.bindings) {
    fmt::format_to(out, "{}.{:09},{}", b.end / kSecond, b.end % kSecond,
                   CsvField(PodName(scenario, result, b.pod)));
    for (const Nanos part : {b.throttle, b.network, b.flowcontrol, b.webhook}) {
      PutSeconds(out, part);
    }
    fmt::format_to(out, ",{}", CsvField(b.slowest_webhook));
    for (const Nanos part : {b.admission, b.storage, b.rest, b.audit}) PutSeconds(out, part);
    fmt::format_to(out, ",{}\n", b.code);
  }
  return std::string(text.data(), text.size());
}

std::string ChromeTrace(const Scenario& scenario, const SimulationResult& result) {
  std::vector<const AttemptRecord*> by_start;
  for (const AttemptRecord& a : result.attempts) by_start.push_back(&a);
  std::ranges::sort(by_start, {}, &AttemptRecord::start);
  TraceWriter trace;
  std::vector<Nanos> free_at;  // by binding track
  for (const AttemptRecord* a : by_start) {
    Json args = {{"pod", PodName(scenario, result, a->pod)},
                 {"attempt", a->number},
                 {"result", kube::ToString(a->result)},
                 {"node", nullptr}};
    if (a->node >= 0) args["node"] = result.nodes[static_cast<std::size_t>(a->node)];
    const auto first_of_binding = a->stages.begin() + kOnLoop;
    const Nanos on_loop = std::accumulate(a->stages.begin(), first_of_binding, Nanos{0});
    trace.Slice("schedule", 1, a->start, on_loop, args);
    const Nanos at = PutStages(&trace, *a, 0, kOnLoop, 1, a->start);
    const Nanos binding = a->e2e - on_loop;
    if (binding <= 0 || std::accumulate(first_of_binding, a->stages.end(), Nanos{0}) <= 0) continue;
    auto track = std::ranges::find_if(free_at, [&](Nanos t) { return t <= at; });
    if (track == free_at.end()) track = free_at.insert(track, 0);
    *track = at + binding;
    const int id = static_cast<int>(track - free_at.begin()) + 2;
    trace.Slice("bind", id, at, binding, args);
    PutStages(&trace, *a, kOnLoop, kStages, id, at);
  }
  trace.Track(1, "scheduling loop");
  for (std::size_t i = 0; i < free_at.size(); ++i) {
    trace.Track(static_cast<int>(i) + 2, fmt::format("binding {}", i + 1));
  }
  return trace.Done();
}

std::string SummaryJson(const Scenario& scenario, const SimulationResult& result,
                        std::uint64_t seed) {
  const auto ms = [&](Nanos t) { return result.start_time + t / kMillisecond; };
  Json json = {{"schema", "schedlens.simulation/1"},
               {"scenario", scenario.name},
               {"kubernetes_version", scenario.release.ToString()},
               {"severity", scenario.severity},
               {"seed", seed},
               {"start_time_ms", result.start_time},
               {"incident_ms", {ms(scenario.incident_start), ms(scenario.incident_end)}},
               {"findings", scenario.findings}};
  if (!scenario.behind.empty()) json["behind"] = scenario.behind;
  json["counts"] = CountsOf(result);
  json["phases"] = {{"before", PhaseOf(0, scenario.incident_start, result)},
                    {"incident", PhaseOf(scenario.incident_start, scenario.incident_end, result)},
                    {"after", PhaseOf(scenario.incident_end, scenario.duration, result)}};
  return JsonText(std::move(json), JsonStyle::kReport) + "\n";
}

}  // namespace schedlens::sim
