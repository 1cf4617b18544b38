// Stage tree and tail as rows of bars.

#include <algorithm>
#include <cmath>

#include "report/escape.h"
#include "report/format.h"
#include "report/html/parts.h"
#include "report/html/sections.h"
#include "report/html/svg_frame.h"
#include "report/stage_tree.h"

namespace schedlens {

namespace {

std::string X(double fraction) { return Coordinate(std::clamp(fraction, 0.0, 1.0) * 1000); }

std::string Rect(const std::string& css, double fraction, double top, double height) {
  return "<rect class=\"" + css + "\" x=\"0\" y=\"" + Coordinate(top) + "\" width=\"" +
         X(fraction) + "\" height=\"" + Coordinate(height) + "\"/>";
}

double Known(const std::optional<double>& number, double fallback) {
  return number && std::isfinite(*number) ? *number : fallback;
}

std::string Bars(const std::string& title, const std::string& content) {
  return "<div class=\"bar\"><svg viewBox=\"0 0 1000 20\" preserveAspectRatio=\"none\" "
         "role=\"img\"><title>" +
         HtmlText(title, 200) + "</title><rect class=\"track\" width=\"1000\" height=\"20\"/>" +
         content + "</svg></div>";
}

// From low to high with a stroke at each end.
std::string Whisker(double low, double high) {
  return "<path class=\"whisker\" d=\"M" + X(low) + " 3v14M" + X(low) + " 10H" + X(high) + "M" +
         X(high) + " 3v14\"/>";
}

std::string ShareBars(const StageLine& line, bool baseline) {
  const Measured& share = line.stage->share;
  std::string content = Rect("now", Known(share.value, 0), 0, baseline ? 13 : 20);
  if (baseline) content += Rect("was", Known(line.stage->baseline_share, 0), 14.5, 5.5);
  if (HasRange(share)) content += Whisker(Known(share.low, 0), Known(share.high, 1));
  return Bars(Visible(line.stage->id) + ": " + Percent(share.value), content);
}

std::string Indented(const StageLine& line) {
  return "<span style=\"padding-left:" + std::to_string(std::min(line.depth, 6)) + "em\">" +
         HtmlText(line.label, 80) + "</span>";
}

std::string ShareNumbers(const StageLine& line, bool baseline) {
  std::string out = HtmlNumber(ShareCell(line.stage->share));
  if (baseline) {
    out += " <span class=\"soft\">/ " +
           HtmlNumber(ShareCell(Measured{line.stage->baseline_share, {}, {}, "1", {}})) + "</span>";
  }
  return out;
}

}  // namespace

std::string HtmlStages(const Messages& t, const Diagnosis& d) {
  if (d.stages.empty()) return "";
  const bool baseline = d.baseline.has_value();
  std::string rows = "<div class=\"stage head\"><span>" + HtmlText(t("report.stage")) +
                     "</span><span></span><span class=\"v\">" +
                     HtmlText(baseline ? t("table.now_before") : t("report.share")) +
                     "</span><span class=\"v x\">" + HtmlText(t("report.time")) + "</span></div>\n";
  int minor = 0;
  for (const StageLine& line : StageTree(d.stages)) {
    if (IsMinorPlugin(*line.stage)) {
      ++minor;
      continue;
    }
    if (IsIdle(*line.stage)) continue;
    rows += "<div class=\"stage" + std::string(line.depth > 0 ? " deep" : "") + "\">" +
            Indented(line) + ShareBars(line, baseline) + "<span class=\"v\">" +
            ShareNumbers(line, baseline) + "</span><span class=\"v x\">" +
            HtmlNumber(SecondsCell(line.stage->seconds.value)) + "</span></div>\n";
  }
  const std::string lede = baseline ? t("tree.shares.baseline") : t("tree.shares");
  std::string html =
      HtmlParagraph("soft", HtmlText(lede)) + "<div class=\"stages\">" + rows + "</div>\n";
  const IdleStages idle = IdleStagesOf(d.stages);
  const auto names = [](const std::vector<std::string>& ids) {
    std::string text;
    for (const std::string& id : ids) text += (text.empty() ? "" : ", ") + Shorten(Visible(id), 60);
    return text;
  };
  if (!idle.without_time.empty()) {
    html += HtmlParagraph("soft", HtmlText(t("tree.no_time", names(idle.without_time))));
  }
  if (!idle.not_measured.empty()) {
    html += HtmlParagraph("soft", HtmlText(t("tree.not_measured", names(idle.not_measured))));
  }
  if (minor > 0) {
    html += HtmlParagraph("soft", HtmlText(t("tree.small_plugins", minor)));
  }
  html += HtmlDetails(t("report.all_numbers_and_how_each_was"),
                      HtmlTable(t("report.where_the_time_went"), StagesTable(t, d)));
  return HtmlSection("stages", t("report.where_the_time_went"), html);
}

std::string HtmlTail(const Messages& t, const Diagnosis& d) {
  const bool alone = std::any_of(d.stages.begin(), d.stages.end(), [](const StageTime& stage) {
    return stage.sufficient.has_value();
  });
  std::string rows;
  for (const StageLine& line : StageTree(d.stages)) {
    const StageTime& stage = *line.stage;
    if (!stage.tail_time_share || IsIdle(stage)) continue;
    const Measured& tail = *stage.tail_time_share;
    const double low = Known(tail.low, 0);
    const double high = Known(tail.high, 1);
    std::string content = "<rect class=\"now\" fill-opacity=\".35\" x=\"" + X(low) +
                          "\" y=\"4\" width=\"" + Coordinate(std::max(2.0, (high - low) * 1000)) +
                          "\" height=\"12\"/>";
    if (tail.value) content += "<path class=\"dot\" d=\"M" + X(Known(tail.value, 0)) + " 1v18\"/>";
    rows += "<div class=\"stage" + std::string(line.depth > 0 ? " deep" : "") + "\">" +
            Indented(line) +
            Bars(Visible(stage.id) + ": " + PercentRange(BoundsOf(tail)), content) +
            "<span class=\"v\">" + HtmlNumber(ShareCell(stage.tail_time_share)) +
            "</span><span class=\"v x\">" +
            (stage.sufficient ? HtmlNumber(ShareCell(stage.sufficient)) : "") + "</span></div>\n";
  }
  if (rows.empty()) return "";
  const std::string head =
      "<div class=\"stage head\"><span>" + HtmlText(t("report.stage")) + "</span><span>" +
      HtmlText(t("report.proven_interval_and_the_best_estimate")) + "</span><span class=\"v\">" +
      HtmlText(t("report.of_the_slowest_1")) + "</span><span class=\"v x\">" +
      (alone ? HtmlText(t("report.slow_alone")) : "") + "</span></div>\n";
  const std::string lede = HtmlParagraph("soft", HtmlText(t("page.tail")));
  return HtmlSection("tail", t("report.the_slowest_attempts"),
                     lede + "<div class=\"stages tail\">" + head + rows + "</div>\n" +
                         HtmlDetails(t("report.the_numbers_as_a_table"),
                                     HtmlTable(t("report.the_slowest_attempts"), TailTable(t, d))));
}

}  // namespace schedlens
