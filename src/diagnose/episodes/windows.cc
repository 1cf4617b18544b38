#include "base/not_finite.h"
#include "base/work_budget.h"
#include "diagnose/episodes/hurt.h"

namespace schedlens {
namespace {

/// The first scrape at or after `t`; the last one before it where there is none, or where it is so
/// late that the target was down in between.
TimeMs ScrapeAtOrAfter(const std::vector<TimeMs>& scrapes, TimeMs t) {
  const auto after = std::lower_bound(scrapes.begin(), scrapes.end(), t);
  if (after == scrapes.end()) return scrapes.back();
  if (after - scrapes.begin() < 2) return *after;
  const TimeMs usual = *(after - 1) - *(after - 2);
  const bool down = *after - *(after - 1) > 3 * usual && *after - t > usual;
  return down ? *(after - 1) : *after;
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
  if (end && facts.silence && asked.end > *end) end = std::min(asked.end, facts.silence->until);
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

TimeRange Common(const TimeRange& a, const TimeRange& b) {
  return {std::max(a.start, b.start), std::min(a.end, b.end)};
}
double CommonSeconds(const TimeRange& a, const TimeRange& b) {
  return std::max(0.0, Common(a, b).seconds());
}

ColumnCounts Slice(const ColumnCounts& counts, const TimeRange& range) {
  return SliceColumns(counts, EdgeAt(counts, range.start), EdgeAt(counts, range.end));
}

/// The columns of which at least half lie in the range: counts of a longer part beside it would
/// judge it by what came before or after. None where that leaves none.
ColumnCounts MostlyInside(const ColumnCounts& counts, const TimeRange& range) {
  const auto nearest = [&](TimeMs at) {
    std::size_t edge = EdgeAt(counts, at);
    if (edge > 0 && at - counts.edges[edge - 1] < counts.edges[edge] - at) --edge;
    return edge;
  };
  if (counts.columns() == 0) return counts;
  const std::size_t first = nearest(range.start), last = nearest(range.end);
  return first < last ? SliceColumns(counts, first, last) : ColumnCounts();
}

/// The spans in the range, cut to it; those that reach at least so far into it, or `less`.
void AddInside(const std::vector<EpisodeSpan>& spans, const TimeRange& range, double least,
               std::vector<EpisodeSpan>* enough, std::vector<EpisodeSpan>* less) {
  constexpr double kNearlyAll = 0.9;
  for (EpisodeSpan one : spans) {
    const double common = CommonSeconds(one.when, range);
    if (common <= 0) continue;
    const double wanted = std::min({least, range.seconds() / 2, kNearlyAll * one.when.seconds()});
    one.severity *= common / one.when.seconds();
    one.when = Common(one.when, range);
    (common < wanted ? less : enough)->push_back(std::move(one));
  }
}

/// What was counted in each.
void CountIn(const ColumnCounts& counts, std::vector<EpisodeSpan>* spans) {
  for (EpisodeSpan& one : *spans) {
    const std::size_t first = EdgeAt(counts, one.when.start), last = EdgeAt(counts, one.when.end);
    one.pods = SumOf(counts.pods.Sum(first, last));
    one.attempts = SumOf(counts.results.Sum(first, last));
  }
}

/// Where the alert's value stood above its threshold longest, in the range.
std::optional<TimeRange> LongestAbove(const WindowRequest& request, const TimeRange& range) {
  std::optional<TimeRange> longest;
  for (const TimeRange& above : request.above_threshold) {
    const double common = CommonSeconds(above, range);
    if (common > 0 && (!longest || common > longest->seconds())) longest = Common(above, range);
  }
  return longest;
}

/// Of the episodes, where there is an alert of those in which it was above its threshold, the one
/// that is about the request's moment, or was above longest, or is the worst.
std::optional<std::size_t> Reported(const std::vector<EpisodeSpan>& episodes,
                                    const WindowRequest& request, bool any_above,
                                    const std::optional<Silence>& silence) {
  std::optional<std::size_t> best;
  double most = 0;
  for (std::size_t i = 0; i < episodes.size(); ++i) {
    const TimeRange& when = episodes[i].when;
    double common = 0;
    for (const TimeRange& above : request.above_threshold) common += CommonSeconds(when, above);
    const bool lasts = silence && when.end > silence->since;
    double value = any_above ? common : lasts ? kInfinity : episodes[i].severity + 1e-9;
    if (request.at && value > 0) {
      const TimeMs off = std::max<TimeMs>({0, when.start - *request.at, *request.at - when.end});
      value = 1 / (1 + static_cast<double>(off));
    }
    if (value > most) most = value, best = i;
  }
  return best;
}

/// The calm outside the window, and outside of what stood above the alert's threshold: all of it
/// where no episode tells when that began.
std::vector<TimeRange> CalmElsewhere(const EpisodeSearch& all, const WindowRequest& request,
                                     const TimeRange& window) {
  std::vector<TimeRange> calm = Without(all.calm, window);
  for (const TimeRange& above : request.above_threshold) {
    const bool told = std::ranges::any_of(
        all.episodes, [&](const EpisodeSpan& one) { return CommonSeconds(one.when, above) > 0; });
    if (!told) calm = Without(calm, above);
  }
  return calm;
}

/// A stretch of calm that the window can be compared with.
std::optional<TimeRange> BaselineFor(const ColumnCounts& counts, const std::vector<TimeRange>& calm,
                                     const TimeRange& window) {
  constexpr std::size_t kLeastIntervals = 3;
  constexpr double kLeastAttempts = 10;
  constexpr double kLongEnough = 120;
  std::vector<TimeRange> usable;
  for (const TimeRange& part : calm) {
    CheckBudget();
    const std::size_t first = EdgeAt(counts, part.start), last = EdgeAt(counts, part.end);
    if (last < first + kLeastIntervals) continue;
    const TimeRange range{counts.edges[first], std::min(counts.edges[last], part.end)};
    if (SumOf(counts.results.Sum(first, last)) < kLeastAttempts) continue;
    usable.push_back(range);
  }
  const auto longest = std::ranges::max_element(usable, {}, &TimeRange::seconds);
  if (longest == usable.end()) return std::nullopt;
  const double enough = std::min(kLongEnough, longest->seconds() / 2);
  std::erase_if(usable, [&](const TimeRange& one) { return one.seconds() < enough; });
  // What came before tells more: after an incident a queue drains.
  const auto distance = [&](const TimeRange& one) {
    const TimeMs before = window.start - one.end, after = one.start - window.end;
    return std::pair(before < 0, before < 0 ? after : before);
  };
  return *std::ranges::min_element(usable, {}, distance);
}

/// The window as it was given, judged as one against the baseline or the calm.
void JudgeGiven(const ColumnCounts& counts, const EpisodeSearch& all, const WindowRequest& request,
                const TimeRange& asked, ChosenWindows* chosen) {
  ColumnCounts window = MostlyInside(counts, asked);
  if (window.columns() == 0) window = Slice(counts, chosen->window);
  CalmState state = all.state;
  bool compared = !all.calm.empty() && request.want_baseline;
  if (request.baseline) {
    const ColumnCounts before = Slice(counts, *request.baseline);
    chosen->baseline_hurts = compared && !HurtsAgainst(before, all.state).empty();
    const CalmState given = StateOf(before);
    if (!chosen->baseline_hurts && !given.empty()) {
      state = given;
      compared = true;
    }
  }
  const EpisodeSearch found = FindEpisodes(window, compared ? &state : nullptr);
  chosen->also_seen = found.also_seen;
  if (found.episodes.empty()) return;
  EpisodeSpan one = found.episodes.front();
  one.when = chosen->window;
  for (std::size_t i = 1; i < found.episodes.size(); ++i) {
    const EpisodeSpan& more = found.episodes[i];
    for (const Hurt& hurt : more.why) AddHurt(hurt, &one.why);
    one.severity += more.severity;
  }
  chosen->episodes = {std::move(one)};
  chosen->reported = 0;
}

void SearchRange(const EpisodeSearch& all, const Facts& facts, const WindowRequest& request,
                 const ColumnCounts& counts, ChosenWindows* chosen) {
  constexpr double kLeastColumns = 3, kCoarse = 120;
  const TimeRange range = chosen->window;
  const double period = counts.period;
  if (kLeastColumns * period > kCoarse) {
    chosen->notes.push_back(Message(
        "window.coarse",
        {{"period", arg::Duration(period)}, {"least", arg::Duration(kLeastColumns * period)}}));
  }
  AddInside(all.episodes, range, counts.LeastSeconds(), &chosen->episodes, &chosen->also_seen);
  AddInside(all.also_seen, range, 0, &chosen->also_seen, &chosen->also_seen);
  const auto above = LongestAbove(request, range);
  chosen->reported = Reported(chosen->episodes, request, above.has_value(), facts.silence);
  if (chosen->reported) {
    chosen->window = BetweenScrapes(facts, chosen->episodes[*chosen->reported].when);
  } else if (above) {
    chosen->window = BetweenScrapes(facts, *above);
  }
  chosen->found = (chosen->reported || above) && (!request.asked || chosen->window != range);
}

}  // namespace

ChosenWindows ChooseWindows(const Facts& facts, const Histograms& histograms,
                            const WindowRequest& request) {
  const TimeRange scraped = WatchedRange(facts), asked = request.asked.value_or(scraped);
  ChosenWindows chosen;
  chosen.window = BetweenScrapes(facts, asked);
  if (chosen.window != asked) chosen.notes.push_back(Moved(asked, chosen.window));
  const ColumnCounts counts = CountColumns(facts, histograms, scraped);
  const EpisodeSearch all = FindEpisodes(counts);
  chosen.calm = all.calm;
  if (request.exact || request.baseline) {
    JudgeGiven(counts, all, request, asked, &chosen);
  } else {
    SearchRange(all, facts, request, counts, &chosen);
  }
  chosen.baseline = request.baseline;
  CountIn(counts, &chosen.episodes);
  CountIn(counts, &chosen.also_seen);
  if (chosen.reported && chosen.episodes[*chosen.reported].standing) {
    chosen.notes.push_back(Message("window.standing"));
  }
  const bool compare = request.asked || chosen.reported || chosen.found;
  if (request.want_baseline && !request.baseline && compare) {
    const std::vector<TimeRange> calm = CalmElsewhere(all, request, chosen.window);
    chosen.baseline = BaselineFor(counts, calm, chosen.window);
    for (EpisodeSpan& one : chosen.episodes) {
      one.when = BetweenScrapes(facts, one.when);
      one.baseline = BaselineFor(counts, calm, one.when);
    }
  }
  return chosen;
}

}  // namespace schedlens
