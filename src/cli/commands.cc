#include "cli/command.h"

namespace schedlens {

// One row a command: name, one-line summary, examples (one shell line each, the first one works as
// typed in a directory of examples/incidents), Declare<Name> of cli/commands/<name>.cc. Rows are in
// the order of the help.
const std::vector<Command>& Commands() {
  static const std::vector<Command> all = {
      {"diagnose", "Finds the causes behind an alert or a window, ranked, with evidence and bounds",
       "schedlens diagnose --capture metrics.om.gz\n"
       "schedlens diagnose --capture metrics.om.gz --window 5m --baseline off -o markdown\n"
       "schedlens diagnose --prometheus http://localhost:9090 --window 10m --export-html "
       "report.html\n"
       "schedlens diagnose --context prod --service monitoring/prometheus-k8s:9090",
       DeclareDiagnose},
      {"watch", "Diagnoses again and again, in place, until the alert clears",
       "schedlens watch --prometheus http://localhost:9090 --alert SchedulerSlow\n"
       "schedlens watch --prometheus http://localhost:9090 --alert SchedulerSlow --every 10s "
       "--export-html report.html",
       DeclareWatch},
      {"whatif", "Predicts e2e quantiles after a change, using the reference scheduler",
       "schedlens whatif --capture metrics.om.gz --set bind.extender=0\n"
       "schedlens whatif --capture metrics.om.gz --set bind.request=baseline --baseline auto\n"
       "schedlens whatif --capture metrics.om.gz --set client.qps=200 --set algorithm.filter*=0.5\n"
       "schedlens whatif --capture metrics.om.gz --set nodes=10000 --seeds 3\n"
       "schedlens whatif --capture metrics.om.gz --headroom rate --target p99=10s",
       DeclareWhatif},
      {"quantile", "Explains one quantile: shown, proven, estimated",
       "schedlens quantile scheduler_e2e_scheduling_duration_seconds --capture metrics.om.gz\n"
       "schedlens quantile 'scheduler_e2e_scheduling_duration_seconds{result=\"scheduled\"}' -q "
       "0.999 --capture metrics.om.gz -o json\n"
       "schedlens quantile scheduler_binding_duration_seconds --prometheus http://localhost:9090 "
       "--window 10m --all-semantics",
       DeclareQuantile},
      {"compare", "Explains why one quantile reads above another that should contain it",
       "schedlens compare scheduler_scheduling_algorithm_duration_seconds "
       "scheduler_e2e_scheduling_duration_seconds --capture metrics.om.gz\n"
       "schedlens compare scheduler_scheduling_algorithm_duration_seconds "
       "scheduler_e2e_scheduling_duration_seconds -q 0.999 --capture metrics.om.gz -o json",
       DeclareCompare},
      {"lint", "Lints alert and recording rules, and fixes them",
       "schedlens lint --expr 'histogram_quantile(0.99, sum by (le) "
       "(rate(scheduler_e2e_scheduling_duration_seconds_bucket[5m]))) > 3'\n"
       "schedlens lint rules.yaml --release 1.24 --diff\n"
       "schedlens lint rules.yaml more.yaml --release 1.24 --in-place\n"
       "schedlens lint rules.yaml -o sarif > lint.sarif",
       DeclareLint},
      {"doctor", "Checks whether a source is sufficient for a diagnosis, and what is missing",
       "schedlens doctor --capture metrics.om.gz\n"
       "schedlens doctor --prometheus http://localhost:9090\n"
       "schedlens doctor --prometheus https://prom.example/prefix --http.config.file http.yml",
       DeclareDoctor},
      {"capture", "Records everything a diagnosis needs into one OpenMetrics file",
       "schedlens capture --capture metrics.om.gz --out part.om --redact\n"
       "schedlens capture --prometheus http://localhost:9090 --window 10m --out incident.om\n"
       "schedlens capture --scrape https://localhost:10259/metrics --for 2m --every 5s --out "
       "live.om",
       DeclareCapture},
      {"explain", "Explains a finding, stage, metric or term of the reports, offline",
       "schedlens explain bind.extender\n"
       "schedlens explain algorithm.unmeasured\n"
       "schedlens explain scheduler_e2e_scheduling_duration_seconds\n"
       "schedlens explain verdict",
       DeclareExplain},
      {"query", "Evaluates PromQL over any source; JSON as the HTTP API returns it",
       "schedlens query 'histogram_quantile(0.99, sum by (le) "
       "(rate(scheduler_e2e_scheduling_duration_seconds_bucket[5m])))' --capture metrics.om.gz\n"
       "schedlens query 'sum by (result) "
       "(increase(scheduler_e2e_scheduling_duration_seconds_count[1m]))' --capture metrics.om.gz "
       "--window 10m --step 1m\n"
       "schedlens query 'rate(process_cpu_seconds_total[5m])' --capture metrics.om.gz --semantics "
       "2.42 -o json",
       DeclareQuery},
      {"queries", "Lists the queries; exports the stage tree as recording rules or a dashboard",
       "schedlens queries list\n"
       "schedlens queries export --format rules --release 1.26 --threshold 2.048\n"
       "schedlens queries export --format dashboard",
       DeclareQueries},
      {"serve", "Takes Alertmanager's webhooks and writes a report for each group of alerts",
       "schedlens serve --prometheus http://localhost:9090 --listen 9099 --out reports\n"
       "schedlens serve --prometheus http://localhost:9090 --listen 0.0.0.0:9099 --out reports "
       "--grafana http://localhost:3000 --grafana-config grafana.yml",
       DeclareServe},
      {"report", "Renders a saved diagnosis as text, Markdown, HTML, JSON or Slack text",
       "schedlens diagnose --capture metrics.om.gz -o json | schedlens report - -o markdown\n"
       "schedlens diagnose --capture metrics.om.gz -o json > diagnosis.json\n"
       "schedlens report diagnosis.json -o slack\n"
       "schedlens report diagnosis.json -o html --lang zh > report.html",
       DeclareReport},
      {"simulate", "Runs the embedded reference scheduler on a scenario: metrics and ground truth",
       "schedlens simulate bind.extender -o simulated.om.gz --truth truth.csv\n"
       "schedlens simulate --list\n"
       "schedlens simulate bind.apiserver --kubernetes-version 1.26 --severity 2 --seed 7 "
       "--summary\n"
       "schedlens simulate preemption --why default/web-000040\n"
       "schedlens simulate bind.apiserver --serve 10259",
       DeclareSimulate},
      {"completion", "Prints a shell completion script",
       "schedlens completion bash > schedlens.bash && . ./schedlens.bash\n"
       "schedlens completion zsh > _schedlens && fpath+=($PWD)\n"
       "schedlens completion fish > schedlens.fish && source schedlens.fish",
       DeclareCompletion},
      {"man", "Prints the manual page", "schedlens man | man -l -", DeclareMan},
  };
  return all;
}

}  // namespace schedlens
