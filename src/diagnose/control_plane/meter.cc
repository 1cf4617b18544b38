#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "diagnose/control_plane/neighbour_facts.h"
#include "kube/metrics.h"

namespace schedlens {
namespace {

using kube::Metric;

/// The total at each scrape: what was counted since the first one. Adds to `restarts` the scrapes
/// before which the counter fell.
std::vector<double> TotalsAt(const std::vector<TimeMs>& scrapes, const Series& series,
                             std::set<std::size_t>* restarts) {
  std::vector<double> totals(scrapes.size(), 0);
  double total = 0, last = 0;
  bool seen = false;
  auto sample = series.samples.begin();
  for (std::size_t i = 0; i < scrapes.size(); ++i) {
    while (sample != series.samples.end() && sample->t < scrapes[i]) ++sample;
    if (sample != series.samples.end() && sample->t == scrapes[i]) {
      const bool began = !seen && i > 0;
      const bool fell = seen && sample->v < last;
      if (fell) restarts->insert(i);
      if (seen) total += fell ? sample->v : sample->v - last;
      if (began) total += sample->v;
      last = sample->v;
      seen = true;
    }
    totals[i] = total;
  }
  return totals;
}

/// Between scrapes as much as the time that has passed; an interval before the first and after the
/// last as beside them.
double At(const std::vector<TimeMs>& scrapes, const std::vector<double>& totals, TimeMs t) {
  if (scrapes.size() < 2) return totals.front();
  const auto after = std::upper_bound(scrapes.begin() + 1, scrapes.end() - 1, t);
  const auto i = static_cast<std::size_t>(after - scrapes.begin());
  const double part =
      static_cast<double>(t - scrapes[i - 1]) / static_cast<double>(scrapes[i] - scrapes[i - 1]);
  return totals[i - 1] + std::clamp(part, -1.0, 2.0) * (totals[i] - totals[i - 1]);
}

/// Fewer observations have no mean to speak of.
constexpr double kLeast = 20;

struct Requests {
  Meter count, seconds;
  explicit Requests(const NeighbourFacts& facts) : count(facts), seconds(facts) {}
};
using Kind = std::pair<std::string, std::string>;  // verb, subresource

std::map<Kind, Requests> RequestsByKind(const NeighbourFacts& facts) {
  std::map<Kind, Requests> kinds;
  const std::string sum = SumOf(Metric::kApiserverRequestDuration);
  const std::string count = CountOf(Metric::kApiserverRequestDuration);
  for (const std::string_view question : {"bindings", "requests"}) {
    for (const Series& series : facts.Of(question)) {
      const std::string_view name = series.labels.Get("__name__");
      if (name != sum && name != count) continue;
      const Kind kind{series.labels.Get("verb"), series.labels.Get("subresource")};
      Requests& requests = kinds.try_emplace(kind, facts).first->second;
      (name == sum ? requests.seconds : requests.count).Add(series);
    }
  }
  return kinds;
}

struct Answered {
  double count = 0, seconds = 0, servers = 0;
};

/// Of each server what the others answered that answered any: those before it and those behind it.
std::vector<Answered> OthersOf(const std::vector<Answered>& own) {
  std::vector<Answered> others(own.size());
  const auto take = [](auto one, auto end, auto other) {
    for (Answered sum; one != end; ++one, ++other) {
      *other = {other->count + sum.count, other->seconds + sum.seconds,
                other->servers + sum.servers};
      if (one->count < 1) continue;
      sum = {sum.count + one->count, sum.seconds + one->seconds, sum.servers + 1};
    }
  };
  take(own.begin(), own.end(), others.begin());
  take(own.rbegin(), own.rend(), others.rbegin());
  return others;
}

/// Adds one kind of requests to each server that can be compared by it.
void Compare(const Requests& requests, const TimeRange& window,
             std::map<Labels, ServerAgainstOthers>* servers) {
  const std::vector<Labels> processes = requests.count.processes();
  std::vector<Answered> own;
  for (const Labels& one : processes) {
    own.push_back({requests.count.IncreaseOf(one, window).low,
                   requests.seconds.IncreaseOf(one, window).low, 1});
  }
  const std::vector<Answered> others = OthersOf(own);
  for (std::size_t i = 0; i < processes.size(); ++i) {
    if (own[i].count < kLeast || others[i].count < kLeast) continue;
    ServerAgainstOthers& server = (*servers)[processes[i]];
    server.instance = processes[i].Get("instance");
    server.others = std::max(server.others, others[i].servers);
    server.requests += own[i].count;
    server.seconds += own[i].seconds;
    server.expected += own[i].count * others[i].seconds / others[i].count;
  }
}

double Grown(const Meter& meter, const TimeRange& window) { return meter.Increase(window).value; }

std::optional<double> MeanOf(const NeighbourFacts& facts, std::string_view question, Metric of,
                             const TimeRange& window) {
  const double n = Grown(MeterOf(facts, question, CountOf(of)), window);
  if (n < kLeast) return std::nullopt;
  return Grown(MeterOf(facts, question, SumOf(of)), window) / n;
}

/// Observations of all members up to each bound.
std::map<double, double> FsyncsBelow(const NeighbourFacts& facts, const TimeRange& window) {
  std::map<double, Meter> meters;
  for (const Series& series : facts.Of("etcd")) {
    if (series.labels.Get("__name__") != BucketOf(Metric::kEtcdDiskWalFsyncDuration)) continue;
    const auto bound = ParseNumber(series.labels.Get("le"));
    if (bound) meters.try_emplace(*bound, facts).first->second.Add(series);
  }
  std::map<double, double> below;
  for (const auto& [bound, meter] : meters) below[bound] = Grown(meter, window);
  return below;
}

std::optional<double> FsyncWait(const NeighbourFacts& facts, const TimeRange& window) {
  const std::map<double, double> below = FsyncsBelow(facts, window);
  double n = 0, sum = 0, squares = 0, lower = 0, before = 0;
  for (const auto& [bound, cumulative] : below) {
    const double inside = std::max(0.0, cumulative - before);
    const double middle = std::isinf(bound) ? lower : (lower + bound) / 2;
    n += inside;
    sum += inside * middle;
    squares += inside * middle * middle;
    lower = std::isinf(bound) ? lower : bound;
    before = std::max(before, cumulative);
  }
  if (n < kLeast || !(sum > 0)) return std::nullopt;
  return squares / (2 * sum) + sum / n;
}

/// What the API servers' clients took less what webhooks took.
void MeasureOwnCalls(const NeighbourFacts& facts, const TimeRange& window, Symptoms* out) {
  const auto posts = [](const Labels& labels) { return labels.Get("verb") == "POST"; };
  const Meter seconds = MeterOf(facts, "processes", SumOf(Metric::kRestRequest), posts);
  const Meter calls = MeterOf(facts, "processes", CountOf(Metric::kRestRequest), posts);
  const auto hooks = [&](const std::string& name) {
    return Grown(MeterOf(facts, "admission", name), window);
  };
  const Metric webhook = Metric::kApiserverAdmissionWebhookAdmissionDuration;
  out->has_own_calls = !MeterOf(facts, "processes", CountOf(Metric::kRestRequest)).empty();
  const double n = Grown(calls, window) - hooks(CountOf(webhook));
  if (n < kLeast) return;
  out->own_call = std::max(0.0, Grown(seconds, window) - hooks(SumOf(webhook))) / n;
}

}  // namespace

Between Between::operator+(const Between& other) const {
  return {low + other.low, value + other.value, high + other.high};
}

Between Between::Less(const Between& other) const {
  const auto rest = [](double a, double b) { return std::max(0.0, a - b); };
  Between out{rest(low, other.high), rest(value, other.value), rest(high, other.low)};
  out.value = std::min(std::max(out.value, out.low), out.high);
  return out;
}

Between Between::AtMost(const Between& other) const {
  Between out{std::min(low, other.high), std::min(value, other.value), std::min(high, other.high)};
  out.value = std::min(std::max(out.value, out.low), out.high);
  return out;
}

Measured MeasuredOf(const Between& part, double whole, std::string unit) {
  Measured out = Bounded(part.low / whole, part.value / whole, part.high / whole, std::move(unit),
                         BasisKind::kNeighbours);
  if (std::isinf(part.high)) out.high.reset();
  return out;
}

void Meter::Add(const Series& series, double sign) {
  const Labels process = ProcessLabels(series.labels);
  const auto scrapes = facts_->scrapes.find(process);
  if (scrapes == facts_->scrapes.end()) return;
  std::vector<double>& line = lines_[process];
  line.resize(scrapes->second.size(), 0);
  const std::vector<double> totals = TotalsAt(scrapes->second, series, &restarts_[process]);
  difference_ = difference_ || sign < 0;
  for (std::size_t i = 0; i < totals.size(); ++i) line[i] += sign * totals[i];
}

void Meter::Add(const Meter& other, double sign) {
  for (const auto& [process, totals] : other.lines_) {
    std::vector<double>& line = lines_[process];
    line.resize(totals.size(), 0);
    for (std::size_t i = 0; i < totals.size(); ++i) line[i] += sign * totals[i];
  }
  for (const auto& [process, scrapes] : other.restarts_) {
    restarts_[process].insert(scrapes.begin(), scrapes.end());
  }
  difference_ = difference_ || other.difference_ || sign < 0;
}

bool Meter::Covers(const Meter& other) const {
  return std::ranges::all_of(other.lines_,
                             [&](const auto& line) { return lines_.contains(line.first); });
}

bool Meter::BeganAgain(const Labels& process, std::size_t from, std::size_t to) const {
  const auto restarts = restarts_.find(process);
  if (restarts == restarts_.end()) return false;
  const auto next = restarts->second.upper_bound(from);
  return next != restarts->second.end() && *next <= to;
}

Between Meter::IncreaseOf(const Labels& process, const TimeRange& window) const {
  const auto line = lines_.find(process);
  if (line == lines_.end()) return Between::Exactly(0);
  const std::vector<double>& totals = line->second;
  const std::vector<TimeMs>& scrapes = facts_->scrapes.at(process);
  const auto index = [&](auto it) { return static_cast<std::size_t>(it - scrapes.begin()); };
  const auto inside = std::ranges::lower_bound(scrapes, window.start);
  const auto past = std::ranges::upper_bound(scrapes, window.end);
  Between out{0, At(scrapes, totals, window.end) - At(scrapes, totals, window.start)};
  if (inside < past && !(difference_ && BeganAgain(process, index(inside), index(past) - 1))) {
    out.low = totals[index(past) - 1] - totals[index(inside)];
  }
  const auto beyond = std::ranges::lower_bound(scrapes, window.end);
  const auto since = std::ranges::upper_bound(scrapes, window.start);
  if (beyond != scrapes.end() && since != scrapes.begin() &&
      !BeganAgain(process, index(since) - 1, index(beyond))) {
    out.high = totals[index(beyond)] - totals[index(since) - 1];
  }
  out.low = std::max(0.0, out.low);
  out.value = std::max(out.low, out.value);
  out.high = std::max(out.value, out.high);
  return out;
}

Between Meter::Increase(const TimeRange& window) const {
  Between sum = Between::Exactly(0);
  for (const auto& [process, totals] : lines_) sum = sum + IncreaseOf(process, window);
  return sum;
}

std::vector<Meter::Step> Meter::Steps() const {
  std::vector<Step> steps;
  for (const auto& [process, totals] : lines_) {
    const std::vector<TimeMs>& scrapes = facts_->scrapes.at(process);
    for (std::size_t i = 1; i < totals.size(); ++i) {
      steps.push_back({process, i, scrapes[i - 1], scrapes[i], totals[i] - totals[i - 1]});
    }
  }
  return steps;
}

double Meter::Within(const Step& step) const {
  const auto line = lines_.find(step.process);
  if (line == lines_.end() || step.scrape >= line->second.size()) return 0;
  return line->second[step.scrape] - line->second[step.scrape - 1];
}

std::vector<Labels> Meter::processes() const {
  std::vector<Labels> all;
  for (const auto& [process, totals] : lines_) all.push_back(process);
  return all;
}

Meter MeterOf(const NeighbourFacts& facts, std::string_view question, std::string_view name,
              const SeriesTest& wanted) {
  Meter meter(facts);
  for (const Series& series : facts.Of(question)) {
    if (series.labels.Get("__name__") != name) continue;
    if (!wanted || wanted(series.labels)) meter.Add(series);
  }
  return meter;
}

std::vector<ServerAgainstOthers> CompareServers(const NeighbourFacts& facts,
                                                const TimeRange& window) {
  std::map<Labels, ServerAgainstOthers> servers;
  for (const auto& [kind, requests] : RequestsByKind(facts)) Compare(requests, window, &servers);
  std::vector<ServerAgainstOthers> all;
  for (auto& [process, server] : servers) all.push_back(std::move(server));
  std::ranges::stable_sort(all, [](const auto& a, const auto& b) {
    return a.seconds * b.expected > b.seconds * a.expected;
  });
  return all;
}

Meter RequestSeconds(const NeighbourFacts& facts, std::string_view question,
                     const SeriesTest& wanted) {
  return MeterOf(facts, question, SumOf(Metric::kApiserverRequestDuration), wanted);
}

Meter IndicatedSeconds(const NeighbourFacts& facts, std::string_view question,
                       const SeriesTest& wanted) {
  Meter meter(facts);
  std::map<Labels, bool> has_sli;
  const std::string sli = SumOf(Metric::kApiserverRequestSliDuration);
  const std::string slo = SumOf(Metric::kApiserverRequestSloDuration);
  for (const Series& series : facts.Of(question)) {
    if (series.labels.Get("__name__") == sli) has_sli[ProcessLabels(series.labels)] = true;
  }
  for (const Series& series : facts.Of(question)) {
    if (wanted && !wanted(series.labels)) continue;
    const auto name = series.labels.Get("__name__");
    if (name == sli || (name == slo && !has_sli[ProcessLabels(series.labels)])) meter.Add(series);
  }
  return meter;
}

Symptoms MeasureSymptoms(const NeighbourFacts& facts, const TimeRange& window) {
  Symptoms out;
  out.fsync_wait = FsyncWait(facts, window);
  out.fsync_mean = MeanOf(facts, "etcd", Metric::kEtcdDiskWalFsyncDuration, window);
  out.peer_round_trip = MeanOf(facts, "etcd", Metric::kEtcdNetworkPeerRoundTripTime, window);
  out.leader_changes =
      Grown(MeterOf(facts, "etcd", NameOf(Metric::kEtcdServerLeaderChangesSeen)), window);
  out.wake_up = MeanOf(facts, "processes", Metric::kGoSchedLatencies, window);
  const Meter cpu = MeterOf(facts, "processes", NameOf(Metric::kProcessCpu));
  if (!cpu.empty() && window.end > window.start) {
    out.cores_used = Grown(cpu, window) * 1000 / static_cast<double>(window.end - window.start);
  }
  MeasureOwnCalls(facts, window, &out);
  for (const Series& series : facts.Of("admission")) {
    const auto name = series.labels.Get(kMetricName);
    if (name != NameOf(Metric::kApiserverAdmissionWebhookRejectionCount)) continue;
    Meter meter(facts);
    meter.Add(series);
    out.refused[std::string(series.labels.Get("name"))] += Grown(meter, window);
  }
  return out;
}

}  // namespace schedlens
