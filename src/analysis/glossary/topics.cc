// The words that reports use.

#include "analysis/glossary/glossary.h"

namespace schedlens {

const std::vector<TopicText>& TopicTexts() {
  static const std::vector<TopicText> all = {
      {"quantile"},   {"interval"},   {"estimate"},        {"sampling-interval"},
      {"share"},      {"excess"},     {"tail_time_share"}, {"sufficient"},
      {"remainder"},  {"window"},     {"baseline"},        {"verdict"},
      {"confidence"}, {"decided"},    {"cross_check"},     {"whatif"},
      {"population"}, {"semantics"},  {"witness"},         {"extender"},
      {"impact"},     {"neighbours"}, {"changes"},         {"result"},
  };
  return all;
}

}  // namespace schedlens
