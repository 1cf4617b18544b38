#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "contract/diagnosis.h"
#include "diagnose/pipeline/diagnose.h"
#include "kube/words.h"

namespace schedlens {
namespace {

const StageTime* StageOf(const Diagnosis& d, const std::string& id) {
  const auto at =
      std::ranges::find_if(d.stages, [&](const StageTime& stage) { return stage.id == id; });
  return at == d.stages.end() ? nullptr : &*at;
}

double ShareOf(const Diagnosis& d, const std::string& id) {
  const StageTime* stage = StageOf(d, id);
  return stage == nullptr ? 0 : stage->share.value.value_or(0);
}

std::optional<double> PerPod(const Diagnosis& d, const std::string& id) {
  const StageTime* stage = StageOf(d, id);
  const double pods = CountOf(d, ToString(kube::AttemptResult::kScheduled));
  if (stage == nullptr || !stage->seconds.value || !(pods > 0)) return std::nullopt;
  return *stage->seconds.value / pods;
}

/// The stages of both sides under `parent`, in the order of the later one's tree.
std::vector<std::string> Children(const Against& both, const std::string& parent) {
  std::vector<std::string> ids;
  for (const Diagnosis* d : {&both.now, &both.then}) {
    for (const StageTime& stage : d->stages) {
      if (stage.parent != parent || IsPlugin(stage)) continue;
      if (std::ranges::find(ids, stage.id) == ids.end()) ids.push_back(stage.id);
    }
  }
  return ids;
}

/// Each stage has one row, whatever the two sides say of its parents.
void AddStages(Against* both) {
  std::set<std::string> shown;
  std::vector<std::pair<std::string, int>> pending;  // a stack: the next row is at its end
  const auto add_children = [&](const std::string& parent, int depth) {
    const std::vector<std::string> ids = Children(*both, parent);
    for (auto id = ids.rbegin(); id != ids.rend(); ++id) pending.emplace_back(*id, depth);
  };
  add_children("", 0);
  while (!pending.empty()) {
    const auto [id, depth] = pending.back();
    pending.pop_back();
    const double share = std::max(ShareOf(both->then, id), ShareOf(both->now, id));
    if (share < kWorthARow || !shown.insert(id).second) continue;
    both->stages.push_back({id, depth, PerPod(both->then, id), PerPod(both->now, id)});
    if (share >= kWorthParts) add_children(id, depth + 1);
  }
}

std::optional<double> ValueOf(const std::optional<Measured>& share) {
  return share ? share->value : std::nullopt;
}

std::vector<AgainstFinding> ListOf(const Diagnosis& d) {
  std::vector<AgainstFinding> all;
  for (const Finding& one : d.findings) {
    AgainstFinding row;
    row.id = one.id;
    row.title = one.title;
    row.confidence_now = one.confidence;
    row.share_now = ValueOf(one.share);
    all.push_back(row);
    for (const CauseBehind& cause : one.behind) {
      row.id = cause.id;
      row.object = cause.object;
      row.behind = true;
      row.title = cause.title;
      row.confidence_now = cause.confidence;
      row.share_now = cause.share.value;
      all.push_back(row);
    }
  }
  return all;
}

std::vector<AgainstFinding> Paired(const Diagnosis& then, const Diagnosis& now) {
  std::vector<AgainstFinding> rows = ListOf(now), gone;
  for (AgainstFinding& row : rows) row.fate = Fate::kNew;
  for (AgainstFinding& old : ListOf(then)) {
    std::swap(old.confidence_now, old.confidence_then);
    std::swap(old.share_now, old.share_then);
    const auto same = std::ranges::find_if(rows, [&](const AgainstFinding& row) {
      return row.id == old.id && row.object == old.object && row.behind == old.behind;
    });
    if (same == rows.end()) {
      old.fate = Fate::kGone;
      gone.push_back(std::move(old));
      continue;
    }
    same->fate = Fate::kKept;
    same->confidence_then = old.confidence_then;
    same->share_then = old.share_then;
  }
  rows.insert(rows.end(), gone.begin(), gone.end());
  return rows;
}

std::vector<Message> UnlikeOf(const Diagnosis& then, const Diagnosis& now) {
  std::vector<Message> notes;
  if (then.alert && now.alert) {
    if (then.alert->metric != now.alert->metric) {
      notes.push_back(Message("against.metric", {{"then", arg::Metric(then.alert->metric)},
                                                 {"now", arg::Metric(now.alert->metric)}}));
    }
    const double q_then = then.alert->quantile, q_now = now.alert->quantile;
    if (q_then != q_now && !(std::isnan(q_then) && std::isnan(q_now))) {
      notes.push_back(Message("against.quantile",
                              {{"then", arg::Number(q_then)}, {"now", arg::Number(q_now)}}));
    }
  }
  if (!then.release.empty() && !now.release.empty() && then.release != now.release) {
    notes.push_back(Message("against.release", {{"then", then.release}, {"now", now.release}}));
  }
  return notes;
}

}  // namespace

Against SetAgainst(Diagnosis then, Diagnosis now) {
  Against both;
  both.then = std::move(then);
  both.now = std::move(now);
  AddStages(&both);
  both.findings = Paired(both.then, both.now);
  both.notes = UnlikeOf(both.then, both.now);
  return both;
}

}  // namespace schedlens
