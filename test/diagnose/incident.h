#pragma once

// A recording in miniature: a quiet stretch, an incident, a quiet stretch, scraped every 5 s.

#include <functional>
#include <memory>
#include <random>

#include "diagnose/causes/window_evidence.h"
#include "diagnose/recorder.h"

namespace schedlens::test {

constexpr TimeMs kScrape = 5000;
constexpr int kQuietScrapes = 20, kIncidentScrapes = 30;
constexpr TimeRange kQuiet = {0, kQuietScrapes* kScrape};
constexpr TimeRange kIncident = {kQuiet.end, kQuiet.end + kIncidentScrapes* kScrape};

/// Makes the attempt with this running number; called `per_scrape` times between two scrapes.
using MakeAttempt = std::function<Attempt(int)>;
/// Called before every scrape of the incident, e.g. to add counters.
using BeforeScrape = std::function<void(Recorder&)>;

inline Attempt Quick(int i) {
  Attempt a;
  a.bind = 0.004 + 0.0005 * (i % 7);
  return a;
}

inline void RecordIncident(Recorder* r, const MakeAttempt& incident, int per_scrape = 50,
                           const BeforeScrape& before = {}, const MakeAttempt& quiet = Quick) {
  r->Set("process_start_time_seconds", {}, -100);
  r->Add("process_cpu_seconds_total", {}, 1);
  r->Run(quiet(0));
  r->Scrape(0);
  int number = 0;
  for (int s = 1; s <= 2 * kQuietScrapes + kIncidentScrapes; ++s) {
    const bool bad = s > kQuietScrapes && s <= kQuietScrapes + kIncidentScrapes;
    for (int i = 0; i < per_scrape; ++i, ++number) r->Run(bad ? incident(number) : quiet(number));
    r->Add("process_cpu_seconds_total", {}, 0.2);
    if (bad && before) before(*r);
    r->Scrape(s * kScrape);
  }
}

/// What the rules see of a recording with the window and the baseline given.
struct Recorded {
  Facts facts;
  Histograms histograms;
  WindowEvidence c;
};

inline Recorded Judge(const Recorder& r, std::optional<double> threshold = {}) {
  Recorded out{FactsOf(r), {}, {}};
  out.histograms = GroupAll(out.facts);
  out.c =
      MakeWindowEvidence(out.facts, out.histograms, Measure(out.facts, out.histograms, kIncident),
                         Measure(out.facts, out.histograms, kQuiet), threshold);
  return out;
}

inline Recorded Judge(const MakeAttempt& incident) {
  Recorder r;
  RecordIncident(&r, incident);
  return Judge(r);
}

}  // namespace schedlens::test
