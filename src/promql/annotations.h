#ifndef SCHEDLENS_PROMQL_ANNOTATIONS_H_
#define SCHEDLENS_PROMQL_ANNOTATIONS_H_

// Remarks a server adds to an answer, in its words, which differ by version. Before 2.48 there are
// none; before 2.54 all are warnings.

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "contract/source.h"
#include "promql/ast.h"
#include "schedlens/histogram.h"
#include "schedlens/semantics.h"

namespace schedlens::promql {

class Annotations {
 public:
  Annotations(std::string_view text, const Semantics& semantics)
      : text_(text), semantics_(semantics) {}

  /// Warns of each that is not within [0, 1].
  void CheckQuantiles(std::span<const double> quantiles, const Expr& at);
  void BadBucketLabel(std::string_view metric, std::string_view le, const Expr& at);
  void PossibleNonCounter(std::string_view metric, const Expr& at);
  /// `metric` as the version still knows it there; from 3.7 on it is not shown.
  void ForcedMonotonicity(const ClassicQuantile& quantile, std::string_view metric, TimeMs t,
                          const Expr& at);
  void Inform(const std::string& words, const Expr& at);
  void Warn(const std::string& words, const Expr& at);
  /// A remark no server makes, among the infos.
  void Note(const std::string& words, const Expr& at);

  /// Appends what was collected, sorted, each message once: as in a server, the same words at two
  /// places of the expression are one remark, shown with the place that came last.
  void MoveTo(Answer* answer) const;

 private:
  using Places = std::map<std::string, std::size_t>;  // words and offset in the expression

  /// Forced monotonicity of one metric, over all steps and groups.
  struct Forced {
    std::size_t offset = 0;
    double low = 0;
    double high = 0;
    double drop = 0;
    std::size_t samples = 0;
    TimeMs first = 0;
    TimeMs last = 0;
  };

  bool Silent() const { return !semantics_.AtLeast(2, 48); }
  std::string Place(std::size_t offset) const;
  std::string ForcedText(const std::string& metric, const Forced& forced) const;
  std::vector<std::string> Texts(const Places& places) const;

  std::string_view text_;
  Semantics semantics_;
  Places warnings_;
  Places infos_;
  std::map<std::string, Forced> forced_;  // by metric name
};

/// Go's `%g`: shortest digits, exponent form below 1e-4 and from 1e6 on. With `digits` > 0: `%.Ng`.
std::string FormatG(double value, int digits = 0);

}  // namespace schedlens::promql

#endif  // SCHEDLENS_PROMQL_ANNOTATIONS_H_
