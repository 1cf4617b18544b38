// How often the schedulers were scraped, and what that means for windows.

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "analysis/doctor/checks.h"
#include "model/seconds.h"

namespace schedlens {
namespace {

/// Scrapes further apart than this many usual distances are a gap.
constexpr double kGap = 1.8;
/// Scrapes that come earlier or later than this part of the usual distance are uneven.
constexpr double kUneven = 0.2;
/// rate() wants two samples; four leave room for a failed scrape and the edges.
constexpr int kScrapesInWindow = 4;
/// A last scrape this many usual distances before the range's end is stale.
constexpr double kStale = 5;

/// What the scrape times of one target say.
struct ScrapeSpacing {
  TimeMs usual = 0;   ///< median distance; 0 with fewer than two scrapes
  TimeMs jitter = 0;  ///< the most that a distance differs from it, gaps apart
  TimeMs shortest = 0;
  TimeMs longest_gap = 0;
  int gaps = 0;
  int uneven = 0;  ///< distances off the usual by more than kUneven
};

ScrapeSpacing SpacingOf(const std::vector<TimeMs>& times) {
  ScrapeSpacing dispersion;
  std::vector<TimeMs> distances;
  for (std::size_t i = 1; i < times.size(); ++i) distances.push_back(times[i] - times[i - 1]);
  if (distances.empty()) return dispersion;
  std::vector<TimeMs> sorted = distances;
  std::sort(sorted.begin(), sorted.end());
  dispersion.usual = sorted[sorted.size() / 2];
  dispersion.shortest = sorted.front();
  const auto usual = static_cast<double>(dispersion.usual);
  for (const TimeMs distance : distances) {
    if (static_cast<double>(distance) > kGap * usual) {
      ++dispersion.gaps;
      dispersion.longest_gap = std::max(dispersion.longest_gap, distance);
      continue;
    }
    const TimeMs away = std::abs(distance - dispersion.usual);
    dispersion.jitter = std::max(dispersion.jitter, away);
    if (static_cast<double>(away) > kUneven * usual) ++dispersion.uneven;
  }
  return dispersion;
}

Value Duration(TimeMs ms) { return arg::Duration(MsToSeconds(ms)); }

CheckUp Scrapes(Health health, Message text, Message fix) {
  return {.health = health,
          .subject = "scrapes",
          .text = std::move(text),
          .fix = std::move(fix),
          .evidence = {}};
}

CheckUp DispersionLine(const std::string& name, const Target& target,
                       const ScrapeSpacing& dispersion) {
  CheckUp check = Scrapes(Health::kOk,
                          Message("doctor.scrapes", {{"target", name},
                                                     {"scrapes", arg::Count(target.scrapes.size())},
                                                     {"usual", Duration(dispersion.usual)},
                                                     {"jitter", Duration(dispersion.jitter)}}),
                          {});
  if (dispersion.gaps > 0) {
    check.health = Health::kNote;
    check.text = Message("doctor.scrapes.gaps", {{"spacing", check.text},
                                                 {"gaps", arg::Count(dispersion.gaps)},
                                                 {"longest", Duration(dispersion.longest_gap)}});
    check.fix = Message("doctor.scrapes.gaps.fix");
  }
  if (dispersion.uneven > 1) {
    check.health = Health::kNote;
    check.text = Message("doctor.scrapes.uneven", {{"spacing", check.text},
                                                   {"uneven", arg::Count(dispersion.uneven)},
                                                   {"shortest", Duration(dispersion.shortest)}});
    check.fix = Message("doctor.scrapes.uneven.fix");
  }
  return check;
}

std::string ShortName(const Labels& id) {
  for (const char* label : {"pod", "instance", "job"}) {
    if (id.Has(label)) return std::string(id.Get(label));
  }
  return id.ToString();
}

}  // namespace

std::vector<std::string> TargetNames(const Facts& facts) {
  std::map<std::string, int> targets;
  for (const Target& target : facts.targets) ++targets[ShortName(target.id)];
  std::vector<std::string> names;
  for (const Target& target : facts.targets) {
    std::string name = ShortName(target.id);
    names.push_back(targets[name] > 1 ? target.id.ToString() : std::move(name));
  }
  return names;
}

std::vector<CheckUp> CheckScrapes(const Facts& facts) {
  std::vector<CheckUp> checks;
  const std::vector<std::string> names = TargetNames(facts);
  auto name = names.begin();
  std::set<TimeMs> distances;
  TimeMs widest = 0;
  std::size_t fewest = SIZE_MAX;
  for (const Target& target : facts.targets) {
    fewest = std::min(fewest, target.scrapes.size());
    const ScrapeSpacing dispersion = SpacingOf(target.scrapes);
    const std::string& called = *name++;
    if (dispersion.usual == 0) {
      checks.push_back(Scrapes(Health::kProblem,
                               Message("doctor.scrapes.single", {{"target", called}}),
                               Message("doctor.scrapes.single.fix")));
      continue;
    }
    widest = std::max(widest, dispersion.usual);
    distances.insert((dispersion.usual + 500) / 1000 * 1000);
    checks.push_back(DispersionLine(called, target, dispersion));
    const TimeMs silent = facts.fetched.end - target.scrapes.back();
    if (static_cast<double>(silent) > kStale * static_cast<double>(dispersion.usual)) {
      checks.push_back(
          Scrapes(Health::kNote,
                  Message("doctor.scrapes.stale", {{"target", called},
                                                   {"at", arg::Time(target.scrapes.back())},
                                                   {"silent", Duration(silent / 1000 * 1000)}}),
                  Message("doctor.scrapes.stale.fix")));
    }
  }
  if (distances.size() > 1) {
    checks.push_back(Scrapes(
        Health::kNote,
        Message("doctor.scrapes.intervals",
                {{"least", Duration(*distances.begin())}, {"most", Duration(*distances.rbegin())}}),
        Message("doctor.scrapes.intervals.fix")));
  }
  for (CheckUp& check : checks) check.evidence = QueryOf(facts, "attempt");
  if (widest == 0) return checks;
  CheckUp window = {
      .health = Health::kOk,
      .subject = "window",
      .text = Message("doctor.window", {{"window", Duration(widest * kScrapesInWindow)},
                                        {"scrapes", arg::Count(kScrapesInWindow)}}),
      .fix = {},
      .evidence = QueryOf(facts, "attempt")};
  if (fewest < kScrapesInWindow) {
    window.health = Health::kNote;
    window.text.id = "doctor.window.short";
    window.text.args.push_back({"held", arg::Count(fewest)});
    window.fix =
        Message("doctor.window.fix", {{"window", Duration(widest * (kScrapesInWindow + 1))}});
  }
  checks.push_back(std::move(window));
  return checks;
}

}  // namespace schedlens
