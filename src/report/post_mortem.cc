// What a post-mortem can take over from the data, and what only people can fill in.

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "report/escape.h"
#include "report/format.h"
#include "report/messages/wording.h"
#include "report/sections.h"
#include "report/tables.h"

namespace schedlens {
namespace {

std::string Line(std::string_view text) { return ShortenProse(Visible(text), 400); }

// First and last column above the threshold, and the first where that is proven.
void AddCrossings(const Messages& t, const Timeline& timeline, double threshold,
                  std::vector<Item>& events) {
  const std::string limit = Seconds(t, threshold);
  bool shown = false;
  bool proven = false;
  TimeMs last = 0;
  for (std::size_t i = 0; i < timeline.times.size(); ++i) {
    const TimeMs time = timeline.times[i];
    if (timeline.shown[i] > threshold) {
      if (!shown) events.push_back({t("history.first_above", limit), "", time});
      shown = true;
      last = time;
    }
    if (timeline.low[i] > threshold && !proven) {
      events.push_back({t("history.proven_above", limit), "", time});
      proven = true;
    }
  }
  if (shown) events.push_back({t("history.last_above", limit), "", last});
}

/// When the alert was pending, firing and resolved.
void AddEpisodes(const Messages& t, const AlertVerdict& alert, std::vector<Item>& events) {
  const std::string wait = FormatDuration(std::llround(alert.for_seconds * 1000));
  for (const AlertEpisode& episode : alert.episodes) {
    events.push_back({t("history.pending"), "", episode.pending});
    if (episode.firing) events.push_back({t("history.firing", wait), "", *episode.firing});
    if (episode.resolved) events.push_back({t("history.resolved"), "", *episode.resolved});
  }
}

std::vector<Item> ImpactLines(const Messages& t, const Diagnosis& d) {
  std::vector<Item> lines;
  if (std::isfinite(d.attempts) && d.attempts > 0) {
    lines.push_back({t("post_mortem.attempts", Count(d.attempts), Seconds(t, d.e2e_seconds))});
  }
  for (const ResultRow& row : d.results) {
    lines.push_back({t("post_mortem.result", Line(row.result), Count(row.count))});
  }
  const std::vector<std::string> waits = ImpactSentences(t, d);
  if (!waits.empty()) lines.push_back({waits.front()});
  return lines;
}

std::vector<Item> Factors(const Messages& t, const Diagnosis& d) {
  std::vector<Item> lines;
  for (const Finding& finding : d.findings) {
    lines.push_back(
        {Line(t(finding.title)) + t("join.brackets", Line(finding.id) + t("join.comma") +
                                                         ConfidenceWord(t, finding.confidence))});
  }
  return lines;
}

std::vector<Item> Detection(const Messages& t, const Diagnosis& d) {
  if (!d.alert || !d.alert->given) return {};
  std::vector<Item> lines;
  if (!d.alert->expr.empty()) {
    lines.push_back({"`" + Shorten(Visible(d.alert->expr), kLongestQuery) + "`"});
  }
  const std::string decided = DecidedSentence(t, *d.alert);
  const bool whole = std::isnan(d.alert->quantile) || d.alert->shown_proven_wrong;
  const std::string shown = AlertSubject(t, *d.alert) + " " +
                            (whole ? ShownSentence(t, *d.alert) : ShownAlone(t, *d.alert));
  lines.push_back({Line(shown) + (decided.empty() ? "" : t("join.semicolon") + decided)});
  return lines;
}

std::vector<Item> Actions(const Messages& t, const Diagnosis& d) {
  std::vector<Item> lines;
  for (const Finding& finding : d.findings) {
    for (const NextStep& step : finding.next_steps) lines.push_back({Line(t(step.text))});
  }
  return lines;
}

}  // namespace

std::vector<Item> EventsOf(const Messages& t, const Diagnosis& d) {
  std::vector<Item> events;
  if (d.baseline) {
    events.push_back({t("history.baseline_starts"), "", d.baseline->start});
    events.push_back({t("history.baseline_ends"), "", d.baseline->end});
  }
  events.push_back({t("history.window_starts"), "", d.window.start});
  events.push_back({t("history.window_ends"), "", d.window.end});
  if (d.alert && d.alert->threshold) AddCrossings(t, d.timeline, *d.alert->threshold, events);
  if (d.alert) AddEpisodes(t, *d.alert, events);
  for (const ClusterChange& change : d.changes) {
    if (HasTimeOfItsOwn(change)) events.push_back({Line(ChangeText(t, change)), "", change.at});
  }
  std::stable_sort(events.begin(), events.end(),
                   [](const Item& a, const Item& b) { return a.at < b.at; });
  return events;
}

std::vector<Part> PostMortem(const Messages& t, const Diagnosis& d, ReportFormat format) {
  std::vector<Part> parts = {{.soft = true, .text = t("post_mortem.note")}};
  enum From { kMeasured, kInferred };
  // What a page shows in a section of its own it links to.
  const auto add = [&](std::string name, std::vector<Item> items = {}, From from = kMeasured,
                       const char* shown_in = "") {
    Part& part = parts.emplace_back(Part{.heading = std::move(name)});
    if (from == kInferred) part.tag = t("report.inference");
    part.blank = items.empty();
    if (part.blank) {
      part.text = t("report.to_be_filled_in");
    } else if (format == ReportFormat::kHtml && *shown_in != '\0') {
      part.text = t("page.shown_above");
      part.link = shown_in;
    } else {
      part.items = std::move(items);
    }
  };
  std::vector<Item> timeline;
  for (const Item& event : EventsOf(t, d)) {
    timeline.push_back({Moment(event.at, t.zone()) + t("join.colon") + event.text});
  }
  if (format != ReportFormat::kHtml) add(t("report.title"), {{Line(Headline(t, d))}}, kInferred);
  add(t("report.date"), {{RangeText(d.window, t("range.to"), t.zone())}});
  add(t("report.authors"));
  add(t("report.status"));
  add(t("report.impact"), ImpactLines(t, d));
  add(t("report.contributing_factors"), Factors(t, d), kInferred, "findings");
  add(t("report.trigger"));
  add(t("report.detection"), Detection(t, d), kMeasured, "alert");
  add(t("report.resolution"));
  add(t("report.timeline"), std::move(timeline), kMeasured, "timeline");
  add(t("post_mortem.actions"), Actions(t, d), kInferred, "findings");
  add(t("post_mortem.lessons"));
  return parts;
}

}  // namespace schedlens
