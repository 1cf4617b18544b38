#include "analysis/diagnose/choose_windows.h"

#include <algorithm>

#include "analysis/windows/incident_window.h"

namespace schedlens {
namespace {

constexpr std::int64_t kUsualAlertRange = 5 * 60'000;

/// The first scrape at or after `t`; the last one before it where there is none, or where it is so
/// late that the target was down in between.
TimeMs ScrapeAtOrAfter(const std::vector<TimeMs>& scrapes, TimeMs t) {
  const auto after = std::lower_bound(scrapes.begin(), scrapes.end(), t);
  if (after == scrapes.end()) return scrapes.back();
  if (after - scrapes.begin() < 2) return *after;
  const TimeMs usual = *(after - 1) - *(after - 2);
  return *after - *(after - 1) > 3 * usual ? *(after - 1) : *after;
}

/// The window between the scrapes that hold all of it: of the start the last scrape of any target
/// at or before it, of the end the first at or after it by which every target was scraped again.
/// An edge without such a scrape moves inwards; a target that appears later says nothing about it.
TimeRange BetweenScrapes(const Facts& facts, const TimeRange& asked) {
  std::optional<TimeMs> start, end;
  for (const Target& target : facts.targets) {
    if (target.scrapes.empty() || target.scrapes.front() >= asked.end) continue;
    const auto after = std::upper_bound(target.scrapes.begin(), target.scrapes.end(), asked.start);
    if (after != target.scrapes.begin()) start = std::max(start.value_or(0), *std::prev(after));
    end = std::max(end.value_or(0), ScrapeAtOrAfter(target.scrapes, asked.end));
  }
  const TimeMs first = start.value_or(asked.start);
  return {first, std::max(end.value_or(asked.end), first)};
}

/// What became of the asked window's edges.
Message Moved(const TimeRange& asked, const TimeRange& window) {
  const Argument start{"start", arg::Time(window.start)}, end{"end", arg::Time(window.end)};
  if (window.seconds() <= 0) return Message("window.empty", {{"at", arg::Time(window.start)}});
  if (window.end == asked.end) return Message("window.start_moved", {start});
  if (window.start == asked.start) return Message("window.end_moved", {end});
  return Message("window.moved", {start, end});
}

bool Overlap(const TimeRange& a, const TimeRange& b) { return a.start < b.end && b.start < a.end; }
bool Touch(const TimeRange& a, const TimeRange& b) { return a.start <= b.end && b.start <= a.end; }
TimeRange Cover(const TimeRange& a, const TimeRange& b) {
  return {std::min(a.start, b.start), std::max(a.end, b.end)};
}

std::optional<TimeRange> FindIncidentIn(const Facts& facts, const Histograms& histograms,
                                        const TimeRange& range) {
  return FindIncident(facts, CutWindow(histograms, facts.targets, range));
}

/// The longest time above the threshold inside the range, or what `changed` in it.
std::optional<TimeRange> SearchRange(const Facts& facts, const std::optional<TimeRange>& changed,
                                     const std::vector<TimeRange>& above, const TimeRange& range) {
  std::optional<TimeRange> longest;
  for (TimeRange period : above) {
    if (!Overlap(period, range)) continue;
    period = {std::max(period.start, range.start), std::min(period.end, range.end)};
    if (!longest || period.seconds() > longest->seconds()) longest = period;
  }
  if (!longest) return changed;
  // The rate looks back: a change point inside the period tells when it really began.
  if (changed && Overlap(*changed, *longest)) return changed;
  return BetweenScrapes(facts, *longest);
}

/// The window with all slow time that adjoins it. A period above the threshold begins a `range`
/// before its first value: a change point in there tells when it really began.
TimeRange IncidentAround(const std::optional<TimeRange>& changed,
                         const std::vector<TimeRange>& above, std::int64_t range,
                         const TimeRange& window) {
  TimeRange incident = window;
  if (changed && Touch(*changed, incident)) incident = Cover(*changed, incident);
  for (TimeRange period : above) {
    if (!Touch(period, incident)) continue;
    const bool onset = changed && changed->start >= period.start &&
                       changed->start <= period.start + range && Overlap(*changed, period);
    if (onset) period.start = changed->start;
    incident = Cover(period, incident);
  }
  return incident;
}

/// The window's part in an incident, where it is long enough to be judged.
std::optional<TimeRange> SlowPart(const std::optional<TimeRange>& incident,
                                  const TimeRange& window) {
  constexpr TimeMs kLeast = 60'000;
  if (!incident || !Overlap(*incident, window)) return std::nullopt;
  const TimeRange part{std::max(incident->start, window.start),
                       std::min(incident->end, window.end)};
  const TimeMs length = part.end - part.start;
  if (length < kLeast || 4 * length < window.end - window.start) return std::nullopt;
  return part;
}

}  // namespace

ChosenWindows ChooseWindows(const Facts& facts, const Histograms& histograms,
                            const WindowRequest& request) {
  const TimeRange scraped = ScrapedRange(facts);
  const TimeRange asked = request.asked.value_or(scraped);
  const std::int64_t range = request.alert_range_ms > 0 ? request.alert_range_ms : kUsualAlertRange;
  const bool search = !request.exact && !request.baseline &&
                      (!request.asked || asked.end - asked.start > 2 * range);
  ChosenWindows chosen;
  chosen.window = BetweenScrapes(facts, asked);
  if (chosen.window != asked) chosen.notes.push_back(Moved(asked, chosen.window));
  std::optional<TimeRange> changed;  // in what was scraped
  const bool whole = chosen.window == scraped;
  if (search) {
    const auto in_window = FindIncidentIn(facts, histograms, chosen.window);
    if (whole) changed = in_window;
    const auto found = SearchRange(facts, in_window, request.above_threshold, chosen.window);
    if (found) chosen.window = *found;
    chosen.found = found.has_value();
  }
  chosen.baseline = request.baseline;
  const bool compare = request.asked || chosen.found;
  if (request.want_baseline && !chosen.baseline && compare) {
    if (!search || !whole) changed = FindIncidentIn(facts, histograms, scraped);
    const TimeRange incident =
        IncidentAround(changed, request.above_threshold, range, chosen.window);
    if (!request.exact && !chosen.found) chosen.slow_part = SlowPart(changed, chosen.window);
    chosen.change_point = changed && Touch(*changed, chosen.window);
    chosen.baseline = FindBaseline(facts, histograms, facts.fetched, incident);
  }
  return chosen;
}

}  // namespace schedlens
