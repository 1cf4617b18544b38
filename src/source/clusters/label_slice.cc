#include "source/clusters/label_slice.h"

#include <utility>

#include "source/capture/capture_source.h"

namespace schedlens {
namespace {

class LabelSliceSource : public Source {
 public:
  LabelSliceSource(std::vector<Series> series, SourceInfo info,
                   std::map<std::string, std::vector<Series>> expressions, AskedTimes asked)
      : local_(NewLocalSource(std::move(series), std::move(info))),
        expressions_(std::move(expressions)),
        asked_(asked) {}

  Answer Ask(const Query& query) override {
    const auto found = expressions_.find(query.promql);
    const bool on_edge = (query.start - asked_.start) % asked_.step_ms == 0;
    if (found == expressions_.end() || (query.instant() && !on_edge)) return local_->Ask(query);
    Answer answer;
    answer.kind = query.instant() ? ValueKind::kVector : ValueKind::kMatrix;
    for (const Series& series : found->second) {
      Series cut{.labels = series.labels, .samples = {}, .histograms = {}};
      for (const Sample& sample : series.samples) {
        if (sample.t >= query.start && sample.t <= query.end) cut.samples.push_back(sample);
      }
      if (!cut.samples.empty()) answer.series.push_back(std::move(cut));
    }
    return answer;
  }
  SourceInfo Describe() override { return local_->Describe(); }

 private:
  std::unique_ptr<Source> local_;
  std::map<std::string, std::vector<Series>> expressions_;
  AskedTimes asked_;
};

}  // namespace

std::unique_ptr<Source> NewLabelSlice(std::vector<Series> series, SourceInfo info,
                                      std::map<std::string, std::vector<Series>> expressions,
                                      AskedTimes asked) {
  return std::make_unique<LabelSliceSource>(std::move(series), std::move(info),
                                            std::move(expressions), asked);
}

}  // namespace schedlens
