#include "source/http/prometheus_source.h"

#include "promql/parser.h"
#include "source/http/client.h"
#include "source/http/json_stream.h"

namespace schedlens {
namespace {

using promql::Selector;

constexpr std::int64_t kSmallestRange = 60 * 1000;

/// The question for the raw samples of a part of its range, (start, end].
Query RawPart(const Selector& selector, TimeMs start, TimeMs end) {
  Selector part = selector;
  part.range_ms = end - start;
  return {promql::ToString(*promql::MakeExpr(part, ValueKind::kMatrix)), end, end, 0};
}

std::optional<std::pair<Query, Query>> HalvesOfRaw(const Query& query) {
  promql::ExprPtr tree;
  try {
    tree = promql::Parse(query.promql);
  } catch (const Error&) {
    return std::nullopt;
  }
  const auto* selector = tree->As<Selector>();
  const bool raw = selector != nullptr && selector->range_ms > kSmallestRange &&
                   selector->shift == promql::TimeShift{};
  if (!raw) return std::nullopt;
  const TimeMs start = query.end - selector->range_ms, middle = start + selector->range_ms / 2;
  return std::pair(RawPart(*selector, start, middle), RawPart(*selector, middle, query.end));
}

/// Two questions for what one asks; nothing for what cannot be cut or is short enough.
std::optional<std::pair<Query, Query>> Halves(const Query& query) {
  if (query.instant()) return HalvesOfRaw(query);
  if (query.step_ms <= 0) return std::nullopt;
  const std::int64_t steps = (query.end - query.start) / query.step_ms;
  if (steps < 2) return std::nullopt;  // each half needs a range of its own
  Query first = query;
  Query second = query;
  first.end = query.start + std::max<std::int64_t>(steps / 2, 1) * query.step_ms;
  second.start = first.end + query.step_ms;
  // A single step would be an instant question: the halves overlap by one then.
  if (second.start >= query.start + steps * query.step_ms) second.start = first.end;
  return std::pair(first, second);
}

template <typename T>
void AppendLater(std::vector<T> more, std::vector<T>* samples) {
  for (T& sample : more) {
    // Servers before 3.0 count both edges of a range.
    if (samples->empty() || sample.t > samples->back().t) samples->push_back(std::move(sample));
  }
}

/// The answers to both halves as the answer to the whole, in label order.
Answer Joined(Answer first, Answer second) {
  std::map<Labels, Series> all;
  for (Answer* half : {&first, &second}) {
    for (Series& series : half->series) {
      Series& whole = all[series.labels];
      whole.labels = series.labels;
      AppendLater(std::move(series.samples), &whole.samples);
      AppendLater(std::move(series.histograms), &whole.histograms);
    }
  }
  const auto add = [](const std::vector<std::string>& more, std::vector<std::string>* to) {
    for (const std::string& words : more) {
      if (std::ranges::find(*to, words) == to->end()) to->push_back(words);
    }
  };
  add(second.warnings, &first.warnings);
  add(second.infos, &first.infos);
  first.series.clear();
  for (auto& [labels, series] : all) first.series.push_back(std::move(series));
  return first;
}

Answer AskHalving(Source& server, const Query& query,
                  const std::function<bool(const Error&)>& too_much) {
  try {
    return server.Ask(query);
  } catch (const Error& error) {
    if (!too_much(error)) throw;
    const auto halves = Halves(query);
    if (!halves) throw;
    Answer first = AskHalving(server, halves->first, too_much);
    return Joined(std::move(first), AskHalving(server, halves->second, too_much));
  }
}

bool IsOfALimit(const Error& error) { return TellsALimit(error.what()); }

class HalvingSource final : public Source {
 public:
  explicit HalvingSource(std::unique_ptr<Source> server) : server_(std::move(server)) {}

  Answer Ask(const Query& query) override { return AskHalving(*server_, query, IsOfALimit); }

  std::vector<Answer> AskAll(const std::vector<Query>& queries) override {
    try {
      return server_->AskAll(queries);
    } catch (const Error& error) {
      if (!IsOfALimit(error)) throw;
    }
    return Source::AskAll(queries);
  }

  void AskEach(const std::vector<Query>& queries,
               const std::function<void(std::size_t, Answer)>& take) override {
    AskEachHalving(*server_, queries, IsOfALimit, take);
  }

  SourceInfo Describe() override { return server_->Describe(); }

 private:
  std::unique_ptr<Source> server_;
};

/// Longer URLs meet limits of proxies on the way.
constexpr std::size_t kLongestGet = 1500;
/// An API server takes long ones, and who may only read there may not POST through it.
constexpr std::size_t kLongestGetThroughApiServer = 64 * 1024;

/// 0.1 + 0.1 * 0.1: the quantile's last step, where a fused multiply-add rounds differently.
constexpr const char* kRoundingProbe =
    "histogram_quantile(0.5, label_replace(vector(4), \"le\", \"0.1\", \"\", \"\") or "
    "label_replace(vector(9), \"le\", \"0.2\", \"\", \"\") or "
    "label_replace(vector(9), \"le\", \"+Inf\", \"\", \"\"))";
/// Three arguments are MetricsQL's own: every other server refuses the question.
constexpr const char* kVictoriaProbe = "histogram_quantile(0.5, vector(1), \"bounds\")";

constexpr double kRoundedTwice = 0.11000000000000001;
constexpr double kFused = 0.11;

std::string Shortened(const std::string& promql) {
  constexpr std::size_t kShown = 160;
  const std::string text = OnOneLine(promql.substr(0, kShown));
  return promql.size() > kShown ? text + "..." : text;
}

/// The server ran the query and says that it took too long: asking again would take as long again.
bool RanOutOfTime(const HttpAnswer& answer) {
  return answer.body.find("\"errorType\":\"timeout\"") != std::string::npos ||
         answer.body.find("\"errorType\":\"canceled\"") != std::string::npos;
}

HttpRequest NewRequest(std::string url, std::string what) {
  HttpRequest request;
  request.url = std::move(url);
  request.what = std::move(what);
  request.settled = RanOutOfTime;
  return request;
}

class PrometheusSource final : public Source {
 public:
  /// The options name the server's own URL.
  explicit PrometheusSource(const SourceOptions& options)
      : url_(options.prometheus),
        chosen_(options.semantics),
        longest_get_(options.access ? kLongestGetThroughApiServer : kLongestGet),
        client_(HttpOptionsOf(options)) {
    ApiUrl(url_, "");
  }

  Answer Ask(const Query& query) override { return std::move(AskAll({query}).front()); }

  std::vector<Answer> AskAll(const std::vector<Query>& queries) override {
    std::vector<ApiAnswerReader> readers(queries.size());
    std::vector<HttpRequest> requests;
    for (std::size_t i = 0; i < queries.size(); ++i) {
      requests.push_back(RequestFor(queries[i], readers[i]));
    }
    const std::vector<HttpAnswer> replies = client_.FetchAll(requests);
    std::vector<Answer> answers;
    for (std::size_t i = 0; i < queries.size(); ++i) {
      answers.push_back(AnswerOf(requests[i], replies[i], readers[i]));
    }
    return answers;
  }

  void AskEach(const std::vector<Query>& queries,
               const std::function<void(std::size_t, Answer)>& take) override {
    std::vector<ApiAnswerReader> readers(queries.size());
    std::vector<HttpRequest> requests(queries.size());
    for (std::size_t i = 0; i < queries.size(); ++i) {
      requests[i] = RequestFor(queries[i], readers[i]);
      requests[i].done = [&, i](const HttpAnswer& reply) {
        take(i, AnswerOf(requests[i], reply, readers[i]));
      };
    }
    client_.FetchAll(requests);
  }

  SourceInfo Describe() override {
    if (info_) return *info_;
    const HttpRequest request = NewRequest(ApiUrl(url_, "/api/v1/status/buildinfo"), "build info");
    const HttpAnswer reply = client_.Fetch(request);
    // Old servers and many proxies have no buildinfo: then it is not known who answers.
    if (reply.status >= 500) ThrowStatus(request, reply);
    SourceInfo info = ReadBuildInfo(reply.status == 200 ? reply.body : "");
    if (info.kind == "unknown" && SpeaksMetricsQl()) {
      info.kind = "victoriametrics";
      info.semantics = ParseSemantics("victoriametrics");
    }
    info.name = PrintableUrl(ApiUrl(url_, ""));
    if (info.exact) FindRounding(info);
    if (chosen_) info.semantics = *chosen_;
    info_ = info;
    return info;
  }

 private:
  HttpRequest RequestFor(const Query& query, ApiAnswerReader& reader) const {
    std::string form = "query=" + PercentEncode(query.promql);
    if (query.instant()) {
      form += fmt::format("&time={:.3f}", MsToSeconds(query.start));
    } else {
      // nocache: without it VictoriaMetrics moves start and end to multiples of the step.
      form +=
          fmt::format("&start={:.3f}&end={:.3f}&step={:.3f}&nocache=1", MsToSeconds(query.start),
                      MsToSeconds(query.end), MsToSeconds(query.step_ms));
    }
    HttpRequest request =
        NewRequest(ApiUrl(url_, query.instant() ? "/api/v1/query" : "/api/v1/query_range"),
                   "query " + Shortened(query.promql));
    if (request.url.size() + form.size() <= longest_get_) {
      request.url += "?" + form;
    } else {
      request.form = std::move(form);
    }
    request.restart = [&reader] { reader.Reset(); };
    request.sink = [&reader, what = request.what, url = request.url](std::string_view piece) {
      try {
        reader.Feed(piece);
      } catch (const Error& error) {
        const bool page = piece.starts_with("<");
        ThrowOf(what, url, error.kind(),
                reader.full()
                    ? std::string(error.what())
                    : fmt::format("{}: is this the URL of a Prometheus API?",
                                  page ? "an HTML page, perhaps of a login" : error.what()));
      }
    };
    return request;
  }

  /// What was read, or the error that the server or its status tells.
  static Answer AnswerOf(const HttpRequest& request, const HttpAnswer& reply,
                         ApiAnswerReader& reader) {
    if (reply.status < 200 || reply.status >= 300) ThrowStatus(request, reply);
    ApiAnswer api;
    try {
      api = reader.Finish();
    } catch (const Error& error) {
      ThrowOf(request, error.kind(), error.what());
    }
    if (!api.success) {
      const ErrorKind kind = api.error_type == "timeout" ? ErrorKind::kTimeout : ErrorKind::kFailed;
      ThrowOf(request, kind, fmt::format("the server says {}: {}", api.error_type, api.error));
    }
    return std::move(api.answer);
  }

  /// Asks for a number that comes out differently where multiply-add is fused.
  void FindRounding(SourceInfo& info) {
    constexpr TimeMs kAnyTime = 1000;  // constants have the same value at every time
    std::optional<double> value;
    try {
      const Answer answer =
          Ask({.promql = kRoundingProbe, .start = kAnyTime, .end = kAnyTime, .step_ms = 0});
      if (answer.series.size() == 1 && answer.series[0].samples.size() == 1) {
        value = answer.series[0].samples[0].v;
      }
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kFailed) throw;
      info.warnings.push_back(Message("source.rounding", {{"error", error.what()}}));
    }
    info.exact = value == kRoundedTwice || value == kFused;
    info.semantics.fma = value == kFused;
  }

  /// Whether a server that does not say its name is a VictoriaMetrics.
  bool SpeaksMetricsQl() {
    try {
      Ask({.promql = kVictoriaProbe, .start = 1000, .end = 1000, .step_ms = 0});
      return true;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kFailed) throw;
      return false;
    }
  }

  std::string url_;
  std::optional<Semantics> chosen_;
  std::size_t longest_get_;
  HttpClient client_;
  std::optional<SourceInfo> info_;
};
HttpAnswer FetchOk(const SourceOptions& options, const HttpRequest& request) {
  HttpClient client(HttpOptionsOf(options));
  HttpAnswer answer = client.Fetch(request);
  if (answer.status < 200 || answer.status >= 300) ThrowStatus(request, answer);
  return answer;
}

}  // namespace

void AskEachHalving(Source& server, const std::vector<Query>& queries,
                    const std::function<bool(const Error&)>& too_much,
                    const std::function<void(std::size_t, Answer)>& take) {
  std::vector<bool> answered(queries.size());
  try {
    server.AskEach(queries, [&](std::size_t i, Answer answer) {
      answered[i] = true;
      take(i, std::move(answer));
    });
    return;
  } catch (const Error& error) {
    if (!too_much(error)) throw;
  }
  for (std::size_t i = 0; i < queries.size(); ++i) {
    if (!answered[i]) take(i, AskHalving(server, queries[i], too_much));
  }
}

std::unique_ptr<Source> NewHalvingSource(std::unique_ptr<Source> server) {
  return std::make_unique<HalvingSource>(std::move(server));
}

std::unique_ptr<Source> NewPrometheusSource(const SourceOptions& options) {
  return std::make_unique<PrometheusSource>(ThroughApiServer(options));
}

std::string FetchRules(const SourceOptions& options) {
  const SourceOptions reached = ThroughApiServer(options);
  return FetchOk(reached, NewRequest(ApiUrl(reached.prometheus, "/api/v1/rules"), "alert rules"))
      .body;
}

std::optional<TimeMs> ServerClock(const SourceOptions& options) {
  const SourceOptions reached = ThroughApiServer(options);
  HttpClient client(HttpOptionsOf(reached));
  const HttpAnswer answer = client.Fetch(
      NewRequest(ApiUrl(reached.prometheus, "/api/v1/status/buildinfo"), "build info"));
  if (!answer.server_seconds) return std::nullopt;
  return *answer.server_seconds * 1000;
}

std::string FetchPage(const SourceOptions& options, const std::string& url) {
  return FetchOk(options, NewRequest(url, "scrape")).body;
}

}  // namespace schedlens
