#ifndef SCHEDLENS_QUERY_EMBEDDED_H_
#define SCHEDLENS_QUERY_EMBEDDED_H_

// The files of `queries/` as the build put them into the binary.

#include <string>
#include <vector>

namespace schedlens {

struct EmbeddedQuery {
  std::string name;  ///< file name without `.promql`
  std::string text;
};

/// Every embedded file, in order of name.
const std::vector<EmbeddedQuery>& EmbeddedQueries();

}  // namespace schedlens

#endif  // SCHEDLENS_QUERY_EMBEDDED_H_
