#ifndef SCHEDLENS_STATS_RANK_CORRELATION_H_
#define SCHEDLENS_STATS_RANK_CORRELATION_H_

#include <vector>

namespace schedlens {

/// Spearman's rank correlation of paired values, equal ones by their mean rank; 0 with fewer than
/// `least` pairs and where either side never varies. Both sides must have the same size.
double RankCorrelation(const std::vector<double>& a, const std::vector<double>& b,
                       std::size_t least);

}  // namespace schedlens

#endif  // SCHEDLENS_STATS_RANK_CORRELATION_H_
