#include "source/capture/local_source.h"

#include <utility>

#include "promql/evaluate.h"
#include "promql/series_store.h"

namespace schedlens {
namespace {

class LocalSource : public Source {
 public:
  LocalSource(std::vector<Series> series, SourceInfo info)
      : store_(std::move(series)), info_(std::move(info)) {
    options_.semantics = info_.semantics;
    info_.extent = store_.Extent();
  }

  Answer Ask(const Query& query) override { return promql::Evaluate(store_, query, options_); }
  SourceInfo Describe() override { return info_; }

 private:
  promql::SeriesStore store_;
  SourceInfo info_;
  promql::EvaluateOptions options_;
};

}  // namespace

std::unique_ptr<Source> NewLocalSource(std::vector<Series> series, SourceInfo info) {
  return std::make_unique<LocalSource>(std::move(series), std::move(info));
}

}  // namespace schedlens
