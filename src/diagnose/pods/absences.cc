#include "base/work_budget.h"
#include "diagnose/pods/holders.h"

namespace schedlens {
namespace {

constexpr double kMissed = 1.6;         ///< usual intervals without a scrape
constexpr double kLeastHole = 3;        ///< seconds
constexpr double kTimesUsual = 5;       ///< a hole against the usual time from one pod to the next
constexpr double kMiddle = 0.5;         ///< of the second that a pod's time is rounded down to
constexpr double kUntilItLeads = 20;    ///< seconds from a process's start, a lease and more
constexpr double kSeveralAttempts = 3;  ///< as long as most attempts take
constexpr double kStillScheduling = 0.5;
constexpr TimeMs kAround = 60'000;  ///< of the window: pods that tell what is usual

std::string NameOf(const Target& target) {
  for (const char* name : {"instance", "pod"}) {
    if (target.id.Has(name)) return std::string(target.id.Get(name));
  }
  return target.id.ToString();
}

/// Of who was scraped last.
std::optional<Absence> StillDown(const Facts& facts, const TimeRange& window) {
  if (!facts.silence || facts.silence->since >= window.end) return std::nullopt;
  const auto [since, until, down] = *facts.silence;
  const auto last = std::ranges::max_element(
      facts.targets, {}, [](const Target& target) { return target.scrapes.back(); });
  const TimeMs next = std::min(since + ScrapeInterval(last->scrapes), until);
  Absence one{"scheduler.down",     NameOf(*last),        since, until,
              {since, since, next}, {until, until, until}};
  one.lasts = true;
  one.sure = down;
  return one;
}

class Finder {
 public:
  Finder(const Facts& facts, const std::vector<LeadingScrape>& scrapes,
         const std::vector<ScrapeIncreases>& attempt, const ControlPlaneFacts& control_plane,
         const TimeRange& window)
      : facts_(facts),
        scrapes_(scrapes),
        attempt_(attempt),
        control_plane_(control_plane),
        window_(window) {
    period_ = UsualInterval(scrapes);
    for (const SeenPod& pod : PodsOf(control_plane)) {
      CheckBudget();
      if (!pod.scheduled) continue;
      const TimeMs at = Ms(*pod.scheduled + kMiddle);
      if (at < window.start - kAround || at > window.end + kAround) continue;
      scheduled_.push_back(MsToSeconds(at));
    }
    std::ranges::sort(scheduled_);
    const Amount all = Total(attempt);
    attempts_ = all.count;
    if (std::isfinite(all.seconds)) attempt_seconds_ = all.mean();
  }

  std::vector<Absence> Run() const {
    std::vector<Absence> found;
    for (std::size_t i = 1; i < scrapes_.size(); ++i) {
      CheckBudget();
      const LeadingScrape &before = scrapes_[i - 1], &after = scrapes_[i];
      if (after.at < window_.start || before.at >= window_.end) continue;
      const auto one = Judge(before, after);
      const bool overlaps = one && one->start.value < window_.end &&
                            one->end.value > std::max(one->start.value, window_.start - period_);
      if (overlaps) found.push_back(*one);
    }
    return found;
  }

 private:
  std::optional<TimeMs> StartBetween(const LeadingScrape& before,
                                     const LeadingScrape& after) const {
    const auto& starts = facts_.targets[after.target].starts;
    const auto last = std::ranges::upper_bound(starts, after.at);
    if (last == starts.begin() || *std::prev(last) <= before.at) return std::nullopt;
    return *std::prev(last);
  }

  /// The target was scraped in between: it did not lead, though it lived.
  bool AnsweredBetween(const LeadingScrape& before, const LeadingScrape& after) const {
    const auto& scrapes = facts_.targets[before.target].scrapes;
    const auto next = std::ranges::upper_bound(scrapes, before.at);
    return next != scrapes.end() && *next < after.at;
  }

  std::optional<Absence> Judge(const LeadingScrape& before, const LeadingScrape& after) const {
    const bool handed = before.target != after.target;
    const auto started = StartBetween(before, after);
    const double apart = static_cast<double>(after.at - before.at);
    if (!handed && !started && apart <= kMissed * static_cast<double>(period_)) return std::nullopt;
    const bool lived = AnsweredBetween(before, after);
    Absence one;
    one.id = handed || (lived && !started) ? "scheduler.no-leader"
             : started                     ? "scheduler.down"
                                           : "scheduler.stuck";
    one.object = NameOf(facts_.targets[before.target]);
    one.before = before.at;
    one.after = after.at;
    one.keeps_queues = !handed && !started;
    const bool shown = ShowsPodsOf(control_plane_, {before.at, after.at});
    if (const auto hole = shown ? LargestHole(before, after) : std::nullopt) {
      one.start = hole->start;
      // The first pod was scheduled when its attempt had ended.
      const double tried = std::min(kSeveralAttempts * attempt_seconds_,
                                    (hole->end - MsToSeconds(hole->start.high)) / 2);
      one.end = {Ms(hole->end - 0.8 - tried), Ms(hole->end), Ms(hole->end + 0.3)};
      return one;
    }
    const bool seen = shown && Near(before, after).size() >= 2;  // pods, all the time
    if (seen || (one.keeps_queues && WentOn(before, after))) return std::nullopt;
    one.start = {before.at, before.at + period_ / 2, std::min(before.at + period_, after.at)};
    one.end = {std::max(after.at - period_, before.at), after.at - period_ / 2, after.at};
    if (started) {
      const TimeMs leads = std::min(after.at, *started + Ms(kUntilItLeads));
      one.end = {*started, (*started + leads) / 2, leads};
      one.start.value = std::min(one.start.value, *started);
      one.start.high = std::min(one.start.high, *started);
    }
    return one;
  }

  /// Pods scheduled around two scrapes, as kube-state-metrics saw them.
  std::span<const double> Near(const LeadingScrape& before, const LeadingScrape& after) const {
    constexpr double kJustBefore = 5;
    const double end = MsToSeconds(after.at + period_);
    const auto first = std::ranges::lower_bound(scheduled_, MsToSeconds(before.at) - kJustBefore);
    return {first, std::upper_bound(first, scheduled_.end(), end)};
  }

  /// From when to which second no pod was scheduled.
  struct Hole {
    BoundedTime start;
    double end = 0;
  };

  /// Nothing where its length is no surprise. Pods scheduled before it may be gone by now: then it
  /// began some time after the last scrape that led.
  std::optional<Hole> LargestHole(const LeadingScrape& before, const LeadingScrape& after) const {
    const auto near = Near(before, after);
    if (near.empty()) return std::nullopt;
    Hole hole;
    double longest = 0;
    if (near.front() > MsToSeconds(before.at) + kLeastHole) {
      longest = near.front() - MsToSeconds(before.at);
      const TimeMs high = std::min(before.at + period_, Ms(near.front()));
      hole = {{before.at, (before.at + high) / 2, high}, near.front()};
    }
    for (auto i = near.begin(); std::next(i) != near.end(); ++i) {
      const double length = *std::next(i) - *i;
      if (length <= longest) continue;
      longest = length;
      hole = {{Ms(*i - 0.5), Ms(*i), Ms(*i + 0.6)}, *std::next(i)};
    }
    const double usual = (scheduled_.back() - scheduled_.front()) /
                         static_cast<double>(std::max<std::size_t>(1, scheduled_.size() - 1));
    if (longest < std::max(kLeastHole, kTimesUsual * usual)) return std::nullopt;
    return hole;
  }

  /// Attempts ended between the scrapes as they do all the time: only scrapes are missing.
  bool WentOn(const LeadingScrape& before, const LeadingScrape& after) const {
    constexpr TimeMs kHair = 500;
    double ended = 0;
    for (const ScrapeIncreases& child : attempt_) {
      if (child.target != after.target) continue;
      for (std::size_t i = 0; i < child.cells(); ++i) {
        const bool within =
            child.edges[i] >= before.at - kHair && child.edges[i + 1] <= after.at + kHair;
        if (within) ended += child.Count(i);
      }
    }
    const double usual = attempts_ * static_cast<double>(after.at - before.at) /
                         static_cast<double>(std::max<TimeMs>(1, window_.end - window_.start));
    if (!(usual > 0)) return !(after.pods[kube::QueueName::kActive] > 0);
    return ended >= kStillScheduling * usual;
  }

  const Facts& facts_;
  const std::vector<LeadingScrape>& scrapes_;
  const std::vector<ScrapeIncreases>& attempt_;
  const ControlPlaneFacts& control_plane_;
  TimeRange window_;
  TimeMs period_ = 0;
  std::vector<double> scheduled_;
  double attempts_ = 0, attempt_seconds_ = 0;  ///< in the window, all and the mean
};

}  // namespace

bool ShowsPodsOf(const ControlPlaneFacts& control_plane, const TimeRange& time) {
  constexpr TimeMs kStillThere = 60'000;
  const TimeRange seen = PodScrapes(control_plane);
  return seen.start <= time.end + kStillThere && seen.end >= time.end;
}

std::vector<Absence> FindAbsences(const Facts& facts, const std::vector<LeadingScrape>& scrapes,
                                  const std::vector<ScrapeIncreases>& attempt,
                                  const ControlPlaneFacts& control_plane, const TimeRange& window) {
  std::vector<Absence> found;
  if (scrapes.size() >= 2) {
    found = Finder(facts, scrapes, attempt, control_plane, window).Run();
  }
  if (auto one = StillDown(facts, window)) found.push_back(std::move(*one));
  return found;
}

}  // namespace schedlens
