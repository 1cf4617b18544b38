#include <fmt/format.h>

#include <memory>
#include <ostream>
#include <string>

#include "cli/commands/capture_recording.h"
#include "cli/commands/commands.h"
#include "cli/options/any_source.h"
#include "cli/options/grafana_link.h"
#include "cli/options/source.h"
#include "cli/options/time.h"
#include "cli/progress.h"
#include "messages/catalog.h"
#include "model/file.h"
#include "schedlens/error.h"
#include "source/capture/redact.h"

namespace schedlens {
namespace {

void CheckUsage(const CaptureOptions& options) {
  const SourceOptions& source = options.source;
  const bool other = !source.prometheus.empty() || !source.capture.empty() ||
                     !source.scrape_before.empty() || !source.scenario.empty();
  if (!options.scrape.empty() && other) {
    throw Error(ErrorKind::kUsage, "--scrape cannot be combined with another source");
  }
}

void Write(const CaptureOptions& options, Exposition recorded, const Context& context) {
  if (options.redact) {
    const std::string salt = RandomSalt();
    recorded = Redacted(std::move(recorded), salt);
    recorded.comments.emplace_back("names are replaced by codes");
    if (!options.alert.empty()) {
      context.err << fmt::format("in this file the alert's name is {}\n",
                                 RedactedName(options.alert, salt));
    }
  }
  for (const std::string& warning : InEnglish(recorded.warnings))
    context.err << "warning: " << warning << '\n';
  std::size_t samples = 0;
  for (const Series& series : recorded.series) samples += series.samples.size();
  const std::string text = WriteOpenMetrics(recorded);
  if (options.out == "-") {
    if (!(context.out << text << std::flush)) {
      throw Error(ErrorKind::kFailed, "cannot write to standard output");
    }
  } else {
    WriteTextFile(options.out, text);
  }
  context.err << fmt::format("{}: {} series, {} samples, {} bytes\n",
                             options.out == "-" ? "standard output" : options.out,
                             recorded.series.size(), samples, text.size());
}

void CaptureSource(const CaptureOptions& options, const Context& context) {
  const auto source = OpenAnySource(options.source);
  const SourceInfo info = source->Describe();
  Progress progress(context.err);
  RecordingPlan plan;
  plan.progress = [&progress](std::size_t done, std::size_t planned) {
    progress.Show("queries", done, planned, "");
  };
  Write(options, RecordFrom(options, *source, info, std::move(plan)), context);
}

int RunCapture(CaptureOptions options, const Context& context) {
  CheckUsage(options);
  FollowExplore(&options.source);
  if (options.scrape.empty()) {
    CaptureSource(options, context);
  } else {
    Write(options, RecordPages(options, context.err), context);
  }
  return 0;
}

}  // namespace

Declared DeclareCapture() {
  const auto options = std::make_shared<CaptureOptions>();
  CaptureOptions* o = options.get();
  return {
      Together({SourceOptionTable(&o->source),
                TimeOptionTable(&o->time),
                {{.names = "--out",
                  .value = "FILE",
                  .help = "file to write, compressed if it ends in .gz, - for standard output",
                  .target = &o->out,
                  .required = true},
                 {.names = "--alert",
                  .value = "NAME",
                  .help = "also record this alert's rules and its ALERTS series",
                  .target = &o->alert},
                 {.names = "--redact",
                  .help = "replace all names by codes: of nodes, pods, alerts, whatever is no word "
                          "of Kubernetes; the source's name is left out",
                  .target = &o->redact},
                 {.names = "--scrape",
                  .value = "URL",
                  .help = "scrape a scheduler's /metrics itself; token, certificate and CA in "
                          "--http.config.file",
                  .target = &o->scrape},
                 {.names = "--for",
                  .value = "DURATION",
                  .help = "how long to scrape",
                  .target = &o->duration},
                 {.names = "--every",
                  .value = "DURATION",
                  .help = "scrape interval",
                  .target = &o->interval}}}),
      [options](const Context& context) { return RunCapture(*options, context); }};
}

}  // namespace schedlens
