#pragma once

#include "contract/diagnosis.h"
#include "messages/catalog.h"

namespace schedlens {

// The texts of src/messages in the reader's language, for what the analysis says and for what the
// renderers write themselves.

class Messages {
 public:
  /// "en", "zh", ...; throws Error(kUsage) for another language.
  explicit Messages(std::string_view lang, Zone zone = {})
      : catalog_(&Catalog::Of(lang)), zone_(std::move(zone)) {}

  /// Of all times that are written.
  const Zone& zone() const { return zone_; }

  bool Has(std::string_view id) const { return catalog_->Has(id); }

  std::string operator()(const Message& message) const { return catalog_->Write(message, zone_); }
  std::vector<std::string> operator()(const std::vector<Message>& messages) const {
    std::vector<std::string> texts;
    for (const Message& message : messages) texts.push_back((*this)(message));
    return texts;
  }

  /// The text of an enumeration's value, which has one in `ids`, with its arguments.
  template <class Enum, class... Args>
  std::string Of(Enum value, std::initializer_list<const char*> ids, const Args&... args) const {
    return (*this)(ids.begin()[static_cast<int>(value)], args...);
  }

  /// The text of an id, with the arguments put in for {0}, {1}, ...
  template <class... Args>
  std::string operator()(std::string_view id, const Args&... args) const {
    Message message{std::string(id)};
    (message.args.push_back({std::to_string(message.args.size()), fmt::format("{}", args)}), ...);
    return catalog_->Write(message, zone_);
  }

 private:
  const Catalog* catalog_;
  Zone zone_;
};

// Sentences that several reports share.

/// What a cell or a line is painted with on a terminal.
enum class Ink { kPlain, kBold, kDim, kBad, kGood, kUnsure, kAccent };

/// A line of a list.
struct Item {
  std::string text;
  std::string query = {};  ///< that shows it; may be empty, may stand in the text as code
  TimeMs at = 0;           ///< when it happened, or the query was asked
};

/// True of an incident without its alert: attempts are slower, but truly not above the alert's
/// threshold.
bool IsBelowItsAlert(const Diagnosis& diagnosis);
/// "Incident", "No incident", ...; an incident that is below its alert's threshold is no "Incident"
/// next to that.
std::string VerdictWord(const Messages& t, const Diagnosis& diagnosis);
std::string VerdictWord(const Messages& t, Verdict verdict);
/// Its colour.
Ink VerdictInk(const Diagnosis& diagnosis);
Ink VerdictInk(Verdict verdict);
/// The diagnosis in one sentence: the analysis's own, else the verdict.
std::string Headline(const Messages& t, const Diagnosis& diagnosis);
std::string ConfidenceWord(const Messages& t, Confidence confidence);
/// That servers left data out, in their words; empty where none did.
std::string PartialSentence(const Messages& t, const Diagnosis& diagnosis);
/// "shows 2.72 s", "shows nothing".
std::string ShownAlone(const Messages& t, const AlertVerdict& alert);
/// "shows 2.72 s; proven: 2.5-2.8 s", "shows 2.72 s, proven wrong: 2.05-2.57 s", "shows nothing";
/// of no quantile "is 0.043".
std::string ShownSentence(const Messages& t, const AlertVerdict& alert);
/// "truly above 3 s", "cannot be decided from this data"; of no quantile whether it fires. Empty
/// without a threshold.
std::string DecidedSentence(const Messages& t, const AlertVerdict& alert);
/// What the alert is of, what it shows, what is proven, and what that decides.
std::string AlertSentence(const Messages& t, const AlertVerdict& alert);
/// What redoing the server's values showed; empty where nothing was redone, and for samples in
/// memory that agree with themselves.
std::string RecomputedSentence(const Messages& t, const Diagnosis& diagnosis);
/// "Alert"; "Quantile" where none was given and the default question stands.
std::string AlertName(const Messages& t, const AlertVerdict& alert);
/// The window, and whether it was found; the baseline, or that there is none.
std::string WindowText(const Messages& t, const Diagnosis& diagnosis);
std::string BaselineText(const Messages& t, const Diagnosis& diagnosis);
/// What a holder of pods is called; the id itself when unknown.
Message HolderName(const Messages& t, const std::string& id);
/// Who held the pods of an incident, by their shares; empty where nobody knows.
std::string HeldText(const Messages& t, const Diagnosis& diagnosis);
/// "91.2 % of the time", or "of the growth"; `share` is the number as the format writes it.
std::string ShareSentence(const Messages& t, const std::optional<Measured>& of,
                          const std::string& share);
/// "certain, 91.2 % of the time"; without a share "certain".
std::string SureText(const Messages& t, Confidence confidence,
                     const std::optional<Measured>& share);
/// What shows the finding, what it brought about, what is behind it, strongest first, and the
/// steps that the tool took itself, with what their queries gave.
std::vector<Item> EvidenceItems(const Messages& t, const Finding& finding);
/// The steps that are left: of what is behind the finding, then its own.
std::vector<Item> StepItems(const Messages& t, const Finding& finding);
/// What to do about the finding, or about what is behind it and leads it.
const std::optional<Remedy>& ActionOf(const Finding& finding);
/// What to do, by names: at once, what shows more of it as code to be pasted, who can, and later.
std::vector<std::pair<std::string, std::string>> RemedyFacts(const Messages& t,
                                                             const std::optional<Remedy>& remedy);
/// The same about the cause that the headline names. Empty where there is nothing to act on.
std::vector<std::pair<std::string, std::string>> ActionFacts(const Messages& t,
                                                             const Diagnosis& diagnosis);
/// "Behind it: TITLE (likely, 68 % of the time)."
std::string BehindSentence(const Messages& t, const CauseBehind& cause);
/// As many of a kind a report lists; JSON has all.
inline constexpr std::size_t kMostListed = 20;
/// How many of `count` are left out behind the first ones; empty where all are listed.
std::string RestSentence(const Messages& t, std::size_t count);
/// Remarks in their order, of each kind (message id) the first ones and how many more there are.
std::vector<std::string> RemarkLines(const Messages& t, const std::vector<Message>& all);
/// A line for each of the first other episodes, those that hurt first: its name, and when, what,
/// and the command that opens it; and how many more there are.
std::vector<std::pair<std::string, std::string>> EpisodeLines(const Messages& t,
                                                              const Diagnosis& diagnosis);
/// Which of several schedulers the diagnosis is about; empty of one alone.
std::string UnitSentence(const Messages& t, const Diagnosis& diagnosis);
/// "p99 of scheduler_e2e_scheduling_duration_seconds"; of no quantile the expression.
std::string AlertSubject(const Messages& t, const AlertVerdict& alert);
/// `{a="b"}`, Visible; empty without labels.
std::string LabelText(const std::vector<std::pair<std::string, std::string>>& labels);
/// Which parts of the control plane the source has: `API servers: 3, with 100 % of the
/// bindings; etcd: 1; ...`. Empty where there are none and nothing asks for them: no finding that
/// only they could tell further.
std::string ControlPlaneSentence(const Messages& t, const Diagnosis& diagnosis);
/// What is missing and what that costs: the gaps, and the control plane's where that sentence is
/// given.
std::vector<std::string> GapSentences(const Messages& t, const Diagnosis& diagnosis);
/// Kind, name and version of the source, the release it shows, whose arithmetic is reproduced.
std::string SourceSentence(const Messages& t, const Diagnosis& diagnosis);
/// "1.20", "1.23 or later" in the reader's language.
std::string ReleaseText(const Messages& t, const Diagnosis& diagnosis);
/// When the alert was pending, firing and resolved; empty where that is not known.
std::string EpisodesSentence(const Messages& t, const AlertVerdict& alert);
/// When and by which version the diagnosis was made, and of which cluster; empty where unknown.
std::string MadeSentence(const Messages& t, const Diagnosis& diagnosis);
/// The command line that made it, Visible and whole; empty where unknown.
std::string CommandOf(const Diagnosis& diagnosis);
/// Both of these.
std::string MadeText(const Messages& t, const Diagnosis& diagnosis);
/// Value and bounds of a share: "91.2 % (90.5–92 %)".
std::string ShareText(const Messages& t, const Measured& share);

}  // namespace schedlens
