// The table of metrics, read, and what is asked of it: releases, labels, values, names that are
// nearly right; and the words that may be shown to strangers.

#include "kube/metrics.h"

#include <re2/re2.h>

#include <iterator>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace schedlens::kube {
namespace {

/// The table is ours: what is no number in it is a mistake that a test finds.
int IntegerIn(std::string_view text) { return WholeNumber<int>(text).value_or(0); }
double NumberIn(std::string_view text) { return ParseNumber(text).value_or(0); }

/// `0.001*2^15`, as client_golang makes them: by repeated multiplication. The rounding shows in
/// `le` (1.5000000000000002e-05).
std::vector<double> Exponential(std::string_view text) {
  const std::size_t times = text.find('*'), power = text.find('^');
  double bound = NumberIn(text.substr(0, times));
  const double factor = NumberIn(text.substr(times + 1, power - times - 1));
  std::vector<double> bounds(static_cast<std::size_t>(IntegerIn(text.substr(power + 1))));
  for (double& one : bounds) {
    one = bound;
    bound *= factor;
  }
  return bounds;
}

struct Table {
  Table();
  void Read(const std::vector<std::string_view>& words);
  void ReadBounds(const std::vector<std::string_view>& words);
  void ReadValues(const std::vector<std::string_view>& words);
  MetricEra EraOf(std::string_view word) const;

  std::map<std::string_view, std::vector<double>> bounds = {{"", {}}};
  std::map<std::string_view, std::size_t> by_id;  ///< places in `rows`
  std::map<std::string_view, Metric> old_names;   ///< and what took their place
  std::vector<MetricRow> rows;
  std::size_t own = 0;  ///< how many are kube-scheduler's
  std::unordered_map<std::string_view, const MetricRow*> by_name;
  Component component = Component::kScheduler;  ///< of the rows that come
};

std::string_view TextOf(std::string_view table) {
  return std::ranges::find(EmbeddedTables(), table, &EmbeddedFile::name)->text;
}

Table::Table() {
  ReadTable(TextOf("metrics"), [this](const auto& words) { Read(words); });
  for (const MetricRow& row : rows) {
    by_name.emplace(row.name, &row);
    own += row.component == Component::kScheduler ? 1 : 0;
  }
}

void Table::ReadBounds(const std::vector<std::string_view>& words) {
  std::vector<double>& all = bounds[words[1]];
  if (words[2].find('*') != std::string_view::npos) {
    all = Exponential(words[2]);
  } else {
    for (std::size_t i = 2; i < words.size(); ++i) all.push_back(NumberIn(words[i]));
  }
}

/// `values hint kQueueingHint Queue QueueSkip Error@30`.
void Table::ReadValues(const std::vector<std::string_view>& words) {
  for (const std::string_view id : SplitAt(words[2], ',')) {
    for (std::size_t i = 3; i < words.size(); ++i) {
      const std::vector<std::string_view> parts = SplitAt(words[i], '@');
      const int since = parts.size() > 1 ? IntegerIn(parts[1]) : kOldestRelease;
      rows[by_id.at(id)].values.push_back({words[1], parts[0], since});
    }
  }
}

/// `18:result,profile:ms15`.
MetricEra Table::EraOf(std::string_view word) const {
  const std::size_t labels = word.find(':');
  if (labels == std::string_view::npos) return {IntegerIn(word), {}, &bounds.at("")};
  const std::size_t last = word.find(':', labels + 1);
  const std::string_view layout = last == word.npos ? "" : word.substr(last + 1);
  return {IntegerIn(word.substr(0, labels)),
          SplitAt(word.substr(labels + 1, last - labels - 1), ','), &bounds.at(layout)};
}

void Table::Read(const std::vector<std::string_view>& words) {
  if (words[0] == "bounds") return ReadBounds(words);
  if (words[0] == "values") return ReadValues(words);
  if (words[0] == "old") {
    old_names.emplace(words[1], rows[by_id.at(words[2])].id);
    return;
  }
  if (words[0] == "of") {
    component = Parse<Component>(words[1]).value_or(Component::kAny);
    return;
  }
  MetricRow row;
  row.id = words[0] == "-" ? Metric::kCount : static_cast<Metric>(rows.size());
  row.component = component;
  row.name = words[1];
  row.kind = Parse<MetricKind>(words[2]).value_or(MetricKind::kCounter);
  int from = 0;
  for (std::size_t i = 3; i < words.size(); ++i) {
    const std::string_view key = words[i].substr(0, words[i].find('='));
    const std::string_view value = words[i].substr(std::min(key.size() + 1, words[i].size()));
    if (words[i].starts_with('#')) {
      row.help = words[i].substr(2);
    } else if (key == "from") {
      from = IntegerIn(value);
    } else if (key == "last") {
      row.last = IntegerIn(value);
    } else if (key == "hidden") {
      row.hidden = IntegerIn(value);
    } else if (key == "next") {
      row.successor = value;
    } else if (key == "reads") {
      row.reads = value;
    } else if (key == "gate") {
      row.gate = Parse<Gate>(value).value_or(Gate::kNone);
    } else {
      row.eras.push_back(EraOf(words[i]));
    }
  }
  row.first = from != 0 ? from : row.eras.front().since;
  const bool oldest = component == Component::kScheduler && row.first == kOldestRelease;
  if (oldest) row.first = kOldestNamed;
  by_id.emplace(words[0], rows.size());
  rows.push_back(std::move(row));
}

const Table& TheTable() {
  static const Table table;
  return table;
}

const MetricRow* FindRow(std::string_view name, bool own) {
  const auto& by_name = TheTable().by_name;
  auto found = by_name.find(name);
  if (found == by_name.end()) found = by_name.find(FamilyOf(name));
  const bool is =
      found != by_name.end() && (found->second->component == Component::kScheduler) == own;
  return is ? found->second : nullptr;
}

bool Holds(const auto& labels, std::string_view label) {
  return std::ranges::find(labels, label) != std::end(labels);
}

constexpr std::string_view kClientPrefix = "rest_client_";

std::vector<std::string> SeriesOf(const MetricRow& row) {
  if (row.kind == MetricKind::kHistogram) return {BucketOf(row.id), SumOf(row.id), CountOf(row.id)};
  return {std::string(row.name)};
}

using Words = std::unordered_set<std::string_view>;

const Words& ListOf(std::string_view kind) {
  static const std::map<std::string_view, Words> all = [] {
    std::map<std::string_view, Words> lists;
    ReadTable(TextOf("public_words"), [&](const auto& words) {
      lists[words.front()].insert(words.begin() + 1, words.end());
    });
    return lists;
  }();
  return all.at(kind);
}

template <typename... Enums>
void AddSpellings(Words* words) {
  (words->insert(kSpellings<Enums>.begin(), kSpellings<Enums>.end()), ...);
}

const Words& Vocabulary() {
  static const Words all = [] {
    Words words = ListOf("words");
    words.insert(ListOf("labels").begin(), ListOf("labels").end());
    AddSpellings<ExtensionPoint, AttemptResult, StatusCode, CallType, QueueName, PodEvent, Gate,
                 Component>(&words);
    words.erase("");
    return words;
  }();
  return all;
}

const Words& PublicLabels() {
  static const Words all = [] {
    Words labels;
    for (const char* kind : {"bounds", "numbers", "versions", "labels", "names"}) {
      labels.insert(ListOf(kind).begin(), ListOf(kind).end());
    }
    for (const auto& table : {MetricTable(), ControlPlaneTable()}) {
      for (const MetricRow& row : table) {
        for (const MetricEra& era : row.eras) labels.insert(era.labels.begin(), era.labels.end());
      }
    }
    return labels;
  }();
  return all;
}

std::string_view WithoutExported(std::string_view label) {
  constexpr std::string_view kExported = "exported_";
  if (label.starts_with(kExported)) label.remove_prefix(kExported.size());
  return label;
}

/// A status of HTTP, how many attempts there were (`15+`); longer ones may be an account's.
bool IsSmallNumber(std::string_view text) {
  static const RE2 kSmall("\\d{1,3}\\+?");
  return RE2::FullMatch(text, kSmall);
}

/// `go_...` and `process_...` of Prometheus' client libraries: their words, not any application's.
bool IsOfARuntime(std::string_view name) {
  const Words& words = ListOf("runtime");
  if (!name.starts_with("go_") && !name.starts_with("process_")) return false;
  if (name.ends_with('_') || name.find("__") != name.npos) return false;  // an empty word
  return std::ranges::all_of(SplitAt(name.substr(name.find('_')), '_'),
                             [&](std::string_view word) { return words.contains(word); });
}

}  // namespace

void ReadTable(std::string_view text,
               const std::function<void(const std::vector<std::string_view>& words)>& take) {
  for (const std::string_view line : SplitAt(text, '\n')) {
    const std::size_t mark = std::min(line.find('#'), line.size());
    std::vector<std::string_view> words = SplitAt(line.substr(0, mark), ' ');
    if (words.empty()) continue;
    if (mark < line.size()) words.push_back(line.substr(mark));
    take(words);
  }
}

std::optional<int> ParseRelease(std::string_view text) {
  static const RE2 kForm("(?s)(?:.*-)?v?1\\.(\\d+)(?:\\.[^-]*)?", RE2::Latin1);
  int minor = 0;
  return RE2::FullMatch(text, kForm, &minor) ? std::optional(minor) : std::nullopt;
}

std::string JobMatcher(const std::vector<Labels>& schedulers) {
  std::set<std::string> jobs;
  for (const Labels& labels : schedulers) {
    if (!labels.Has("job")) return "";
    jobs.insert(EscapeRegex(labels.Get("job")));
  }
  return jobs.empty() ? "" : "job=~" + QuotePromql(fmt::format("{}", fmt::join(jobs, "|")));
}

bool OnByDefault(Gate gate, int minor) {
  // SchedulerAsyncAPICalls was on in 1.34.0, 1.34.1 and 1.35.0 only.
  constexpr std::array<int, kSize<Gate>> kSince = {0, kNoEnd, 33, 32, kNoEnd, 36, 36, 20};
  return minor >= kSince[IndexOf(gate)];
}

std::span<const MetricRow> MetricTable() {
  return std::span(TheTable().rows).first(TheTable().own);
}
std::span<const MetricRow> ControlPlaneTable() {
  return std::span(TheTable().rows).subspan(TheTable().own);
}

const MetricRow& RowOf(Metric metric) { return TheTable().rows[static_cast<std::size_t>(metric)]; }
const MetricRow* FindMetric(std::string_view name) { return FindRow(name, true); }
const MetricRow* FindControlPlaneMetric(std::string_view name) { return FindRow(name, false); }

std::string_view NameOf(Metric metric) { return RowOf(metric).name; }
std::string BucketOf(Metric metric) { return std::string(NameOf(metric)) + "_bucket"; }
std::string SumOf(Metric metric) { return std::string(NameOf(metric)) + "_sum"; }
std::string CountOf(Metric metric) { return std::string(NameOf(metric)) + "_count"; }

ComponentReleases ReleasesOf(Component component) {
  switch (component) {
    case Component::kEtcd:
      return {"3.", 4, 7};
    case Component::kKubeStateMetrics:
      return {"2.", -1, 20};
    case Component::kCsiSidecar:
      return {"", 0, 0};
    default:
      return {"1.", kOldestRelease, kNewestRelease};
  }
}

int EtcdOf(int minor) {
  if (minor < 22) return 4;
  return minor < 34 ? 5 : 6;
}

int KubeStateMetricsOf(int minor) {
  // From 1.20 on; before that 1.9.
  static constexpr int kMinors[] = {0, 1, 3, 4, 5, 7, 8, 9, 10, 12, 13, 14, 15, 17, 18, 19, 20};
  constexpr int kFirst = 20;
  if (minor < kFirst) return -1;
  const auto at = static_cast<std::size_t>(minor - kFirst);
  return kMinors[std::min(at, std::size(kMinors) - 1)];
}

std::optional<Metric> SuccessorOfOld(std::string_view name) {
  const auto& old = TheTable().old_names;
  auto found = old.find(name);
  if (found == old.end()) found = old.find(FamilyOf(name));
  return found == old.end() ? std::nullopt : std::optional(found->second);
}

Presence PresenceIn(const MetricRow& row, int minor) {
  if (minor < row.first && row.first > ReleasesOf(row.component).oldest) return Presence::kNotYet;
  if (minor > row.last) return Presence::kRemoved;
  // An open range of releases ends at kNoEnd itself.
  return minor >= row.hidden && row.hidden < kNoEnd ? Presence::kHidden : Presence::kVisible;
}

int LastShown(const MetricRow& row) {
  return row.hidden < kNoEnd ? std::min(row.last, row.hidden - 1) : row.last;
}

bool AlwaysShown(const MetricRow& row) {
  return row.first <= kOldestRelease && LastShown(row) == kNoEnd;
}

const MetricEra& EraIn(const MetricRow& row, int minor) {
  const auto later = std::find_if(row.eras.begin() + 1, row.eras.end(),
                                  [&](const MetricEra& era) { return era.since > minor; });
  return *(later - 1);
}

const MetricRow* SuccessorOf(const MetricRow& row) {
  const auto found = TheTable().by_name.find(row.successor);
  return found == TheTable().by_name.end() ? nullptr : found->second;
}

const MetricRow* PredecessorOf(const MetricRow& row) {
  const auto& rows = TheTable().rows;
  const auto at = std::ranges::find(rows, row.name, &MetricRow::successor);
  return at == rows.end() ? nullptr : &*at;
}

std::vector<double> BoundsIn(const MetricRow& row, std::optional<int> minor) {
  if (minor) return *EraIn(row, *minor).bounds;
  constexpr int kDoubtFrom = 19;
  const std::vector<double>* newest = row.eras.back().bounds;
  for (std::size_t i = 0; i + 1 < row.eras.size(); ++i) {
    if (row.eras[i + 1].since > kDoubtFrom && row.eras[i].bounds != newest) return {};
  }
  return *newest;
}

std::string ReleasesText(const MetricRow& row) {
  const ComponentReleases known = ReleasesOf(row.component);
  const auto text = [&](int minor) {
    return minor < 0 ? std::string("1.9") : fmt::format("{}{}", known.prefix, minor);
  };
  const bool since = row.first > known.oldest;
  const int shown = LastShown(row);
  std::string out = since ? "from " + text(row.first) : "all";
  if (shown < known.newest) {
    out = since ? text(row.first) + " to " + text(shown) : "up to " + text(shown);
  }
  const bool own = row.component == Component::kScheduler;
  if (!own || row.last == kNoEnd) {
    if (row.hidden <= row.last && row.hidden < kNoEnd) out += "; hidden from " + text(row.hidden);
    if (row.last < known.newest) out += "; gone in " + text(row.last + 1);
  } else if (row.last > shown) {
    out += "; hidden in " + text(shown + 1);
    if (row.last > shown + 1) out += " to " + text(row.last);
    out += ", gone in " + text(row.last + 1);
  }
  if (own && row.gate != Gate::kNone) out += fmt::format(", gate {}", ToString(row.gate));
  return out;
}

std::vector<std::string> LabelsIn(const MetricRow& row, std::optional<int> minor) {
  std::vector<std::string> labels;
  for (const MetricEra& era : row.eras) {
    if (minor && &era != &EraIn(row, *minor)) continue;
    for (const std::string_view label : era.labels) {
      if (!Holds(labels, label)) labels.emplace_back(label);
    }
  }
  return labels;
}

std::vector<std::string> ValuesIn(const MetricRow& row, std::string_view label,
                                  std::optional<int> minor) {
  std::vector<std::string> values;
  for (const LabelValue& one : row.values) {
    if (one.label == label && (!minor || *minor >= one.since)) values.emplace_back(one.value);
  }
  return values;
}

bool IsOnlyAMetricsLabel(const MetricRow& row, std::string_view label) {
  constexpr std::string_view kDistinct[] = {"result", "extension_point", "plugin",    "status",
                                            "queue",  "attempts",        "call_type", "operation",
                                            "hint",   "hinted",          "reason",    "profile",
                                            "work"};
  // Targets may well have a label `host`.
  constexpr std::string_view kOfClients[] = {"verb", "url", "code", "method"};
  return Holds(kDistinct, label) ||
         (row.name.starts_with(kClientPrefix) && Holds(kOfClients, label));
}

std::string LabelInPlaceOf(const MetricRow& row, std::string_view label, int minor) {
  const auto& now = EraIn(row, minor).labels;
  if (Holds(now, label)) return "";
  for (const MetricEra& era : row.eras) {
    if (!Holds(era.labels, label)) continue;
    for (const std::string_view other : now) {
      if (!Holds(era.labels, other)) return std::string(other);
    }
  }
  return "";
}

bool MayBeSchedulersJob(std::string_view job) {
  return job == "scheduler" || job.find("kube") != std::string_view::npos;
}

std::string NearestName(std::string_view name) {
  constexpr std::size_t kSlip = 2;
  constexpr char kTotal[] = "_total";
  if (!name.starts_with(kOwnPrefix)) return "";
  const std::string family = FamilyOf(name);
  const std::string_view suffix = name.substr(family.size());
  std::string nearest;
  std::size_t best = kSlip + 1;
  for (const MetricRow& row : MetricTable()) {
    for (const std::string& series : SeriesOf(row)) {
      // `x_seconds_count` and `x_seconds_sum` are near each other, and both are meant.
      if (row.kind == MetricKind::kHistogram && series.substr(row.name.size()) != suffix) continue;
      const std::size_t distance = EditDistance(name, series);
      if (distance < best) {
        best = distance;
        nearest = series;
      }
    }
    // The buckets of a counter, a counter without its ending, a gauge with one.
    const bool bare = row.kind != MetricKind::kHistogram && LastShown(row) == kNoEnd;
    if ((bare && row.name == family && !suffix.empty()) || row.name == std::string(name) + kTotal ||
        (bare && name == std::string(row.name) + kTotal)) {
      return std::string(row.name);
    }
  }
  return nearest;
}

bool IsPublicMetric(std::string_view name) {
  if (IsOfARuntime(name)) return true;
  if (FindMetric(name) != nullptr || FindControlPlaneMetric(name) != nullptr) return true;
  const std::string counter = std::string(name) + "_total";  // a family as OpenMetrics names it
  if (FindMetric(counter) != nullptr || FindControlPlaneMetric(counter) != nullptr) return true;
  const Words& more = ListOf("metrics");
  return more.contains(name) || more.contains(counter) || more.contains(FamilyOf(name));
}

bool IsPublicLabel(std::string_view name) {
  return PublicLabels().contains(name) || PublicLabels().contains(WithoutExported(name));
}

bool IsPublicValue(std::string_view label, std::string_view value) {
  if (ListOf("bounds").contains(label) && ParseNumber(value)) return true;
  if (ListOf("numbers").contains(label) && IsSmallNumber(value)) return true;
  if (label == kMetricName) return IsPublicMetric(value);
  return ListOf("labels").contains(WithoutExported(label)) && IsPublicWord(value);
}

/// `a.b/c`: each part must be known where the whole is not.
bool IsPublicWord(std::string_view word) {
  if (Vocabulary().contains(word)) return true;
  const std::size_t dot = word.find('.');
  return dot != std::string_view::npos && Vocabulary().contains(word.substr(0, dot)) &&
         Vocabulary().contains(word.substr(dot + 1));
}

bool IsVersionLabel(std::string_view label) {
  return ListOf("versions").contains(WithoutExported(label));
}

}  // namespace schedlens::kube
