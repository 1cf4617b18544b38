#include <ostream>

#include "base/file.h"
#include "base/suggestion.h"
#include "base/url.h"
#include "cli/options/investigate.h"
#include "cli/options/output.h"
#include "diagnose/doctor/doctor.h"
#include "report/commands.h"
#include "source/http/prometheus_source.h"

namespace schedlens {
namespace {

struct ReportOptions {
  std::string path;
  std::string schema;  ///< "diagnosis", "brief", "diagnoses", "against", or empty
  std::string against;
  OutputOptions output;
};

int RunReport(const ReportOptions& options, const Context& context) {
  if (!options.schema.empty()) {
    context.out << (options.schema == "diagnoses" ? DiagnosesSchema()
                    : options.schema == "brief"   ? BriefSchema()
                    : options.schema == "against" ? AgainstSchema()
                                                  : DiagnosisSchema());
    return 0;
  }
  if (options.path.empty()) {
    throw Error(ErrorKind::kUsage,
                "report needs a saved diagnosis: give the file that `diagnose -o json` wrote, or "
                "`-` for standard input. See `schedlens report --help`");
  }
  Diagnosis diagnosis = ParseDiagnosis(
      options.path == "-" ? ReadStream(context.in, InputName("-")) : ReadFile(options.path),
      InputName(options.path));
  if (options.against.empty()) {
    WriteReports(diagnosis, options.output, context);
    return 0;
  }
  CheckForms(options.output, "--against");
  Diagnosis then = EarlierSide(OpenEarlier(options.against), {}, diagnosis, context);
  WriteReports(SetAgainst(std::move(then), std::move(diagnosis)), options.output, context);
  return 0;
}

struct ExplainOptions {
  std::string word;
  std::string lang = "en";
};

int RunExplain(const ExplainOptions& options, const Context& context) {
  const std::string& word = options.word;
  const Messages t(options.lang);
  if (word.empty()) {
    context.out << GlossaryIndex(t, FindingTexts(), StageTexts(), MetricTexts(), LintChecks(),
                                 TopicTexts());
    return 0;
  }
  Explanation found = Explain(word);
  if (found.empty()) found = Explain(InSmallLetters(word));  // `Proven`, as a headline begins
  if (found.empty()) {
    Raise(ErrorKind::kUsage, "unknown term {}{} `schedlens explain` lists all terms", word,
          Suggestion(word, ExplainedWords()));
  }
  context.out << ExplanationText(t, found);
  return 0;
}

struct DoctorOptions {
  SourceOptions source;
  TimeOptions time;
  std::string format = "text", lang = "en";
};

/// How the server was accessed, without secrets.
Message AccessOf(const SourceOptions& source) {
  std::vector<Message> sent;
  if (!source.http_config_file.empty()) {
    sent.push_back(Message("doctor.access.settings", {{"file", source.http_config_file}}));
  }
  if (source.prometheus.starts_with(kServiceScheme)) sent.emplace_back("doctor.access.kubeconfig");
  if (!source.headers.empty()) {
    sent.push_back(
        Message("doctor.access.headers", {{"count", arg::Count(source.headers.size())}}));
  }
  const auto url = ParseUrl(source.prometheus);
  if (url && !(url->user.empty() && url->password.empty())) sent.emplace_back("doctor.access.user");
  if (!source.tenant.empty()) {
    sent.push_back(Message("doctor.access.tenant", {{"tenant", source.tenant}}));
  }
  if (sent.empty()) return Message("doctor.access");
  return Message("doctor.access.sent", {{"sent", std::move(sent)}});
}

DoctorReport FailedReport(const Error& error) {
  DoctorReport report;
  report.checks.push_back({.health = Health::kProblem,
                           .subject = "source",
                           .text = Verbatim(error.what()),
                           .fix = {},
                           .evidence = {}});
  return report;
}

DoctorReport ExamineAsAsked(const DoctorOptions& options) {
  const auto source = OpenAnySource(options.source);
  DoctorRequest request;
  request.selector = options.source.selector;
  const auto extent = source->Describe().extent;
  const TimeOptions time = TimesOn(options.time, extent);
  request.now = time.at.value_or(Now());
  if (!options.source.prometheus.empty()) {
    request.access = AccessOf(options.source);
    const auto clock = ServerClock(options.source);
    if (clock) request.clock_skew = static_cast<double>(*clock - Now()) / 1000.0;
  }
  request.range = WindowOf(time, extent ? extent->end : request.now);
  return Examine(*source, QuerySet::Embedded(), request);
}

int RunDoctor(const DoctorOptions& options, const Context& context) {
  DoctorReport report;
  try {
    report = ExamineAsAsked(options);
  } catch (const Error& error) {
    // A document is expected even then; the error's line and code follow as everywhere.
    const bool told = error.kind() != ErrorKind::kUsage && error.kind() != ErrorKind::kInterrupted;
    if (options.format == "json" && told) context.out << DoctorJson(FailedReport(error));
    throw;
  }
  context.out << (options.format == "json" ? DoctorJson(report)
                                           : DoctorText(Messages(options.lang), report));
  return report.diagnosable ? 0 : static_cast<int>(ErrorKind::kInsufficientData);
}

}  // namespace

Declared DeclareReport() {
  return DeclareWith<ReportOptions>(RunReport, [](ReportOptions* o) {
    return Together({{{"diagnosis", &o->path},
                      Option("--schema", [o](const std::string& text) { o->schema = text; },
                             {.choices = {"diagnosis", "brief", "diagnoses", "against"},
                              .implied = "diagnosis"}),
                      {"--against", &o->against}},
                     InGroup("Output", {ZoneOption(&o->output.look.zone)}),
                     OutputOptionTable(&o->output)});
  });
}

Declared DeclareExplain() {
  return DeclareWith<ExplainOptions>(RunExplain, [](ExplainOptions* o) {
    // The words are there to be completed; another one is answered with the nearest.
    return Options{Option("word", &o->word, {.suggestions = ExplainedWords()}),
                   LanguageOption(&o->lang)};
  });
}

Declared DeclareDoctor() {
  return DeclareWith<DoctorOptions>(RunDoctor, [](DoctorOptions* o) {
    return Together({SourceOptionTable(&o->source), TimeOptionTable(&o->time),
                     FormatAndLanguage(&o->format, &o->lang)});
  });
}

}  // namespace schedlens
