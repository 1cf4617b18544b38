#include "diagnose/pipeline/diagnose.h"
#include "promql/parser.h"

namespace schedlens {
namespace {

/// What a diagnosis may ask beyond what it needs, and how much of it together.
constexpr std::size_t kMostRequests = 40;
constexpr std::size_t kTogether = 4;

/// A step that is a query, and its wordings with everything filled in.
struct Step {
  NextStep* step;
  const StepQuestion* question;
  std::vector<std::string> wordings;
};

/// The same query at one moment, whenever it is asked. Servers before 2.33 do not know `@`.
std::string AtTime(const std::string& query, TimeMs time, const Semantics& server) {
  const bool knows = server.IsVictoriaMetrics() || server.AtLeast(2, 33);
  const promql::ExprPtr tree = promql::Rewrite(promql::Parse(query), [&](promql::Expr& node) {
    auto* selector = std::get_if<promql::Selector>(&node.node);
    if (selector == nullptr || !knows) return;
    selector->shift.at = promql::TimeShift::At::kTime;
    selector->shift.at_time = time;
  });
  return promql::ToString(*tree);
}

std::string SelectorFor(const Investigation& gathered, AskedOf of) {
  if (of == AskedOf::kSchedulers) return gathered.facts.selector;
  const ControlPlaneFacts& control_plane = gathered.control_plane;
  return StepSelector(of, control_plane.cluster, control_plane.apiservers);
}

/// The steps that are queries, filled in; they point into the diagnosis.
std::vector<Step> Fill(const QuerySet& queries, const Investigation& gathered, Diagnosis* d) {
  std::vector<Step> filled;
  const TimeRange& window = d->window;
  const std::string length = FormatDuration(std::max<TimeMs>(1, window.end - window.start));
  // Of one finding, or of one cause behind it.
  const auto add = [&](std::vector<NextStep>* steps, const std::string& object) {
    for (NextStep& step : *steps) {
      const StepQuestion* question = QuestionOf(step.text);
      if (question == nullptr) continue;
      std::string selector = SelectorFor(gathered, question->of);
      if (!question->object_label.empty() && !object.empty()) {
        selector += (selector.empty() ? "" : ",") + std::string(question->object_label) + "=" +
                    QuotePromql(object);
      }
      filled.push_back({&step, question, {}});
      for (const std::string& statement : queries.Get(question->name).statements) {
        filled.back().wordings.push_back(
            AtTime(Substitute(statement, selector, length), window.end, d->source.semantics));
      }
      step.query = filled.back().wordings.front();
      step.text = WithQuery(std::move(step.text), step.query);
    }
  };
  for (Finding& finding : d->findings) {
    add(&finding.next_steps, "");
    for (CauseBehind& one : finding.behind) add(&one.next_steps, one.object);
  }
  return filled;
}

/// A name as it may stand in a command; any other text from a label could act in a shell.
std::string Pasted(std::string_view name) {
  const bool plain = !name.empty() && name[0] != '-' && ShellWord(name) == name;
  return plain ? std::string(name) : "NAME";
}

/// The scheduler's pod where it is the only one, else all as kubeadm labels them.
std::string PodsOf(const Facts& facts) {
  if (facts.targets.size() == 1) {
    const Target& target = facts.targets.front();
    const Labels& labels = target.processes.empty() ? target.id : target.processes.back();
    if (const std::string_view pod = labels.Get("pod"); !pod.empty()) {
      const std::string_view space = labels.Get("namespace");
      return fmt::format("-n {} {}", Pasted(space.empty() ? "kube-system" : space), Pasted(pod));
    }
  }
  return "-n kube-system -l component=kube-scheduler";
}

/// The Service behind a webhook; empty where kube-state-metrics does not tell.
std::string ServiceOf(const ControlPlaneFacts& facts, const std::string& webhook) {
  for (const Series& series : facts.Of("objects")) {
    const Labels& labels = series.labels;
    if (labels.Get("webhook_name") != webhook || labels.Get("service_name").empty()) continue;
    return fmt::format("-n {} service/{}", Pasted(labels.Get("service_namespace")),
                       Pasted(labels.Get("service_name")));
  }
  return "";
}

/// The workload as kubectl names it; all of the usual kinds where its own is not known.
std::string WorkloadOf(const Diagnosis& d, const std::string& object) {
  for (const WorkloadImpact& one : d.impact ? d.impact->workloads : std::vector<WorkloadImpact>()) {
    if (one.kind.empty() || one.name_space + "/" + one.name != object) continue;
    return Pasted(InSmallLetters(one.kind) + "/" + one.name);
  }
  return "deployments,statefulsets,jobs,cronjobs";
}

/// Whether these labels are the first of what came back for a step.
bool FirstAnswerIs(std::string_view labels, const std::vector<NextStep>& steps) {
  return std::ranges::any_of(steps, [&](const NextStep& step) {
    if (!step.answered || step.answered->text.args.empty()) return false;
    const std::vector<Message>& values = step.answered->text.args.front().value.messages;
    return !values.empty() && !values.front().args.empty() &&
           values.front().args.front().value.text == labels;
  });
}

/// Which texts of a cause that has several say what to do.
std::string_view RemedyKind(const std::string& id, const Message& title,
                            const std::vector<NextStep>& steps) {
  if (title.id == "behind.apiserver.webhook.refuses") return ".refuses";
  const bool groups = id == "queue.gated" && FirstAnswerIs("plugin GangScheduling", steps);
  return groups ? ".groups" : "";
}

/// What to do about each cause, of the steps as they are then.
void AddActions(const Investigation& gathered, Diagnosis* d) {
  const std::string pods = PodsOf(gathered.facts);
  const auto add = [&](auto& one, const std::string& object) {
    const std::string service =
        one.id == "apiserver.webhook" ? ServiceOf(gathered.control_plane, object) : "";
    one.action = RemedyOf(TextOfFinding(one.id),
                          {{"object", Pasted(object)},
                           {"namespace", Pasted(object.substr(0, object.find('/')))},
                           {"pods", pods},
                           {"workload", WorkloadOf(*d, object)},
                           {"service", service},
                           {"start", arg::Time(d->window.start)}},
                          one.next_steps, RemedyKind(one.id, one.title, one.next_steps));
  };
  for (Finding& finding : d->findings) {
    add(finding, "");
    for (CauseBehind& one : finding.behind) add(one, one.object);
  }
}

/// What came back for one query: an answer, or why there is none.
struct Reply {
  std::optional<Answer> answer;
  Message why;
};

/// Asks queries within a budget of requests; a failure is a reply.
class Asking {
 public:
  Asking(Source& source, TimeMs at) : source_(source), at_(at) {}

  std::map<std::string, Reply> Ask(const std::vector<std::string>& all) {
    for (std::size_t at = 0; at < all.size(); at += kTogether) {
      const std::size_t end = std::min(at + kTogether, all.size());
      AskTogether({all.begin() + static_cast<long>(at), all.begin() + static_cast<long>(end)});
    }
    return std::move(replies_);
  }

 private:
  Query QueryFor(const std::string& text) const { return {text, at_, at_, 0}; }

  void AskTogether(const std::vector<std::string>& some) {
    if (requests_ + some.size() <= kMostRequests) {
      std::vector<Query> queries;
      for (const std::string& text : some) queries.push_back(QueryFor(text));
      requests_ += some.size();
      try {
        source_.AskEach(queries, [&](std::size_t i, Answer answer) {
          replies_[some[i]].answer = std::move(answer);
        });
      } catch (const Error& error) {
        if (error.kind() == ErrorKind::kInterrupted) throw;
      }
    }
    // One failure ends all that are asked together: the others are worth a question of their own.
    for (const std::string& text : some) {
      if (!replies_[text].answer) AskAlone(text);
    }
  }

  void AskAlone(const std::string& text) {
    if (requests_ >= kMostRequests) {
      replies_[text].why = Message("answered.over_budget", {{"count", arg::Count(kMostRequests)}});
      return;
    }
    ++requests_;
    try {
      replies_[text].answer = source_.Ask(QueryFor(text));
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::kInterrupted) throw;
      replies_[text].why = Message("answered.failed", {{"error", error.what()}});
    }
  }

  Source& source_;
  const TimeMs at_;
  std::size_t requests_ = 0;
  std::map<std::string, Reply> replies_;
};

/// The first wording that has data, else the first.
void Settle(const Step& step, const std::map<std::string, Reply>& replies) {
  std::string chosen = step.wordings.front();
  for (const std::string& wording : step.wordings) {
    const Reply& reply = replies.at(wording);
    if (!reply.answer || reply.answer->series.empty()) continue;
    chosen = wording;
    break;
  }
  const Reply& reply = replies.at(chosen);
  step.step->query = chosen;
  step.step->text = WithQuery(std::move(step.step->text), chosen);
  step.step->answered =
      reply.answer ? ToStepAnswer(*reply.answer, step.question->unit) : StepAnswer{{}, reply.why};
}

/// The rest is counted.
constexpr std::size_t kMostShown = 5;

Message InUnit(double value, StepUnit unit) {
  return Message(WordOf(unit, {"answered.seconds", "answered.per_second", "answered.cpu",
                               "answered.seats", "answered.ratio", "answered.count"}),
                 {{"value", arg::Number(value)}});
}

const StageTime* StageOf(const Diagnosis& d, const std::string& id) {
  const auto at = std::ranges::find(d.stages, id, &StageTime::id);
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

std::vector<AgainstFinding> ListOf(const Diagnosis& d) {
  std::vector<AgainstFinding> all;
  const auto add = [&](const auto& one, const std::optional<Measured>& share) {
    AgainstFinding& row = all.emplace_back();
    row.id = one.id;
    row.title = one.title;
    row.confidence_now = one.confidence;
    if (share) row.share_now = share->value;
    return &row;
  };
  for (const Finding& one : d.findings) {
    add(one, one.share);
    for (const CauseBehind& cause : one.behind) {
      AgainstFinding* row = add(cause, cause.share);
      row->object = cause.object;
      row->behind = true;
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

void WriteNextSteps(const QuerySet& queries, const Investigation& gathered, Diagnosis* diagnosis) {
  if (!gathered.evidence) return;
  Fill(queries, gathered, diagnosis);
  AddActions(gathered, diagnosis);
}

void AnswerNextSteps(Source& source, const QuerySet& queries, const Investigation& gathered,
                     Diagnosis* diagnosis) {
  if (!gathered.evidence) return;
  std::vector<Step> steps = Fill(queries, gathered, diagnosis);
  if (!gathered.request.control_plane) {
    std::erase_if(steps, [](const Step& s) { return s.question->of != AskedOf::kSchedulers; });
  }
  std::vector<std::string> texts;
  for (const Step& step : steps) {
    for (const std::string& wording : step.wordings) {
      if (std::ranges::find(texts, wording) == texts.end()) texts.push_back(wording);
    }
  }
  const TimeMs at = diagnosis->window.end;
  const std::map<std::string, Reply> replies = Asking(source, at).Ask(texts);
  for (const Step& step : steps) Settle(step, replies);
  AddActions(gathered, diagnosis);
  for (const Step& step : steps) {
    for (const std::string& wording : step.wordings) {
      const Reply& reply = replies.at(wording);
      if (!reply.answer) continue;
      NoteQuery({std::string(step.question->name), wording, at, reply.answer->series.size()},
                &diagnosis->queries);
    }
  }
}

StepAnswer ToStepAnswer(const Answer& answer, StepUnit unit) {
  if (answer.series.empty()) return {{}, Message("answered.empty")};
  std::vector<std::pair<double, Labels>> values;
  for (const Series& series : answer.series) {
    if (series.samples.empty() || std::isnan(series.samples.back().v)) continue;
    values.emplace_back(series.samples.back().v, series.labels);
  }
  if (values.empty()) return {{}, Message("answered.none_counted")};
  std::ranges::sort(values, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::vector<Message> shown;
  for (std::size_t i = 0; i < std::min(values.size(), kMostShown); ++i) {
    const auto& [value, labels] = values[i];
    Message what = InUnit(value, unit);
    std::string named;
    for (const auto& [name, label] : labels) {
      named += fmt::format("{}{} {}", named.empty() ? "" : ", ", name, label);
    }
    if (!named.empty()) {
      what = Message("answered.of", {{"labels", named}, {"what", std::move(what)}});
    }
    shown.push_back(std::move(what));
  }
  if (values.size() > kMostShown) {
    shown.push_back(Message("answered.more", {{"count", arg::Count(values.size() - kMostShown)}}));
  }
  StepAnswer out{{}, Message("answered.values", {{"values", std::move(shown)}})};
  if (std::isfinite(values.front().first)) out.value = values.front().first;
  return out;
}

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
