// The alert's value, the attempts and the e2e buckets over time, in characters.

#include <algorithm>
#include <cmath>

#include "model/text.h"
#include "report/escape.h"
#include "report/format.h"
#include "report/messages/wording.h"
#include "report/text/plots.h"
#include "report/text/sections.h"

namespace schedlens {

namespace {

constexpr int kLabelWidth = 11;

std::string BoundLabel(const Messages& t, double bound) {
  return std::isfinite(bound) ? t("number.at_most", Seconds(t, bound, Rounding::kUp)) : "+Inf";
}

std::string TimelineRow(const TextPage& page, const std::string& label, const std::string& plot,
                        Ink ink) {
  const std::string name = page.terminal.ascii ? Plain(label) : label;
  return Fit(name, kLabelWidth, true) + " " + page.terminal.Paint(ink, plot) + "\n";
}

std::string GreatestOf(const Messages& t, const std::vector<double>& values) {
  double greatest = 0;
  for (const double value : values) {
    if (std::isfinite(value)) greatest = std::max(greatest, value);
  }
  return Seconds(t, greatest);
}

// One line a bucket, from the slowest with an observation to the fastest.
std::string Heatmap(const TextPage& page, const Timeline& timeline, int width) {
  if (timeline.e2e.empty()) return "";
  const auto columns = MergeColumns(timeline.e2e, width);
  double greatest = 0;
  std::size_t first = timeline.bounds.size();
  std::size_t last = 0;
  for (const auto& column : columns) {
    for (std::size_t i = 0; i < column.size(); ++i) {
      if (!(column[i] > 0)) continue;
      greatest = std::max(greatest, column[i]);
      first = std::min(first, i);
      last = std::max(last, i);
    }
  }
  std::string out;
  for (std::size_t i = last + 1; i-- > first;) {
    std::string cells;
    for (const auto& column : columns) cells += Shade(column[i], greatest, page.terminal.ascii);
    out += TimelineRow(page, BoundLabel(page.t, timeline.bounds[i]), cells, Ink::kAccent);
  }
  return out;
}

}  // namespace

std::string TimelineText(const TextPage& page, const Diagnosis& d) {
  const Timeline& timeline = d.timeline;
  if (timeline.times.empty()) return "";
  const int width = std::max(10, page.terminal.width - kLabelWidth - 2);
  std::string out =
      page.Heading(page.t("timeline.heading", TimeOfDay(timeline.times.front(), page.t.zone()),
                          TimeOfDay(timeline.times.back(), page.t.zone()),
                          ZoneText(page.t.zone(), timeline.times.back())));
  const bool any_shown = std::any_of(timeline.shown.begin(), timeline.shown.end(),
                                     [](double value) { return std::isfinite(value); });
  if (any_shown) {
    out += TimelineRow(page, d.alert ? QuantileName(d.alert->quantile) : page.t("table.shown"),
                       Sparkline(timeline.shown, width, page.terminal.ascii), Ink::kBad);
    out += page.Paragraph(Ink::kDim, page.t("timeline.up_to", GreatestOf(page.t, timeline.shown)),
                          kLabelWidth + 1);
  }
  const std::string episodes = d.alert ? EpisodesSentence(page.t, *d.alert) : "";
  if (!episodes.empty()) out += page.Paragraph(Ink::kPlain, episodes, kLabelWidth + 1);
  const std::string heatmap = Heatmap(page, timeline, width);
  if (heatmap.empty()) return out;
  out += heatmap;
  out += page.Paragraph(Ink::kDim, page.t("timeline.attempts"), kLabelWidth + 1);
  return out;
}

}  // namespace schedlens
