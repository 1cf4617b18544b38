// A recording made by scraping a process's own page.

#include <fmt/format.h>

#include <map>
#include <optional>

#include "model/text.h"
#include "model/work_budget.h"
#include "schedlens/error.h"
#include "source/capture/recording.h"

namespace schedlens {
namespace {

/// Scrapes that fail one after the other, told in one line.
class Failures {
 public:
  void Add(TimeMs time, const std::string& why) {
    if (count_++ == 0) first_ = time;
    last_ = time;
    why_ = why;
  }
  void TellTo(std::vector<Message>& warnings) {
    if (count_ == 1) {
      warnings.push_back(
          Message("recording.scrape_failed", {{"at", arg::Time(first_)}, {"error", why_}}));
    } else if (count_ > 1) {
      warnings.push_back(Message("recording.scrapes_failed", {{"count", arg::Count(count_)},
                                                              {"first", arg::Time(first_)},
                                                              {"last", arg::Time(last_)},
                                                              {"error", why_}}));
    }
    count_ = 0;
  }

 private:
  std::size_t count_ = 0;
  TimeMs first_ = 0;
  TimeMs last_ = 0;
  std::string why_;
};

class ScrapeRecorder {
 public:
  explicit ScrapeRecorder(const ScrapePlan& plan)
      : plan_(plan),
        up_({{"__name__", "up"}, {"job", "kube-scheduler"}, {"instance", plan.instance}}) {}

  Exposition Run() {
    const auto planned = static_cast<std::size_t>(plan_.duration_ms / plan_.interval_ms) + 1;
    const TimeMs begin = plan_.now();
    for (std::size_t i = 0; i < planned; ++i) {
      plan_.wait_until(begin + static_cast<TimeMs>(i) * plan_.interval_ms);
      const TimeMs time = plan_.now();
      try {
        Scrape(time);
        failures_.TellTo(out_.warnings);
      } catch (const Error& error) {
        CheckBudget();
        if (i == 0 || error.kind() == ErrorKind::kInterrupted) throw;
        Append(up_, {time, 0});
        failures_.Add(time, error.what());
      }
      if (plan_.progress) plan_.progress(i + 1, planned);
    }
    failures_.TellTo(out_.warnings);
    return std::move(out_);
  }

 private:
  void Scrape(TimeMs time) {
    const Exposition page = ParseExposition(plan_.fetch(), plan_.instance, time);
    for (const Series& series : page.series) {
      Append(series.labels.With("job", "kube-scheduler").With("instance", plan_.instance),
             {time, series.samples.back().v});
    }
    out_.types.insert(page.types.begin(), page.types.end());
    Append(up_, {time, 1});
  }

  void Append(const Labels& labels, const Sample& sample) {
    const auto [at, fresh] = index_.emplace(labels, out_.series.size());
    if (fresh) out_.series.push_back({.labels = labels, .samples = {}, .histograms = {}});
    out_.series[at->second].samples.push_back(sample);
  }

  const ScrapePlan& plan_;
  const Labels up_;
  Exposition out_;
  std::map<Labels, std::size_t> index_;
  Failures failures_;
};

}  // namespace

Exposition RecordScrapes(const ScrapePlan& plan) { return ScrapeRecorder(plan).Run(); }

}  // namespace schedlens
