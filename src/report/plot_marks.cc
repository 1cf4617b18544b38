#include "report/plot_marks.h"

#include <algorithm>

#include "model/seconds.h"
#include "report/escape.h"
#include "report/format.h"
#include "report/impact_tables.h"

namespace schedlens {
namespace {

constexpr std::size_t kLabelLimit = 140;

/// The window starts at the last scrape before the slow attempts: until the next one nobody knows
/// what came first.
TimeMs FirstSlowScrape(const Diagnosis& d) {
  const std::vector<TimeMs>& times = d.timeline.times;
  const auto next = std::upper_bound(times.begin(), times.end(), d.window.start);
  return next == times.end() ? d.window.end : *next;
}

PlotMark MarkOf(const Messages& t, const ClusterChange& change, TimeMs onset) {
  PlotMark mark{.at = MsToSeconds(change.at),
                .from = MsToSeconds(change.earliest),
                .to = MsToSeconds(change.latest),
                .late = change.earliest > onset,
                .label = TimeOfDay(change.at, t.zone()) + " " + ChangeText(t, change)};
  if (mark.late) mark.label = t("plot.late", mark.label);
  mark.label = Shorten(Visible(mark.label), kLabelLimit);
  return mark;
}

}  // namespace

PlotMarks MarksOf(const Messages& t, const Diagnosis& d) {
  PlotMarks marks;
  if (d.timeline.times.empty()) return marks;
  const TimeMs onset = FirstSlowScrape(d);
  for (const TimeMs time : d.timeline.times) marks.scrapes.push_back(MsToSeconds(time));
  marks.scrapes_label = t("plot.scrapes");
  for (const ClusterChange& change : d.changes) {
    const bool outside =
        change.latest < d.timeline.times.front() || change.earliest > d.timeline.times.back();
    if (HasTimeOfItsOwn(change) && !outside) {
      marks.changes.push_back(MarkOf(t, change, onset));
    }
  }
  std::stable_sort(marks.changes.begin(), marks.changes.end(),
                   [](const PlotMark& a, const PlotMark& b) { return a.at < b.at; });
  return marks;
}

}  // namespace schedlens
