#include "scheduler/engine/truth.h"

#include <fmt/format.h>

#include <numeric>

#include "base/json.h"

namespace schedlens::sim {
namespace {

constexpr auto kStages = static_cast<std::size_t>(AttemptStage::kCount);
using Out = std::back_insert_iterator<fmt::memory_buffer>;

// Seconds with all nine digits, exactly.
void PutSeconds(Out out, Nanos t) { fmt::format_to(out, ",{}.{:09}", t / kSecond, t % kSecond); }

/// A time as a JSON number: microseconds with three digits.
std::string Micros(Nanos t) { return fmt::format("{:.3f}", static_cast<double>(t) / 1e3); }

/// One event a line.
class TraceWriter {
 public:
  /// `args(json)` writes the members of the event's arguments.
  template <typename Args>
  void Slice(std::string_view name, int track, Nanos start, Nanos length, const Args& args) {
    Event(name, "X", track, [&](JsonText& json) {
      json.Literal("ts", Micros(start));
      json.Literal("dur", Micros(length));
      args(json);
    });
  }
  void Slice(std::string_view name, int track, Nanos start, Nanos length) {
    Slice(name, track, start, length, [](JsonText&) {});
  }
  void Track(int track, std::string_view name) {
    Event("thread_name", "M", track,
          [&](JsonText& json) { json.Object("args", [&] { json("name", name); }); });
  }
  std::string Done() { return "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[" + text_ + "\n]}\n"; }

 private:
  template <typename Rest>
  void Event(std::string_view name, std::string_view kind, int track, const Rest& rest) {
    text_ += text_.empty() ? "\n" : ",\n";
    text_ += JsonText::Document(JsonStyle::kCompact, [&](JsonText& json) {
      json("name", name);
      json("ph", kind);
      json("pid", 1);
      json("tid", track);
      rest(json);
    });
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
    trace->Slice(StageName(static_cast<AttemptStage>(i)), track, at, a.stages[i]);
    at += a.stages[i];
  }
  return at;
}

double Quantile(std::vector<double>* values, double q) {
  std::ranges::sort(*values);
  const auto rank = static_cast<std::size_t>(std::ceil(q * static_cast<double>(values->size())));
  return (*values)[std::max<std::size_t>(rank, 1) - 1];
}

/// Seconds as a JSON number with all nine digits.
std::string NineDigits(double seconds) { return fmt::format("{:.9f}", seconds); }

/// What ended in (start, end].
void WritePhase(JsonText& json, Nanos start, Nanos end, const SimulationResult& result) {
  std::array<Nanos, kStages> seconds{};
  json("start", ToSeconds(start));
  json("end", ToSeconds(end));
  json.Object("results", [&] {
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
      json.Object(kube::ToString(kind), [&] {
        json("count", e2e.size());
        for (double q : {0.5, 0.9, 0.99, 0.999}) {
          json.Literal(fmt::format("p{}", q * 100), NineDigits(Quantile(&e2e, q)));
        }
      });
    }
  });
  json.Object("stage_seconds", [&] {
    for (std::size_t i = 0; i < kStages; ++i) {
      json.Literal(StageName(static_cast<AttemptStage>(i)), NineDigits(ToSeconds(seconds[i])));
    }
  });
}

void WriteCounts(JsonText& json, const SimulationResult& result) {
  const SimulationCounts& c = result.counts;
  json("pods_created", c.pods_created);
  json("pods_bound", c.pods_bound);
  json("pods_deleted_bound", c.pods_deleted_bound);
  json("pods_deleted_pending", c.pods_deleted_pending);
  json("pods_pending", c.pods_pending);
  json("pods_running", c.pods_running);
  json("attempts", c.attempts);
  json("preemptions", c.preemptions);
  json("victims", c.victims);
  json("restarts", c.restarts);
  json("api_requests", c.api_requests);
  json("plugin_samples_dropped", c.plugin_samples_dropped);
  json("scrapes", c.scrapes);
  json("series", result.exposition.series.size());
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
    const auto args = [&](JsonText& json) {
      json.Object("args", [&] {
        json("pod", PodName(scenario, result, a->pod));
        json("attempt", a->number);
        json("result", kube::ToString(a->result));
        if (a->node < 0) {
          json.Literal("node", "null");
        } else {
          json("node", result.nodes[static_cast<std::size_t>(a->node)]);
        }
      });
    };
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
  const auto members = [&](JsonText& json) {
    json("schema", "schedlens.simulation/1");
    json("scenario", scenario.name);
    json("kubernetes_version", scenario.release.ToString());
    json("severity", scenario.severity);
    json("seed", seed);
    json("start_time_ms", result.start_time);
    json.Array("incident_ms", [&] {
      for (const Nanos t : {scenario.incident_start, scenario.incident_end}) {
        json.Element(result.start_time + t / kMillisecond);
      }
    });
    json.Array("findings", [&] {
      for (const std::string& finding : scenario.findings) json.Element(finding);
    });
    if (!scenario.behind.empty()) {
      json.Array("behind", [&] {
        for (const std::string& cause : scenario.behind) json.Element(cause);
      });
    }
    json.Object("counts", [&] { WriteCounts(json, result); });
    json.Object("phases", [&] {
      const auto phase = [&](std::string_view name, Nanos start, Nanos end) {
        json.Object(name, [&] { WritePhase(json, start, end, result); });
      };
      phase("before", 0, scenario.incident_start);
      phase("incident", scenario.incident_start, scenario.incident_end);
      phase("after", scenario.incident_end, scenario.duration);
    });
  };
  return JsonText::Document(JsonStyle::kReport, members) + "\n";
}

}  // namespace schedlens::sim
