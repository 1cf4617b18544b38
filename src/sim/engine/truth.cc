#include "sim/engine/truth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace schedlens::sim {
namespace {

constexpr auto kStages = static_cast<std::size_t>(AttemptStage::kCount);
using Out = std::back_insert_iterator<fmt::memory_buffer>;

std::string PodName(const Scenario& scenario, const SimulationResult& result, std::uint32_t pod) {
  if (pod < result.object_pods.size()) return result.object_pods[pod];
  const PodInfo& info = result.pods[pod];
  return fmt::format("default/{}-{:06}", scenario.templates[info.pod_template].name, info.number);
}

// Seconds with all nine digits, exactly.
void PutSeconds(Out out, Nanos t) { fmt::format_to(out, ",{}.{:09}", t / kSecond, t % kSecond); }

std::string Quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

class TraceWriter {
 public:
  void Slice(std::string_view name, int track, Nanos start, Nanos length, const std::string& args) {
    fmt::format_to(
        Out(text_),
        "{}{{\"name\":{},\"ph\":\"X\",\"pid\":1,\"tid\":{},\"ts\":{:.3f},\"dur\":{:.3f}{}}}",
        first_ ? "\n" : ",\n", Quoted(name), track, static_cast<double>(start) / 1e3,
        static_cast<double>(length) / 1e3, args.empty() ? "" : ",\"args\":{" + args + "}");
    first_ = false;
  }
  void Track(int track, std::string_view name) {
    fmt::format_to(
        Out(text_),
        "{}{{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":{},\"args\":{{\"name\":{}}}}}",
        first_ ? "\n" : ",\n", track, Quoted(name));
    first_ = false;
  }
  std::string Done() {
    return "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[" +
           std::string(text_.data(), text_.size()) + "\n]}\n";
  }

 private:
  fmt::memory_buffer text_;
  bool first_ = true;
};

constexpr AttemptStage kLoopStages[] = {
    AttemptStage::kSnapshot,      AttemptStage::kPreFilter,  AttemptStage::kFilter,
    AttemptStage::kExtFilter,     AttemptStage::kPreScore,   AttemptStage::kScore,
    AttemptStage::kExtPrioritize, AttemptStage::kSelectHost, AttemptStage::kPostFilter,
    AttemptStage::kAssume,        AttemptStage::kReserve,    AttemptStage::kPermit};
constexpr AttemptStage kBindStages[] = {AttemptStage::kSpawn,    AttemptStage::kPermitWait,
                                        AttemptStage::kPreBind,  AttemptStage::kExtBind,
                                        AttemptStage::kBind,     AttemptStage::kFinish,
                                        AttemptStage::kUnreserve};

// Nested slices for the stages that took time; returns where they end.
template <typename Stages>
Nanos PutStages(TraceWriter* trace, const AttemptRecord& a, const Stages& stages, int track,
                Nanos at) {
  for (AttemptStage stage : stages) {
    if (a[stage] <= 0) continue;
    trace->Slice(StageName(stage), track, at, a[stage], "");
    at += a[stage];
  }
  return at;
}

template <typename Stages>
Nanos SumOf(const AttemptRecord& a, const Stages& stages) {
  Nanos sum = 0;
  for (AttemptStage stage : stages) sum += a[stage];
  return sum;
}

double Quantile(std::vector<double>* values, double q) {
  std::sort(values->begin(), values->end());
  const auto rank = static_cast<std::size_t>(std::ceil(q * static_cast<double>(values->size())));
  return (*values)[std::max<std::size_t>(rank, 1) - 1];
}

void PutPhase(Out out, std::string_view name, Nanos start, Nanos end,
              const SimulationResult& result) {
  fmt::format_to(out, "\n  {}: {{\"start\":{},\"end\":{},\"results\":{{", Quoted(name),
                 ToSeconds(start), ToSeconds(end));
  std::array<Nanos, kStages> seconds{};
  bool first = true;
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
    fmt::format_to(out, "{}{}:{{\"count\":{}", first ? "" : ",", Quoted(kube::ToString(kind)),
                   e2e.size());
    for (double q : {0.5, 0.9, 0.99, 0.999}) {
      fmt::format_to(out, ",\"p{}\":{:.9f}", q * 100, Quantile(&e2e, q));
    }
    fmt::format_to(out, "}}");
    first = false;
  }
  fmt::format_to(out, "}},\"stage_seconds\":{{");
  for (std::size_t i = 0; i < kStages; ++i) {
    fmt::format_to(out, "{}{}:{:.9f}", i == 0 ? "" : ",",
                   Quoted(StageName(static_cast<AttemptStage>(i))), ToSeconds(seconds[i]));
  }
  fmt::format_to(out, "}}}}");
}

}  // namespace

std::string TruthCsv(const Scenario& scenario, const SimulationResult& result) {
  fmt::memory_buffer text;
  Out out(text);
  fmt::format_to(
      out, "end_s,pod,attempt,result,node,evaluated,feasible,algorithm_done,start_s,algorithm_s");
  for (std::size_t i = 0; i < kStages; ++i) {
    fmt::format_to(out, ",{}_s", StageName(static_cast<AttemptStage>(i)));
  }
  fmt::format_to(out, ",throttle_s,e2e_s\n");
  for (const AttemptRecord& a : result.attempts) {
    const Nanos end = a.start + a.e2e;
    fmt::format_to(out, "{}.{:09},{},{},{},{},{},{},{}", end / kSecond, end % kSecond,
                   PodName(scenario, result, a.pod), a.number, kube::ToString(a.result),
                   a.node < 0 ? "" : result.nodes[static_cast<std::size_t>(a.node)], a.evaluated,
                   a.feasible, a.algorithm_done ? 1 : 0);
    PutSeconds(out, a.start);
    PutSeconds(out, a.algorithm);
    for (Nanos stage : a.stages) PutSeconds(out, stage);
    PutSeconds(out, a.throttle);
    PutSeconds(out, a.e2e);
    fmt::format_to(out, "\n");
  }
  return std::string(text.data(), text.size());
}

std::string ChromeTrace(const Scenario& scenario, const SimulationResult& result) {
  std::vector<const AttemptRecord*> by_start;
  for (const AttemptRecord& a : result.attempts) by_start.push_back(&a);
  std::sort(by_start.begin(), by_start.end(),
            [](const AttemptRecord* a, const AttemptRecord* b) { return a->start < b->start; });
  TraceWriter trace;
  std::vector<Nanos> free_at;  // by binding track
  for (const AttemptRecord* a : by_start) {
    const std::string args =
        fmt::format("\"pod\":{},\"attempt\":{},\"result\":\"{}\",\"node\":{}",
                    Quoted(PodName(scenario, result, a->pod)), a->number, kube::ToString(a->result),
                    a->node < 0 ? "null" : Quoted(result.nodes[static_cast<std::size_t>(a->node)]));
    const Nanos on_loop = SumOf(*a, kLoopStages);
    trace.Slice("schedule", 1, a->start, on_loop, args);
    Nanos at = PutStages(&trace, *a, kLoopStages, 1, a->start);
    const Nanos binding = a->e2e - on_loop;
    if (binding <= 0 || SumOf(*a, kBindStages) <= 0) continue;
    auto track = std::find_if(free_at.begin(), free_at.end(), [&](Nanos t) { return t <= at; });
    if (track == free_at.end()) track = free_at.insert(track, 0);
    *track = at + binding;
    const int id = static_cast<int>(track - free_at.begin()) + 2;
    trace.Slice("bind", id, at, binding, args);
    PutStages(&trace, *a, kBindStages, id, at);
  }
  trace.Track(1, "scheduling loop");
  for (std::size_t i = 0; i < free_at.size(); ++i) {
    trace.Track(static_cast<int>(i) + 2, fmt::format("binding {}", i + 1));
  }
  return trace.Done();
}

std::string SummaryJson(const Scenario& scenario, const SimulationResult& result,
                        std::uint64_t seed) {
  fmt::memory_buffer text;
  Out out(text);
  const SimulationCounts& c = result.counts;
  fmt::format_to(
      out,
      "{{\"schema\":\"schedlens.simulation/1\",\n \"scenario\":{},\"kubernetes_version\":{},"
      "\"severity\":{},\"seed\":{},\n \"start_time_ms\":{},\"incident_ms\":[{},{}],\n",
      Quoted(scenario.name), Quoted(scenario.release.ToString()), scenario.severity, seed,
      result.start_time, result.incident.start, result.incident.end);
  fmt::format_to(out, " \"findings\":[");
  for (std::size_t i = 0; i < scenario.findings.size(); ++i) {
    fmt::format_to(out, "{}{}", i == 0 ? "" : ",", Quoted(scenario.findings[i]));
  }
  fmt::format_to(out, "],\n \"counts\":{{");
  const std::pair<std::string_view, std::uint64_t> counts[] = {
      {"pods_created", c.pods_created},
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
  for (std::size_t i = 0; i < std::size(counts); ++i) {
    fmt::format_to(out, "{}{}:{}", i == 0 ? "" : ",", Quoted(counts[i].first), counts[i].second);
  }
  fmt::format_to(out, "}},\n \"phases\":{{");
  PutPhase(out, "before", 0, scenario.incident_start, result);
  fmt::format_to(out, ",");
  PutPhase(out, "incident", scenario.incident_start, scenario.incident_end, result);
  fmt::format_to(out, ",");
  PutPhase(out, "after", scenario.incident_end, scenario.duration, result);
  fmt::format_to(out, "}}}}\n");
  return std::string(text.data(), text.size());
}

}  // namespace schedlens::sim
