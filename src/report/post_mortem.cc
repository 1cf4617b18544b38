#include "report/post_mortem.h"

#include <algorithm>
#include <cmath>

#include "model/text.h"
#include "report/escape.h"
#include "report/format.h"
#include "report/impact_tables.h"
#include "report/messages/wording.h"

namespace schedlens {

namespace {

std::string Line(std::string_view text) { return ShortenProse(Visible(text), 400); }

// First and last column above the threshold, and the first where that is proven.
void AddCrossings(const Messages& t, const Timeline& timeline, double threshold,
                  std::vector<Event>& events) {
  const std::string limit = Seconds(t, threshold);
  bool shown = false;
  bool proven = false;
  TimeMs last = 0;
  for (std::size_t i = 0; i < timeline.times.size(); ++i) {
    const TimeMs time = timeline.times[i];
    if (timeline.shown[i] > threshold) {
      if (!shown) events.push_back({time, t("history.first_above", limit)});
      shown = true;
      last = time;
    }
    if (timeline.low[i] > threshold && !proven) {
      events.push_back({time, t("history.proven_above", limit)});
      proven = true;
    }
  }
  if (shown) events.push_back({last, t("history.last_above", limit)});
}

/// When the alert was pending, firing and resolved.
void AddEpisodes(const Messages& t, const AlertVerdict& alert, std::vector<Event>& events) {
  const std::string wait = FormatDuration(std::llround(alert.for_seconds * 1000));
  for (const AlertEpisode& episode : alert.episodes) {
    events.push_back({episode.pending, t("history.pending")});
    if (episode.firing) events.push_back({*episode.firing, t("history.firing", wait)});
    if (episode.resolved) events.push_back({*episode.resolved, t("history.resolved")});
  }
}

std::vector<std::string> ImpactLines(const Messages& t, const Diagnosis& d) {
  std::vector<std::string> lines;
  if (std::isfinite(d.attempts) && d.attempts > 0) {
    lines.push_back(t("post_mortem.attempts", Count(d.attempts), Seconds(t, d.e2e_seconds)));
  }
  for (const ResultRow& row : d.results) {
    lines.push_back(t("post_mortem.result", Line(row.result), Count(row.count)));
  }
  const std::vector<std::string> waits = ImpactSentences(t, d);
  if (!waits.empty()) lines.push_back(waits.front());
  return lines;
}

std::vector<std::string> Factors(const Messages& t, const Diagnosis& d) {
  std::vector<std::string> lines;
  for (const Finding& finding : d.findings) {
    lines.push_back(Line(t(finding.title)) +
                    t("join.brackets",
                      Line(finding.id) + t("join.comma") + ConfidenceWord(t, finding.confidence)));
  }
  return lines;
}

std::vector<std::string> Detection(const Messages& t, const Diagnosis& d) {
  if (!d.alert || !d.alert->given) return {};
  std::vector<std::string> lines;
  if (!d.alert->expr.empty())
    lines.push_back("`" + Shorten(Visible(d.alert->expr), kLongestQuery) + "`");
  const std::string decided = DecidedSentence(t, *d.alert);
  const std::string shown =
      AlertSubject(t, *d.alert) + " " +
      (std::isnan(d.alert->quantile) || d.alert->shown_proven_wrong ? ShownSentence(t, *d.alert)
                                                                    : ShownAlone(t, *d.alert));
  lines.push_back(Line(shown) + (decided.empty() ? "" : t("join.semicolon") + decided));
  return lines;
}

std::vector<std::string> Actions(const Messages& t, const Diagnosis& d) {
  std::vector<std::string> lines;
  for (const Finding& finding : d.findings) {
    for (const NextStep& step : finding.next_steps) lines.push_back(Line(t(step.text)));
  }
  return lines;
}

}  // namespace

std::vector<Event> EventsOf(const Messages& t, const Diagnosis& d) {
  std::vector<Event> events;
  if (d.baseline) {
    events.push_back({d.baseline->start, t("history.baseline_starts")});
    events.push_back({d.baseline->end, t("history.baseline_ends")});
  }
  events.push_back({d.window.start, t("history.window_starts")});
  events.push_back({d.window.end, t("history.window_ends")});
  if (d.alert && d.alert->threshold) AddCrossings(t, d.timeline, *d.alert->threshold, events);
  if (d.alert) AddEpisodes(t, *d.alert, events);
  for (const ClusterChange& change : d.changes) {
    if (HasTimeOfItsOwn(change)) events.push_back({change.at, Line(ChangeText(t, change))});
  }
  std::stable_sort(events.begin(), events.end(),
                   [](const Event& a, const Event& b) { return a.time < b.time; });
  return events;
}

std::vector<PostMortemField> PostMortem(const Messages& t, const Diagnosis& d) {
  std::vector<std::string> timeline;
  for (const Event& event : EventsOf(t, d)) {
    timeline.push_back(Moment(event.time, t.zone()) + t("join.colon") + event.text);
  }
  return {{t("report.title"), {Line(Headline(t, d))}, true},
          {t("report.date"), {RangeText(d.window, t("range.to"), t.zone())}},
          {t("report.authors"), {}},
          {t("report.status"), {}},
          {t("report.impact"), ImpactLines(t, d)},
          {t("report.contributing_factors"), Factors(t, d), true, "findings"},
          {t("report.trigger"), {}},
          {t("report.detection"), Detection(t, d), false, "alert"},
          {t("report.resolution"), {}},
          {t("report.timeline"), timeline, false, "timeline"},
          {t("post_mortem.actions"), Actions(t, d), true, "findings"},
          {t("post_mortem.lessons"), {}}};
}

}  // namespace schedlens
