#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/message.h"
#include "base/series.h"
#include "schedlens/error.h"
#include "schedlens/semantics.h"

namespace schedlens {

/// A question in PromQL. Instant when start == end; otherwise evaluated at start, start + step, ...
/// A range selector `m[10m]` as the whole expression gives raw samples (instant queries only).
struct Query {
  std::string promql;
  TimeMs start = 0, end = 0;
  std::int64_t step_ms = 0;
  bool instant() const { return start == end; }
};

enum class ValueKind { kScalar, kString, kVector, kMatrix };

/// What came back. An empty `series` is an answer: nothing matched.
struct Answer {
  ValueKind kind = ValueKind::kVector;
  /// Instant vectors have one sample a series. A scalar is one series without labels.
  std::vector<Series> series;
  std::string text;                   // kString only
  std::vector<std::string> warnings;  // as the server words them; nothing is dropped
  std::vector<std::string> infos;
};

/// Who answers. Nothing in here is secret.
struct SourceInfo {
  std::string kind;  ///< "capture", "scrape-pair", "scenario", "prometheus", "thanos", "mimir", ...
  std::string name;  ///< file name or URL without credentials
  std::string version;  ///< the server's own version text, empty if unknown
  Semantics semantics;
  /// Bits are claimed only for a known Prometheus (or local samples); else agreement to 1e-9.
  bool exact = true;
  /// First and last sample time, where the source knows it (samples in memory do).
  std::optional<TimeRange> extent;
  /// Of alerts, as `/api/v1/rules` answers, where a capture's header keeps them.
  std::optional<std::string> rules = {};
  /// What was noticed while reading: repairs, skipped samples, gaps.
  std::vector<Message> warnings;
  /// Histograms, by bare name, of which it is seen to hold native samples now and no `_bucket`.
  std::set<std::string> native_only = {};
};

/// Thrown where a question was understood and these data have no answer: series that match twice.
class RefusedQuery : public Error {
 public:
  explicit RefusedQuery(const std::string& why) : Error(ErrorKind::kFailed, why) {}
};

/// The narrow interface to the outside: a question in PromQL. Implemented over HTTP
/// (PrometheusSource) and over samples in memory (LocalSource); the analysis cannot tell which.
class Source {
 public:
  virtual ~Source() = default;
  /// Throws RefusedQuery, and Error when the question cannot be asked or the answer cannot be read.
  virtual Answer Ask(const Query& query) = 0;
  /// Answers in the order of the questions. Over HTTP they are in flight together.
  virtual std::vector<Answer> AskAll(const std::vector<Query>& queries) {
    std::vector<Answer> answers;
    answers.reserve(queries.size());
    for (const Query& query : queries) answers.push_back(Ask(query));
    return answers;
  }
  /// As AskAll, but each answer is handed over, with the number of its question, as soon as it is
  /// there, in any order. The first failure ends all, as does what `take` throws.
  virtual void AskEach(const std::vector<Query>& queries,
                       const std::function<void(std::size_t, Answer)>& take) {
    for (std::size_t i = 0; i < queries.size(); ++i) take(i, Ask(queries[i]));
  }
  virtual SourceInfo Describe() = 0;
};

/// Appends what `to` does not hold yet.
inline void AddNew(const std::vector<Message>& from, std::vector<Message>* to) {
  for (const Message& message : from) {
    if (std::ranges::find(*to, message) == to->end()) to->push_back(message);
  }
}

/// A remark in the words of the server, or of what reads its data.
inline Message SourceNote(std::string words) {
  return Message("source.note", {{"text", std::move(words)}});
}

/// Whether it says that a server left data out of an answer: a store is down, a remote read failed.
inline bool IsPartialAnswer(const Message& message) { return message.id == "source.partial"; }

/// A remark for each of an answer's warnings and infos. A warning that is not about the expression
/// (those begin with "PromQL") says that the answer is partial.
inline void AddNotes(const Answer& answer, std::vector<Message>* to) {
  for (const std::string& words : answer.warnings) {
    const char* const id = words.starts_with("PromQL") ? "source.note" : "source.partial";
    AddNew({Message(id, {{"text", words}})}, to);
  }
  for (const std::string& words : answer.infos) AddNew({SourceNote(words)}, to);
}

/// One file of `queries/`: a question, and its wordings by Kubernetes release, tried in order.
struct Question {
  std::string name;
  std::vector<std::string> statements;  // PromQL with `$selector` and `$window`
};

/// What the names of questions about the rest of the control plane (API servers, etcd) begin
/// with: they are asked of other processes than all others.
inline constexpr std::string_view kControlPlanePrefix = "neighbour_";
/// The one of them that is asked of the processes that the others found.
inline constexpr std::string_view kControlPlaneProcesses = "neighbour_processes";
inline bool IsOfControlPlane(const Question& question) {
  return question.name.starts_with(kControlPlanePrefix);
}
/// What the names of questions that answer a finding's next step begin with: `next_FINDING.NUMBER`.
inline constexpr std::string_view kNextStepPrefix = "next_";
/// A question about the schedulers' own samples, which a diagnosis starts from.
inline bool IsOfSchedulers(const Question& question) {
  return !IsOfControlPlane(question) && !question.name.starts_with(kNextStepPrefix);
}

/// The questions schedlens asks a source. Their text is the single truth: the same PromQL goes to a
/// server and to the local evaluator.
class QuerySet {
 public:
  /// The set embedded at build time.
  static QuerySet Embedded();
  /// The embedded set with every `NAME.promql` of the directory in place of its namesake. Throws
  /// Error(kUsage) for a file that is no known question (naming the nearest one) or does not parse.
  static QuerySet WithOverrides(const std::string& directory);

  /// Throws Error(kFailed) for an unknown name.
  const Question& Get(std::string_view name) const;
  const std::vector<Question>& questions() const { return questions_; }

 private:
  std::vector<Question> questions_;
};

/// Puts selector (matchers without braces, may be empty) and window (a Prometheus duration) into a
/// statement.
std::string Substitute(std::string_view statement, std::string_view selector,
                       std::string_view window);

}  // namespace schedlens
