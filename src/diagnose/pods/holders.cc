#include "diagnose/pods/holders.h"

#include "base/work_budget.h"
#include "diagnose/tail/top_total.h"

namespace schedlens {
namespace {

using kube::QueueName;

constexpr double kDeviations = 3;
/// Standard deviation of a wait from times in whole seconds: two of 1 / sqrt(12), and lag.
constexpr double kOfWholeSeconds = 0.45;
constexpr TimeMs kHair = 500;
/// A label and the only value of it that counts; any without a name.
using Label = std::pair<std::string_view, std::string_view>;
constexpr Label kFirstTry = {"attempts", "1"};

BoundedValue Around(double value, double variance) {
  const double most = kDeviations * std::sqrt(variance) + 1;
  return {std::max(0.0, value - most), std::max(0.0, value), value + most};
}

double Square(double x) { return x * x; }

class Meters {
 public:
  Meters(const HolderSources& sources, const TimeBreakdown& breakdown,
         const std::vector<Absence>& absences)
      : sources_(sources), now_(breakdown) {
    for (Absence one : absences) {
      for (TimeMs* t : {&one.start.low, &one.start.value, &one.start.high}) {
        *t = std::max(*t, breakdown.window.start);
      }
      for (TimeMs* t : {&one.end.low, &one.end.value, &one.end.high}) {
        *t = std::min(*t, breakdown.window.end);
      }
      if (one.end.value > one.start.value) absences_.push_back(one);
    }
    const auto& all = sources.scrapes;
    const auto after =
        std::ranges::upper_bound(all, now_.window.start + kHair, {}, &LeadingScrape::at);
    const auto first = after == all.begin() ? after : std::prev(after);
    auto last = std::ranges::lower_bound(all, now_.window.end - kHair, {}, &LeadingScrape::at);
    if (last != all.end()) ++last;
    if (first < last) scrapes_ = {first, last};
    for (std::size_t i = 1; i < scrapes_.size(); ++i) {
      created_ += scrapes_[i].created;
      passes_ += scrapes_[i].entered[QueueName::kActive] - scrapes_[i].from_early;
    }
  }

  bool CanMeasure() const {
    return scrapes_.size() >= 2 &&
           std::ranges::all_of(scrapes_, [](const LeadingScrape& one) { return one.counted; });
  }

  /// The top-level stages of attempts that are measured: their sums, with what runs at the edges;
  /// of Bind not what comes after the pod was bound. Where that takes long, PreBind is not known to
  /// end when its extension point does.
  kube::PartialEnumMap<kube::Stage, BoundedValue> Stages() const {
    constexpr double kBlurred = 0.15;
    kube::PartialEnumMap<kube::Stage, BoundedValue> stages;
    for (const kube::StageRow& row : kube::kStageTable) {
      const double sum = now_.seconds.contains(row.stage) ? now_.Seconds(row.stage) : -1;
      if (row.parent || row.stage == kube::Stage::kUnmeasured || !(sum >= 0)) continue;
      const double after = row.stage == kube::Stage::kBind ? after_bound_ : 0;
      const double more = row.stage == kube::Stage::kPreBind ? kBlurred * after_bound_ : 0;
      const double hair = 0.0005 * now_.e2e.count + 0.5;
      double start = Running(row, scrapes_.front()), end = Running(row, scrapes_.back());
      start = std::isfinite(start) ? std::min(start, sum) : sum;
      if (!std::isfinite(end)) end = sum;
      stages[row.stage] =
          WithLost({sum - start - after - hair, sum - after / 2, sum + end + hair + more}, sum);
    }
    return stages;
  }

  /// The queue's time, without that of pods not yet in it, by what the loop did meanwhile, as its
  /// stages divided the time between two scrapes: at least as parts of all of that, at most as
  /// parts of what is measured (a loop does not rest while a pod is ready). Few runs may have met
  /// few or many of the pods.
  kube::PartialEnumMap<kube::Stage, BoundedValue> QueueByLoop(const BoundedValue& queue) const {
    const BoundedValue ready = queue.Less(unseen_);
    const auto stages = LoopBetweenScrapes();
    const std::vector<Amount> loop = LoopOf(stages);
    kube::PartialEnumMap<kube::Stage, BoundedValue> held;
    for (const auto& [stage, runs] : stages) {
      BoundedValue part{0, 0, 0};
      double all = 0, variance = 0;
      for (std::size_t i = 1; i < scrapes_.size(); ++i) {
        const double pods = PodsReady(i, loop[i]);
        if (!(pods > 0)) continue;
        const bool stood = scrapes_[i - 1].pods[QueueName::kActive] > 0 &&
                           scrapes_[i].pods[QueueName::kActive] > 0;
        all += pods;
        // Without a run that ended one goes on, of whatever stage.
        const double most = loop[i].seconds > 0 ? runs[i].seconds / loop[i].seconds : 1;
        const double least = std::min(most, runs[i].seconds / LengthTo(i));
        const double value = stood ? least : loop[i].seconds > 0 ? most : 0;
        part = part + BoundedValue{pods * least, pods * value, pods * most};
        variance += Square(pods * most * (1 - most)) / std::max(1.0, runs[i].count);
      }
      if (!(part.value > 0)) continue;
      const double chance = kDeviations * std::sqrt(variance) / all;
      held[stage] = {ready.low * std::max(0.0, part.low / all - chance),
                     ready.value * part.value / all,
                     ready.high * std::min(1.0, part.high / all + chance)};
    }
    return held;
  }

  std::vector<HeldSum> Run() {
    after_bound_ = AfterBound();
    unseen_ = Unseen();
    AddNobody();
    AddAttempts();
    AddQueues();
    if (absences_.empty() && Has(sources_.histograms.pod_scheduling, now_.pod_scheduling.seconds)) {
      AddFirstTries();
      AddWaits();
    } else {
      Add({Holder::kQueue}, QueueBetween(QueueName::kActive) + unseen_);
    }
    AddPodsSeen();
    return std::move(sums_);
  }

 private:
  void Add(std::vector<Holder> holders, const BoundedValue& seconds) {
    sums_.push_back({std::move(holders), seconds});
  }
  /// Whether a question was answered, with sums.
  static bool Has(const HistogramFacts& histogram, double seconds) {
    return !histogram.children.empty() && std::isfinite(seconds);
  }

  /// Seconds of Bind after the API server had bound: none of any pod's wait.
  double AfterBound() const {
    const double bind = now_.points[kube::ExtensionPoint::kBind].seconds;
    if (!(bind > 0)) return 0;
    const Meter answered = RequestSeconds(sources_.control_plane, "bindings");
    if (answered.empty()) return bind / 2;
    const double before = answered.Increase(now_.window).value + sources_.limiter;
    return bind - std::min(bind, before);
  }

  /// Created, and not yet in a queue.
  BoundedValue Unseen() const {
    const double pods = created_ > 0 ? created_ : now_.scheduled();
    return {0, 0.004 * pods + 0.5 * after_bound_, 0.03 * pods + 1.3 * after_bound_ + 2};
  }

  /// The most that the longest `count` observations add up to of those that end next.
  double LongestNext(const HistogramFacts& histogram, TimeMs at, double count,
                     const Label& only = {}) const {
    const auto& all = sources_.scrapes;
    const auto next = std::ranges::upper_bound(all, at + kHair, {}, &LeadingScrape::at);
    const auto left = std::min<std::ptrdiff_t>(2, all.end() - next);
    const TimeMs end = left > 0 ? (next + left - 1)->at : at + 30'000;
    TopTotal top(RoundUp(count));
    for (const ScrapeIncreases& child : CellsOf(histogram, sources_.facts.targets, {at, end})) {
      if (!only.first.empty() && child.labels.Get(only.first) != only.second) continue;
      for (std::size_t i = 0; i < child.cells(); ++i) {
        top.AddCell({child.bounds, child.Buckets(i), child.sums[i]});
      }
    }
    return top.Max();
  }

  /// Pods of all absences, by those that were seen one by one, or as they came.
  void AddNobody() {
    const double length = MsToSeconds(scrapes_.back().at - scrapes_.front().at);
    BoundedValue all = Unanswered() + BoundedValue{0, 0, 1};
    if (absences_.empty()) all = all + BoundedValue{0, 0.001 * length, 0.002 * length};
    for (const Absence& one : absences_) {
      const bool shown = ShowsPodsOf(sources_.control_plane, {one.before, one.after});
      all = all + (shown ? WaitsInHole(one) : ArrivalsInHole(one));
    }
    Add({Holder::kNobody}, all);
  }

  /// What nobody saw: pods that came while scrapes were missing may have waited for their end.
  BoundedValue Unanswered() const {
    BoundedValue all{0, 0, 0};
    const TimeMs usual = UsualInterval(sources_.scrapes);
    for (std::size_t i = 1; i < scrapes_.size(); ++i) {
      const LeadingScrape &a = scrapes_[i - 1], &b = scrapes_[i];
      if (b.at - a.at <= usual * 8 / 5 || AbsenceFrom(a.at) != nullptr) continue;
      if (ShowsPodsOf(sources_.control_plane, {a.at, b.at})) continue;
      all.high += b.entered[QueueName::kActive] * MsToSeconds(b.at - a.at);
    }
    return all;
  }

  BoundedValue WaitsInHole(const Absence& one) const {
    constexpr double kStood = 30;
    const double start = MsToSeconds(one.start.value), end = MsToSeconds(one.end.value);
    const double last = MsToSeconds(PodScrapes(sources_.control_plane).end);
    const double each = PodScrapeInterval(sources_.control_plane);
    double seconds = 0, pods = 0;
    for (const SeenPod& pod : PodsOf(sources_.control_plane)) {
      CheckBudget();
      const double created = pod.created + 0.5, seen = MsToSeconds(pod.last_seen);
      double until = seen;
      if (pod.scheduled) {
        until = *pod.scheduled + 0.5;
      } else if (seen + each >= start + (end - start) / 5 && seen + 1.5 * each >= end &&
                 seen < last - 1) {
        until = end + 1;  // bound at its end, and gone before it was seen again
      }
      if (created >= end || until <= start) continue;
      if (!pod.scheduled && start - created > kStood) continue;  // stood at a gate, or without node
      if (one.keeps_queues && created < start - 0.5) continue;
      seconds += std::min(until, end) - std::max(created, start);
      pods += 1;
    }
    const double most =
        kDeviations * kOfWholeSeconds * std::sqrt(pods) + 0.55 * (pods + 2) + 0.01 * seconds;
    return {std::max(0.0, seconds - most), seconds, seconds + most};
  }

  /// Pods come at the window's rate, and each waits for the hole's end.
  BoundedValue ArrivalsInHole(const Absence& one) const {
    const double length = MsToSeconds(scrapes_.back().at - scrapes_.front().at);
    const double rate = std::max(created_, now_.scheduled()) / std::max(1.0, length);
    const double least = std::max(0.0, MsToSeconds(one.end.low - one.start.high));
    const double most = MsToSeconds(one.end.high - one.start.low), value = one.Seconds();
    const auto waiting = [&](double x, double times) { return times * rate * x * x / 2; };
    const double chance = kDeviations * std::sqrt(rate * most) * most;
    const auto last = std::ranges::find(scrapes_, one.before, &LeadingScrape::at);
    const double stood = one.keeps_queues || last == scrapes_.end() ? 0 : (Left(*last) + 3) * most;
    return {std::max(0.0, waiting(least, 0.75) - chance), waiting(value, 1),
            waiting(most, 1.3) + chance + stood};
  }

  void AddAttempts() {
    if (!Has(sources_.histograms.attempt, now_.e2e.seconds)) return;
    const auto running = [&](const LeadingScrape& at) {
      return LongestNext(sources_.histograms.attempt, at.at, at.binding + 1);
    };
    const double n = now_.e2e.count, failed = now_.failed();
    double start = running(scrapes_.front()), end = running(scrapes_.back());
    if (!std::isfinite(start)) start = now_.e2e.seconds;
    BoundedValue all{now_.e2e.seconds - start - 0.002 * n - 0.5 - after_bound_,
                     now_.e2e.seconds - start / 3 - 0.5 * after_bound_ + 0.0006 * failed,
                     now_.e2e.seconds + end + 0.002 * n + 0.003 * failed + 0.5};
    all.value += std::isfinite(end) ? end / 3 : 0;
    Add({Holder::kAttempt}, WithLost(all, now_.e2e.seconds));
  }

  /// What ended after the last scrape is lost with the process: as much as before.
  BoundedValue WithLost(BoundedValue all, double seconds) const {
    for (const Absence& one : absences_) {
      if (one.keeps_queues) continue;
      const double lost = MsToSeconds(one.start.value - one.before) * seconds /
                          std::max(1.0, now_.window.seconds());
      all.value += lost;
      all.high += 3 * lost + 5;
    }
    all.low = std::max(0.0, all.low);
    all.value = std::max(all.low, all.value);
    return all;
  }

  /// The most that a stage's runs at this scrape have of their time on either side of it. What
  /// runs beside the loop is in attempts that may end long after the stage has.
  double Running(const kube::StageRow& row, const LeadingScrape& at) const {
    using kube::Stage;
    const Histograms& histograms = sources_.histograms;
    if (row.stage == Stage::kAlgorithm) return LongestNext(histograms.algorithm, at.at, 1);
    if (row.stage == Stage::kPermitWait) {
      return LongestNext(histograms.permit_wait, at.at, at.binding + 1);
    }
    if (!kube::RunsInLoop(row.stage)) return LongestNext(histograms.attempt, at.at, at.binding + 1);
    return LongestNext(histograms.extension_point, at.at, 1,
                       {"extension_point", ToString(*row.point)});
  }

  /// Of a histogram's children that are wanted, by the scrape they ended before.
  template <class Wanted>
  std::vector<Amount> RunsBetweenScrapes(const HistogramFacts& histogram, Wanted wanted) const {
    std::vector<Amount> runs(scrapes_.size());
    for (const ScrapeIncreases& child :
         CellsOf(histogram, sources_.facts.targets, {scrapes_.front().at, scrapes_.back().at})) {
      if (!wanted(child.labels)) continue;
      for (std::size_t i = 0; i < child.cells(); ++i) {
        const auto at =
            std::ranges::lower_bound(scrapes_, child.edges[i + 1], {}, &LeadingScrape::at);
        if (at == scrapes_.end() || !std::isfinite(child.sums[i])) continue;
        runs[static_cast<std::size_t>(at - scrapes_.begin())] += {child.Count(i), child.sums[i]};
      }
    }
    return runs;
  }

  /// The stages of the loop; the algorithm as in the breakdown of attempts: with that of failed
  /// ones, and without PostFilter.
  kube::PartialEnumMap<kube::Stage, std::vector<Amount>> LoopBetweenScrapes() const {
    const Histograms& histograms = sources_.histograms;
    kube::PartialEnumMap<kube::Stage, std::vector<Amount>> loop;
    for (const kube::StageRow& row : kube::kStageTable) {
      if (row.parent || !row.point || !kube::RunsInLoop(row.stage)) continue;
      loop[row.stage] = RunsBetweenScrapes(histograms.extension_point, [&](const Labels& labels) {
        return labels.Get("extension_point") == ToString(*row.point);
      });
    }
    const auto failed = RunsBetweenScrapes(
        histograms.attempt, [](const Labels& labels) { return !kube::IsScheduled(labels); });
    auto algorithm = RunsBetweenScrapes(histograms.algorithm, [](const Labels&) { return true; });
    const std::vector<Amount>& postfilter = loop[kube::Stage::kPostFilter];
    for (std::size_t i = 0; i < algorithm.size(); ++i) {
      if (!now_.algorithm_has_failures) algorithm[i] += failed[i];
      algorithm[i].seconds = std::max(0.0, algorithm[i].seconds - postfilter[i].seconds);
    }
    loop[kube::Stage::kAlgorithm] = std::move(algorithm);
    return loop;
  }

  double LengthTo(std::size_t scrape) const {
    return MsToSeconds(scrapes_[scrape].at - scrapes_[scrape - 1].at);
  }

  /// All stages of the loop together, by scrape; a pass runs the algorithm once.
  static std::vector<Amount> LoopOf(
      const kube::PartialEnumMap<kube::Stage, std::vector<Amount>>& stages) {
    std::vector<Amount> loop = stages.at(kube::Stage::kAlgorithm);
    for (const auto& [stage, runs] : stages) {
      if (stage == kube::Stage::kAlgorithm) continue;
      for (std::size_t i = 0; i < loop.size(); ++i) loop[i].seconds += runs[i].seconds;
    }
    return loop;
  }

  /// Pod-seconds of the active queue before the scrape, where somebody scheduled: of those that
  /// stood in it at either end, and half a pass of each that came while the loop was busy.
  double PodsReady(std::size_t scrape, const Amount& loop) const {
    const LeadingScrape &before = scrapes_[scrape - 1], &after = scrapes_[scrape];
    if (AbsenceFrom(before.at) != nullptr) return 0;
    const double length = LengthTo(scrape), busy = std::min(1.0, loop.seconds / length);
    const double stood = (before.pods[QueueName::kActive] + after.pods[QueueName::kActive]) / 2;
    return stood * length + after.entered[QueueName::kActive] * busy * loop.mean() / 2;
  }

  void AddQueues() {
    Add({Holder::kGate}, QueueBetween(QueueName::kGated));
    Add({Holder::kUnschedulable}, QueueBetween(QueueName::kUnschedulable));
    Add({Holder::kBackoff}, QueueBetween(QueueName::kBackoff));
  }

  const Absence* AbsenceFrom(TimeMs at) const {
    const auto one = std::ranges::find(absences_, at, &Absence::before);
    return one == absences_.end() ? nullptr : &*one;
  }

  BoundedValue QueueBetween(QueueName queue) const {
    double seconds = 0, variance = 0;
    for (std::size_t i = 1; i < scrapes_.size(); ++i) {
      const LeadingScrape &a = scrapes_[i - 1], &b = scrapes_[i];
      const double length = MsToSeconds(b.at - a.at);
      const double before = a.pods[queue], after = b.pods[queue], mean = (before + after) / 2;
      const Absence* absence = AbsenceFrom(a.at);
      if (absence != nullptr && !absence->keeps_queues && queue != QueueName::kGated) {
        const double first = MsToSeconds(absence->start.value - a.at);
        const double rest = MsToSeconds(b.at - absence->end.value);
        const double most = before * MsToSeconds(absence->start.high - a.at) +
                            (after + b.entered[queue]) * MsToSeconds(b.at - absence->end.low);
        seconds += before * std::max(0.0, first) + after * std::max(0.0, rest);
        variance += Square(most / 5);
        continue;
      }
      seconds += mean * length;
      variance += Square(length) * VariancePerSquare(a, b, queue);
      if (absence != nullptr && queue == QueueName::kActive) variance += Square(before * length);
    }
    return Around(seconds, variance);
  }

  /// Of the mean length of a queue between two scrapes.
  static double VariancePerSquare(const LeadingScrape& a, const LeadingScrape& b, QueueName queue) {
    const double before = a.pods[queue], after = b.pods[queue], mean = (before + after) / 2;
    const double in = b.entered[queue], out = std::max(0.0, before + in - after);
    if (queue == QueueName::kGated) {
      const double moves = std::max(std::abs(after - before), 0.35 * mean) + (mean > 0 ? 1 : 0);
      return moves * (a.groups || b.groups ? 1 : 0.25);
    }
    const double known = mean + 1;
    if (queue == QueueName::kActive || in <= 2 * std::max(before, after)) {
      return std::min((in + out) / 12, known);
    }
    // Pods come and go faster than scrapes: they stand in either of the two queues.
    return std::max(Square(Standing(a) + Standing(b)) / 16, 1.0) + known;
  }

  /// Of pods bound at their first try: their wait less the attempt is the queue.
  void AddFirstTries() {
    Amount first;
    const HistogramFacts& waits = sources_.histograms.pod_scheduling;
    for (const ScrapeIncreases& child : CellsOf(waits, sources_.facts.targets, now_.window)) {
      if (child.labels.Get(kFirstTry.first) != kFirstTry.second) continue;
      first += {TotalCount(child), TotalSum(child)};
    }
    if (!(first.count > 0) || !std::isfinite(first.seconds)) return;
    const auto due = [&](const LeadingScrape& at) {
      return LongestNext(waits, at.at, at.binding + 1 + at.pods[QueueName::kActive], kFirstTry);
    };
    const double bound = std::max(first.count, now_.pod_scheduling.count);
    const double attempts = now_.by_result.Get(kube::AttemptResult::kScheduled).seconds;
    const double others = attempts * (bound - first.count) / bound;
    const double start = due(scrapes_.front()), end = due(scrapes_.back());
    BoundedValue queue{std::max(0.0, first.seconds - attempts - start),
                       first.seconds - (attempts - others) + (end - start) / 3,
                       first.seconds - (attempts - std::min(attempts, 3 * others)) + end};
    if (!std::isfinite(end)) queue.value = first.seconds - (attempts - others);
    const double again = std::max(0.0, passes_ - first.count);
    queue.high += unseen_.high + 3 * again * std::max(0.0, queue.high) / first.count;
    queue.value = std::max(queue.low, queue.value + unseen_.value) +
                  again * std::max(0.0, queue.value) / first.count;
    queue.high = std::max(queue.high, queue.value);
    Add({Holder::kQueue}, queue);
  }

  /// All that waits until bound, of those bound in the window: ages at its edges lie outside.
  void AddWaits() {
    const HistogramFacts& waits = sources_.histograms.pod_scheduling;
    const auto due = [&](const LeadingScrape& at) {
      const double since = MsToSeconds(at.at - StandingSince(at.at)) + 30, standing = Standing(at);
      return LongestNext(waits, at.at, at.binding + 1 + Left(at)) +
             (standing > 0 ? standing * since : 0);
    };
    const double sum = now_.pod_scheduling.seconds, start = due(scrapes_.front());
    const double left = Left(scrapes_.back()) - Left(scrapes_.front());
    const double lost = created_ - now_.pod_scheduling.count - left, end = due(scrapes_.back());
    const bool whole = lost <= 0.005 * now_.pod_scheduling.count + 3;
    BoundedValue all{std::max(0.0, sum - start - after_bound_),
                     sum - 0.5 * after_bound_ + unseen_.value,
                     whole ? sum + end + unseen_.high : kInfinity};
    if (std::isfinite(end) && std::isfinite(start)) all.value += (end - start) / 3;
    all.value = std::min(std::max(all.value, all.low), all.high);
    Add({Holder::kQueue, Holder::kAttempt, Holder::kBackoff, Holder::kUnschedulable}, all);
  }

  /// Pods that wait for anything but their turn.
  static double Standing(const LeadingScrape& at) {
    return at.pods[QueueName::kUnschedulable] + at.pods[QueueName::kBackoff];
  }
  static double Left(const LeadingScrape& at) { return at.pods[QueueName::kActive] + Standing(at); }

  /// Since when pods may have stood in back-off or without a node.
  TimeMs StandingSince(TimeMs at) const {
    TimeMs since = sources_.scrapes.front().at;
    for (const LeadingScrape& one : sources_.scrapes) {
      if (one.at >= at) break;
      if (Standing(one) <= 0) since = one.at;
    }
    return since;
  }

  /// What all pods waited, one by one: the whole that the holders share.
  void AddPodsSeen() {
    const TimeRange seen = PodScrapes(sources_.control_plane);
    const double each = PodScrapeInterval(sources_.control_plane);
    if (seen.start > now_.window.start + 2 * Ms(each) || seen.end < now_.window.end) return;
    const double start = MsToSeconds(scrapes_.front().at), end = MsToSeconds(scrapes_.back().at);
    const double last = MsToSeconds(seen.end);
    double total = 0, pods = 0, bound = 0, gone = 0, less = 0, more = 0;
    for (const SeenPod& pod : PodsOf(sources_.control_plane)) {
      CheckBudget();
      const double created = pod.created + 0.5, sight = MsToSeconds(pod.last_seen);
      if (created >= end) continue;
      double until = pod.scheduled ? *pod.scheduled + 0.5 : sight >= last - 1 ? kInfinity : sight;
      if (!pod.scheduled && std::isfinite(until)) {  // bound, or deleted, soon after
        const bool stood = sight - created > 2 * each;
        until += stood ? each / 2 : std::min(2.0, each / 2);
        if (until > start && until - each < end) {
          gone += stood ? 1 : 0;
          less += std::min(each, 2.0);
          more += each;
        }
      }
      if (until <= start) continue;
      pods += 1;
      bound += pod.scheduled && until >= start && until < end ? 1 : 0;
      total += std::min(until, end) - std::max(created, start);
    }
    const double missed = std::max(0.0, now_.scheduled() - bound);
    const double mean = total / std::max(1.0, pods);
    const double off =
        kDeviations * (kOfWholeSeconds * std::sqrt(pods) + 0.3 * each * std::sqrt(gone)) +
        0.05 * each * gone;
    const double asked = 0.1 * pods;  // their POSTs
    const double value = std::max(0.0, total - 0.3 * asked + 0.5 * missed * mean);
    Add({Holder::kGate, Holder::kUnschedulable, Holder::kBackoff, Holder::kNobody, Holder::kQueue,
         Holder::kAttempt},
        {std::max(0.0, total - off - asked - less - 2), value,
         std::max(value, total + off + missed * std::max(3 * mean, 1.0) + more + 2)});
  }

  const HolderSources& sources_;
  const TimeBreakdown& now_;
  std::vector<Absence> absences_;                      ///< cut to the window
  std::span<const LeadingScrape> scrapes_;             ///< of the window
  double created_ = 0, passes_ = 0, after_bound_ = 0;  ///< new pods; entries of the active queue
  BoundedValue unseen_;
  std::vector<HeldSum> sums_;
};

}  // namespace

std::optional<HeldTime> MeasureHolders(const HolderSources& sources, const TimeBreakdown& breakdown,
                                       const std::vector<Absence>& absences) {
  Meters meters(sources, breakdown, absences);
  if (!meters.CanMeasure()) return std::nullopt;
  auto held = SolveHolders(meters.Run());
  if (!held) return held;
  held->length = breakdown.window.seconds();
  held->pods = breakdown.scheduled();
  held->stages = meters.Stages();
  held->loop = meters.QueueByLoop((*held)[Holder::kQueue]);
  const BoundedValue& attempt = (*held)[Holder::kAttempt];
  double all = 0;
  for (auto& [stage, one] : held->stages) all += (one = one.AtMost(attempt)).value;
  for (auto& [stage, one] : held->stages) {  // no more together than the attempts have
    if (all > attempt.value) one.value = std::max(one.low, one.value * attempt.value / all);
  }
  return held;
}

}  // namespace schedlens
