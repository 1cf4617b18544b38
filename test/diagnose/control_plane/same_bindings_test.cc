#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "diagnose/control_plane/binding_path.h"

namespace schedlens {
namespace {

constexpr TimeMs kScrapeInterval = 15'000, kScraped = 630'000, kLength = 1'000'000;

using Times = std::vector<TimeMs>;

/// Bindings in bursts of one to six, seven a second on average.
Times Bindings(std::mt19937_64* random, double rate = 7) {
  std::exponential_distribution<double> gap(rate / 3.5 / 1000);
  std::uniform_int_distribution<int> burst(1, 6);
  Times times;
  for (double t = gap(*random); t < kLength; t += gap(*random)) {
    for (int i = burst(*random); i > 0; --i) times.push_back(static_cast<TimeMs>(t));
  }
  return times;
}

/// What a process counted up to each of its scrapes, the first of them at `start`.
std::vector<Sample> Counted(const Times& times, TimeMs start, TimeMs end, TimeMs late = 0) {
  std::vector<Sample> samples;
  for (TimeMs t = start; t <= end; t += kScrapeInterval) {
    const auto upto = std::ranges::upper_bound(times, t - late) - times.begin();
    samples.push_back({t, static_cast<double>(upto)});
  }
  return samples;
}

struct Recorded {
  ControlPlaneFacts facts;
  HistogramFacts attempt;
  std::vector<Target> targets;

  explicit Recorded(const Times& made) {
    const std::vector<Sample> samples = Counted(made, 0, kScraped);
    Target& target = targets.emplace_back();
    target.id = Labels({{"job", "kube-scheduler"}, {"instance", "a"}});
    for (const Sample& sample : samples) target.scrapes.push_back(sample.t);
    std::vector<Series> series;
    for (const char* part : {"bucket", "count", "sum"}) {
      series.push_back({Labels({{"__name__", std::string("scheduler_scheduling_attempt_duration_"
                                                         "seconds_") +
                                                 part},
                                {"job", "kube-scheduler"},
                                {"instance", "a"},
                                {"result", "scheduled"}}),
                        samples,
                        {}});
      if (std::string(part) != "bucket") continue;
      series.back().labels = series.back().labels.With("le", "+Inf");
    }
    attempt = GroupByTarget(series, targets);
  }

  /// A server's counts, which began to be scraped at `start`.
  void Serve(const Times& counted, TimeMs start, TimeMs late = 0) {
    const std::string instance = std::to_string(facts.scrapes.size());
    Series series{Labels({{"__name__", "apiserver_request_duration_seconds_count"},
                          {"job", "apiserver"},
                          {"instance", instance}}),
                  Counted(counted, start, kScraped + late, late),
                  {}};
    Times at;
    for (const Sample& sample : series.samples) at.push_back(sample.t);
    facts.scrapes[ProcessLabels(series.labels)] = at;
    facts.answers["bindings"].push_back(std::move(series));
  }

  bool Same() const { return CountsTheSame(facts, attempt, targets, {kScraped / 2, kScraped}); }
};

/// Of a hundred draws how many are taken for the scheduler's own.
template <typename Draw>
int Taken(const Draw& draw) {
  int taken = 0;
  for (unsigned seed = 1; seed <= 100; ++seed) {
    std::mt19937_64 random(seed);
    taken += draw(&random) ? 1 : 0;
  }
  return taken;
}

TEST(CountsTheSameTest, TheServersOwnCountsWhateverTheirClocks) {
  for (const TimeMs late : {0, 7'000, 25'000}) {
    EXPECT_GE(Taken([&](auto* random) {
                const Times made = Bindings(random);
                Recorded recorded(made);
                recorded.Serve(made, 4'000 + late, late);
                return recorded.Same();
              }),
              99)
        << late;
  }
}

TEST(CountsTheSameTest, ServersThatShareThemAndOneOfThese) {
  for (const std::size_t scraped : {3U, 1U}) {
    EXPECT_GE(Taken([&](auto* random) {
                const Times made = Bindings(random);
                std::vector<Times> of_server(3);
                for (const TimeMs t : made) of_server[(*random)() % 3].push_back(t);
                Recorded recorded(made);
                for (std::size_t i = 0; i < scraped; ++i) {
                  recorded.Serve(of_server[i], 1'000 + 5'000 * static_cast<TimeMs>(i));
                }
                return recorded.Same();
              }),
              scraped == 3 ? 98 : 90)
        << scraped;
  }
}

TEST(CountsTheSameTest, OthersThatBindToo) {
  EXPECT_GE(Taken([](auto* random) {
              const Times made = Bindings(random);
              Times all = Bindings(random, 3);
              all.insert(all.end(), made.begin(), made.end());
              std::ranges::sort(all);
              Recorded recorded(made);
              recorded.Serve(all, 4'000);
              return recorded.Same();
            }),
            97);
}

TEST(CountsTheSameTest, AServerThatWasMissingForAWhile) {
  EXPECT_GE(Taken([](auto* random) {
              const Times made = Bindings(random);
              Times counted;
              std::ranges::copy_if(made, std::back_inserter(counted),
                                   [](TimeMs t) { return t < 300'000 || t >= 340'000; });
              Recorded recorded(made);
              recorded.Serve(counted, 4'000);
              return recorded.Same();
            }),
            60)
      << "the totals are alike, their difference is one of 280 bindings; an hour tells more often";
}

TEST(CountsTheSameTest, NotAnotherClustersAndNotAnotherTimes) {
  EXPECT_LE(Taken([](auto* random) {
              Recorded recorded(Bindings(random));
              recorded.Serve(Bindings(random), 4'000);
              return recorded.Same();
            }),
            4)
      << "another cluster";
  EXPECT_LE(Taken([](auto* random) {
              const Times made = Bindings(random);
              Recorded recorded(made);
              recorded.Serve(made, 304'000, 300'000);
              return recorded.Same();
            }),
            8)
      << "five minutes late: ten minutes have twenty scrapes of it";
}

TEST(CountsTheSameTest, NothingIsShownByNothing) {
  std::mt19937_64 random(1);
  const Times made = Bindings(&random);
  EXPECT_FALSE(Recorded(made).Same());
  Recorded few(made);
  few.Serve(made, kScraped - 2 * kScrapeInterval);
  EXPECT_FALSE(few.Same());
  Recorded none(Times{});
  none.Serve(Times{}, 4'000);
  EXPECT_FALSE(none.Same());
}

}  // namespace
}  // namespace schedlens
