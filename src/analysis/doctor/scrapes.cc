// How often the schedulers were scraped, and what that means for windows.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/doctor/checks.h"
#include "model/text.h"

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

CheckUp Scrapes(Health health, std::string text, std::string fix = "") {
  return {.health = health,
          .subject = "scrapes",
          .text = std::move(text),
          .fix = std::move(fix),
          .evidence = {}};
}

CheckUp DispersionLine(const std::string& name, const Target& target,
                       const ScrapeSpacing& dispersion) {
  std::string text =
      fmt::format("{}: {} scrapes, one every {}, jitter up to {}", name, target.scrapes.size(),
                  FormatDuration(dispersion.usual), FormatDuration(dispersion.jitter));
  if (dispersion.gaps > 0) {
    text += fmt::format(", {} gap{} (longest {})", dispersion.gaps, dispersion.gaps == 1 ? "" : "s",
                        FormatDuration(dispersion.longest_gap));
  }
  CheckUp check = Scrapes(dispersion.gaps > 0 ? Health::kNote : Health::kOk, std::move(text));
  if (dispersion.gaps > 0) {
    check.fix = "see `up` and `scrape_duration_seconds` of the target in the gaps";
  }
  if (dispersion.uneven > 1) {
    check.health = Health::kNote;
    check.text += fmt::format("; {} come early or late by more than a fifth (as close as {})",
                              dispersion.uneven, FormatDuration(dispersion.shortest));
    check.fix =
        "look for two scrape jobs that give this target the same labels, or for a server "
        "that cannot keep up (prometheus_target_interval_length_seconds)";
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

std::string TargetName(const Facts& facts, const Labels& id) {
  const std::string name = ShortName(id);
  const auto same = std::count_if(facts.targets.begin(), facts.targets.end(),
                                  [&](const Target& one) { return ShortName(one.id) == name; });
  return same > 1 ? id.ToString() : name;
}

std::vector<CheckUp> CheckScrapes(const Facts& facts) {
  std::vector<CheckUp> checks;
  std::set<TimeMs> distances;
  TimeMs widest = 0;
  std::size_t fewest = SIZE_MAX;
  for (const Target& target : facts.targets) {
    fewest = std::min(fewest, target.scrapes.size());
    const ScrapeSpacing dispersion = SpacingOf(target.scrapes);
    if (dispersion.usual == 0) {
      checks.push_back(
          Scrapes(Health::kProblem,
                  TargetName(facts, target.id) + ": a single scrape, no increase can be taken",
                  "widen the range, or scrape once more"));
      continue;
    }
    widest = std::max(widest, dispersion.usual);
    distances.insert((dispersion.usual + 500) / 1000 * 1000);
    checks.push_back(DispersionLine(TargetName(facts, target.id), target, dispersion));
    const TimeMs silent = facts.fetched.end - target.scrapes.back();
    if (static_cast<double>(silent) > kStale * static_cast<double>(dispersion.usual)) {
      checks.push_back(
          Scrapes(Health::kNote,
                  fmt::format("{}: the last scrape was at {}, {} before the end of the range",
                              TargetName(facts, target.id), FormatTime(target.scrapes.back()),
                              FormatDuration(silent / 1000 * 1000)),
                  "see `up` of the target, or give --at; what happened since is not seen"));
    }
  }
  if (distances.size() > 1) {
    checks.push_back(Scrapes(
        Health::kNote,
        fmt::format("targets are scraped at different intervals, from {} to {}: sums over them "
                    "move when the slower one is scraped",
                    FormatDuration(*distances.begin()), FormatDuration(*distances.rbegin())),
        "scrape replicas alike, or narrow with --selector"));
  }
  for (CheckUp& check : checks) check.evidence = QueryOf(facts, "attempt");
  if (widest == 0) return checks;
  CheckUp window = {
      .health = Health::kOk,
      .subject = "window",
      .text = fmt::format("rate() and --window want at least {} ({} scrapes)",
                          FormatDuration(widest * kScrapesInWindow), kScrapesInWindow),
      .fix = {},
      .evidence = QueryOf(facts, "attempt")};
  if (fewest < kScrapesInWindow) {
    window.health = Health::kNote;
    window.text += fmt::format("; this range holds {}", fewest);
    window.fix = fmt::format("widen it: --window {} or more",
                             FormatDuration(widest * (kScrapesInWindow + 1)));
  }
  checks.push_back(std::move(window));
  return checks;
}

}  // namespace schedlens
