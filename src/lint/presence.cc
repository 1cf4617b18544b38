// Metrics, labels and label values that kube-scheduler does not have, and bare histograms.

#include "lint/checks.h"
#include "promql/matcher.h"

namespace schedlens::lint {
namespace {

std::vector<Message> Lifetime(const MetricRow& row) {
  std::vector<Message> times;
  const auto add = [&](const char* id, int minor) {
    times.push_back(Message(id, {{"release", ReleaseName(minor)}}));
  };
  if (row.first > kube::kOldestRelease) add("lint.metric.since", row.first);
  if (row.hidden < kube::kNoEnd) add("lint.metric.hidden", row.hidden);
  if (row.last < kube::kNoEnd) add("lint.metric.removed", row.last + 1);
  return times;
}

/// A name or a value that was likely meant.
Message DidYouMean(std::string_view words) {
  return Message("lint.did_you_mean", {{"words", words}});
}

/// Whether the cluster that the rules are for shows the metric; true where that is not known.
bool IsThere(const MetricRow& row, const LintOptions& options) {
  return !options.release || options.exposed.count(std::string(row.name)) > 0 ||
         PresenceIn(row, *options.release) == Presence::kVisible;
}

/// Whether the release that is given numbers the metric's own, and its name is nobody else's.
bool IsJudged(const MetricRow& row) {
  return row.component == kube::Component::kScheduler ||
         (row.component == kube::Component::kApiServer && TellsItsComponent(row.name));
}

/// Whether a name that no release has is worth a word: it begins as the scheduler's do, is none
/// that recording rules use, and no matcher says that it is another program's. OpenMetrics has
/// `x_created` beside a counter or histogram x.
bool IsForeign(const Selector& selector) {
  constexpr std::string_view kCreated = "_created";
  const std::string& name = selector.name;
  if (!name.starts_with(kube::kOwnPrefix) || name.find(':') != std::string::npos) return false;
  if (name.ends_with(kCreated)) {
    const std::string of = name.substr(0, name.size() - kCreated.size());
    if (kube::FindMetric(of) != nullptr || kube::FindMetric(of + "_total") != nullptr) return false;
  }
  const Matcher* job = Chosen(selector, "job");
  return job == nullptr || HoldsVariableText(job->value) || kube::MayBeSchedulersJob(job->value);
}

/// A series that no release of the table has; of a metric that is `known` or not.
void FixUnknown(Selector& selector, bool known, const LintOptions& options, const LintNote& note) {
  if (const auto successor = kube::SuccessorOfOld(selector.name)) {
    const MetricRow& row = RowOf(*successor);
    const bool usable = options.release ? PresenceIn(row, *options.release) == Presence::kVisible
                                        : LastShown(row) == kube::kNoEnd;
    note("metric-removed", About("lint.metric.old", selector.name),
         usable ? About("lint.metric.fix", row.name) : Message());
    return;
  }
  std::string near = kube::NearestName(selector.name);
  if (near.empty() && selector.name == kube::BucketOf(kube::Metric::kSchedulingSummary)) {
    // Only ever a summary's: the buckets of the attempts are meant.
    const MetricRow& row = RowOf(kube::Metric::kAttempt);
    const bool there = !options.release || PresenceIn(row, *options.release) != Presence::kNotYet;
    near = kube::BucketOf(there ? kube::Metric::kAttempt : kube::Metric::kE2e);
  }
  const Message unknown = About("lint.metric.unknown", selector.name);
  constexpr std::string_view kTotal = "_total";  // which no histogram has
  const std::string histogram =
      selector.name.substr(0, selector.name.size() - std::min(selector.name.size(), kTotal.size()));
  if (selector.name.ends_with(kTotal) && IsBareHistogram(histogram)) {
    note("unknown-metric", unknown, About("lint.bare.fix", histogram));
    return;
  }
  if (near.empty() && !known) {
    if (!IsForeign(selector) || HoldsVariable(selector.name)) return;
    note("foreign-metric", About("lint.metric.foreign", selector.name), Message());
    return;
  }
  note("unknown-metric", unknown, near.empty() ? Message() : DidYouMean(near));
  // The buckets of a counter may be meant otherwise.
  if (!near.empty() && !selector.name.starts_with(near)) RenameSelector(selector, near);
}

bool HasSuccessor(const MetricRow& row, int release) {
  const MetricRow* successor = SuccessorOf(row);
  return successor != nullptr && PresenceIn(row, release) != Presence::kNotYet &&
         PresenceIn(*successor, release) == Presence::kVisible;
}

/// Whether another name is all it takes: only a histogram for a histogram, and whatever label a
/// rule may ask for is there still (the successor of a stage's own metric has others).
bool IsReplaceable(const MetricRow& row, int release) {
  if (!HasSuccessor(row, release)) return false;
  const kube::MetricEra &before = EraIn(row, release), &now = EraIn(*SuccessorOf(row), release);
  return before.bounds == now.bounds && std::ranges::all_of(before.labels, [&](const auto& label) {
           return std::ranges::find(now.labels, label) != now.labels.end();
         });
}

void FixGone(Selector& selector, const MetricRow& row, const MetricUse& use, int release,
             const LintNote& note) {
  const bool absent = use.absent.count(selector.name) > 0;
  const Presence presence = PresenceIn(row, release);
  const std::string id = absent                           ? "absent-of-dead-metric"
                         : presence == Presence::kHidden  ? "metric-hidden"
                         : presence == Presence::kRemoved ? "metric-removed"
                                                          : "metric-too-new";
  const bool removed = presence == Presence::kHidden || presence == Presence::kRemoved;
  const MetricRow* successor = SuccessorOf(row);
  const bool usable = HasSuccessor(row, release);
  const char* said = absent                            ? "lint.metric.absent"
                     : successor == nullptr && removed ? "lint.metric.alone"
                                                       : "lint.metric";
  note(id,
       Message(said, {{"metric", arg::Metric(row.name)},
                      {"release", ReleaseName(release)},
                      {"lifetime", Lifetime(row)}}),
       usable ? About("lint.metric.fix", successor->name) : Message());
  // A bare name of which nobody knows the series that is meant finds nothing under the new name.
  if (use.beyond_fixing || use.unclear.count(selector.name) > 0) return;
  if (IsReplaceable(row, release)) {
    RenameSelector(selector, std::string(successor->name) + selector.name.substr(row.name.size()));
  }
}

/// Whether a side of an `or` answers where the other one cannot: all its metrics are there.
bool Answers(const Expr& side, const LintOptions& options) {
  bool any = false;
  for (const Selector* selector : NodesOf<Selector>(side)) {
    const MetricRow* row = FindAnyMetric(selector->name);
    if (row == nullptr) continue;
    any = true;
    if (!IsThere(*row, options)) return false;
  }
  return any;
}

/// What stands around a node.
struct Around {
  bool recorded = false;       ///< the whole is a recording rule or a panel
  bool read = false;           ///< a function that reads histograms
  bool le = false;             ///< a grouping by `le`
  bool ranged = false;         ///< rate() or increase()
  bool kept = true;            ///< nothing but ranges and sums, which leave a histogram one
  std::set<std::string> sums;  ///< the `_sum` series that the node divides
};

enum class MeantQuestion { kNative, kBuckets, kCount, kUnclear };

struct Bare {
  Selector selector;
  MeantQuestion meant = MeantQuestion::kUnclear;
};

MeantQuestion QuestionOf(const Selector& selector, const Around& around) {
  if (around.le) return MeantQuestion::kBuckets;
  if (around.read || (around.recorded && around.kept && around.ranged)) {
    return MeantQuestion::kNative;
  }
  return around.sums.count(selector.name + "_sum") > 0 ? MeantQuestion::kCount
                                                       : MeantQuestion::kUnclear;
}

/// The bare histograms of a tree, by their places in its text.
void FindBare(const Expr& node, Around around, std::map<std::size_t, Bare>* found) {
  if (const auto* selector = node.As<Selector>()) {
    if (!IsBareHistogram(selector->name)) return;
    found->emplace(node.begin, Bare{*selector, QuestionOf(*selector, around)});
  } else if (const auto* call = node.As<Call>()) {
    const bool range = call->function->Is({"rate", "increase", "irate"});
    // histogram_quantile takes classic ones too.
    around.read = around.read ||
                  call->function->Is({"histogram_quantile", "histogram_quantiles",
                                      "histogram_fraction", "histogram_avg", "histogram_count",
                                      "histogram_sum", "histogram_stddev", "histogram_stdvar"});
    around.ranged = around.ranged || range;
    around.kept = around.kept && range;
  } else if (const auto* aggregation = node.As<Aggregation>()) {
    const bool by = aggregation->grouping == Grouping::kBy;
    around.le = around.le || (by && Contains(aggregation->labels, kLe));
    around.kept = around.kept &&
                  (aggregation->op == AggregateOp::kSum || aggregation->op == AggregateOp::kAvg);
  } else if (const auto* binary = node.As<Binary>()) {
    around.kept = false;
    FindBare(*binary->lhs, around, found);
    if (binary->op == BinaryOp::kDiv) {
      around.sums.clear();
      for (const Selector* one : NodesOf<Selector>(*binary->lhs)) {
        if (one->name.ends_with("_sum")) around.sums.insert(one->name);
      }
    }
    return FindBare(*binary->rhs, around, found);
  }
  for (const Expr* child : Children(node)) FindBare(*child, around, found);
}

std::map<std::size_t, Bare> BareHistogramsIn(const Expr& tree, bool recorded) {
  std::map<std::size_t, Bare> found;
  FindBare(tree, {.recorded = recorded, .sums = {}}, &found);
  return found;
}

/// The series that is meant; empty where it may be any.
std::string SeriesMeant(const Bare& bare) {
  return bare.meant == MeantQuestion::kBuckets ? bare.selector.name + "_bucket"
         : bare.meant == MeantQuestion::kCount ? bare.selector.name + "_count"
                                               : "";
}

Message FixOf(const Bare& bare) {
  if (const std::string series = SeriesMeant(bare); !series.empty()) return WriteInstead(series);
  // `x{quantile="0.99"}`, as of a summary.
  const Matcher* matcher = Chosen(bare.selector, "quantile");
  if (matcher != nullptr && ParseNumber(matcher->value)) {
    return WriteInstead(fmt::format("histogram_quantile({}, sum by (le) (rate({}_bucket[5m])))",
                                    matcher->value, bare.selector.name));
  }
  return About("lint.bare.fix", bare.selector.name);
}

std::string Listed(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

/// Names the label that a release has in place of one of another release.
Message InPlaceOf(const std::vector<const MetricRow*>& rows, const std::string& label,
                  const LintOptions& options) {
  if (!options.release) return {};
  for (const MetricRow* row : rows) {
    const std::string other = kube::LabelInPlaceOf(*row, label, *options.release);
    if (!other.empty()) return Message("lint.label.instead", {{"other", other}});
  }
  return {};
}

bool Chooses(const Matcher& matcher) {
  return matcher.op == MatchOp::kEqual || matcher.op == MatchOp::kRegex;
}

/// The words of `a`, or of `a|b` and `(a|b)`; nothing for any other pattern.
std::optional<std::vector<std::string>> WordsOf(const Matcher& matcher) {
  if (matcher.op == MatchOp::kEqual || matcher.op == MatchOp::kNotEqual) {
    return std::vector<std::string>{matcher.value};
  }
  std::string_view pattern = matcher.value;
  if (pattern.size() > 1 && pattern.front() == '(' && pattern.back() == ')') {
    pattern = pattern.substr(1, pattern.size() - 2);
  }
  if (pattern.find_first_of("\\.+*?()[]{}^$") != std::string_view::npos) return std::nullopt;
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= pattern.size();) {
    const std::size_t end = std::min(pattern.find('|', begin), pattern.size());
    words.emplace_back(pattern.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

/// One judgement of the matchers of one selector.
struct MatcherJudge {
  const Selector& selector;
  const MetricRow& row;
  const LintOptions& options;
  const LintNote& note;
  std::vector<std::string> own = kube::LabelsIn(row, options.release);
  bool buckets = row.kind == MetricKind::kHistogram && selector.name.ends_with("_bucket");

  void Fix(Matcher& matcher) const {
    if (matcher.name == kMetricName || HoldsVariable(matcher.name) || matcher.value.empty() ||
        HoldsVariableText(matcher.value)) {
      return;
    }
    if (matcher.name == "job" || matcher.name == "container") return JudgeTarget(matcher);
    // Labels of the others are added by many a scrape.
    if (row.component != kube::Component::kScheduler) return;
    if (matcher.name == kLe && buckets) {
      FixBound(matcher);
    } else if (Contains(own, matcher.name)) {
      FixValue(matcher);
    } else {
      FixName(matcher);
    }
  }

  void JudgeTarget(const Matcher& matcher) const {
    const auto words = WordsOf(matcher);
    const auto is_other = [&](const std::string& word) {
      return NamesAnotherProgram(word, row.component);
    };
    // Whoever serves by the API server's library audits.
    if (!TellsItsComponent(row.name) || row.name.starts_with("apiserver_audit_") ||
        !Chooses(matcher) || !words || !std::ranges::all_of(*words, is_other)) {
      return;
    }
    note("other-target",
         Message("lint.other_target", {{"metric", arg::Metric(selector.name)},
                                       {"component", std::string(ToString(row.component))},
                                       {"label", matcher.name},
                                       {"value", matcher.value}}),
         Message());
  }

  void FixName(Matcher& matcher) const {
    const std::string meant = MeantWord(matcher.name, own);
    const bool part = matcher.name == kLe && row.kind == MetricKind::kHistogram;
    // A label that the metric lacks is empty: a matcher that an empty value fits says nothing.
    if ((meant.empty() && !part && !kube::IsOnlyAMetricsLabel(row, matcher.name)) ||
        promql::CompiledMatcher(matcher).Accepts(std::string_view())) {
      return;
    }
    std::vector<Argument> arguments = {
        {"metric", arg::Metric(selector.name)},
        {"label", matcher.name},
        {"labels", own.empty() ? Value(Message("lint.no_labels")) : Value(Listed(own))}};
    if (options.release) arguments.push_back({"release", ReleaseName(*options.release)});
    note("unknown-label",
         Message(options.release ? "lint.label.in" : "lint.label", std::move(arguments)),
         meant.empty() ? InPlaceOf({&row}, matcher.name, options) : DidYouMean(meant));
    if (!meant.empty()) matcher.name = meant;
  }

  void FixValue(Matcher& matcher) const {
    const std::vector<std::string> known = kube::ValuesIn(row, matcher.name, options.release);
    if (known.empty()) return;
    const auto words = WordsOf(matcher);
    if (!words) {
      promql::CompiledMatcher compiled(matcher);
      const auto accepted = [&](std::string_view value) { return compiled.Accepts(value); };
      if (Chooses(matcher) && std::ranges::none_of(known, accepted)) {
        NoteValue(matcher, matcher.value, known, "");
      }
      return;
    }
    std::vector<std::string> fixed = *words;
    for (std::string& word : fixed) {
      if (word.empty() || Contains(known, word)) continue;
      const std::string meant = MeantWord(word, known);
      NoteValue(matcher, word, known, meant);
      if (!meant.empty()) word = meant;
    }
    // Written anew only where a word changed: the rest stays to the letter.
    if (fixed != *words) matcher.value = fmt::format("{}", fmt::join(fixed, "|"));
  }

  void NoteValue(const Matcher& matcher, const std::string& value,
                 const std::vector<std::string>& known, const std::string& meant) const {
    const char* id = Chooses(matcher) ? "lint.value" : "lint.value.excluded";
    note("unknown-label-value",
         Message(id, {{"metric", arg::Metric(selector.name)},
                      {"label", matcher.name},
                      {"value", value},
                      {"values", Listed(known)}}),
         meant.empty() ? Message() : DidYouMean(meant));
  }

  void FixBound(Matcher& matcher) const {
    const auto words = WordsOf(matcher);
    const auto value = words && words->size() == 1 && Chooses(matcher) ? ParseNumber(words->front())
                                                                       : std::nullopt;
    const std::vector<double> bounds = BoundsIn(row, options.release);
    if (!value || bounds.empty() || std::isinf(*value) || std::isnan(*value)) return;
    const auto above = std::ranges::lower_bound(bounds, *value);
    if (above != bounds.end() && *above == *value) return;
    std::string near;
    if (above != bounds.begin()) near = FormatNumber(*(above - 1));
    const std::string upper = above == bounds.end() ? "+Inf" : FormatNumber(*above);
    note("unknown-label-value",
         Message("lint.bound", {{"metric", arg::Metric(selector.name)},
                                {"value", words->front()},
                                {"bounds", near.empty() ? upper : near + ", " + upper}}),
         WriteInstead(
             fmt::format("{}{}\"{}\"", kLe, matcher.op == MatchOp::kEqual ? "=" : "=~", upper)));
    if (options.move_thresholds) matcher.value = upper;
  }
};

/// `le="1"`, as Prometheus 2 and the scrape itself write it, with what Prometheus 3 makes of it.
/// Bounds that the metric does not have are another fault.
void FixWholeBounds(Selector& selector, const std::vector<double>& bounds, const LintNote& note) {
  for (Matcher& matcher : selector.matchers) {
    const auto words = matcher.name == kLe && Chooses(matcher) ? WordsOf(matcher) : std::nullopt;
    std::vector<std::string> fixed = words.value_or(std::vector<std::string>());
    for (std::string& word : fixed) {
      const auto value = ParseNumber(word);
      const bool there = bounds.empty() || (value && std::ranges::binary_search(bounds, *value));
      if (there && !word.empty() && std::ranges::all_of(word, IsDigit)) word += "(\\.0)?";
    }
    if (!words || fixed == *words) continue;
    const std::string written = ToString(matcher);
    matcher.op = MatchOp::kRegex;
    matcher.value = fmt::format("{}", fmt::join(fixed, "|"));
    note("le-without-point", Message("lint.whole_bound", {{"matcher", written}}),
         WriteInstead(ToString(matcher)));
  }
}

struct MetricsBelow {
  std::vector<const MetricRow*> rows;
  std::vector<std::string> labels;  ///< of all of them
};

/// The metrics below; nothing where a metric of others is among them, or a function that makes
/// labels.
std::optional<MetricsBelow> FindBelow(const Expr& expr, const LintOptions& options) {
  MetricsBelow below;
  bool foreign = false;
  Walk(expr, [&](const Expr& node) {
    if (const auto* call = node.As<Call>()) {
      foreign = foreign || call->function->Is({"label_replace", "label_join"});
    }
    if (const auto* aggregation = node.As<Aggregation>()) {
      foreign = foreign || aggregation->op == AggregateOp::kCountValues;
    }
    const auto* selector = node.As<Selector>();
    if (selector == nullptr) return;
    const MetricRow* row = kube::FindMetric(selector->name);
    if (row == nullptr || !IsThere(*row, options) || IsOfAnotherProgram(*selector)) {
      foreign = true;
      return;
    }
    below.rows.push_back(row);
    for (std::string& label : kube::LabelsIn(*row, options.release)) {
      below.labels.push_back(std::move(label));
    }
    if (selector->name.ends_with("_bucket")) below.labels.emplace_back(kLe);
  });
  if (foreign || below.rows.empty()) return std::nullopt;
  return below;
}

}  // namespace

bool NamesSchedulersMetric(const Expr& tree) {
  return FindNode<Selector>(tree, [](const Selector& selector) {
    const bool own =
        selector.name.starts_with(kube::kOwnPrefix) &&
        (kube::FindMetric(selector.name) != nullptr || kube::SuccessorOfOld(selector.name) ||
         !kube::NearestName(selector.name).empty());
    return own || HasJobOf(selector, "kube-scheduler");
  });
}

MetricUse UseOfMetrics(const Expr& tree, const LintOptions& options, bool recorded) {
  MetricUse use;
  for (const auto& [place, bare] : BareHistogramsIn(tree, recorded)) {
    if (bare.meant == MeantQuestion::kUnclear) use.unclear.insert(bare.selector.name);
  }
  std::multiset<std::string> everywhere, in_absent;
  for (const Selector* selector : NodesOf<Selector>(tree)) everywhere.insert(selector->name);
  Walk(tree, [&](const Expr& node) {
    if (const auto* call = node.As<Call>();
        call != nullptr && call->function->Is({"absent", "absent_over_time"})) {
      for (const Selector* selector : NodesOf<Selector>(node)) in_absent.insert(selector->name);
    }
    const auto* binary = node.As<Binary>();
    if (binary == nullptr || binary->op != BinaryOp::kOr) return;
    for (const auto& [side, other] :
         {std::pair(&binary->lhs, &binary->rhs), std::pair(&binary->rhs, &binary->lhs)}) {
      if (!Answers(**other, options)) continue;
      for (const Selector* selector : NodesOf<Selector>(**side))
        use.with_another.insert(selector->name);
    }
  });
  for (const std::string& name : in_absent) {
    if (everywhere.count(name) == in_absent.count(name)) use.absent.insert(name);
  }
  for (const std::string& name : everywhere) {
    const MetricRow* row = FindAnyMetric(name);
    if (!options.release || row == nullptr || !IsJudged(*row)) continue;
    use.beyond_fixing =
        use.beyond_fixing || !(IsThere(*row, options) || use.with_another.count(name) > 0 ||
                               IsReplaceable(*row, *options.release));
  }
  return use;
}

void FixPresence(Selector& selector, const MetricUse& use, const LintOptions& options,
                 const LintNote& note) {
  if (IsOfAnotherProgram(selector)) return;
  const MetricRow* row = FindAnyMetric(selector.name);
  const bool old = kube::SuccessorOfOld(selector.name).has_value();
  if (row != nullptr && !IsJudged(*row) && !old) return;
  const bool own = row != nullptr && row->component == kube::Component::kScheduler;
  if (own && selector.name.ends_with("_bucket") && use.with_another.count(selector.name) == 0 &&
      options.native_only.count(std::string(row->name)) > 0) {
    return note("no-buckets", About("lint.no_buckets", row->name),
                About("lint.no_buckets.fix", row->name));
  }
  // The buckets of a counter: the metric is there, the series is not.
  const bool no_such = own && row->name != selector.name && row->kind != MetricKind::kHistogram &&
                       (row->kind != MetricKind::kSummary || selector.name.ends_with("_bucket"));
  if (row == nullptr || old || no_such) return FixUnknown(selector, row != nullptr, options, note);
  // What the cluster exposes is there, whatever its release does by default.
  if (options.exposed.count(std::string(row->name)) > 0) return;
  if (use.with_another.count(selector.name) > 0) return;
  if (!options.release) {
    // Names that live on today are no news; those that are gone somewhere are.
    if (LastShown(*row) == kube::kNoEnd) return;
    const Message successor = About("lint.metric.successor", row->successor);
    return note("metric-may-be-gone",
                Message("lint.metric.some",
                        {{"metric", arg::Metric(row->name)}, {"lifetime", Lifetime(*row)}}),
                row->successor.empty() ? Message() : successor);
  }
  if (PresenceIn(*row, *options.release) == Presence::kVisible) return;
  FixGone(selector, *row, use, *options.release, note);
}

ExprPtr FixBareHistograms(const ExprPtr& tree, const MetricUse& use, const LintOptions& options,
                          bool recorded, const LintNote& note) {
  // Only another series than a bare histogram answers where the bare name has nothing.
  const bool other = FindNode<Selector>(
      *tree, [](const Selector& selector) { return !IsBareHistogram(selector.name); });
  std::set<std::pair<std::string, MeantQuestion>> told;
  std::map<std::size_t, std::string> fixed;
  for (const auto& [place, bare] : BareHistogramsIn(*tree, recorded)) {
    const std::string& name = bare.selector.name;
    if (options.native.count(name) > 0 || (other && use.with_another.count(name) > 0)) continue;
    fixed[place] = SeriesMeant(bare);
    if (!told.emplace(name, bare.meant).second) continue;
    const Argument metric{"metric", arg::Metric(name)};
    if (bare.meant == MeantQuestion::kNative) {
      note("native-histogram", Message("lint.native", {metric}), Message());
    } else {
      note("bare-histogram", Message("lint.bare", {metric}), FixOf(bare));
    }
  }
  return Rewrite(tree, [&](Expr& node) {
    auto* selector = std::get_if<Selector>(&node.node);
    if (selector == nullptr || !IsBareHistogram(selector->name)) return;
    const auto place = fixed.find(node.begin);
    if (place != fixed.end() && !place->second.empty()) RenameSelector(*selector, place->second);
  });
}

void FixMatchers(Selector& selector, const LintOptions& options, const LintNote& note) {
  if (selector.name.ends_with("_bucket") && !options.metricsql) {
    FixWholeBounds(selector, KnownBounds(selector.name, options.release), note);
  }
  const MetricRow* row = FindAnyMetric(selector.name);
  const bool own = row != nullptr && row->component == kube::Component::kScheduler;
  if (row == nullptr || (own && !IsThere(*row, options)) || IsOfAnotherProgram(selector)) return;
  const MatcherJudge judge{selector, *row, options, note};
  for (Matcher& matcher : selector.matchers) judge.Fix(matcher);
}

void FixGrouping(Aggregation& aggregation, const LintOptions& options, const LintNote& note) {
  if (aggregation.grouping != Grouping::kBy) return;
  const auto below = FindBelow(*aggregation.expr, options);
  if (!below) return;
  const std::vector<std::string>& own = below->labels;
  for (std::string& label : aggregation.labels) {
    if (Contains(own, label) || HoldsVariable(label)) continue;
    const std::string meant = MeantWord(label, own);
    // A scrape may give the series of any of these metrics a label that is not their own.
    const bool theirs = std::ranges::all_of(
        below->rows, [&](const auto* row) { return kube::IsOnlyAMetricsLabel(*row, label); });
    if (meant.empty() && !theirs) continue;
    note("unknown-grouping",
         Message("lint.grouping",
                 {{"label", label},
                  {"labels", own.empty() ? Value(Message("lint.no_labels")) : Value(Listed(own))}}),
         meant.empty() ? InPlaceOf(below->rows, label, options) : DidYouMean(meant));
    if (!meant.empty() && !Contains(aggregation.labels, meant)) label = meant;
  }
}

}  // namespace schedlens::lint
