#include <gtest/gtest.h>

#include <map>
#include <random>

#include "diagnose/control_plane/binding_path.h"

namespace schedlens {
namespace {

constexpr TimeMs kEvery = 10'000;

/// An operation of etcd that a request waited for.
struct Operation {
  std::string name;
  double seconds;
};
struct Request {
  std::string verb, subresource;
  std::vector<Operation> operations;
  bool conflict = false;
};

/// Requests on pods, counted as an API server does: each operation when it ends, each request when
/// it ends, scraped every ten seconds.
class Server {
 public:
  explicit Server(bool counts_answers) : counts_answers_(counts_answers) {}

  void Serve(double start, const Request& request, double rest) {
    double t = start + rest / 2, stored = 0;
    for (const Operation& one : request.operations) {
      t += one.seconds;
      stored += one.seconds;
      Count({{"__name__", "etcd_request_duration_seconds_sum"}, {"operation", one.name}},
            "etcd_requests", t, one.seconds);
    }
    const double end = t + rest / 2;
    const bool binding = request.subresource == "binding";
    const std::string question = binding ? "bindings" : "requests";
    for (const char* name :
         {"apiserver_request_duration_seconds_sum", "apiserver_request_sli_duration_seconds_sum"}) {
      Count({{"__name__", name}, {"verb", request.verb}, {"subresource", request.subresource}},
            question, end, end - start);
    }
    if (counts_answers_ && !binding) {
      Count({{"__name__", "apiserver_request_total"},
             {"verb", request.verb},
             {"subresource", request.subresource},
             {"code", request.conflict ? "409" : "201"}},
            question, end, 1);
    }
    if (binding) {
      bindings_.push_back({end, stored, end - start});
    } else {
      others_.push_back({end, t - rest / 2, stored, start});
    }
  }

  ControlPlaneFacts Facts(double until) const {
    ControlPlaneFacts facts;
    std::vector<TimeMs> scrapes;
    for (TimeMs t = 3'000; t < 1000 * until; t += kEvery) scrapes.push_back(t);
    for (const auto& [key, events] : counters_) {
      Series series{key.second, {}, {}};
      for (const TimeMs t : scrapes) {
        double total = 0;
        for (const auto& [at, by] : events) total += 1000 * at <= static_cast<double>(t) ? by : 0;
        series.samples.push_back({t, total});
      }
      facts.scrapes[ProcessLabels(series.labels)] = scrapes;
      facts.answers[key.first].push_back(std::move(series));
    }
    return facts;
  }

  double Stored(const TimeRange& window) const {
    double sum = 0;
    for (const Binding& one : bindings_) sum += Inside(window, one.end) ? one.stored : 0;
    return sum;
  }
  /// What requests had been waiting for storage that had not ended at `t`: counted before them.
  double UnderWay(double t) const {
    double sum = 0;
    for (const Other& one : others_) sum += one.start < t && one.end > t ? one.stored : 0;
    for (const Binding& one : bindings_) {
      sum += one.end - one.length < t && one.end > t ? one.stored : 0;
    }
    return sum;
  }

 private:
  struct Binding {
    double end, stored, length;
  };
  struct Other {
    double end, written, stored, start;
  };
  static bool Inside(const TimeRange& window, double end) {
    return 1000 * end > static_cast<double>(window.start) &&
           1000 * end <= static_cast<double>(window.end);
  }
  void Count(std::vector<std::pair<std::string, std::string>> labels, const std::string& question,
             double at, double by) {
    labels.emplace_back("job", "a");
    labels.emplace_back("instance", "1");
    counters_[{question, Labels(labels)}].emplace_back(at, by);
  }

  bool counts_answers_;
  std::map<std::pair<std::string, Labels>, std::vector<std::pair<double, double>>> counters_;
  std::vector<Binding> bindings_;
  std::vector<Other> others_;
};

Request AnyRequest(std::mt19937_64& random, bool conflicts) {
  std::exponential_distribution<double> wait(1 / 0.2);
  const auto takes = [&](const char* name) { return Operation{name, wait(random)}; };
  switch (random() % 6) {
    case 0:
    case 1: {
      Request binding{"POST", "binding", {takes("update")}};
      if (random() % 4 == 0) binding.operations.insert(binding.operations.begin(), takes("get"));
      if (random() % 5 == 0) binding.operations.push_back(takes("update"));
      return binding;
    }
    case 2:
      if (conflicts && random() % 3 == 0)
        return {"POST", "", {takes("create"), takes("get")}, true};
      return {"POST", "", {takes("create")}};
    case 3:
      return {"DELETE", "", {takes("get"), takes("update"), takes("delete")}};
    case 4:
      return {"PATCH", "status", {takes("update")}};
    default:
      return {"GET", "", {takes("get")}};
  }
}

/// How much of the truth is proven, of all rounds.
double Prove(bool conflicts, bool counts_answers) {
  double proven = 0, truth = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 random(seed);
    std::exponential_distribution<double> gap(20), rest(1 / 0.02);
    Server server(counts_answers);
    for (double t = 0; t < 300; t += gap(random)) {
      server.Serve(t, AnyRequest(random, conflicts), rest(random));
    }
    const ControlPlaneFacts facts = server.Facts(320);
    const auto start = static_cast<TimeMs>(20'000 + random() % 50'000);
    const TimeRange window{start, start + 60'000 + static_cast<TimeMs>(random() % 150'000)};
    const BoundedValue inside = IndicatedSeconds(facts, "bindings").Increase(window);
    const auto storage = StorageOfBindings(facts, window, inside, false);
    const double stored = server.Stored(window);
    // The last scrape in the window; what ran then is counted in part.
    const double last = static_cast<double>((window.end - 3'000) / kEvery * kEvery + 3'000) / 1000;
    EXPECT_LE(storage->low, stored + server.UnderWay(last)) << seed;
    EXPECT_GE(storage->high, stored - server.UnderWay(static_cast<double>(start) / 1000)) << seed;
    proven += storage->low;
    truth += stored;
    EXPECT_EQ(StorageOfBindings(facts, window, inside, true)->low, 0) << "others bind too";
  }
  return proven / truth;
}

TEST(StorageOfBindingsTest, HoldsTheTruthWhoeverElseWritesPods) {
  const double with_conflicts = Prove(true, true);
  const double unknown = Prove(false, false);
  const double without = Prove(false, true);
  EXPECT_GT(without, unknown) << "creations that read nothing need not be taken off";
  EXPECT_GT(unknown, 0.3);
  EXPECT_GT(with_conflicts, 0.3);
}

TEST(StorageOfBindingsTest, IsAbsentWithoutTheMetric) {
  EXPECT_FALSE(StorageOfBindings(ControlPlaneFacts(), {0, 1000}, BoundedValue::Exactly(1), false));
}

}  // namespace
}  // namespace schedlens
