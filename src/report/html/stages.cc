// Where the time of a scheduled pod went, and the tail, as rows of bars.

#include "report/stages.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/escape.h"
#include "report/format.h"
#include "report/html/html.h"
#include "report/html/svg.h"
#include "report/tables.h"

namespace schedlens {

namespace {

std::string X(double fraction) { return Coordinate(std::clamp(fraction, 0.0, 1.0) * 1000); }

std::string BarRect(const std::string& css, double fraction, double top, double height) {
  return "<rect class=\"" + css + "\" x=\"0\" y=\"" + Coordinate(top) + "\" width=\"" +
         X(fraction) + "\" height=\"" + Coordinate(height) + "\"/>";
}

std::string Indented(const StageLine& line) {
  return "<span style=\"padding-left:" + std::to_string(std::min(line.depth, 6)) + "em\">" +
         HtmlText(line.label, 80) + "</span>";
}

/// Now as a wide bar, in another colour where it is more than before; before as a thin one below.
std::string PerPodBars(const StagePerPod& stage, double greatest) {
  const double now = stage.now / greatest;
  if (!stage.before) return BarRect("now", now, 0, 20);
  const double before = *stage.before / greatest;
  return BarRect(HasGrown(stage) ? "more" : "now", now, 0, 13) +
         BarRect("now", std::min(now, before), 0, 13) + BarRect("was", before, 14.5, 5.5);
}

std::string PerPodRow(const Messages& t, const StagePerPod& stage, double greatest) {
  const std::string now = Milliseconds(stage.now);
  const std::string before = stage.before ? Milliseconds(*stage.before) : "";
  const std::string numbers = before.empty() ? now : before + " → " + now;
  const double excess = stage.now - stage.before.value_or(stage.now);
  return "<div class=\"stage\"><span class=\"name\">" + HtmlName(Shorten(Visible(stage.id), 80)) +
         "</span>" +
         HtmlBar(Visible(stage.id) + ": " + t("number.unit", numbers, "ms"),
                 PerPodBars(stage, greatest)) +
         "<span class=\"v\">" +
         (before.empty() ? "" : "<span class=\"soft\">" + HtmlText(before) + " →</span> ") + "<b>" +
         HtmlText(now) + "</b></span><span class=\"v excess\">" +
         (before.empty() ? "" : HtmlText((excess < 0 ? "" : "+") + Milliseconds(excess))) +
         "</span></div>\n";
}

}  // namespace

std::string HtmlPerPodLegend(const Messages& t) {
  const auto key = [](const char* css, const std::string& label) {
    return "<li class=\"key-bar " + std::string(css) + "\">" + HtmlText(label) + "</li>";
  };
  return "<ul class=\"legend\">" + key("was", t("report.before")) + key("now", t("report.now")) +
         key("more", t("page.grown")) + "</ul>";
}

std::string HtmlStagesPerPod(const Messages& t, const Diagnosis& d) {
  constexpr std::size_t kMost = 8;
  const std::vector<StagePerPod> stages = StagesPerPod(d, kMost);
  if (stages.empty()) return "";
  double greatest = std::numeric_limits<double>::min();
  bool compared = false;
  for (const StagePerPod& stage : stages) {
    greatest = std::max({greatest, stage.now, stage.before.value_or(0)});
    compared = compared || stage.before.has_value();
  }
  std::string rows = "<div class=\"stage head\"><span>" + HtmlText(t("brief.per_pod")) +
                     "</span><span></span><span class=\"v\">" +
                     HtmlText(t(compared ? "page.before_now" : "report.now")) +
                     "</span><span class=\"v excess\">" +
                     (compared ? HtmlText(t("report.excess")) : "") + "</span></div>\n";
  for (const StagePerPod& stage : stages) rows += PerPodRow(t, stage, greatest);
  return "<div class=\"stages per-pod\">" + rows + "</div>\n" +
         (compared ? HtmlPerPodLegend(t) : "");
}

std::string HtmlTailBars(const Messages& t, const Diagnosis& d) {
  const bool alone = std::any_of(d.stages.begin(), d.stages.end(), [](const StageTime& stage) {
    return stage.sufficient.has_value();
  });
  std::string rows;
  for (const StageLine& line : StageTree(d)) {
    const StageTime& stage = *line.stage;
    if (!stage.tail_time_share || IsIdle(stage)) continue;
    const Measured& tail = *stage.tail_time_share;
    const double low = std::clamp(tail.low.value_or(0), 0.0, 1.0);
    const double high = std::clamp(tail.high.value_or(1), 0.0, 1.0);
    std::string content = "<rect class=\"now\" fill-opacity=\".35\" x=\"" + X(low) +
                          "\" y=\"4\" width=\"" + Coordinate(std::max(2.0, (high - low) * 1000)) +
                          "\" height=\"12\"/>";
    if (tail.value) content += "<path class=\"dot\" d=\"M" + X(*tail.value) + " 1v18\"/>";
    rows +=
        "<div class=\"stage" + std::string(line.depth > 0 ? " deep" : "") + "\">" + Indented(line) +
        HtmlBar(Visible(line.name) + ": " + PercentRange(t, BoundsOf(tail)), content) +
        "<span class=\"v\">" + HtmlNumber(ShareCell(t, stage.tail_time_share)) +
        "</span><span class=\"v x\">" +
        (stage.sufficient ? HtmlNumber(ShareCell(t, stage.sufficient)) : "") + "</span></div>\n";
  }
  if (rows.empty()) return "";
  const std::string head =
      "<div class=\"stage head\"><span>" + HtmlText(t("report.stage")) + "</span><span>" +
      HtmlText(t("report.proven_interval_and_the_best_estimate")) + "</span><span class=\"v\">" +
      HtmlText(t("report.of_the_slowest_1")) + "</span><span class=\"v x\">" +
      (alone ? HtmlText(t("report.slow_alone")) : "") + "</span></div>\n";
  return "<div class=\"stages tail\">" + head + rows + "</div>\n";
}

}  // namespace schedlens
