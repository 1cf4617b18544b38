#include "cli/options/investigate_units.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "analysis/alert/target.h"
#include "analysis/collect/held_facts.h"
#include "analysis/diagnose/severity.h"
#include "contract/source.h"

namespace schedlens {
namespace {

/// What the alert's `by (...)` keeps of the labels that tell schedulers apart. Replicas of one
/// scheduler differ in instance and pod.
std::set<std::string> KeptLabels(const std::optional<ResolvedAlert>& alert) {
  std::set<std::string> kept;
  if (!alert) return kept;
  for (const std::string& name : alert->expression.by) {
    if (name != "instance" && name != "pod") kept.insert(name);
  }
  for (const std::string& name : MeasurementLabels()) kept.erase(name);
  return kept;
}

bool MayBeOf(const Firing& firing, const SchedulerUnit& unit) {
  return std::all_of(unit.labels.begin(), unit.labels.end(), [&](const auto& label) {
    return !firing.labels.Has(label.first) || firing.labels.Get(label.first) == label.second;
  });
}

/// The request for one unit alone. Where it names no schedulers, those that were found are its
/// selector, lest other jobs' metrics are asked for.
DiagnoseRequest RequestFor(const DiagnoseRequest& request, const Facts& facts,
                           const SchedulerUnit& unit) {
  const bool by_job = std::any_of(unit.matchers.begin(), unit.matchers.end(),
                                  [](const promql::Matcher& m) { return m.name == "job"; });
  DiagnoseRequest one = request;
  const bool found = facts.given_selector.empty() && !by_job;
  one.selector = JoinedSelector(found ? facts.selector : facts.given_selector, unit.matchers);
  return one;
}

}  // namespace

std::vector<SchedulerUnit> UnitsToJudge(const AskedInvestigation& asked, const Facts& facts) {
  std::vector<SchedulerUnit> units = UnitsOf(facts, KeptLabels(asked.alert));
  if (units.size() < 2) return {};
  if (!asked.alert || asked.alert->firings.empty()) return units;
  const std::vector<Firing>& firings = asked.alert->firings;
  std::vector<SchedulerUnit> fired;
  for (const SchedulerUnit& unit : units) {
    const bool any = std::any_of(firings.begin(), firings.end(),
                                 [&](const Firing& firing) { return MayBeOf(firing, unit); });
    if (any) fired.push_back(unit);
  }
  return fired.empty() ? units : fired;
}

Investigation InvestigateUnits(const AskedInvestigation& asked, const QuerySet& queries,
                               const Facts& facts, const std::vector<SchedulerUnit>& units,
                               Progress* progress) {
  std::optional<Investigation> worst;
  std::vector<std::pair<Severity, JudgedUnit>> judged;
  const HeldSeries held(facts);
  for (std::size_t i = 0; i < units.size(); ++i) {
    progress->Show("diagnosing", i + 1, units.size(), Labels(units[i].labels).ToString());
    const DiagnoseRequest request = RequestFor(asked.request, facts, units[i]);
    HeldFacts source(*asked.source, facts, held, queries, request.selector);
    Investigation one = Investigate(source, queries, request);
    const Diagnosis& d = one.diagnosis;
    judged.emplace_back(SeverityOf(d), JudgedUnit{units[i].labels, d.verdict, d.headline,
                                                  d.alert ? d.alert->shown : std::nullopt});
    if (!worst || judged.back().first < SeverityOf(worst->diagnosis)) worst = std::move(one);
  }
  std::stable_sort(judged.begin(), judged.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [severity, unit] : judged) worst->diagnosis.units.push_back(std::move(unit));
  AddNew(facts.warnings, &worst->diagnosis.warnings);
  return *std::move(worst);
}

}  // namespace schedlens
