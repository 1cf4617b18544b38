#include <system_error>

#include "base/text.h"
#include "base/url.h"
#include "source/http/json_stream.h"

namespace schedlens {

/// What a value of the answer is: objects, then arrays, then plain values.
enum class AnswerRole {
  kTop,
  kData,
  kSeries,
  kMetric,
  kHistogram,

  kWarnings,
  kInfos,
  kResult,
  kPair,
  kPairs,
  kHistogramPair,
  kHistogramPairs,
  kBuckets,
  kBucket,

  kStatus,
  kErrorType,
  kError,
  kPartial,  ///< VictoriaMetrics: true where some of its storage nodes did not answer
  kResultType,
  kLabelValue,
  kCount,
  kSum,
  kElement,  ///< a plain value in an array
  kSkip,     ///< something newer servers send: read over
};

namespace {

using Role = AnswerRole;

/// What the elements of an array are that are objects or arrays themselves.
Role ElementOf(Role array) {
  constexpr std::pair<Role, Role> kElements[] = {
      {Role::kPairs, Role::kPair},     {Role::kHistogramPairs, Role::kHistogramPair},
      {Role::kBuckets, Role::kBucket}, {Role::kHistogramPair, Role::kHistogram},
      {Role::kResult, Role::kSeries},  {Role::kSkip, Role::kSkip}};
  for (const auto& [list, element] : kElements) {
    if (list == array) return element;
  }
  return Role::kElement;
}

bool IsObject(Role role) { return role <= Role::kHistogram; }
bool IsArray(Role role) { return !IsObject(role) && role <= Role::kBucket; }

struct KeyRole {
  Role container;
  std::string_view key;
  Role role;
};

/// The shape of the answer. A key that is not here is skipped.
constexpr KeyRole kShape[] = {
    {Role::kTop, "status", Role::kStatus},
    {Role::kTop, "errorType", Role::kErrorType},
    {Role::kTop, "error", Role::kError},
    {Role::kTop, "warnings", Role::kWarnings},
    {Role::kTop, "infos", Role::kInfos},
    {Role::kTop, "isPartial", Role::kPartial},
    {Role::kTop, "data", Role::kData},
    {Role::kData, "resultType", Role::kResultType},
    {Role::kData, "result", Role::kResult},
    {Role::kSeries, "metric", Role::kMetric},
    {Role::kSeries, "value", Role::kPair},
    {Role::kSeries, "values", Role::kPairs},
    {Role::kSeries, "histogram", Role::kHistogramPair},
    {Role::kSeries, "histograms", Role::kHistogramPairs},
    {Role::kHistogram, "count", Role::kCount},
    {Role::kHistogram, "sum", Role::kSum},
    {Role::kHistogram, "buckets", Role::kBuckets},
};

Role RoleOf(Role container, std::string_view key) {
  if (container == Role::kMetric) return Role::kLabelValue;
  for (const KeyRole& row : kShape) {
    if (row.container == container && row.key == key) return row.role;
  }
  return Role::kSkip;
}

[[noreturn]] void FailShape(std::string_view what) {
  Raise(ErrorKind::kFailed, "not an answer of the Prometheus API: {}", what);
}

/// A value as Prometheus writes it; throws Error(kFailed) for anything else.
double ReadValue(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stop == end) return value;
  const auto parsed = ParseNumber(text);
  if (!parsed)
    FailShape(
        fmt::format("\"{}\" is not a number", MaskKnownSecrets(std::string(text)).substr(0, 40)));
  return *parsed;
}

/// Unix seconds.
TimeMs ReadTime(std::string_view text) {
  const double value = ReadValue(text);
  if (!(std::fabs(value) < 1e15)) FailShape("a time out of range");
  return std::llround(value * 1000);
}

/// Samples of either kind; throws Error(kFailed) where one is not later than the one before.
template <typename T>
void RequireAscending(const std::vector<T>& samples) {
  for (std::size_t i = 1; i < samples.size(); ++i) {
    if (samples[i].t <= samples[i - 1].t) FailShape("samples that are not in order of time");
  }
}

// A sample as servers write nearly all of them: [1795223207.552,"42"].

/// Reads the pair that begins at `at`, and returns where it ends. Null, and nothing read, where it
/// is not whole, has spaces, another form of time or what no number has: JsonStream reads those, or
/// says what is wrong with them.
const char* ReadPlainPair(const char* at, const char* end, Sample* sample) {
  constexpr std::int64_t kMostDigits = 15;  // every such number is a double
  const auto digits = [&](std::int64_t* number) {
    const char* const first = at;
    while (at < end && *at >= '0' && *at <= '9' && at - first <= kMostDigits) {
      *number = 10 * *number + (*at++ - '0');
    }
    return at - first;
  };
  const auto skip = [&](char wanted) { return at < end && *at == wanted && ++at != nullptr; };
  std::int64_t seconds = 0, fraction = 0, value = 0;
  if (!skip('[') || at == end || *at == '0') return nullptr;
  if (const auto n = digits(&seconds); n == 0 || n > 12) return nullptr;
  if (skip('.')) {
    const auto n = digits(&fraction);
    if (n == 0 || n > 3) return nullptr;
    fraction *= n == 1 ? 100 : n == 2 ? 10 : 1;
  }
  if (!skip(',') || !skip('"')) return nullptr;
  const char* const text = at;
  if (const auto n = digits(&value); n > 0 && n <= kMostDigits && at < end && *at == '"') {
    sample->v = static_cast<double>(value);
  } else {
    const auto of_number = [](char c) {
      return (c >= '0' && c <= '9') || c == '.' || c == 'e' || c == '-' || c == '+';
    };
    while (at < end && of_number(*at)) ++at;
    if (at == text || at == end || *at != '"') return nullptr;
    sample->v = ReadValue({text, static_cast<std::size_t>(at - text)});
  }
  ++at;
  if (!skip(']')) return nullptr;
  sample->t = seconds * 1000 + fraction;
  return at;
}

/// No server has a tenth of it; what is done with labels takes their number squared.
constexpr std::size_t kMostLabels = 1000;

std::optional<ValueKind> KindOf(std::string_view name) {
  if (name == "vector") return ValueKind::kVector;
  if (name == "matrix") return ValueKind::kMatrix;
  if (name == "scalar") return ValueKind::kScalar;
  if (name == "string") return ValueKind::kString;
  return std::nullopt;
}

}  // namespace

class ApiAnswerReader::Events final : public JsonEvents {
 public:
  explicit Events(std::size_t max_series) : max_series_(max_series), stream_(*this) {}

  void Feed(std::string_view piece) { stream_.Feed(piece); }

  ApiAnswer Finish() {
    stream_.Finish();
    ApiAnswer out = std::move(out_);
    const bool complete = have_status_ && (!out.success || (kind_ && have_result_));
    const std::optional<ValueKind> kind = kind_;
    const std::string scalar = std::move(scalar_);
    Reset();
    if (!complete && !(out.error.empty() && out.error_type.empty())) return out;
    if (!complete) FailShape("status or result is missing");
    if (!out.success) return out;
    out.answer.kind = *kind;
    if (*kind == ValueKind::kScalar) {
      out.answer.series = {
          Series{.labels = {}, .samples = {{time_, ReadValue(scalar)}}, .histograms = {}}};
    } else if (*kind == ValueKind::kString) {
      out.answer.text = scalar;
    }
    return out;
  }

  void Reset() {
    stream_.Reset();
    open_.clear();
    next_ = Role::kTop;
    out_ = {};
    have_status_ = have_result_ = false;
    kind_.reset();
    labels_.clear();
    series_ = {};
    scalar_.clear();
  }

  bool full() const { return out_.answer.series.size() >= max_series_; }

  void Open(bool object) override {
    const Role role = InArray() ? ElementOf(Current()) : next_;
    if (role != Role::kSkip && (object ? !IsObject(role) : !IsArray(role))) {
      FailShape(object ? "an unexpected object" : "an unexpected list");
    }
    open_.push_back({role, 0});
    next_ = Role::kSkip;
    if (role == Role::kPairs) series_.samples.reserve(expected_samples_);
    if (role == Role::kResult) have_result_ = true;
    if (role == Role::kHistogram) histogram_ = {};
  }

  void Close() override {
    const auto [role, elements] = open_.back();
    open_.pop_back();
    if (role == Role::kSeries) LeaveSeries();
    if (role == Role::kBucket) LeaveBucket(elements);
    if (role == Role::kHistogram) series_.histograms.push_back({time_, std::move(histogram_)});
    if (role == Role::kPair && elements != 2) FailShape("a sample that is not a pair");
    if (role == Role::kHistogramPair && elements != 1) FailShape("a histogram sample without time");
  }

  void Key(std::string_view name) override {
    const Role container = Current();
    next_ = RoleOf(container, name);
    if (container == Role::kMetric) label_name_ = name;
  }

  void String(std::string_view value) override { Plain(value, true); }
  void Number(std::string_view text) override { Plain(text, false); }

  void Word(std::string_view word) override {
    if (!InArray() && next_ == Role::kPartial && word == "true") {
      out_.answer.warnings.emplace_back("isPartial: some storage nodes did not answer");
    }
    if (InArray() ? Current() != Role::kSkip : next_ == Role::kTop) {
      FailShape("an unexpected true, false or null");
    }
    next_ = Role::kSkip;  // `"data": null` and `"warnings": null` mean that there are none
  }

  const char* TakeArray(const char* at, const char* end) override {
    Sample sample;
    at = Current() == Role::kPairs ? ReadPlainPair(at, end, &sample) : nullptr;
    if (at != nullptr) series_.samples.push_back(sample);
    return at;
  }

 private:
  /// A string, or a number.
  void Plain(std::string_view value, bool quoted) {
    if (InArray()) {
      if (Current() != Role::kSkip) Element(value, quoted);
      return;
    }
    const Role role = std::exchange(next_, Role::kSkip);
    if (role == Role::kErrorType || role == Role::kError) {
      // Error types are numbers in no server, but some proxies answer {"error": 503}.
      (role == Role::kError ? out_.error : out_.error_type) = value;
    } else if (!quoted) {
      if (role != Role::kSkip) FailShape("an unexpected number");
    } else if (role == Role::kStatus) {
      have_status_ = true;
      out_.success = value == "success";
    } else if (role == Role::kResultType) {
      kind_ = KindOf(value);
      if (!kind_) FailShape("an unknown result type");
    } else if (role == Role::kLabelValue) {
      if (labels_.size() == kMostLabels) FailShape("a series with more than 1,000 labels");
      labels_.emplace_back(std::move(label_name_), std::string(value));
    } else if (role == Role::kCount || role == Role::kSum) {
      (role == Role::kCount ? histogram_.count : histogram_.sum) = ReadValue(value);
    } else if (role != Role::kSkip) {
      FailShape("a string where a list or an object is expected");
    }
  }

  void LeaveSeries() {
    series_.labels = Labels(labels_);
    labels_.clear();
    RequireAscending(series_.samples);
    RequireAscending(series_.histograms);
    // Series of one range mostly have equally many samples: reserving what the last one needed
    // spares both the copies of growing and the room that doubling leaves empty.
    expected_samples_ = series_.samples.size();
    if (series_.samples.capacity() > series_.samples.size() + series_.samples.size() / 8) {
      series_.samples.shrink_to_fit();
    }
    if (full()) {
      Raise(ErrorKind::kFailed, "the answer has more than {} series: narrow it with --selector",
            max_series_);
    }
    out_.answer.series.push_back(std::move(series_));
    series_ = {};
  }

  void LeaveBucket(std::size_t elements) {
    if (elements != 4) FailShape("a bucket without its four numbers");
    const double kind = bucket_[0];
    if (kind != 0 && kind != 1 && kind != 2 && kind != 3) FailShape("a bucket of unknown kind");
    histogram_.buckets.push_back({.lower = bucket_[1],
                                  .upper = bucket_[2],
                                  .count = bucket_[3],
                                  .boundaries = static_cast<int>(kind)});
  }

  struct Level {
    Role role;
    std::size_t elements = 0;  ///< plain values seen so far, in an array
  };
  Role Current() const { return open_.empty() ? Role::kTop : open_.back().role; }
  bool InArray() const { return !open_.empty() && !IsObject(open_.back().role); }

  /// A plain value of an array: of a pair, a bucket, a scalar result, a list of warnings.
  void Element(std::string_view text, bool quoted) {
    const std::size_t index = open_.back().elements++;
    const Role array = Current();
    if (array == Role::kPair || array == Role::kResult) {
      const bool sample = array == Role::kPair;
      if (index == 0 && !quoted) {
        time_ = ReadTime(text);
      } else if (index != 1 || !quoted) {
        FailShape(sample ? "a sample that is not [time, \"value\"]"
                         : "a result that is not a list of series");
      } else if (sample) {
        series_.samples.push_back({time_, ReadValue(text)});
      } else {
        scalar_ = text;
      }
    } else if (array == Role::kHistogramPair) {
      if (index != 0 || quoted) FailShape("a histogram sample that is not [time, {...}]");
      time_ = ReadTime(text);
    } else if (array == Role::kBucket) {
      if (index < 4) bucket_[index] = ReadValue(text);
    } else if (array == Role::kWarnings || array == Role::kInfos) {
      (array == Role::kWarnings ? out_.answer.warnings : out_.answer.infos).emplace_back(text);
    }
  }

  std::size_t max_series_;
  JsonStream stream_;
  std::vector<Level> open_;
  Role next_ = Role::kTop;  ///< role of the value behind the key just read

  ApiAnswer out_;
  bool have_status_ = false, have_result_ = false;
  std::optional<ValueKind> kind_;
  std::string label_name_;
  std::vector<Labels::Pair> labels_;
  Series series_;
  std::size_t expected_samples_ = 0;
  TimeMs time_ = 0;
  double bucket_[4] = {};
  NativeHistogram histogram_;
  std::string scalar_;
};
ApiAnswerReader::ApiAnswerReader(std::size_t max_series)
    : events_(std::make_unique<Events>(max_series)) {}
ApiAnswerReader::~ApiAnswerReader() = default;

void ApiAnswerReader::Feed(std::string_view piece) { events_->Feed(piece); }
ApiAnswer ApiAnswerReader::Finish() { return events_->Finish(); }
bool ApiAnswerReader::full() const { return events_->full(); }
void ApiAnswerReader::Reset() { events_->Reset(); }

ApiAnswer ReadApiAnswer(std::string_view text) {
  ApiAnswerReader reader;
  reader.Feed(text);
  return reader.Finish();
}

}  // namespace schedlens
