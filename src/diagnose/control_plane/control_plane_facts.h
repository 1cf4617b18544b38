#pragma once

// What the control plane and kube-state-metrics measured, as it was answered, and the pods in it.

#include "diagnose/collect/facts.h"

namespace schedlens {

// What the API servers and etcd of the scheduler's cluster measured, as it was answered. All of it
// is optional: what is missing makes the answer smaller, never different.

struct WorkloadKey {
  std::string name_space;
  std::string kind;  ///< "Deployment", ..., "Pod" without an owner; empty where unknown
  std::string name;  ///< empty without an owner, and where unknown
  auto operator<=>(const WorkloadKey&) const = default;
};

/// One pod. Its times are whole seconds, rounded down.
struct SeenPod {
  WorkloadKey workload;
  std::string name;
  double created = 0;               ///< unix seconds
  std::optional<double> scheduled;  ///< nothing while it waits
  TimeMs last_seen = 0;             ///< last scrape that had it
  std::vector<TimeMs> rejected;     ///< scrapes that had it as unschedulable
};

/// By questions without their prefix: `bindings`, `requests`, ...
struct ControlPlaneFacts : AnsweredQuestions {
  /// When each process was scraped, ascending, by ProcessLabels.
  std::map<Labels, std::vector<TimeMs>> scrapes;
  std::string cluster;     ///< matchers of the schedulers' cluster; empty where they name none
  std::string apiservers;  ///< matchers of the API servers that answered bindings; may be empty
  /// What PodsOf made of the answers, for whoever asks again.
  mutable std::shared_ptr<const std::vector<SeenPod>> pods;

  /// When the process that a series is of was scraped; null for one that is not known.
  const std::vector<TimeMs>* ScrapesOf(const Labels& series) const;
};

/// The labels by which a component's process is told apart: cluster, job, instance.
Labels ProcessLabels(const Labels& labels);
/// Whether ProcessLabels has the same of both, which is quicker to ask than to take them: most
/// series of an answer are one process's, one after the other.
bool OfOneProcess(const Labels& a, const Labels& b);

/// A matcher of the cluster that all schedulers share; empty where they name none, or several.
std::string ClusterSelector(const Facts& facts);

/// Asks the questions of the set that are about the control plane for the range of the facts, that
/// about pods for `pods`, within the cluster of their schedulers where all have the same one, or
/// where nothing of that cluster answers, of what names none. The processes' own metrics are asked
/// of the jobs that answered as API servers. Nothing is asked where no scheduler was found. Throws
/// what the source throws.
ControlPlaneFacts CollectControlPlane(Source& source, const QuerySet& queries, const Facts& facts,
                                      const TimeRange& pods);

/// A label of the object itself. Where the scrape set a label of that name as well, Prometheus has
/// the object's as `exported_...`. Stays valid as long as the label set.
std::string_view ObjectLabel(const Labels& labels, std::string_view name);

/// Every pod of the question `pods`, with its owner of `pod_owners`, each once however many
/// processes show it. A ReplicaSet stands for its Deployment and a Job for its CronJob only where
/// their own owners are known: no name is made up. A StatefulSet's pod that was replaced under the
/// same name is a pod of its own. The answers are read once: they must not change after the first
/// call.
const std::vector<SeenPod>& PodsOf(const ControlPlaneFacts& facts);
const std::vector<SeenPod>& PodsOf(ControlPlaneFacts&& facts) = delete;  ///< would not live on

/// When a process that shows pods was scraped first, and last up to then; ends before it starts
/// without one.
TimeRange PodScrapes(const ControlPlaneFacts& facts,
                     TimeMs until = std::numeric_limits<TimeMs>::max());
/// Usual seconds between its scrapes; 0 without one.
double PodScrapeInterval(const ControlPlaneFacts& facts);

// Counters of several processes added up, and how much they grew in a window that their scrapes do
// not meet; what API servers and etcd say of themselves by them.

/// Something that lies between two bounds, and the best guess between them.
struct BoundedValue {
  double low = 0, value = 0;
  double high = std::numeric_limits<double>::infinity();

  static BoundedValue Exactly(double x) { return {x, x, x}; }
  BoundedValue operator+(const BoundedValue& other) const;
  /// This without the other, of which it is the whole: none of it falls below zero.
  BoundedValue Less(const BoundedValue& other) const;
  /// The same, and no more than the other has.
  BoundedValue AtMost(const BoundedValue& other) const;
};

/// A part of a whole as a number with what is proven of it; no high end where nobody knows one.
Measured MeasuredOf(const BoundedValue& part, double whole, std::string unit);

class Meter {
 public:
  explicit Meter(const ControlPlaneFacts& facts) : facts_(&facts) {}

  /// A counter from zero: a fall is a restart, and a series that begins after its process's first
  /// scrape began at zero.
  void Add(const Series& series);
  void TakeOff(const Meter& other);  ///< all that it counts
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
  BoundedValue Increase(const TimeRange& window) const;
  /// The same of one of its processes; nothing of any other.
  BoundedValue IncreaseOf(const Labels& process, const TimeRange& window) const;
  std::vector<Labels> processes() const;

 private:
  bool BeganAgain(const Labels& process, std::size_t from, std::size_t to) const;

  const ControlPlaneFacts* facts_;
  bool difference_ = false;                           ///< something was taken off
  std::map<Labels, std::set<std::size_t>> restarts_;  ///< by process: before which scrapes
  std::map<Labels, std::vector<double>> lines_;  ///< by process: the total at each of its scrapes
};

/// The series of a question with this name, of which `wanted` holds, added up.
using SeriesTest = std::function<bool(const Labels&)>;
Meter MeterOf(const ControlPlaneFacts& facts, std::string_view question, std::string_view name,
              const SeriesTest& wanted = {});

/// By upper bound the buckets of this name (`..._bucket`) of a question's series, added up.
std::map<double, Meter> MetersBelow(const ControlPlaneFacts& facts, std::string_view question,
                                    std::string_view name);

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
std::vector<ServerAgainstOthers> CompareServers(const ControlPlaneFacts& facts,
                                                const TimeRange& window);

/// Seconds of requests in the API servers, of a question's series that are wanted: all of each.
Meter RequestSeconds(const ControlPlaneFacts& facts, std::string_view question,
                     const SeriesTest& wanted = {});

/// The same by the service level indicator, without webhooks and from 1.27 on without flow control;
/// of each process by the newer of its two names, where it has one. May cover fewer processes.
Meter IndicatedSeconds(const ControlPlaneFacts& facts, std::string_view question,
                       const SeriesTest& wanted = {});

// What the control plane's own metrics say of themselves in one window: how long a write waits for
// the disk, how long a runnable goroutine waits for a processor, how long the API servers' own
// calls take. None of it is by resource; it tells why a part of the path is slow, not how slow it
// is.

struct Symptoms {
  /// Seconds that a write waits for fsyncs: for the one that runs when it comes, of which the long
  /// ones are met more often, and for its own: E[x^2]/2E[x] + E[x], by the buckets' middles.
  std::optional<double> fsync_wait;
  std::optional<double> fsync_mean;       ///< seconds
  std::optional<double> peer_round_trip;  ///< mean seconds
  double leader_changes = 0;
  std::optional<double> wake_up;     ///< mean seconds from runnable to running, of the API servers
  std::optional<double> cores_used;  ///< CPU seconds a second of the API servers
  /// Mean seconds of the calls that API servers make and that are no webhook's: audit backends,
  /// and authorizers. Absent without calls, or without the metric.
  std::optional<double> own_call;
  bool has_own_calls = false;             ///< the metric is there
  std::map<std::string, double> refused;  ///< requests that each webhook refused or failed
};

Symptoms MeasureSymptoms(const ControlPlaneFacts& facts, const TimeRange& window);

}  // namespace schedlens
