#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "analysis/diagnose/against.h"
#include "cli/command.h"
#include "cli/commands/diagnose_by.h"
#include "cli/commands/diagnosing.h"
#include "cli/options/output.h"
#include "schedlens/error.h"

namespace schedlens {
namespace {

struct DiagnoseOptions {
  DiagnosingOptions diagnosing;
  OutputOptions output;
  std::string fail_on;
  std::string by;
  std::string against;
};

/// The confidence that `--fail-on` names, or nothing.
std::optional<Confidence> FailOn(const std::string& text) {
  if (text == "certain") return Confidence::kCertain;
  if (text == "likely") return Confidence::kLikely;
  if (text == "possible") return Confidence::kPossible;
  return std::nullopt;
}

bool Reaches(const Diagnosis& diagnosis, const std::optional<Confidence>& level) {
  if (!level || diagnosis.verdict != Verdict::kIncident) return false;
  return std::any_of(diagnosis.findings.begin(), diagnosis.findings.end(),
                     [&](const Finding& f) { return f.confidence <= *level; });
}

int RunBy(const DiagnoseOptions& options, const QuerySet& queries, const Context& context) {
  CheckForms(options.output, "--by", "; for other formats select one scheduler with --selector");
  std::mutex completing;  // a configuration may come from a server, or from a program that is run
  const SplitDiagnosis split = DiagnoseBy(
      options.by, options.diagnosing.investigate, queries,
      [&](Investigation found, const std::string& selector) {
        // Of many schedulers only those with an incident are worth a replay.
        const bool replay =
            !options.diagnosing.no_cross_check && found.diagnosis.verdict == Verdict::kIncident;
        std::optional<CrossCheck> check;
        if (replay) check = CrossCheckByReplay(found, queries);
        DiagnosingOptions part = options.diagnosing;
        part.investigate.source.selector = selector;
        const std::lock_guard lock(completing);
        return Completed(part, context, std::move(found.diagnosis), std::move(check));
      },
      context);
  WriteReports(split, options.output, context);
  const auto any = [&](const auto& predicate) {
    return std::any_of(split.parts.begin(), split.parts.end(),
                       [&](const DiagnosedPart& part) { return predicate(part.diagnosis); });
  };
  if (!any([](const Diagnosis& d) { return d.verdict != Verdict::kInsufficientData; })) {
    return static_cast<int>(ErrorKind::kInsufficientData);
  }
  return any([&](const Diagnosis& d) { return Reaches(d, FailOn(options.fail_on)); }) ? 3 : 0;
}

int RunDiagnose(const DiagnoseOptions& options, const Context& context) {
  const QuerySet queries = QueriesOf(options.diagnosing.investigate);
  if (!options.by.empty()) return RunBy(options, queries, context);
  std::optional<EarlierFile> earlier;
  if (!options.against.empty()) {
    CheckForms(options.output, "--against");
    earlier = OpenEarlier(options.against);
  }
  const Diagnosis diagnosis = DiagnoseAsAsked(options.diagnosing, queries, context);
  if (earlier) {
    WriteReports(SetAgainst(EarlierSide(*std::move(earlier), options.diagnosing.investigate,
                                        diagnosis, context),
                            diagnosis),
                 options.output, context);
  } else {
    WriteReports(diagnosis, options.output, context);
  }
  if (diagnosis.verdict == Verdict::kInsufficientData) {
    return static_cast<int>(ErrorKind::kInsufficientData);
  }
  return Reaches(diagnosis, FailOn(options.fail_on)) ? 3 : 0;
}

}  // namespace

Declared DeclareDiagnose() {
  return DeclareWith<DiagnoseOptions>(
      [](DiagnoseOptions* o) {
        return Together(
            {DiagnosingOptionTable(&o->diagnosing),
             OutputOptionTable(&o->output),
             {Option("--fail-on", "CONFIDENCE",
                     "exit with 3 when a finding has at least this confidence", &o->fail_on,
                     {.choices = {"certain", "likely", "possible"}}),
              Option("--by", "LABEL",
                     "diagnose each value of this label (such as cluster) on its own, worst "
                     "first; the server aggregates over processes",
                     [o](const std::string& text) {
                       if (text.empty()) {
                         throw Error(ErrorKind::kUsage, "--by: expected a label, such as cluster");
                       }
                       o->by = text;
                     },
                     {.excludes = {"--against"}}),
              AgainstOption(&o->against)}});
      },
      RunDiagnose);
}

}  // namespace schedlens
