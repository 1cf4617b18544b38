#include "analysis/lint/lint.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/lint/averages.h"
#include "analysis/lint/threshold.h"
#include "kube/metrics.h"
#include "model/seconds.h"
#include "model/text.h"
#include "promql/edited.h"
#include "promql/parser.h"
#include "promql/rewrite.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

using kube::MetricRow;
using kube::Presence;
using promql::Aggregation;
using promql::Call;
using promql::Expr;
using promql::ExprPtr;
using promql::FunctionId;
using promql::Selector;

constexpr int kScrapesInAWindow = 4;
constexpr std::int64_t kUsualWindowMs = 5 * 60 * 1000;

bool EndsWithBucket(const std::string& name) {
  constexpr std::string_view kSuffix = "_bucket";
  return name.size() > kSuffix.size() &&
         name.compare(name.size() - kSuffix.size(), kSuffix.size(), kSuffix) == 0;
}

std::string Minor(int release) { return fmt::format("1.{}", release); }

bool Contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Judges one rule. Each check notes what it found and changes the tree it was given.
class RuleLinter {
 public:
  RuleLinter(const LintRule& rule, std::size_t index, const LintOptions& options,
             const RecordedQuantiles& recorded)
      : rule_(rule), index_(index), options_(options), recorded_(recorded) {}

  /// The mended expression; what is not mended in it stays to the letter.
  std::string Run(std::vector<LintFinding>* findings) {
    findings_ = findings;
    ExprPtr tree;
    try {
      tree = promql::Parse(rule_.expr);
    } catch (const Error& error) {
      Add("syntax", Verbatim(error.what()), {});
      return rule_.expr;
    }
    ExprPtr mended = Rewrite(tree, [this](Expr& node) { Visit(node); });
    const ExprPtr moved = MendThreshold(mended, options_.release, Note());
    if (options_.move_thresholds) mended = moved;
    return promql::Edited(rule_.expr, *tree, *mended);
  }

 private:
  void Add(const std::string& id, const Message& message, const Message& fix) {
    LintSeverity severity = LintSeverity::kWarning;
    for (const LintCheck& check : LintChecks()) {
      if (check.id == id) severity = check.severity;
    }
    findings_->push_back({id, severity, index_, message, fix});
  }

  LintNote Note() {
    return [this](const std::string& id, const Message& message, const Message& fix) {
      Add(id, message, fix);
    };
  }

  void Visit(Expr& node) {
    if (auto* selector = std::get_if<Selector>(&node.node)) VisitSelector(*selector);
    MendAveragedQuantiles(node, recorded_, Note());
    if (auto* call = std::get_if<Call>(&node.node)) {
      if (call->function->id == FunctionId::kHistogramQuantile && call->args.size() == 2) {
        VisitQuantile(*call);
      }
    }
  }

  void VisitSelector(Selector& selector) {
    JudgePresence(selector);
    const std::int64_t least = kScrapesInAWindow * options_.scrape_ms;
    if (selector.range_ms > 0 && selector.range_ms < least) {
      const std::int64_t better = std::max(least, kUsualWindowMs);
      Add("short-window",
          Message("lint.window", {{"metric", arg::Metric(selector.name)},
                                  {"range", arg::Duration(MsToSeconds(selector.range_ms))},
                                  {"scrapes", arg::Count(kScrapesInAWindow)},
                                  {"interval", arg::Duration(MsToSeconds(options_.scrape_ms))}}),
          WriteInstead(fmt::format("[{}]", FormatDuration(better))));
      selector.range_ms = better;
    }
  }

  void JudgePresence(Selector& selector) {
    const MetricRow* row = kube::FindMetric(selector.name);
    // What the cluster exposes is there, whatever its release does by default.
    if (row == nullptr || options_.exposed.count(std::string(row->name)) > 0) return;
    if (!options_.release) {
      // Names that live on today are no news; those that are gone somewhere are.
      if (LastShown(*row) == kube::kNoEnd) return;
      Add("metric-may-be-gone",
          Message("lint.metric.some",
                  {{"metric", arg::Metric(row->name)}, {"lifetime", Lifetime(*row)}}),
          row->successor
              ? Message("lint.metric.successor", {{"metric", arg::Metric(NameOf(*row->successor))}})
              : Message());
      return;
    }
    const int release = *options_.release;
    const Presence presence = PresenceIn(*row, release);
    if (presence == Presence::kVisible) return;
    const std::string id = presence == Presence::kHidden    ? "metric-hidden"
                           : presence == Presence::kRemoved ? "metric-removed"
                                                            : "metric-too-new";
    const MetricRow* successor = row->successor ? &RowOf(*row->successor) : nullptr;
    const bool usable = successor != nullptr && presence != Presence::kNotYet &&
                        PresenceIn(*successor, release) == Presence::kVisible;
    Add(id,
        Message("lint.metric", {{"metric", arg::Metric(row->name)},
                                {"release", Minor(release)},
                                {"lifetime", Lifetime(*row)}}),
        usable ? Message("lint.metric.fix", {{"metric", arg::Metric(successor->name)}})
               : Message());
    // Only a histogram for a histogram; the successor of a stage's own metric asks for labels.
    if (usable && EraIn(*successor, release).buckets == EraIn(*row, release).buckets) {
      Rename(selector, *row);
    }
  }

  static std::vector<Message> Lifetime(const MetricRow& row) {
    std::vector<Message> times;
    const auto add = [&](const char* id, int minor) {
      times.push_back(Message(id, {{"release", Minor(minor)}}));
    };
    if (row.first > kube::kOldestRelease) add("lint.metric.since", row.first);
    if (row.hidden < kube::kNoEnd) add("lint.metric.hidden", row.hidden);
    if (row.last < kube::kNoEnd) add("lint.metric.removed", row.last + 1);
    return times;
  }

  static void Rename(Selector& selector, const MetricRow& row) {
    const std::string suffix = selector.name.substr(row.name.size());
    selector.name = std::string(NameOf(*row.successor)) + suffix;
    for (promql::Matcher& matcher : selector.matchers) {
      if (matcher.name == "__name__") matcher.value = selector.name;
    }
  }

  /// Percent where a fraction is wanted shows +Inf for ever.
  void MendRank(Call& call) {
    const auto* rank = promql::WithoutParens(*call.args[0]).As<promql::NumberLiteral>();
    if (rank == nullptr || (rank->value >= 0 && rank->value <= 1)) return;
    const bool percent = rank->value > 1 && rank->value <= 100;
    const double meant = rank->value / 100;
    Add("quantile-out-of-range", Message("lint.rank", {{"rank", arg::Number(rank->value)}}),
        percent ? WriteInstead(FormatNumber(meant)) : Message());
    if (percent) call.args[0] = MakeExpr(promql::NumberLiteral{meant}, ValueKind::kScalar);
  }

  void VisitQuantile(Call& call) {
    MendRank(call);
    call.args[1] = MendRate(call.args[1]);
    Expr argument = promql::WithoutParens(*call.args[1]);
    auto* aggregation = std::get_if<Aggregation>(&argument.node);
    if (aggregation == nullptr) return;
    MendLe(*aggregation);
    MendResults(*aggregation);
    call.args[1] = std::make_shared<const Expr>(argument);
  }

  /// A bare `x_bucket` counts since process start: the quantile of a lifetime.
  ExprPtr MendRate(const ExprPtr& expr) {
    if (const auto* selector = promql::WithoutParens(*expr).As<Selector>()) {
      if (selector->range_ms > 0 || !EndsWithBucket(selector->name)) return expr;
      Add("missing-rate", Message("lint.rate", {{"metric", arg::Metric(selector->name)}}),
          WriteInstead(
              fmt::format("rate({}[{}])", selector->name, FormatDuration(kUsualWindowMs))));
      Selector ranged = *selector;
      ranged.range_ms = kUsualWindowMs;
      Call rate{promql::FindFunction("rate"), {MakeExpr(ranged, ValueKind::kMatrix)}};
      return MakeExpr(rate, ValueKind::kVector);
    }
    if (const auto* aggregation = promql::WithoutParens(*expr).As<Aggregation>()) {
      Aggregation mended = *aggregation;
      mended.expr = MendRate(aggregation->expr);
      return MakeExpr(mended, ValueKind::kVector);
    }
    return expr;
  }

  void MendLe(Aggregation& aggregation) {
    auto& labels = aggregation.labels;
    if (aggregation.grouping == promql::Grouping::kWithout) {
      if (!Contains(labels, "le")) return;
      labels.erase(std::remove(labels.begin(), labels.end(), "le"), labels.end());
    } else {
      if (Contains(labels, "le")) return;
      aggregation.grouping = promql::Grouping::kBy;
      labels.push_back("le");
    }
    Add("missing-le", Message("lint.le"),
        WriteInstead(fmt::format("{} by (le, ...)", ToString(aggregation.op))));
  }

  /// The family's selector below a node, if there is one.
  static const Selector* SelectorBelow(const Expr& expr) {
    const Selector* found = nullptr;
    promql::Walk(expr, [&](const Expr& node) {
      if (const auto* s = node.As<Selector>(); s != nullptr && found == nullptr) found = s;
    });
    return found;
  }

  void MendResults(Aggregation& aggregation) {
    const Selector* selector = SelectorBelow(*aggregation.expr);
    if (selector == nullptr) return;
    const MetricRow* row = kube::FindMetric(selector->name);
    if (row == nullptr) return;
    const int release = options_.release.value_or(kube::kNewestRelease);
    if (PresenceIn(*row, release) == Presence::kNotYet) return;
    const auto& own = EraIn(*row, release).labels;
    if (std::find(own.begin(), own.end(), "result") == own.end()) return;
    const bool chosen =
        std::any_of(selector->matchers.begin(), selector->matchers.end(), [](const auto& matcher) {
          return matcher.name == "result" && matcher.op == promql::MatchOp::kEqual;
        });
    auto& labels = aggregation.labels;
    const bool without = aggregation.grouping == promql::Grouping::kWithout;
    if (chosen || Contains(labels, "result") != without) return;
    Add("mixed-results", Message("lint.results", {{"metric", arg::Metric(row->name)}}),
        Message("lint.results.fix"));
    if (without) {
      labels.erase(std::remove(labels.begin(), labels.end(), "result"), labels.end());
    } else {
      labels.push_back("result");
    }
  }

  const LintRule& rule_;
  std::size_t index_;
  const LintOptions& options_;
  const RecordedQuantiles& recorded_;
  std::vector<LintFinding>* findings_ = nullptr;
};

}  // namespace

LintReport Lint(const std::vector<LintRule>& rules, const LintOptions& options) {
  LintReport report;
  const RecordedQuantiles recorded = FindRecordedQuantiles(rules);
  for (std::size_t i = 0; i < rules.size(); ++i) {
    std::string mended = RuleLinter(rules[i], i, options, recorded).Run(&report.findings);
    // One mend can uncover another (a sum put in needs its grouping); none takes part in a circle.
    constexpr int kMostRounds = 5;
    for (int round = 0; round < kMostRounds; ++round) {
      LintRule again = rules[i];
      again.expr = mended;
      std::vector<LintFinding> ignored;
      const std::string next = RuleLinter(again, i, options, recorded).Run(&ignored);
      if (next == mended) break;
      mended = next;
    }
    report.mended.push_back(mended);
  }
  return report;
}

}  // namespace schedlens
