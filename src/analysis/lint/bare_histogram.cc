#include "analysis/lint/bare_histogram.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "analysis/lint/words.h"
#include "kube/metrics.h"
#include "model/text.h"
#include "promql/ast.h"
#include "promql/functions.h"

namespace schedlens {
namespace {

using promql::Aggregation;
using promql::Binary;
using promql::Call;
using promql::Expr;
using promql::ExprPtr;
using promql::FunctionId;
using promql::Selector;

constexpr char kQuantile[] = "quantile";

bool IsBareHistogram(const Selector& selector) {
  const kube::MetricRow* row = kube::FindMetric(selector.name);
  return row != nullptr && row->name == selector.name && row->kind == kube::MetricKind::kHistogram;
}

/// Functions that take histograms as samples; histogram_quantile takes classic ones too.
bool ReadsHistograms(FunctionId id) {
  return id == FunctionId::kHistogramQuantile || id == FunctionId::kHistogramQuantiles ||
         id == FunctionId::kHistogramFraction || id == FunctionId::kHistogramAvg ||
         id == FunctionId::kHistogramCount || id == FunctionId::kHistogramSum ||
         id == FunctionId::kHistogramStddev || id == FunctionId::kHistogramStdvar;
}

bool IsRange(FunctionId id) {
  return id == FunctionId::kRate || id == FunctionId::kIncrease || id == FunctionId::kIrate;
}

bool AddsUp(const Aggregation& aggregation) {
  return aggregation.op == promql::AggregateOp::kSum || aggregation.op == promql::AggregateOp::kAvg;
}

bool GroupsByLe(const Aggregation& aggregation) {
  const auto& labels = aggregation.labels;
  return aggregation.grouping == promql::Grouping::kBy && Contains(labels, kLe);
}

/// What stands around a node.
struct Around {
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

std::set<std::string> SumsIn(const Expr& expr) {
  std::set<std::string> sums;
  promql::Walk(expr, [&](const Expr& node) {
    const auto* selector = node.As<Selector>();
    if (selector != nullptr && selector->name.ends_with("_sum")) sums.insert(selector->name);
  });
  return sums;
}

/// The bare histograms of a tree, by their places in its text.
class Finder {
 public:
  explicit Finder(bool recorded) : recorded_(recorded) {}

  void Look(const Expr& node, Around around) {
    if (const auto* selector = node.As<Selector>()) return Add(node, *selector, around);
    if (const auto* call = node.As<Call>()) {
      const FunctionId id = call->function->id;
      around.read = around.read || ReadsHistograms(id);
      around.ranged = around.ranged || IsRange(id);
      around.kept = around.kept && IsRange(id);
    } else if (const auto* aggregation = node.As<Aggregation>()) {
      around.le = around.le || GroupsByLe(*aggregation);
      around.kept = around.kept && AddsUp(*aggregation);
    } else if (const auto* binary = node.As<Binary>()) {
      around.kept = false;
      Look(*binary->lhs, around);
      if (binary->op == promql::BinaryOp::kDiv) around.sums = SumsIn(*binary->lhs);
      return Look(*binary->rhs, around);
    }
    for (const Expr* child : promql::Children(node)) Look(*child, around);
  }

  const std::map<std::size_t, Bare>& found() const { return found_; }

 private:
  void Add(const Expr& node, const Selector& selector, const Around& around) {
    if (!IsBareHistogram(selector)) return;
    MeantQuestion meant = MeantQuestion::kUnclear;
    if (around.le) {
      meant = MeantQuestion::kBuckets;
    } else if (around.read || (recorded_ && around.kept && around.ranged)) {
      meant = MeantQuestion::kNative;
    } else if (around.sums.count(selector.name + "_sum") > 0) {
      meant = MeantQuestion::kCount;
    }
    found_.emplace(node.begin, Bare{selector, meant});
  }

  bool recorded_;
  std::map<std::size_t, Bare> found_;
};

/// Whether another series than a bare histogram stands in the expression: only such a one answers
/// where the bare name has nothing.
bool HasOtherSeries(const Expr& tree) {
  bool found = false;
  promql::Walk(tree, [&](const Expr& node) {
    const auto* selector = node.As<Selector>();
    found = found || (selector != nullptr && !IsBareHistogram(*selector));
  });
  return found;
}

/// The series that is meant; empty where it may be any.
std::string SeriesMeant(const Bare& bare) {
  return bare.meant == MeantQuestion::kBuckets ? bare.selector.name + "_bucket"
         : bare.meant == MeantQuestion::kCount ? bare.selector.name + "_count"
                                               : "";
}

/// What to write for `x{quantile="0.99"}`, as of a summary; empty for anything else.
std::string QuantileMeant(const Selector& selector) {
  const auto matcher = std::find_if(
      selector.matchers.begin(), selector.matchers.end(),
      [](const auto& one) { return one.name == kQuantile && one.op == promql::MatchOp::kEqual; });
  if (matcher == selector.matchers.end() || !ParseNumber(matcher->value)) return "";
  return fmt::format("histogram_quantile({}, sum by (le) (rate({}_bucket[5m])))", matcher->value,
                     selector.name);
}

Message FixOf(const Bare& bare) {
  if (const std::string series = SeriesMeant(bare); !series.empty()) return WriteInstead(series);
  if (const std::string quantile = QuantileMeant(bare.selector); !quantile.empty()) {
    return WriteInstead(quantile);
  }
  return Message("lint.bare.fix", {{"metric", arg::Metric(bare.selector.name)}});
}

}  // namespace

std::set<std::string> UnclearHistograms(const Expr& tree, bool recorded) {
  Finder finder(recorded);
  finder.Look(tree, Around{});
  std::set<std::string> unclear;
  for (const auto& [place, bare] : finder.found()) {
    if (bare.meant == MeantQuestion::kUnclear) unclear.insert(bare.selector.name);
  }
  return unclear;
}

ExprPtr MendBareHistograms(const ExprPtr& tree, const MetricUse& use, const LintOptions& options,
                           bool recorded, const LintNote& note) {
  Finder finder(recorded);
  finder.Look(*tree, Around{});
  const bool other = HasOtherSeries(*tree);
  std::set<std::pair<std::string, MeantQuestion>> told;
  std::map<std::size_t, std::string> mended;
  for (const auto& [place, bare] : finder.found()) {
    const std::string& name = bare.selector.name;
    if (options.native.count(name) > 0 || (other && use.with_another.count(name) > 0)) continue;
    mended[place] = SeriesMeant(bare);
    if (!told.emplace(name, bare.meant).second) continue;
    const Argument metric{"metric", arg::Metric(name)};
    if (bare.meant == MeantQuestion::kNative) {
      note("native-histogram", Message("lint.native", {metric}), Message());
    } else {
      note("bare-histogram", Message("lint.bare", {metric}), FixOf(bare));
    }
  }
  return promql::Rewrite(tree, [&](Expr& node) {
    auto* selector = std::get_if<Selector>(&node.node);
    if (selector == nullptr || !IsBareHistogram(*selector)) return;
    const auto place = mended.find(node.begin);
    if (place != mended.end() && !place->second.empty()) RenameSelector(*selector, place->second);
  });
}

}  // namespace schedlens
