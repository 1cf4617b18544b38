#pragma once

// Which targets are one scheduler, and its facts out of those of many.

#include "diagnose/collect/facts.h"
#include "promql/ast.h"

namespace schedlens {

// Which targets are one scheduler. Several schedulers are never judged together: their attempts
// have nothing in common, and the quiet ones hide what the sick one does.

/// The replicas of one leader election: at most one makes attempts at a time.
struct SchedulerUnit {
  std::vector<Labels::Pair> labels;       ///< that tell it from the other units; "": has none
  std::vector<promql::Matcher> matchers;  ///< that pick its targets and no others
  std::vector<std::size_t> targets;       ///< indexes into Facts::targets, ascending
};

/// The units of the facts, in the order of their targets. Targets are of different units when they
/// differ in cluster, job, namespace or a label of `kept`, and when both make attempts at the same
/// time without handing over: a change of leader overlaps by a scrape or two.
std::vector<SchedulerUnit> UnitsOf(const Facts& facts, const std::set<std::string>& kept = {});

// Of many schedulers' facts those of one, without asking for its samples a second time.

/// The series of facts, which must outlive it, found by the value of a label.
class HeldSeries {
 public:
  explicit HeldSeries(const Facts& facts);

  /// What all matchers accept, in the order of the facts, each label set once.
  std::vector<const Series*> Select(std::span<const promql::Matcher> matchers) const;

 private:
  using Ids = std::vector<std::uint32_t>;

  std::vector<const Series*> all_;
  /// By label and value: labels that tell processes apart.
  std::map<std::string, std::unordered_map<std::string, Ids>, std::less<>> by_label_;
};

/// Answers what Collect asks for the samples of a narrower selector from facts in hand; everything
/// else is asked of the source that they are from. All of them must outlive it.
class HeldFacts : public Source {
 public:
  HeldFacts(Source& source, const Facts& facts, const HeldSeries& series, const QuerySet& queries,
            const std::string& selector);

  Answer Ask(const Query& query) override;
  std::vector<Answer> AskAll(const std::vector<Query>& queries) override;
  SourceInfo Describe() override { return source_.Describe(); }

 private:
  bool Holds(const Query& query) const;
  Answer FromFacts(const Query& query) const;

  Source& source_;
  const Facts& facts_;
  const HeldSeries& series_;
  std::map<std::string, std::vector<promql::Matcher>> questions_;  ///< by their text
};

}  // namespace schedlens
