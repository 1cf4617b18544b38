#pragma once

// A source over series in memory, for tests of the analysis alone.

#include <memory>
#include <utility>
#include <vector>

#include "base/exposition.h"
#include "base/source.h"
#include "promql/evaluate.h"

namespace schedlens::testing_support {

class StoreSource : public Source {
 public:
  explicit StoreSource(std::vector<Series> series, const Semantics& semantics = {})
      : store_(std::make_unique<promql::SeriesStore>(std::move(series))), semantics_(semantics) {}
  Answer Ask(const Query& query) override {
    promql::EvaluateOptions options;
    options.semantics = semantics_;
    return promql::Evaluate(*store_, query, options);
  }
  SourceInfo Describe() override {
    SourceInfo info;
    info.semantics = semantics_;
    return info;
  }

 private:
  std::unique_ptr<promql::SeriesStore> store_;
  Semantics semantics_;
};

/// One recording of test/data/captures.
inline StoreSource Recording(const std::string& name) {
  return StoreSource(
      ReadExposition(std::string(SCHEDLENS_TEST_DATA) + "/captures/" + name + ".om.gz",
                     std::nullopt)
          .series);
}

}  // namespace schedlens::testing_support
