// The words that reports use.

#include "analysis/glossary/glossary.h"

namespace schedlens {

const std::vector<TopicText>& TopicTexts() {
  static const std::vector<TopicText> all = {
      {"quantile",
       "histogram_quantile(q, ...) finds the bucket in which the q-th of all observations lies and "
       "draws a "
       "straight line through it. What is certain is the bucket, not the point on the line: with "
       "the "
       "scheduler's buckets, which double, the true quantile may be up to a factor of two away. In "
       "the "
       "open bucket the server prints the last finite bound, which then means: more than this. "
       "Quantiles "
       "do not add up and cannot be averaged; sums can."},
      {"interval",
       "Bounds that the data prove: the true quantile of what was recorded lies inside, always. "
       "They come "
       "from the bucket, narrowed by _sum of every scrape interval and by other histograms of the "
       "same "
       "attempts. A missing end means that nothing is proven on that side."},
      {"estimate", "The best single point inside the proven interval. It is a guess and says so."},
      {"sampling-interval",
       "How far the quantile could have come out otherwise by chance, had as many attempts been "
       "drawn "
       "again. It is apart from the proven interval: many attempts make it narrow, buckets do "
       "not."},
      {"share",
       "A stage's seconds over the seconds of all attempts in the window. Top-level shares add up "
       "to 1, remainders included. A finding that is about no stage has a share of the growth "
       "against the baseline, and is printed so."},
      {"excess",
       "A stage's seconds in the window, less what the baseline's cost per scheduled attempt gives "
       "for as many attempts. It splits into mix (more attempts that take this stage) and cost "
       "(each takes longer)."},
      {"tail_time_share",
       "A stage's share of the time of the slowest 1 % of attempts. No metric joins stages of one "
       "attempt, "
       "so it is an interval that holds whatever the joint distribution was: the narrower of what "
       "the "
       "largest observations of each scrape interval allow, and of the worst case over all bucket "
       "counts and sums of two stages at once (a linear program). Where numbers contradict each "
       "other (data.contradiction) there is none."},
      {"sufficient",
       "Of the attempts over the threshold, the fraction in which this stage alone took longer "
       "than the threshold. Exact where the threshold is a common bucket bound."},
      {"remainder",
       "Time of a whole less the time of its measured parts, by sums: algorithm.unmeasured, "
       "bind.unmeasured, unmeasured. An extender's calls have no metric of their own and are found "
       "there."},
      {"window",
       "The period that is examined. A range given by --start/--end that is at most twice the "
       "alert's own (5m without an alert), or given with --baseline or --exact, is the window as "
       "it "
       "stands. A longer one is searched, and so is everything there is without one: the window is "
       "where the alert's own value is above its threshold, or, without an alert, where the "
       "attempts' time is higher, out to the points at which it changed. A window that is found "
       "has "
       "to matter: it lasts at least 60 s and three scrapes, or its proven p99 is at least 0.5 s; "
       "and at least five of its attempts took longer than the baseline's proven p99. Less is told "
       "as brief and is no incident. Increases are taken exactly between the last scrapes at or "
       "before the edges, counter resets handled, nothing extrapolated."},
      {"baseline",
       "The period that the window is compared with: given by --baseline START/END, or the quiet "
       "time next to the window. It is never taken from inside the incident: a stretch in which "
       "the "
       "alert's value is above its threshold, or which adjoins the window without a change between "
       "them, is none. A given one that is itself slow serves for the excess alone, with a "
       "warning."},
      {"verdict",
       "incident: the alert is decided above; or, without an alert, the proven p99 is at least 1.5 "
       "times the baseline's and a cause is likely or certain, or attempts fail or wait in numbers "
       "that the same test calls significant. no-incident: anything less; what did change is said. "
       "artifact: the server shows a value over the threshold, and the true one is proven not to "
       "be. undecidable: the value is over the threshold, or attempts look slow, and this data "
       "cannot tell whether they are. insufficient-data: no attempt was counted. Slower is decided "
       "by an exact test: at each bucket bound the fraction of attempts over it is compared with "
       "the baseline's (binomial or Fisher's), corrected for the number of bounds tried. \"None of "
       "them slower\" is said only where the same test would have seen a doubling."},
      {"confidence",
       "certain: the growth is significant, the stage takes at least 1.5 times what it took in the "
       "baseline, it is proven to be at least half of the time of the slowest 1 %, and the data "
       "leave no other reading. likely: it explains at least 30 % of what grew, or is told by "
       "counts, as attempts that fail are, and no other known cause fits the same evidence. "
       "possible: it explains at least "
       "10 %, or it fits and another fits as well; the headline then names the runner-up and what "
       "would settle it. Where a server left data out of an answer nothing is certain. A metric "
       "that is missing is never taken for zero."},
      {"decided",
       "Whether the true quantile is proven above or below the alert's threshold. undecidable: the "
       "threshold lies inside the proven interval."},
      {"cross_check",
       "The embedded reference scheduler runs with the measured costs and arrivals, its metrics go "
       "through "
       "the same diagnosis, and the two distributions of attempts are compared: explained, partly, "
       "not, or "
       "undecidable."},
      {"whatif",
       "The window is replayed in the reference scheduler with what was measured, with and without "
       "a change. A stage takes --set STAGE=SECONDS, STAGE*=FACTOR or STAGE=baseline (what it took "
       "in the quiet period); client.qps, client.burst, rate and nodes are settings; config=FILE "
       "is a whole KubeSchedulerConfiguration. The interval holds every seed, the chance of as "
       "many "
       "attempts, and an error of the fit; where the answer rests on something that was not "
       "measured, its upper end takes the dearest case, and the assumption is printed."},
      {"population",
       "Which attempts a metric counts. Two metrics are comparable only where these agree."},
      {"semantics",
       "Whose arithmetic is reproduced: rate() and histogram_quantile() differ between Prometheus "
       "versions and VictoriaMetrics. --semantics 2.42 gives the bits of that version, main those "
       "of "
       "the newest, victoriametrics-1.79 those of an older VictoriaMetrics. Series are added in "
       "label order, as blocks give them; a server from 2.54 on adds what only its head holds in "
       "the order in which the series began, which can change the last bits of a sum."},
      {"witness",
       "A bucket bound at which one histogram counts too many or too few observations to cover the "
       "same attempts as another: it proves different populations."},
      {"extender",
       "An HTTP service that kube-scheduler calls to filter, prioritize, preempt or bind. None of "
       "these calls "
       "has a metric in kube-scheduler: filter and prioritize are inside algorithm.unmeasured, "
       "preempt is "
       "inside postfilter, bind is bind.unmeasured."},
      {"impact",
       "Who waited: the pods over the threshold (the alert's, else one second) by the schedulers' "
       "own histograms, which is proven, and by namespace and workload as kube-state-metrics shows "
       "them. Its times are whole seconds, so a wait of d seconds is more than d - 1 and less than "
       "d + 1; pods that came and went between two of its scrapes are missing, and every upper "
       "bound allows for them. Without its metrics of pods there is no split."},
      {"neighbours",
       "The API servers, etcd and kube-state-metrics beside the scheduler, told by what they "
       "expose, "
       "whatever their jobs are called: how many were scraped, how many there must be, which part "
       "of the scheduler's bindings the API servers of this source answered, and what each missing "
       "metric would add. Where bindings are missing, what the others answered can be anything up "
       "to the scheduler's own time; where an extender or another scheduler binds too, nothing in "
       "the servers is the scheduler's for sure."},
      {"changes",
       "What changed within two minutes before the window's start (three scrapes where those are "
       "longer) up to the scrape after it: processes, releases, leaders, targets, roll-outs, "
       "nodes, webhooks, admission policies; and the pods that a namespace creates, where they "
       "grew to 1.5 times and by more than chance. Close in time is all that it says."},
      {"result",
       "How an attempt ended: scheduled, unschedulable (no node fits, or a plugin refused), "
       "error."},
  };
  return all;
}

}  // namespace schedlens
