#include <numeric>

#include "diagnose/control_plane/binding_path.h"
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
  explicit Requests(const ControlPlaneFacts& facts) : count(facts), seconds(facts) {}
};
using Kind = std::pair<std::string, std::string>;  // verb, subresource

std::map<Kind, Requests> RequestsByKind(const ControlPlaneFacts& facts) {
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

std::optional<double> MeanOf(const ControlPlaneFacts& facts, std::string_view question, Metric of,
                             const TimeRange& window) {
  const double n = Grown(MeterOf(facts, question, CountOf(of)), window);
  if (n < kLeast) return std::nullopt;
  return Grown(MeterOf(facts, question, SumOf(of)), window) / n;
}

std::optional<double> FsyncWait(const ControlPlaneFacts& facts, const TimeRange& window) {
  const auto meters = MetersBelow(facts, "etcd", BucketOf(Metric::kEtcdDiskWalFsyncDuration));
  double n = 0, sum = 0, squares = 0, lower = 0, before = 0;
  for (const auto& [bound, meter] : meters) {  // of all members
    const double cumulative = Grown(meter, window), inside = std::max(0.0, cumulative - before);
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
void MeasureOwnCalls(const ControlPlaneFacts& facts, const TimeRange& window, Symptoms* out) {
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

/// Of all attempts, those that are slow where no threshold says which.
constexpr double kLeastSlow = 0.01;
constexpr double kMostSlow = 0.2;

double Over(const PooledBuckets& attempts, std::size_t bound) {
  return attempts.count() - attempts.cumulative[bound];
}

/// Bindings over each finite bound that all servers have.
std::map<double, Meter> BindingsOver(const ControlPlaneFacts& facts) {
  const Meter count = MeterOf(facts, "bindings", CountOf(Metric::kApiserverRequestDuration));
  std::map<double, Meter> over;
  for (const auto& [bound, meter] :
       MetersBelow(facts, "bindings", BucketOf(Metric::kApiserverRequestDuration))) {
    if (!std::isfinite(bound) || !meter.Covers(count)) continue;
    over.emplace(bound, count).first->second.TakeOff(meter);
  }
  return over;
}

/// The part of the window in which every process's attempts were counted. Nothing where some were
/// lost.
std::optional<TimeRange> CountedWithin(const WindowIncreases& cells) {
  std::map<std::size_t, TimeRange> by_target;
  for (const ScrapeIncreases& child : cells.attempt) {
    if (child.torn || std::ranges::find(child.reset, true) != child.reset.end())
      return std::nullopt;
    if (child.edges.empty()) continue;
    const TimeRange own{child.edges.front(), child.edges.back()};
    TimeRange& range = by_target.try_emplace(child.target, own).first->second;
    range = {std::min(range.start, own.start), std::max(range.end, own.end)};
  }
  TimeRange counted = cells.window;
  for (const auto& [target, range] : by_target) {
    counted = {std::max(counted.start, range.start), std::min(counted.end, range.end)};
  }
  if (by_target.empty() || counted.start >= counted.end) return std::nullopt;
  return counted;
}

/// What is known of the servers' bindings in the window.
struct ServersTail {
  std::map<double, BoundedValue> over;  ///< by bound
  RunningAtEdges running;
  bool complete = true;  ///< no server is missing

  /// Bindings that were answered but whose attempts have not ended are not among the attempts.
  double Least(double bindings) const { return std::max(0.0, bindings - running.end); }
  /// Of the window's attempts those with at most so many bindings over x.
  double Most(double x, double all) const {
    const auto above = over.upper_bound(x);
    if (!complete || above == over.begin()) return all;
    return std::min(all, std::prev(above)->second.high + running.start);
  }
};

/// Attempts over the threshold that were over it in the servers alone: between the counts at the
/// bounds around it.
std::optional<Measured> SufficientOf(const PooledBuckets& attempts, const ServersTail& servers,
                                     double threshold) {
  const auto above = std::ranges::lower_bound(attempts.bounds, threshold);
  const auto i = static_cast<std::size_t>(above - attempts.bounds.begin());
  if (i >= attempts.bounds.size()) return std::nullopt;
  const double least = Over(attempts, i);
  const bool exact = attempts.bounds[i] == threshold;
  const double most = exact ? least : i == 0 ? attempts.count() : Over(attempts, i - 1);
  if (!(least > 0)) return std::nullopt;
  const auto inside = servers.over.lower_bound(threshold);
  const double surely = inside == servers.over.end() ? 0 : servers.Least(inside->second.low);
  const double low = std::min(1.0, surely / most);
  const double high = std::max(low, std::min(1.0, servers.Most(threshold, most) / least));
  return Bounded(low, (low + high) / 2, high, "1", BasisKind::kCountsOverThreshold);
}

/// What lies outside the window tells who meets bindings, not who was slow.
constexpr double kElsewhere = 0.1;
/// Fewer scrapes than contributors and this many more do not tell them apart.
constexpr std::size_t kSpare = 2;
/// Without it the rest must fit this many times worse, or nobody misses it; nor where what is left
/// is this part of the squares, a hundredth of the seconds.
constexpr double kMissed = 2;
constexpr double kGoodEnough = 1e-4;
/// Pulls those that nothing tells apart together.
constexpr double kRidge = 1e-6;
constexpr double kLeastSeconds = 1e-3;
/// Who is told apart: fitting takes the cube of it.
constexpr std::size_t kMostColumns = 40;
constexpr int kRounds = 2000;
constexpr double kSettled = 1e-8;

/// Least squares with every share between 0 and 1, one share at a time.
class Fit {
 public:
  explicit Fit(std::size_t n) : n_(n), products_(n * n, 0), target_(n, 0), shares_(n, 0) {}

  /// Between two scrapes.
  void Add(double outside, const std::vector<double>& own, double weight) {
    ++rows_;
    squares_ += weight * outside * outside;
    all_ += outside;
    of_own_ += std::accumulate(own.begin(), own.end(), 0.0);
    for (std::size_t i = 0; i < n_; ++i) {
      target_[i] += weight * outside * own[i];
      for (std::size_t k = 0; k < n_; ++k) products_[i * n_ + k] += weight * own[i] * own[k];
    }
  }

  void Solve(std::optional<std::size_t> without) {
    prior_ = of_own_ > 0 ? std::min(1.0, all_ / of_own_) : 0;
    std::ranges::fill(shares_, prior_);
    if (without) shares_[*without] = 0;
    for (int round = 0; round < kRounds; ++round) {
      double moved = 0;
      for (std::size_t i = 0; i < n_; ++i) {
        if (i != without) moved = std::max(moved, Improve(i));
      }
      if (moved < kSettled) return;
    }
  }

  /// What the shares leave unexplained.
  double Misfit() const {
    double sum = squares_;
    for (std::size_t i = 0; i < n_; ++i) sum += shares_[i] * (Explained(i) - 2 * target_[i]);
    return std::max(0.0, sum);
  }
  double squares() const { return squares_; }
  double share(std::size_t i) const { return shares_[i]; }
  std::size_t rows() const { return rows_; }

 private:
  double Explained(std::size_t i) const {
    const auto row = products_.begin() + static_cast<std::ptrdiff_t>(i * n_);
    return std::inner_product(shares_.begin(), shares_.end(), row, 0.0);
  }

  /// How far the share moved.
  double Improve(std::size_t i) {
    const double square = products_[i * n_ + i];
    if (!(square > 0)) return 0;
    const double rest = target_[i] - Explained(i) + shares_[i] * square, ridge = kRidge * square;
    const double last = shares_[i];
    shares_[i] = std::clamp((rest + ridge * prior_) / (square + ridge), 0.0, 1.0);
    return std::fabs(shares_[i] - last);
  }

  std::size_t n_, rows_ = 0;
  std::vector<double> products_, target_, shares_;
  double squares_ = 0, all_ = 0, of_own_ = 0, prior_ = 0;
};

/// The column of each contributor: its own, or the last one, which all but the largest share.
std::vector<std::size_t> ColumnsOf(const std::vector<Meter>& own, const TimeRange& window) {
  std::vector<std::size_t> columns(own.size());
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  if (own.size() <= kMostColumns) return columns;
  std::vector<std::pair<double, std::size_t>> order;
  for (const Meter& one : own) order.emplace_back(-one.Increase(window).value, order.size());
  std::ranges::sort(order);
  for (std::size_t i = 0; i < order.size(); ++i) {
    columns[order[i].second] = std::min(i, kMostColumns - 1);
  }
  return columns;
}

Fit FitOf(const Meter& outside, const std::vector<Meter>& own,
          const std::vector<std::size_t>& columns, const TimeRange& window) {
  const std::size_t n = std::min(own.size(), kMostColumns);
  Fit fit(n);
  for (const Meter::Step& step : outside.Steps()) {
    const double seconds = std::max(0.0, step.increase);
    std::vector<double> each(n, 0);
    for (std::size_t i = 0; i < own.size(); ++i) each[columns[i]] += own[i].Within(step);
    // Seconds vary as much as there are.
    const bool inside = step.start >= window.start && step.end <= window.end;
    fit.Add(seconds, each, (inside ? 1 : kElsewhere) / (seconds + kLeastSeconds));
  }
  return fit;
}

}  // namespace

BoundedValue BoundedValue::operator+(const BoundedValue& other) const {
  return {low + other.low, value + other.value, high + other.high};
}

BoundedValue BoundedValue::Less(const BoundedValue& other) const {
  const auto rest = [](double a, double b) { return std::max(0.0, a - b); };
  BoundedValue out{rest(low, other.high), rest(value, other.value), rest(high, other.low)};
  out.value = std::min(std::max(out.value, out.low), out.high);
  return out;
}

BoundedValue BoundedValue::AtMost(const BoundedValue& other) const {
  BoundedValue out{std::min(low, other.high), std::min(value, other.value),
                   std::min(high, other.high)};
  out.value = std::min(std::max(out.value, out.low), out.high);
  return out;
}

Measured MeasuredOf(const BoundedValue& part, double whole, std::string unit) {
  Measured out = Bounded(part.low / whole, part.value / whole, part.high / whole, std::move(unit),
                         BasisKind::kControlPlane);
  if (std::isinf(part.high)) out.high.reset();
  return out;
}

void Meter::Add(const Series& series) {
  const Labels process = ProcessLabels(series.labels);
  const auto scrapes = facts_->scrapes.find(process);
  if (scrapes == facts_->scrapes.end()) return;
  std::vector<double>& line = lines_[process];
  line.resize(scrapes->second.size(), 0);
  const std::vector<double> totals = TotalsAt(scrapes->second, series, &restarts_[process]);
  for (std::size_t i = 0; i < totals.size(); ++i) line[i] += totals[i];
}

void Meter::TakeOff(const Meter& other) {
  difference_ = true;
  for (const auto& [process, totals] : other.lines_) {
    std::vector<double>& line = lines_[process];
    line.resize(totals.size(), 0);
    for (std::size_t i = 0; i < totals.size(); ++i) line[i] -= totals[i];
  }
  for (const auto& [process, scrapes] : other.restarts_) {
    restarts_[process].insert(scrapes.begin(), scrapes.end());
  }
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

BoundedValue Meter::IncreaseOf(const Labels& process, const TimeRange& window) const {
  const auto line = lines_.find(process);
  if (line == lines_.end()) return BoundedValue::Exactly(0);
  const std::vector<double>& totals = line->second;
  const std::vector<TimeMs>& scrapes = facts_->scrapes.at(process);
  const auto index = [&](auto it) { return static_cast<std::size_t>(it - scrapes.begin()); };
  const auto inside = std::ranges::lower_bound(scrapes, window.start);
  const auto past = std::ranges::upper_bound(scrapes, window.end);
  BoundedValue out{0, At(scrapes, totals, window.end) - At(scrapes, totals, window.start)};
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

BoundedValue Meter::Increase(const TimeRange& window) const {
  BoundedValue sum = BoundedValue::Exactly(0);
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

Meter MeterOf(const ControlPlaneFacts& facts, std::string_view question, std::string_view name,
              const SeriesTest& wanted) {
  Meter meter(facts);
  for (const Series& series : facts.Of(question)) {
    if (series.labels.Get("__name__") != name) continue;
    if (!wanted || wanted(series.labels)) meter.Add(series);
  }
  return meter;
}

std::map<double, Meter> MetersBelow(const ControlPlaneFacts& facts, std::string_view question,
                                    std::string_view name) {
  std::map<double, Meter> below;
  for (const Series& series : facts.Of(question)) {
    if (series.labels.Get("__name__") != name) continue;
    const auto bound = ParseNumber(series.labels.Get("le"));
    if (bound && !std::isnan(*bound)) below.try_emplace(*bound, facts).first->second.Add(series);
  }
  return below;
}

std::vector<ServerAgainstOthers> CompareServers(const ControlPlaneFacts& facts,
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

Meter RequestSeconds(const ControlPlaneFacts& facts, std::string_view question,
                     const SeriesTest& wanted) {
  return MeterOf(facts, question, SumOf(Metric::kApiserverRequestDuration), wanted);
}

Meter IndicatedSeconds(const ControlPlaneFacts& facts, std::string_view question,
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

Symptoms MeasureSymptoms(const ControlPlaneFacts& facts, const TimeRange& window) {
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

Message TailLink::Sentence() const {
  return Message("evidence.tail.apiserver", {{"attempts", arg::Count(attempts)},
                                             {"over", arg::Duration(over)},
                                             {"least", arg::Count(least)},
                                             {"inside", arg::Duration(inside)}});
}

std::optional<TailLink> LinkTails(const ControlPlaneFacts& facts, const BindingPath& path,
                                  const WindowIncreases& cells, const RunningAtEdges& running,
                                  std::optional<double> threshold) {
  // Each binding of the servers must be an attempt's: no client but the scheduler, no retries.
  if (path.others_bind || path.bindings.low > path.calls + running.end) return std::nullopt;
  const std::optional<TimeRange> window = CountedWithin(cells);
  const PooledBuckets attempts = PoolBuckets(cells.attempt);
  if (!window || attempts.bounds.size() < 2) return std::nullopt;
  ServersTail servers{{}, running, !path.some_missing};
  for (const auto& [bound, meter] : BindingsOver(facts)) {
    servers.over[bound] = meter.Increase(cells.window);
    servers.over[bound].low = meter.Increase(*window).low;
  }
  TailLink best;
  for (std::size_t i = 0; i + 1 < attempts.bounds.size(); ++i) {
    const double bound = attempts.bounds[i], slow = Over(attempts, i);
    const bool wanted = threshold ? attempts.bounds[i + 1] > *threshold && slow >= 1
                                  : slow >= std::max(1.0, kLeastSlow * attempts.count()) &&
                                        slow <= kMostSlow * attempts.count();
    const auto inside = servers.over.lower_bound(bound);
    if (!wanted || inside == servers.over.end()) continue;
    const double least = servers.Least(inside->second.low);
    if (least > slow) return std::nullopt;  // the two are not of the same bindings
    if (best.attempts == 0 || least * best.attempts > best.least * slow) {
      best = {bound, inside->first, slow, least, {}};
    }
  }
  if (best.attempts == 0) return std::nullopt;
  if (threshold) best.sufficient = SufficientOf(attempts, servers, *threshold);
  return best;
}

std::vector<OutsideShare> FitOutside(const Meter& outside, const std::vector<Meter>& own,
                                     const TimeRange& window) {
  const std::vector<std::size_t> columns = ColumnsOf(own, window);
  Fit fit = FitOf(outside, own, columns, window);
  fit.Solve(std::nullopt);
  std::vector<OutsideShare> found(own.size());
  for (std::size_t i = 0; i < own.size(); ++i) found[i].share = fit.share(columns[i]);
  const std::size_t n = std::min(own.size(), kMostColumns);
  if (fit.rows() < n + kSpare) return found;
  const double least = kMissed * fit.Misfit() + kGoodEnough * fit.squares();
  for (std::size_t i = 0; i < own.size(); ++i) {
    // Nobody misses one of those that share a column.
    if (own.size() > n && columns[i] == n - 1) continue;
    fit.Solve(columns[i]);
    found[i].replaced = fit.Misfit() <= least;
  }
  return found;
}

}  // namespace schedlens
