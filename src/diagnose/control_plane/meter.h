#pragma once

// Counters of several processes added up, and how much they grew in a window that their scrapes do
// not meet; what API servers and etcd say of themselves by them.

#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "diagnose/control_plane/neighbour_facts.h"
#include "schedlens/estimate.h"

namespace schedlens {

/// Something that lies between two bounds, and the best guess between them.
struct Between {
  double low = 0;
  double value = 0;
  double high = std::numeric_limits<double>::infinity();

  static Between Exactly(double x) { return {x, x, x}; }
  Between operator+(const Between& other) const;
  /// This without the other, of which it is the whole: none of it falls below zero.
  Between Less(const Between& other) const;
  /// The same, and no more than the other has.
  Between AtMost(const Between& other) const;
};

/// A part of a whole as a number with what is proven of it; no high end where nobody knows one.
Measured MeasuredOf(const Between& part, double whole, std::string unit);

class Meter {
 public:
  explicit Meter(const NeighbourFacts& facts) : facts_(&facts) {}

  /// A counter from zero: a fall is a restart, and a series that begins after its process's first
  /// scrape began at zero. `sign` -1 takes it off.
  void Add(const Series& series, double sign = 1);
  void Add(const Meter& other, double sign);
  /// Whether it counts something of every process that the other counts something of.
  bool Covers(const Meter& other) const;
  bool empty() const { return lines_.empty(); }

  /// From one scrape of a process to its next.
  struct Step {
    Labels process;
    std::size_t scrape = 0;  ///< its number at the end
    TimeMs start = 0, end = 0;
    double increase = 0;
  };
  /// Of every process, in the order of time.
  std::vector<Step> Steps() const;
  /// How much this grew in the same step; 0 where it has nothing of that process.
  double Within(const Step& step) const;

  /// At least what lies between the first and the last scrape inside the window, at most what lies
  /// between those around it: nobody knows the most where one of them is missing, and where the
  /// process began again in between. Of a difference that may fall only the least holds, and where
  /// the process began again not even that: zero.
  Between Increase(const TimeRange& window) const;
  /// The same of one of its processes; nothing of any other.
  Between IncreaseOf(const Labels& process, const TimeRange& window) const;
  std::vector<Labels> processes() const;

 private:
  bool BeganAgain(const Labels& process, std::size_t from, std::size_t to) const;

  const NeighbourFacts* facts_;
  bool difference_ = false;                           ///< something was taken off
  std::map<Labels, std::set<std::size_t>> restarts_;  ///< by process: before which scrapes
  std::map<Labels, std::vector<double>> lines_;  ///< by process: the total at each of its scrapes
};

/// The series of a question with this name, of which `wanted` holds, added up.
using SeriesTest = std::function<bool(const Labels&)>;
Meter MeterOf(const NeighbourFacts& facts, std::string_view question, std::string_view name,
              const SeriesTest& wanted = {});

// What an API server or etcd says of itself: slow requestsand symptoms.

/// One API server against the others, by the requests on pods that it and they answered alike: each
/// verb is compared with itself. Webhooks and storage that all of them share make all of them slow.
struct ServerAgainstOthers {
  std::string instance;
  double others = 0;    ///< API servers that it is compared with
  double requests = 0;  ///< of it that are compared, between its scrapes inside the window
  double seconds = 0;   ///< that these took
  double expected = 0;  ///< that they would have taken if each verb took as long as on the others
};

/// Every API server that answered enough requests of a kind that others answered too, slowest
/// against the others first. Empty with one API server.
std::vector<ServerAgainstOthers> CompareServers(const NeighbourFacts& facts,
                                                const TimeRange& window);

/// Seconds of requests in the API servers, of a question's series that are wanted: all of each.
Meter RequestSeconds(const NeighbourFacts& facts, std::string_view question,
                     const SeriesTest& wanted = {});

/// The same by the service level indicator, without webhooks and from 1.27 on without flow control;
/// of each process by the newer of its two names, where it has one. May cover fewer processes.
Meter IndicatedSeconds(const NeighbourFacts& facts, std::string_view question,
                       const SeriesTest& wanted = {});

// What the neighbours' own metrics say of themselves in one window: how long a write waits for the
// disk, how long a runnable goroutine waits for a processor, how long the API servers' own calls
// take. None of it is by resource; it tells why a part of the path is slow, not how slow it is.

struct Symptoms {
  /// Seconds that a write waits for fsyncs: for the one that runs when it comes, of which the long
  /// ones are met more often, and for its own: E[x^2]/2E[x] + E[x], by the buckets' middles.
  std::optional<double> fsync_wait;
  std::optional<double> fsync_mean, commit_mean;  ///< seconds
  std::optional<double> peer_round_trip;          ///< mean seconds
  double leader_changes = 0;
  std::optional<double> wake_up;     ///< mean seconds from runnable to running, of the API servers
  std::optional<double> cores_used;  ///< CPU seconds a second of the API servers
  /// Mean seconds of the calls that API servers make and that are no webhook's: audit backends,
  /// and authorizers. Absent without calls, or without the metric.
  std::optional<double> own_call;
  bool has_own_calls = false;             ///< the metric is there
  std::map<std::string, double> refused;  ///< requests that each webhook refused or failed
};

Symptoms MeasureSymptoms(const NeighbourFacts& facts, const TimeRange& window);

}  // namespace schedlens
