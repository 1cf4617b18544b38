#include "lint/lint.h"

#include "base/work_budget.h"
#include "diagnose/collect/missing.h"
#include "diagnose/explain/glossary.h"
#include "lint/checks.h"
#include "promql/parser.h"

namespace schedlens {
namespace lint {
namespace {

constexpr int kScrapesInAWindow = 4;
constexpr std::int64_t kUsualWindowMs = 5 * 60 * 1000;

/// What is known of all the rules together.
struct RuleSet {
  RecordedRules recorded;
  std::set<std::string> names;  ///< that rules record, whether they parse or not
  bool several_clusters = false;
  /// Some rule asks for a metric of kube-scheduler. Where none does, `scheduler_...` is of another
  /// program altogether.
  bool of_scheduler = false;
};

/// Judges one rule. Each check notes what it found and changes the tree it was given.
class RuleLinter {
 public:
  RuleLinter(const LintRule& rule, std::size_t index, const LintOptions& options,
             const RuleSet& all)
      : rule_(rule),
        index_(index),
        options_(options),
        all_(all),
        window_ms_(rule.panel ? kRateIntervalMs : kUsualWindowMs) {}

  /// The fixed tree of an expression.
  ExprPtr Run(const ExprPtr& tree, std::vector<LintFinding>* findings) {
    findings_ = findings;
    use_ = UseOfMetrics(*tree, options_, !rule_.alerting);
    names_ = NamesAsWritten(*tree);
    ExprPtr fixed = FixBareHistograms(tree, use_, options_, !rule_.alerting, note_);
    names_.AddSeries();
    fixed = Rewrite(fixed, [&, whole = fixed](Expr& node) { Visit(node, *whole); });
    fixed =
        FixRawCounters(fixed, window_ms_, rule_.alerting || rule_.panel ? "" : rule_.name, note_);
    if (rule_.alerting) fixed = FixOnStandby(fixed, note_);
    if (all_.several_clusters && !rule_.panel) fixed = FixClusters(fixed, note_);
    JudgeJobs(rule_, *fixed, note_);
    JudgeFor(rule_, note_);
    const ExprPtr moved = FixThreshold(fixed, all_.recorded, options_.release, note_);
    return options_.move_thresholds ? moved : fixed;
  }

 private:
  void Visit(Expr& node, const Expr& whole) {
    if (auto* selector = std::get_if<Selector>(&node.node)) VisitSelector(*selector);
    FixAveragedQuantiles(node, all_.recorded, note_);
    FixSumBeforeRate(node, all_.recorded, note_);
    FixRangeFunction(node, whole, rule_.name, note_);
    FixMeans(node, note_);
    JudgeMean(node, note_);
    FixCountOfNothing(node, note_);
    FixSelfRatio(node, note_);
    JudgePerPlugin(node, note_);
    if (auto* call = std::get_if<Call>(&node.node)) {
      if (call->function->name == "histogram_quantile" && call->args.size() == 2) {
        FixQuantileCall(*call, options_, window_ms_, note_);
      }
      if (call->function->Is({"rate", "irate"}) && rule_.panel) FixInterval(*call);
    }
    if (auto* aggregation = std::get_if<Aggregation>(&node.node)) {
      FixGrouping(*aggregation, options_, note_);
    }
  }

  void VisitSelector(Selector& selector) {
    const std::string before = selector.name;
    if (all_.names.count(before) == 0) FixPresence(selector, use_, options_, note_);
    if (selector.name != before) names_.Renamed(before, selector.name);
    FixMatchers(selector, options_, note_);
    const std::int64_t least = kScrapesInAWindow * options_.scrape_ms;
    if (selector.range_ms <= 0 || selector.range_ms >= least) return;
    if (rule_.panel && IsVariableRange(selector.range_ms)) return;
    const std::int64_t better = std::max(least, window_ms_);
    note_("short-window",
          Message("lint.window", {{"metric", arg::Metric(selector.name)},
                                  {"range", arg::Duration(MsToSeconds(selector.range_ms))},
                                  {"scrapes", arg::Count(kScrapesInAWindow)},
                                  {"interval", arg::Duration(MsToSeconds(options_.scrape_ms))}}),
          WriteInstead(fmt::format("[{}]", FormatDuration(better))));
    selector.range_ms = better;
  }

  /// A pixel of a short time range holds fewer than two scrapes.
  void FixInterval(Call& call) {
    const Expr& argument = WithoutParens(*call.args[0]);
    const auto* selector = argument.As<Selector>();
    if (selector == nullptr || !IsPlainInterval(selector->range_ms)) return;
    note_("interval-in-rate",
          Message("lint.interval", {{"function", std::string(call.function->name)}}),
          WriteInstead(fmt::format("[{}]", FormatDuration(kRateIntervalMs))));
    Expr fixed = argument;
    std::get<Selector>(fixed.node).range_ms = kRateIntervalMs;
    call.args[0] = std::make_shared<const Expr>(std::move(fixed));
  }

  const LintRule& rule_;
  std::size_t index_;
  const LintOptions& options_;
  const RuleSet& all_;
  std::int64_t window_ms_;
  MetricUse use_;
  NamesAsWritten names_;
  std::vector<LintFinding>* findings_ = nullptr;
  LintNote note_ = [this](const std::string& id, const Message& message, const Message& fix) {
    if (id == "foreign-metric" && !all_.of_scheduler) return;
    const auto check = std::ranges::find(LintChecks(), id, &LintCheck::id);
    const bool known = check != LintChecks().end();
    const LintSeverity severity = known ? check->severity : LintSeverity::kWarning;
    findings_->push_back({id, severity, index_, names_.In(message), fix, std::nullopt});
  };
};

/// The expression with something in place of a panel's variables, and its tree; null where it does
/// not parse, then `error` says why.
struct Read {
  PlacedVariables placed;
  ExprPtr tree;
  std::string error;
};

Read ReadExpression(const LintRule& rule) {
  Read read;
  read.placed.expr = rule.expr;
  for (const bool as_numbers : {false, true}) {
    if (rule.panel) read.placed = PlaceVariables(rule.expr, as_numbers);
    try {
      read.tree = promql::ParsePrometheus(read.placed.expr);
      return read;
    } catch (const Error& error) {
      if (read.error.empty()) read.error = error.what();
    }
    if (!rule.panel) break;
  }
  return read;
}

std::string LintOne(const LintRule& rule, std::size_t index, const LintOptions& options,
                    const RuleSet& all, std::vector<LintFinding>* findings) {
  CheckBudget();
  const Read read = ReadExpression(rule);
  if (read.tree == nullptr) {
    // No finding: what only its variables make whole, and the language of another data source.
    const bool fault = rule.panel ? read.placed.replaced.empty() &&
                                        rule.expr.find(kube::kOwnPrefix) != std::string::npos
                                  : !options.metricsql;
    if (!rule.panel && IsLogQl(rule.expr)) {
      findings->push_back({"logql", LintSeverity::kNote, index, Message("lint.logql"), {}, {}});
    } else if (fault) {
      findings->push_back({"syntax", LintSeverity::kError, index, Verbatim(read.error), {}, {}});
    }
    return rule.expr;
  }
  const std::size_t first = findings->size();
  std::string text = read.placed.expr;
  // One fix can uncover another (a sum put in needs its grouping); none takes part in a circle.
  constexpr int kMostRounds = 6;
  for (int round = 0; round < kMostRounds; ++round) {
    std::vector<LintFinding> ignored;
    const ExprPtr before = round == 0 ? read.tree : promql::ParsePrometheus(text);
    const ExprPtr after =
        RuleLinter(rule, index, options, all).Run(before, round == 0 ? findings : &ignored);
    const std::string next = promql::Edited(text, *before, *after);
    if (next == text) break;
    text = next;
  }
  if (!rule.panel) return text;
  for (std::size_t i = first; i < findings->size(); ++i) {
    LintFinding& finding = (*findings)[i];
    finding.message = WithVariables(finding.message, read.placed);
    finding.fix = WithVariables(finding.fix, read.placed);
  }
  return WithVariables(text, read.placed);
}

RuleSet RulesTogether(const std::vector<LintRule>& rules, const LintOptions& options) {
  RuleSet all;
  all.recorded = FindRecordedRules(rules);
  all.names = options.recorded;
  std::vector<ExprPtr> trees;
  for (const LintRule& rule : rules) {
    if (!rule.alerting && !rule.panel) all.names.insert(rule.name);
    const ExprPtr tree = ReadExpression(rule).tree;
    if (tree == nullptr) continue;
    // An expression by itself is asked about because it is the scheduler's.
    all.of_scheduler = all.of_scheduler || rule.name.empty() || NamesSchedulersMetric(*tree);
    if (!rule.panel) trees.push_back(tree);
  }
  all.several_clusters = options.several_clusters || AreOfSeveralClusters(trees);
  return all;
}

}  // namespace
}  // namespace lint

LintReport Lint(const std::vector<LintRule>& rules, const LintOptions& options) {
  LintReport report;
  const lint::RuleSet all = lint::RulesTogether(rules, options);
  for (std::size_t i = 0; i < rules.size(); ++i) {
    report.fixed.push_back(lint::LintOne(rules[i], i, options, all, &report.findings));
  }
  return report;
}

namespace {

constexpr TimeMs kLookBack = 30 * 60 * 1000;

/// The families that not every release shows, as far as the source has them, and the histograms
/// that it keeps under their bare names now: those are asked as they stand, since not every
/// function over time takes native histograms.
void LookAtFamilies(Source& source, const std::string& selector, const TimeRange& range,
                    ClusterSeen* seen) {
  std::string names, histograms;
  const auto add = [](std::string* list, std::string_view name, const char* suffix) {
    *list += fmt::format("{}{}{}", list->empty() ? "" : "|", name, suffix);
  };
  for (const kube::MetricRow& row : kube::MetricTable()) {
    const bool histogram = row.kind == kube::MetricKind::kHistogram;
    if (!AlwaysShown(row)) add(&names, row.name, histogram ? "_bucket" : "");
    if (histogram) add(&histograms, row.name, "");
  }
  const std::string window = FormatDuration(range.end - range.start);
  const auto ask = [&](const std::string& statement, const auto& take) {
    const std::string promql = Substitute(statement, selector, window);
    for (const Series& series : source.Ask({promql, range.end, range.end, 0}).series) {
      const std::string name(series.labels.Get(kMetricName));
      if (const kube::MetricRow* row = kube::FindMetric(name)) take(*row, name);
    }
  };
  ask("count by (__name__) (last_over_time({__name__=~\"" + names + "\", $selector}[$window]))",
      [&](const kube::MetricRow& row, const std::string&) { seen->exposed.emplace(row.name); });
  ask("count by (__name__) ({__name__=~\"" + histograms + "\", $selector})",
      [&](const kube::MetricRow& row, const std::string& name) {
        if (row.name != name) return;
        seen->exposed.emplace(name);
        seen->native.insert(name);
      });
  std::string buckets;
  for (const std::string& name : seen->native) add(&buckets, name, "_bucket");
  if (buckets.empty()) return;
  seen->native_only = seen->native;
  ask("count by (__name__) (last_over_time({__name__=~\"" + buckets + "\", $selector}[$window]))",
      [&](const kube::MetricRow& row, const std::string&) {
        seen->native_only.erase(std::string(row.name));
      });
  // What answered for the buckets may have been no bucket.
  seen->native_only.merge(source.Describe().native_only);
}

}  // namespace

ClusterSeen LookAtCluster(Source& source, const QuerySet& queries, const std::string& selector,
                          std::optional<TimeMs> at, TimeMs now) {
  const auto extent = source.Describe().extent;
  const TimeMs end = at.value_or(now);
  const TimeRange range =
      extent && !at ? TimeRange{extent->start - 1, extent->end} : TimeRange{end - kLookBack, end};
  const Facts facts = Collect(source, queries, selector, range);
  ClusterSeen seen;
  LookAtFamilies(source, facts.targets.empty() ? selector : facts.selector, range, &seen);
  if (facts.targets.empty() && seen.native.empty()) {
    throw Error(ErrorKind::kInsufficientData,
                "no kube-scheduler metrics in this source to read release and scrape interval from "
                "(schedlens doctor looks closer)");
  }
  const ReleaseRange release = DetectRelease(facts);
  if (release.known()) {
    // Of several that fit the newest: what it hides and the cluster shows all the same is exposed.
    seen.release = release.newest == kube::kNoEnd ? release.oldest : release.newest;
    seen.release_text = ToString(release);
  }
  const auto most = std::ranges::max_element(
      facts.targets, {}, [](const Target& target) { return target.scrapes.size(); });
  if (most != facts.targets.end() && most->scrapes.size() > 1) {
    seen.scrape_ms = ScrapeInterval(most->scrapes);
  }
  std::set<std::string> clusters;
  for (const Target& target : facts.targets) clusters.emplace(target.id.Get("cluster"));
  seen.several_clusters = clusters.size() > 1;
  return seen;
}

}  // namespace schedlens
