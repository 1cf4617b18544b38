#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "promql/matcher.h"
#include "source/native/unfolding_source.h"

namespace schedlens {
namespace {

using promql::Matcher;
using promql::MatchOp;
using promql::Selector;

constexpr double kInf = std::numeric_limits<double>::infinity();

/// A metric and the labels of one of its histograms, without `le`.
using Child = std::pair<std::string, Labels>;

/// Whether the edge can be one of an exponential bucket of the finest schema.
bool IsPowerEdge(double edge) {
  constexpr double kStepsPerDoubling = 256;
  constexpr double kTolerance = 1e-6;
  if (edge == std::numeric_limits<double>::max()) return true;
  const double steps = std::log2(edge) * kStepsPerDoubling;
  return std::fabs(steps - std::round(steps)) <= kTolerance * std::max(1.0, std::fabs(steps));
}

/// Whether the buckets cannot be exponential ones.
bool ShowsCustomBuckets(const NativeHistogram& histogram) {
  const auto plain = [](const NativeBucket& bucket) { return bucket.boundaries == 0; };
  const auto own = [](const NativeBucket& bucket) {
    return bucket.lower <= 0 || std::isinf(bucket.upper) || !IsPowerEdge(bucket.lower) ||
           !IsPowerEdge(bucket.upper);
  };
  return std::ranges::all_of(histogram.buckets, plain) &&
         std::ranges::any_of(histogram.buckets, own);
}

/// As the server writes the bounds of classic histograms: `0.5`, `1.0`, `+Inf`.
std::string BoundText(double bound) {
  std::string text = FormatNumber(bound);
  const bool whole = text.find_first_not_of("-0123456789") == std::string::npos;
  return whole ? text + ".0" : text;
}

/// The classic series of an answer, as far as they are of known metrics.
struct ClassicForm {
  std::map<Child, std::set<TimeMs>> times;
  std::map<std::pair<std::string, double>, std::string> bound_texts;
};

ClassicForm ClassicOf(const std::vector<Series>& all, const KnownBounds& known) {
  ClassicForm classic;
  for (const Series& series : all) {
    if (series.samples.empty()) continue;
    const std::string family = FamilyOfClassic(series.labels.Get(kMetricName));
    if (family.empty() || !known.contains(family)) continue;
    const Labels labels = series.labels.Without({std::string(kMetricName), "le"});
    std::set<TimeMs>& times = classic.times[{family, labels}];
    for (const Sample& sample : series.samples) times.insert(sample.t);
    const auto bound = ParseNumber(series.labels.Get("le"));
    if (bound) classic.bound_texts.emplace(std::pair(family, *bound), series.labels.Get("le"));
  }
  return classic;
}

/// The known bounds that lie inside no bucket of these histograms with something in it.
std::vector<double> BoundsOf(const std::vector<NativeSample>& samples,
                             const std::set<double>& known) {
  std::set<double> bounds = known;
  for (const NativeSample& sample : samples) {
    for (const NativeBucket& bucket : sample.h.buckets) {
      bounds.erase(bounds.upper_bound(bucket.lower), bounds.lower_bound(bucket.upper));
    }
  }
  return {bounds.begin(), bounds.end()};
}

/// The counts of the histogram up to each bound, and to infinity.
std::vector<double> Cumulative(const NativeHistogram& histogram,
                               const std::vector<double>& bounds) {
  std::vector<double> counts;
  counts.reserve(bounds.size() + 1);
  double sum = 0;
  auto bucket = histogram.buckets.begin();
  for (const double bound : bounds) {
    while (bucket != histogram.buckets.end() && bucket->upper <= bound) sum += (bucket++)->count;
    counts.push_back(sum);
  }
  counts.push_back(histogram.count);
  return counts;
}

using ByLabels = std::map<Labels, std::vector<Sample>>;

void UnfoldOne(const Series& series, const std::set<double>& known, const ClassicForm& classic,
               ByLabels* out) {
  const std::string name(series.labels.Get(kMetricName));
  const Labels labels = series.labels.Without(kMetricName);
  std::vector<double> bounds = BoundsOf(series.histograms, known);
  std::vector<std::vector<Sample>*> buckets;
  for (std::size_t i = 0; i <= bounds.size(); ++i) {
    const double bound = i < bounds.size() ? bounds[i] : kInf;
    const auto text = classic.bound_texts.find({name, bound});
    const std::string le = text == classic.bound_texts.end() ? BoundText(bound) : text->second;
    buckets.push_back(&(*out)[labels.With(kMetricName, name + "_bucket").With("le", le)]);
  }
  std::vector<Sample>& sums = (*out)[labels.With(kMetricName, name + "_sum")];
  std::vector<Sample>& counts = (*out)[labels.With(kMetricName, name + "_count")];
  const auto there = classic.times.find({name, labels});
  for (const NativeSample& sample : series.histograms) {
    if (there != classic.times.end() && there->second.contains(sample.t)) continue;
    const std::vector<double> upto = Cumulative(sample.h, bounds);
    for (std::size_t i = 0; i < upto.size(); ++i) buckets[i]->push_back({sample.t, upto[i]});
    sums.push_back({sample.t, sample.h.sum});
    counts.push_back({sample.t, sample.h.count});
  }
}

/// Adds samples of a series that has some already; the times of both differ.
void Merge(std::vector<Sample> more, std::vector<Sample>* samples) {
  samples->insert(samples->end(), more.begin(), more.end());
  std::ranges::sort(*samples, {}, &Sample::t);
}

constexpr std::string_view kSuffixes[] = {"_bucket", "_sum", "_count"};
constexpr std::string_view kAnySuffix = "(_bucket|_sum|_count)?";

bool IsSuffix(std::string_view text) {
  return std::ranges::find(kSuffixes, text) != std::end(kSuffixes);
}

/// The length of `_(bucket|sum)` at the beginning of the text, in any order; 0 for anything else.
std::size_t GroupOfSuffixes(std::string_view text) {
  if (!text.starts_with("_(")) return 0;
  const std::size_t close = text.find(')');
  if (close == std::string_view::npos) return 0;
  std::size_t begin = 2;
  while (begin <= close) {
    const std::size_t end = std::min(text.find('|', begin), close);
    if (!IsSuffix("_" + std::string(text.substr(begin, end - begin)))) return 0;
    begin = end + 1;
  }
  return close + 1;
}

/// The length of a suffix at the beginning of the text where the name ends behind it.
std::size_t SuffixAt(std::string_view text) {
  for (const std::string_view suffix : kSuffixes) {
    if (!text.starts_with(suffix)) continue;
    const std::string_view rest = text.substr(suffix.size());
    if (rest.empty() || rest[0] == '|' || rest[0] == ')') return suffix.size();
  }
  return 0;
}

/// The regular expression with every suffix optional and any of the three.
std::string WithAnySuffix(std::string_view regex) {
  std::string out;
  while (!regex.empty()) {
    const std::size_t length = std::max(GroupOfSuffixes(regex), SuffixAt(regex));
    out += length > 0 ? kAnySuffix : regex.substr(0, 1);
    regex.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

bool IsPlainName(std::string_view name) {
  return std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == ':';
  });
}

}  // namespace

void LearnBounds(const std::vector<Series>& series, KnownBounds* known) {
  const auto name = [](const Series& one) { return std::string(one.labels.Get(kMetricName)); };
  for (const Series& one : series) {
    const bool custom = std::ranges::any_of(
        one.histograms, [](const NativeSample& sample) { return ShowsCustomBuckets(sample.h); });
    if (custom) known->try_emplace(name(one));
  }
  for (const Series& one : series) {
    const auto at = known->find(name(one));
    if (at == known->end()) continue;
    for (const NativeSample& sample : one.histograms) {
      for (const NativeBucket& bucket : sample.h.buckets) {
        // The first bucket of positive bounds is shown to begin at zero, which is no bound.
        if (bucket.lower != 0 && std::isfinite(bucket.lower)) at->second.insert(bucket.lower);
        if (std::isfinite(bucket.upper)) at->second.insert(bucket.upper);
      }
    }
  }
}

std::vector<Series> UnfoldHistograms(std::vector<Series> series, const KnownBounds& known) {
  const ClassicForm classic = ClassicOf(series, known);
  ByLabels unfolded;
  bool any = false;
  for (Series& one : series) {
    const auto bounds = known.find(one.labels.Get(kMetricName));
    if (one.histograms.empty() || bounds == known.end()) continue;
    UnfoldOne(one, bounds->second, classic, &unfolded);
    one.histograms.clear();
    any = true;
  }
  if (!any) return series;
  std::erase_if(series,
                [](const Series& one) { return one.samples.empty() && one.histograms.empty(); });
  for (Series& one : series) {
    const auto more = unfolded.find(one.labels);
    if (more == unfolded.end()) continue;
    Merge(std::move(more->second), &one.samples);
    unfolded.erase(more);
  }
  for (auto& [labels, samples] : unfolded) {
    if (!samples.empty()) series.push_back({labels, std::move(samples), {}});
  }
  std::ranges::sort(series, {}, &Series::labels);
  return series;
}

std::string FamilyOfClassic(std::string_view name) {
  for (const std::string_view suffix : kSuffixes) {
    if (name.size() > suffix.size() && name.ends_with(suffix)) {
      return std::string(name.substr(0, name.size() - suffix.size()));
    }
  }
  return "";
}

std::string NamesOfHistograms(const Selector& selector) {
  for (const Matcher& matcher : selector.matchers) {
    if (matcher.name != kMetricName) continue;
    if (matcher.op == MatchOp::kEqual) {
      const std::string family = FamilyOfClassic(matcher.value);
      if (family.empty() || !IsPlainName(family)) return "";
      return family + std::string(kAnySuffix);
    }
    if (matcher.op != MatchOp::kRegex) continue;
    std::string names = WithAnySuffix(matcher.value);
    const bool open = matcher.value.find_first_of(".[\\") != std::string::npos;
    return names == matcher.value && !open ? "" : names;
  }
  return "";
}

bool MeansClassic(const Selector& selector, std::string_view metric) {
  std::vector<Matcher> of_name;
  for (const Matcher& matcher : selector.matchers) {
    if (matcher.name == kMetricName) of_name.push_back(matcher);
  }
  return std::ranges::any_of(kSuffixes, [&](std::string_view suffix) {
    const std::string name = std::string(metric) + std::string(suffix);
    return promql::Accept(of_name, Labels{{kMetricName, name}});
  });
}

Selector NativeForm(const Selector& selector, const std::vector<std::string>& metrics) {
  Selector native = selector;
  native.name.clear();
  std::erase_if(native.matchers, [](const Matcher& matcher) {
    return matcher.name == kMetricName || matcher.name == "le";
  });
  native.matchers.insert(native.matchers.begin(),
                         Matcher{.op = MatchOp::kRegex,
                                 .name = std::string(kMetricName),
                                 .value = fmt::format("{}", fmt::join(metrics, "|"))});
  return native;
}

}  // namespace schedlens
