#include "diagnose/pipeline/verdict.h"

#include "contract/commands.h"
#include "diagnose/collect/missing.h"
#include "promql/matcher.h"

namespace schedlens {
namespace {

/// The leading cause, or what is behind it and leads it.
Finding DeepestOf(const Finding& cause) {
  Finding deepest = cause;
  if (const CauseBehind* behind = LeadingBehind(cause)) {
    deepest.id = behind->id;
    deepest.title = behind->title;
    deepest.confidence = behind->confidence;
    deepest.share = behind->share;
  }
  return deepest;
}

/// How large the cause is, by the number that all reports give it: of what grew, or of all time.
void AddShare(const Finding& cause, Message* text) {
  if (!cause.share || !cause.share->value || !(*cause.share->value > 0.005)) return;
  text->id = IsOfTheGrowth(*cause.share) ? "headline.growth" : "headline.share";
  text->args.push_back({"share", arg::Share(*cause.share->value)});
}

/// Whether a cause beside the leading one is worth a word.
bool IsWorthNaming(const Finding* cause) {
  constexpr double kLeast = 0.05;
  return !cause->share || cause->share->value.value_or(kLeast) >= kLeast;
}

/// The leading cause; where it is not proven also the next one, and what would tell the two apart.
Message IncidentSentence(std::vector<const Finding*> causes) {
  causes.erase(std::remove_if(causes.begin() + 1, causes.end(), std::not_fn(IsWorthNaming)),
               causes.end());
  const Finding first = DeepestOf(*causes.front());
  const Message sure(
      WordOf(first.confidence, {"headline.certain", "headline.likely", "headline.possible"}));
  Message text("headline.title", {{"confidence", sure}, {"title", first.title}});
  AddShare(first, &text);
  const bool unsure = first.confidence != Confidence::kCertain && causes.size() > 1;
  const auto more = std::count_if(causes.begin() + 1, causes.end(), [](const Finding* one) {
    return one->confidence != Confidence::kPossible;
  });
  if (more > (unsure ? 1 : 0)) {
    text.id += ".more";
    text.args.push_back({"more", arg::Count(static_cast<std::size_t>(more))});
  }
  if (!unsure) return text;
  return Message("headline.runner_up", {{"headline", std::move(text)},
                                        {"other", causes[1]->title},
                                        {"settled", SettledBy(first.id)}});
}

/// No incident, and why what there is is none.
Message QuietSentence(const Diagnosis& d, const std::vector<const Finding*>& causes) {
  const Argument attempts{"attempts", arg::Count(d.attempts)};
  if (!causes.empty() && d.baseline) {
    return Message("headline.changed", {attempts, {"title", causes.front()->title}});
  }
  for (const Episode& episode : d.also_seen) {
    if (episode.reasons.empty()) continue;
    return Message(
        "headline.brief",
        {attempts, {"start", arg::Time(episode.window.start)}, {"why", episode.reasons.front()}});
  }
  if (d.attempts_needed) {
    return Message("headline.few", {attempts, {"needed", arg::Count(*d.attempts_needed)}});
  }
  return Message("headline.healthy", {attempts});
}

/// Schedulers to name of those that were seen.
constexpr std::size_t kMostNamed = 4;

/// The labels of all schedulers that the source has in the range, of these names.
std::vector<Labels> SeenSchedulers(Source& source, const std::set<std::string>& names,
                                   const TimeRange& range) {
  const std::string metrics = fmt::format("{}{}", kube::kOwnPrefix, kube::kOwnCounts);
  const Query query{fmt::format("count by ({}) (last_over_time({{__name__=~\"{}\"}}[{}]))",
                                fmt::join(names, ", "), metrics,
                                FormatDuration(std::max<TimeMs>(range.end - range.start, 1))),
                    range.end, range.end, 0};
  std::vector<Labels> seen;
  for (const Series& series : source.Ask(query).series) seen.push_back(series.labels);
  return seen;
}

Message NothingMatches(const std::string& selector, const std::vector<Labels>& seen) {
  std::vector<std::string> names;
  for (const Labels& labels : seen) names.push_back(labels.ToString());
  return Message("headline.population", {{"selector", arg::Promql("{" + selector + "}")},
                                         {"seen", FirstNames(names, kMostNamed)},
                                         {"count", arg::Count(seen.size())}});
}

/// What the alert showed in an episode.
void ShowAlert(const Timeline& line, const std::optional<AlertVerdict>& alert, Episode* episode) {
  const TimeRange& window = episode->window;
  for (std::size_t i = 0; i < std::min(line.times.size(), line.shown.size()); ++i) {
    const double shown = line.shown[i];
    const bool inside = line.times[i] > window.start && line.times[i] <= window.end;
    if (!inside || !std::isfinite(shown)) continue;
    episode->shown = std::max(episode->shown.value_or(shown), shown);
    if (!alert || !alert->threshold || episode->alert_fires == FiresState::kYes) continue;
    const bool fires = Compares(shown, alert->comparison, *alert->threshold);
    episode->alert_fires = fires ? FiresState::kYes : FiresState::kNo;
  }
}

}  // namespace

Verdict JudgeVerdict(const WindowEvidence& c, const AlertVerdict& alert) {
  if (c.now.breakdown.e2e.count < 1 && !c.hurts) return Verdict::kInsufficientData;
  const bool above = alert.threshold && alert.shown && *alert.shown > *alert.threshold;
  const bool fires = above && !alert.IsHeldBack();
  if (alert.decided == Decided::kAbove && !alert.IsHeldBack()) return Verdict::kIncident;
  if (alert.decided == Decided::kBelow) {
    if (fires) return Verdict::kArtifact;
    // What is not of attempts, and below its threshold, says nothing of them.
    const bool other = !alert.metric.empty() && !alert.metric.starts_with(kube::kOwnPrefix);
    if (!other || !c.hurts) return Verdict::kNoIncident;
  }
  if (c.hurts) return Verdict::kIncident;
  // Attempts too few to judge by, all of them slow, are no proof that all is well.
  constexpr double kFew = 20;
  const bool blind = !HasBuckets(c.now.cells.attempt);
  const bool few = !c.baseline && c.now.breakdown.e2e.count < kFew && PlainlySlow(c.now);
  const bool unsure = !c.contradictions.empty() || fires || blind || few;
  return unsure ? Verdict::kUndecidable : Verdict::kNoIncident;
}

int SeverityRank(Verdict verdict) {
  constexpr Verdict kWorstFirst[] = {Verdict::kIncident, Verdict::kUndecidable, Verdict::kArtifact,
                                     Verdict::kInsufficientData, Verdict::kNoIncident};
  return static_cast<int>(std::ranges::find(kWorstFirst, verdict) - std::begin(kWorstFirst));
}

Severity SeverityOf(const Diagnosis& d) {
  const bool fires = d.alert && d.alert->fires.state == FiresState::kYes;
  const int confidence = d.findings.empty() ? 3 : static_cast<int>(d.findings.front().confidence);
  double shown = d.alert && d.alert->shown ? *d.alert->shown : 0;
  if (d.alert && d.alert->interval.high) shown = std::min(shown, *d.alert->interval.high);
  return {d.verdict == Verdict::kInsufficientData, !fires, SeverityRank(d.verdict), confidence,
          -shown};
}

Message Headline(const Diagnosis& d) {
  std::vector<const Finding*> causes;
  for (const Finding& finding : d.findings) {
    if (IsCause(finding)) causes.push_back(&finding);
  }
  switch (d.verdict) {
    case Verdict::kIncident:
      if (!causes.empty()) return IncidentSentence(causes);
      for (const Episode& episode : d.episodes) {
        if (episode.reported && !episode.reasons.empty()) return episode.reasons.front();
      }
      return Message(d.alert && d.alert->decided == Decided::kAbove ? "headline.unexplained"
                                                                    : "headline.slow");
    case Verdict::kNoIncident:
      return QuietSentence(d, causes);
    case Verdict::kArtifact:
      return Message("headline.artifact");
    case Verdict::kUndecidable:
      return Message("headline.undecidable");
    case Verdict::kInsufficientData:
      return Message("headline.insufficient");
  }
  return {};
}

void FinishEpisodes(Diagnosis* d) {
  std::erase_if(d->episodes, [&](const Episode& one) {
    return one.reported && one.reasons.empty() && d->verdict != Verdict::kIncident;
  });
  for (Episode& episode : d->episodes) {
    if (episode.reported) {
      episode.verdict = d->verdict;
      episode.headline = d->headline;
      episode.holders = d->holders;
      episode.chain = d->chain;
      std::ranges::copy_if(d->findings, std::back_inserter(episode.findings), IsCause);
    } else if (episode.headline.empty()) {
      episode.headline =
          episode.reasons.empty() ? Message("headline.slow") : episode.reasons.front();
    }
    for (Finding& finding : episode.findings) {
      finding.evidence.clear();
      finding.next_steps.clear();
      finding.behind.clear();
    }
    if (!episode.findings.empty()) episode.certainty = episode.findings.front().confidence;
    ShowAlert(d->timeline, d->alert, &episode);
  }
  for (Episode& one : d->also_seen) {
    if (!one.reasons.empty()) one.headline = Message("headline.short", {{"why", one.reasons[0]}});
    ShowAlert(d->timeline, d->alert, &one);
  }
}

Population CollectPopulation(Source& source, const QuerySet& queries,
                             const DiagnoseRequest& request, const TimeRange& range) {
  Population out;
  std::vector<promql::Matcher> wanted, firing;
  if (!request.alert_expr.empty()) {
    const auto alert = promql::ParseAlertExpression(request.alert_expr);
    wanted = TargetMatchers(alert);
    firing = FiringMatchers(alert, request.firing);
  }
  const auto all = [&] { return JoinedSelector(JoinedSelector(request.selector, wanted), firing); };
  out.facts = Collect(source, queries, all(), range);
  if (!out.facts.targets.empty() || all().empty()) return out;

  std::set<std::string> names = {"cluster", "job", "instance", "pod"};
  for (const auto* matchers : {&wanted, &firing}) {
    for (const promql::Matcher& one : *matchers) names.insert(one.name);
  }
  const std::vector<Labels> seen = SeenSchedulers(source, names, range);
  if (seen.empty()) return out;
  const auto leave_out = [&](std::vector<promql::Matcher>* matchers) {
    return std::erase_if(*matchers, [&](const promql::Matcher& one) {
      const bool known =
          std::ranges::any_of(seen, [&](const Labels& labels) { return labels.Has(one.name); });
      if (!known) {
        out.warnings.push_back(
            Message("alert.label_unknown", {{"label", arg::Promql(MatchersText({one}))}}));
      }
      return !known;
    });
  };
  std::size_t left_out = leave_out(&firing);
  if (source.Describe().kind == "scrape-pair") left_out += leave_out(&wanted);
  if (left_out > 0) out.facts = Collect(source, queries, all(), range);
  if (out.facts.targets.empty()) out.nothing = NothingMatches(all(), seen);
  return out;
}

Message WhyNoScheduler(Source& source, const Facts& facts) {
  std::vector<promql::Matcher> matchers =
      promql::ParseMatchers(facts.selector).value_or(std::vector<promql::Matcher>());
  matchers.insert(matchers.begin(), {promql::MatchOp::kRegex, std::string(kMetricName),
                                     fmt::format("{}{}", kube::kOwnPrefix, kube::kOwnCounts)});
  return WhyEmpty(source, matchers, facts.fetched, "kube-scheduler");
}

}  // namespace schedlens
