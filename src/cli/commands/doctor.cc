#include "diagnose/doctor/doctor.h"

#include <ostream>

#include "base/url.h"
#include "cli/command.h"
#include "cli/options/output.h"
#include "cli/options/source.h"
#include "cli/options/time.h"
#include "report/commands.h"
#include "schedlens/error.h"
#include "source/http/api_server.h"
#include "source/http/prometheus_source.h"

namespace schedlens {
namespace {

struct DoctorOptions {
  SourceOptions source;
  TimeOptions time;
  std::string format = "text";
  std::string lang = "en";
};

/// How the server was accessed, without secrets.
Message AccessOf(const SourceOptions& source) {
  std::vector<Message> sent;
  if (!source.http_config_file.empty()) {
    sent.push_back(Message("doctor.access.settings", {{"file", source.http_config_file}}));
  }
  if (source.prometheus.starts_with(kServiceScheme)) {
    sent.emplace_back("doctor.access.kubeconfig");
  }
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

/// The report when the source itself fails.
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

Declared DeclareDoctor() {
  return DeclareWith<DoctorOptions>(
      [](DoctorOptions* o) {
        return Together({SourceOptionTable(&o->source), TimeOptionTable(&o->time),
                         FormatAndLanguage(&o->format, &o->lang)});
      },
      RunDoctor);
}

}  // namespace schedlens
