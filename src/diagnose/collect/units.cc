#include "diagnose/collect/units.h"

#include "promql/matcher.h"
#include "promql/parser.h"

namespace schedlens {
namespace {

/// A hand-over overlaps by two scrapes at most, and leaders do not change this often.
constexpr std::size_t kLeastTogether = 3;
constexpr std::size_t kMostHandOvers = 8;

/// Scrape intervals in which a target finished attempts, ascending and apart.
using Activity = std::vector<TimeRange>;

/// Where a counter rose; a counter that fell started anew and rose since.
void AddRises(const Series& series, std::map<TimeMs, TimeMs>* rises) {
  for (std::size_t i = 1; i < series.samples.size(); ++i) {
    const Sample& before = series.samples[i - 1];
    const Sample& after = series.samples[i];
    if (after.v > before.v || (after.v < before.v && after.v > 0)) {
      TimeMs& start = rises->try_emplace(after.t, before.t).first->second;
      start = std::max(start, before.t);
    }
  }
}

std::vector<Activity> ActivityOf(const Facts& facts) {
  const char* question = facts.Has("attempt") ? "attempt" : "algorithm";
  const TargetIndex index(facts.targets);
  std::vector<std::map<TimeMs, TimeMs>> rises(facts.targets.size());
  for (const Series& series : facts.Of(question)) {
    if (!CountsAll(series.labels)) continue;
    const auto target = index.Find(series.labels);
    if (target) AddRises(series, &rises[*target]);
  }
  std::vector<Activity> all;
  for (const auto& of_target : rises) {
    Activity& activity = all.emplace_back();
    for (const auto& [end, start] : of_target) activity.push_back({start, end});
  }
  return all;
}

/// Whether so many intervals of `a` meet one of `b`.
bool WorkTogether(const Activity& a, const Activity& b, std::size_t least) {
  auto other = b.begin();
  for (auto one = a.begin(); one != a.end() && least > 0; ++one) {
    while (other != b.end() && other->end <= one->start) ++other;
    least -= other != b.end() && other->start < one->end ? 1 : 0;
  }
  return least == 0;
}

/// How often the work went from one to the other.
std::size_t HandOvers(const Activity& a, const Activity& b) {
  std::vector<std::pair<TimeMs, bool>> order;
  for (const TimeRange& one : a) order.emplace_back(one.end, false);
  for (const TimeRange& one : b) order.emplace_back(one.end, true);
  std::ranges::sort(order);
  std::size_t changes = 0;
  for (std::size_t i = 1; i < order.size(); ++i) changes += order[i].second != order[i - 1].second;
  return changes;
}

bool BothWork(const Activity& a, const Activity& b) {
  const Activity& less = a.size() < b.size() ? a : b;
  const std::size_t half = (less.size() + 1) / 2;
  return WorkTogether(less, a.size() < b.size() ? b : a, std::max(kLeastTogether, half)) ||
         HandOvers(a, b) > kMostHandOvers;
}

const Labels& ProcessLabels(const Target& target) {
  return target.processes.empty() ? target.id : target.processes.front();
}

/// Targets of equal labels, split further where several work at the same time. The busiest come
/// first; those that do nothing go with the busiest.
std::vector<std::vector<std::size_t>> SplitByWork(const std::vector<std::size_t>& targets,
                                                  const std::vector<Activity>& activity) {
  std::vector<std::size_t> order = targets;
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return activity[a].size() > activity[b].size(); });
  std::vector<std::vector<std::size_t>> units;
  for (const std::size_t target : order) {
    const auto unit = std::ranges::find_if(units, [&](const auto& members) {
      return std::ranges::none_of(members, [&](std::size_t member) {
        return BothWork(activity[target], activity[member]);
      });
    });
    if (unit == units.end()) {
      units.push_back({target});
    } else {
      unit->push_back(target);
    }
  }
  for (auto& members : units) std::ranges::sort(members);
  std::ranges::sort(units);
  return units;
}

std::set<std::string> ValuesOf(const Facts& facts, const SchedulerUnit& unit,
                               const std::string& name) {
  std::set<std::string> values;
  for (const std::size_t target : unit.targets) {
    values.emplace(ProcessLabels(facts.targets[target]).Get(name));
    for (const Labels& process : facts.targets[target].processes) values.emplace(process.Get(name));
  }
  return values;
}

promql::Matcher MatcherFor(const std::string& name, const std::set<std::string>& values) {
  if (values.size() == 1) return {promql::MatchOp::kEqual, name, *values.begin()};
  std::vector<std::string> escaped;
  for (const std::string& value : values) escaped.push_back(EscapeRegex(value));
  return {promql::MatchOp::kRegex, name, fmt::format("{}", fmt::join(escaped, "|"))};
}

/// Whether no two units share a value of the label.
bool TellsApart(const std::vector<std::set<std::string>>& values) {
  std::set<std::string> seen;
  for (const auto& of_unit : values) {
    for (const std::string& value : of_unit) {
      if (!seen.insert(value).second) return false;
    }
  }
  return true;
}

/// One unit of several that labels alone do not tell apart keeps what picks its processes; false
/// where no label does.
bool PickByProcess(const Facts& facts, std::vector<SchedulerUnit>* units) {
  std::set<std::string> names;
  for (const Target& target : facts.targets) {
    for (const auto& [name, value] : ProcessLabels(target)) names.emplace(name);
  }
  std::vector<std::string> order = {"instance", "pod"};
  order.insert(order.end(), names.begin(), names.end());
  for (const std::string& name : order) {
    std::vector<std::set<std::string>> values;
    for (const SchedulerUnit& unit : *units) values.push_back(ValuesOf(facts, unit, name));
    if (!TellsApart(values)) continue;
    for (std::size_t i = 0; i < units->size(); ++i) {
      (*units)[i].matchers.push_back(MatcherFor(name, values[i]));
    }
    return true;
  }
  return false;
}

/// Of the labels that people know a scheduler by those that one unit has alone.
void NameUnits(const Facts& facts, const std::set<std::string>& keys,
               std::vector<SchedulerUnit>* units) {
  std::set<std::string> names = keys;
  names.insert({"instance", "pod"});
  for (const std::string& name : names) {
    std::set<std::set<std::string>> different;
    for (const SchedulerUnit& unit : *units) different.insert(ValuesOf(facts, unit, name));
    if (different.size() < 2) continue;
    for (SchedulerUnit& unit : *units) {
      const auto values = ValuesOf(facts, unit, name);
      const bool process = name == "instance" || name == "pod";
      const bool picked = std::ranges::count(unit.matchers, name, &promql::Matcher::name) > 0;
      if (values.size() == 1 && (!process || picked)) {
        unit.labels.emplace_back(name, *values.begin());
      } else if (picked) {
        unit.labels.emplace_back(name, fmt::format("{}", fmt::join(values, "|")));
      }
    }
  }
}

}  // namespace

std::vector<SchedulerUnit> UnitsOf(const Facts& facts, const std::set<std::string>& kept) {
  std::set<std::string> keys = {"cluster", "job", "namespace"};
  keys.insert(kept.begin(), kept.end());
  const std::vector<std::string> names(keys.begin(), keys.end());
  std::map<Labels, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < facts.targets.size(); ++i) {
    groups[ProcessLabels(facts.targets[i]).Only(names)].push_back(i);
  }
  const std::vector<Activity> activity = ActivityOf(facts);
  std::vector<std::string> differing;
  for (const std::string& name : names) {
    const auto differs = [&](const auto& group) {
      return group.first.Get(name) != groups.begin()->first.Get(name);
    };
    if (std::ranges::any_of(groups, differs)) differing.push_back(name);
  }
  std::vector<SchedulerUnit> units;
  for (const auto& [labels, targets] : groups) {
    std::vector<SchedulerUnit> here;
    for (auto& members : SplitByWork(targets, activity))
      here.push_back({{}, {}, std::move(members)});
    if (here.size() > 1 && !PickByProcess(facts, &here)) here = {{{}, {}, targets}};
    for (SchedulerUnit& unit : here) {
      for (const std::string& name : differing) {
        unit.matchers.push_back({promql::MatchOp::kEqual, name, std::string(labels.Get(name))});
      }
      units.push_back(std::move(unit));
    }
  }
  std::ranges::sort(units, {}, &SchedulerUnit::targets);
  if (units.size() > 1) NameUnits(facts, keys, &units);
  return units;
}

HeldSeries::HeldSeries(const Facts& facts) {
  std::set<Labels> taken;  // two questions may have asked for the same series
  const auto take = [&](const std::vector<Series>& answer) {
    for (const Series& series : answer) {
      if (!taken.insert(series.labels).second) continue;
      for (const auto& [name, value] : ProcessOf(series.labels)) {
        by_label_[std::string(name)][std::string(value)].push_back(
            static_cast<std::uint32_t>(all_.size()));
      }
      all_.push_back(&series);
    }
  };
  for (const auto& [question, answer] : facts.answers) take(answer);
  take(facts.superseded);
}

std::vector<const Series*> HeldSeries::Select(std::span<const promql::Matcher> matchers) const {
  static const Ids kNone;
  std::vector<promql::CompiledMatcher> compiled;
  const Ids* fewest = nullptr;
  for (const promql::Matcher& matcher : matchers) {
    compiled.emplace_back(matcher);
    const auto label = by_label_.find(matcher.name);
    if (label == by_label_.end() || matcher.op != promql::MatchOp::kEqual) continue;
    if (matcher.value.empty()) continue;
    const auto at = label->second.find(matcher.value);
    const Ids& ids = at == label->second.end() ? kNone : at->second;
    if (fewest == nullptr || ids.size() < fewest->size()) fewest = &ids;
  }
  std::vector<const Series*> selected;
  const auto add = [&](const Series* series) {
    const bool accepted = std::ranges::all_of(compiled, [&](promql::CompiledMatcher& matcher) {
      return matcher.Accepts(series->labels);
    });
    if (accepted) selected.push_back(series);
  };
  if (fewest == nullptr) {
    std::ranges::for_each(all_, add);
  } else {
    for (const std::uint32_t id : *fewest) add(all_[id]);
  }
  return selected;
}

HeldFacts::HeldFacts(Source& source, const Facts& facts, const HeldSeries& series,
                     const QuerySet& queries, const std::string& selector)
    : source_(source), facts_(facts), series_(series) {
  const std::string window = FormatDuration(facts.fetched.end - facts.fetched.start);
  for (const Question& question : queries.questions()) {
    if (!IsOfSchedulers(question)) continue;
    for (const std::string& statement : question.statements) {
      const std::string text = Substitute(statement, selector, window);
      const promql::ExprPtr tree = promql::Parse(text);
      const auto* raw = tree->As<promql::Selector>();
      if (raw != nullptr && raw->range_ms > 0) questions_[text] = raw->matchers;
    }
  }
}

bool HeldFacts::Holds(const Query& query) const {
  return query.instant() && query.end == facts_.fetched.end && questions_.contains(query.promql);
}

Answer HeldFacts::FromFacts(const Query& query) const {
  Answer answer;
  answer.kind = ValueKind::kMatrix;
  for (const Series* series : series_.Select(questions_.at(query.promql))) {
    answer.series.push_back(*series);
  }
  return answer;
}

Answer HeldFacts::Ask(const Query& query) {
  return Holds(query) ? FromFacts(query) : source_.Ask(query);
}

std::vector<Answer> HeldFacts::AskAll(const std::vector<Query>& queries) {
  std::vector<Query> others;
  for (const Query& query : queries) {
    if (!Holds(query)) others.push_back(query);
  }
  std::vector<Answer> asked = others.empty() ? std::vector<Answer>() : source_.AskAll(others);
  std::vector<Answer> answers;
  auto next = asked.begin();
  for (const Query& query : queries) {
    answers.push_back(Holds(query) ? FromFacts(query) : std::move(*next++));
  }
  return answers;
}

}  // namespace schedlens
