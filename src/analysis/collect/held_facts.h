#ifndef SCHEDLENS_ANALYSIS_COLLECT_HELD_FACTS_H_
#define SCHEDLENS_ANALYSIS_COLLECT_HELD_FACTS_H_

// Of many schedulers' facts those of one, without asking for its samples a second time.

#include <map>
#include <string>
#include <vector>

#include "analysis/collect/facts.h"
#include "contract/query.h"
#include "contract/source.h"
#include "promql/ast.h"

namespace schedlens {

/// Answers what Collect asks for the samples of a narrower selector from facts in hand; everything
/// else is asked of the source that they are from. All three must outlive it.
class HeldFacts : public Source {
 public:
  HeldFacts(Source& source, const Facts& facts, const QuerySet& queries,
            const std::string& selector);

  Answer Ask(const Query& query) override;
  std::vector<Answer> AskAll(const std::vector<Query>& queries) override;
  SourceInfo Describe() override { return source_.Describe(); }

 private:
  bool Holds(const Query& query) const;
  Answer FromFacts(const Query& query) const;

  Source& source_;
  const Facts& facts_;
  std::map<std::string, std::vector<promql::Matcher>> questions_;  ///< by their text
};

}  // namespace schedlens

#endif  // SCHEDLENS_ANALYSIS_COLLECT_HELD_FACTS_H_
