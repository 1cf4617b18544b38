#include "report/text/brief_stages.h"

#include <algorithm>
#include <limits>

#include "report/escape.h"
#include "report/stages_per_pod.h"
#include "report/text/plots.h"

namespace schedlens {

std::string BriefStages(const TextPage& page, const Diagnosis& d, std::size_t most) {
  constexpr int kBar = 18;
  const std::vector<StagePerPod> stages = StagesPerPod(d, most);
  if (stages.empty()) return "";
  double greatest = std::numeric_limits<double>::min();
  for (const StagePerPod& stage : stages) {
    greatest = std::max({greatest, stage.now, stage.before.value_or(0)});
  }
  std::vector<std::vector<Cell>> rows;
  for (const StagePerPod& stage : stages) {
    std::optional<double> mark;
    if (stage.before) mark = *stage.before / greatest;
    const double excess = stage.now - stage.before.value_or(0);
    const std::string sign = excess < 0 ? "" : "+";
    rows.push_back({{Shorten(Visible(stage.id), 60)},
                    {TextBar(stage.now / greatest, mark, kBar, page.terminal.ascii),
                     HasGrown(stage) ? Ink::kBad : Ink::kAccent},
                    {stage.before ? Milliseconds(*stage.before) : "", Ink::kDim},
                    {Milliseconds(stage.now)},
                    {stage.before ? sign + Milliseconds(excess) : ""}});
  }
  return "\n" + Table(page.terminal,
                      {{page.t("brief.per_pod"), false, 0, 34},
                       {page.t(page.terminal.ascii ? "tree.now_before.ascii" : "tree.now_before")},
                       {page.t("report.before"), true},
                       {page.t("report.now"), true},
                       {page.t("report.excess"), true}},
                      rows);
}

}  // namespace schedlens
