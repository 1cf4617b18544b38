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
       "to 1, remainders included."},
      {"excess",
       "A stage's seconds in the window, less what the baseline's cost per scheduled attempt gives "
       "for as many attempts. It splits into mix (more attempts that take this stage) and cost "
       "(each takes longer)."},
      {"tail_time_share",
       "A stage's share of the time of the slowest 1 % of attempts. No metric joins stages of one "
       "attempt, "
       "so it is an interval that holds whatever the joint distribution was."},
      {"sufficient",
       "Of the attempts over the threshold, the fraction in which this stage alone took longer "
       "than the threshold. Exact where the threshold is a common bucket bound."},
      {"remainder",
       "Time of a whole less the time of its measured parts, by sums: algorithm.unmeasured, "
       "bind.unmeasured, unmeasured. An extender's calls have no metric of their own and are found "
       "there."},
      {"window",
       "The period that is examined: given by --start/--end or --at/--window, or found where the "
       "attempts' time changed. Increases are taken exactly between the last scrapes at or before "
       "its edges, counter resets handled, nothing extrapolated."},
      {"baseline",
       "The period that the window is compared with: given by --baseline START/END, or the quiet "
       "time before the window."},
      {"verdict",
       "incident: attempts really were slow, and the findings say why. no-incident: nothing in the "
       "window is "
       "out of the ordinary. artifact: the number is a product of buckets, population or rate(), "
       "not of the "
       "scheduler. undecidable: this data cannot tell. insufficient-data: too little of it."},
      {"confidence",
       "certain: it follows from proven bounds. likely: the evidence fits this cause and no other "
       "that is "
       "known. possible: it fits, and something else fits too; the next steps say what would "
       "settle it."},
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
      {"result",
       "How an attempt ended: scheduled, unschedulable (no node fits, or a plugin refused), "
       "error."},
  };
  return all;
}

}  // namespace schedlens
