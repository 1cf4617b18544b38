#include "base/not_finite.h"
#include "diagnose/collect/elections.h"
#include "diagnose/pods/holders.h"

namespace schedlens {
namespace {

using kube::PodEvent, kube::QueueName;
using Place = std::pair<std::size_t, TimeMs>;  // target, time

/// The queue that a gauge or a counter is of; members of incomplete groups are behind a gate.
std::optional<QueueName> QueueOf(const Labels& labels) {
  const std::string_view name = labels.Get("queue");
  if (name == "incomplete") return QueueName::kGated;
  return kube::Parse<QueueName>(name);
}

class Reader {
 public:
  explicit Reader(const Facts& facts) : facts_(facts), index_(facts.targets) {
    const Elections elections(facts, index_);
    if (!elections.known() && facts.targets.size() > 1) return;
    for (std::size_t target = 0; target < facts.targets.size(); ++target) {
      CheckBudget();
      for (const TimeMs at : facts.targets[target].scrapes) {
        if (elections.known() && !elections.Leads(target, at)) continue;
        scrapes_[{target, at}] = {at, target};
      }
    }
  }

  std::vector<LeadingScrape> Run() {
    for (const Series& series : facts_.Of("pending_pods")) ReadQueue(series);
    for (const Series& series : facts_.Of("goroutines")) {
      Each(series, [](LeadingScrape& one, double value) { one.binding += value; });
    }
    for (const Series& series : facts_.Of("queue_incoming")) ReadEntered(series);
    std::vector<LeadingScrape> all;
    for (auto& [place, one] : scrapes_) {
      one.counted &= std::ranges::all_of(one.pods, [](double pods) { return pods >= 0; });
      all.push_back(one);
    }
    std::ranges::stable_sort(all, {}, &LeadingScrape::at);
    return all;
  }

 private:
  template <typename Take>
  void Each(const Series& series, Take take) {
    CheckBudget();
    const auto target = index_.Find(series.labels);
    if (!target) return;
    for (const Sample& sample : series.samples) {
      const auto place = scrapes_.find({*target, sample.t});
      if (place != scrapes_.end() && sample.v < kMostCounted) take(place->second, sample.v);
    }
  }

  void ReadQueue(const Series& series) {
    const bool groups =
        series.labels.Get("queue") == "incomplete" || series.labels.Get("queue") == "pending";
    const auto queue = QueueOf(series.labels);
    Each(series, [&](LeadingScrape& one, double pods) {
      one.groups |= groups && pods > 0;
      if (!queue) return;
      one.counted = true;
      one.pods[*queue] += pods;
    });
  }

  /// A counter's increases since the scrape before, whoever led at that: what a standby counts
  /// until it leads is left out.
  void ReadEntered(const Series& series) {
    CheckBudget();
    const auto target = index_.Find(series.labels);
    if (!target || facts_.targets[*target].scrapes.empty()) return;
    const auto& starts = facts_.targets[*target].starts;
    auto next_start = starts.begin();
    std::optional<double> before;
    TimeMs last = facts_.targets[*target].scrapes.front();
    if (!series.samples.empty() && series.samples.front().t > last) before = 0;
    for (const Sample& sample : series.samples) {
      if (!(sample.v >= 0 && sample.v < kMostCounted)) continue;
      bool began = before && sample.v < *before;
      for (; next_start != starts.end() && *next_start <= sample.t; ++next_start) {
        began |= before && *next_start > last;
      }
      last = sample.t;
      const double more = !before ? 0 : began ? sample.v : sample.v - *before;
      before = sample.v;
      const auto place = scrapes_.find({*target, sample.t});
      if (place != scrapes_.end() && more > 0) Enter(series.labels, more, &place->second);
    }
  }

  static void Enter(const Labels& labels, double pods, LeadingScrape* one) {
    const auto queue = QueueOf(labels);
    const std::string_view event = labels.Get("event");
    if (queue) one->entered[*queue] += pods;
    if (event == SpellingIn(PodEvent::kPodAdd, 0) || event == SpellingIn(PodEvent::kPodAdd, 32) ||
        event == "UnscheduledPodAdd") {
      one->created += pods;
    } else if (event == ToString(PodEvent::kUnschedulableTimeout)) {
      one->flushed += pods;
    } else if (event == ToString(PodEvent::kPopFromBackoff)) {
      one->from_early += pods;
    } else if (event != ToString(PodEvent::kAttemptFailure) &&
               event != ToString(PodEvent::kBackoffComplete)) {
      one->woken += pods;
    }
  }

  const Facts& facts_;
  TargetIndex index_;
  std::map<Place, LeadingScrape> scrapes_;
};

}  // namespace

std::vector<LeadingScrape> LeadingScrapesOf(const Facts& facts) { return Reader(facts).Run(); }

TimeMs UsualInterval(const std::vector<LeadingScrape>& scrapes) {
  std::vector<TimeMs> times;
  for (const LeadingScrape& one : scrapes) times.push_back(one.at);
  return ScrapeInterval(times);
}

}  // namespace schedlens
