// Next steps about the later stages, the queue, the number and the data.

#include "report/messages/sentences.h"

namespace schedlens {
namespace {

constexpr Message kRows[] = {
    // reserve, permit.wait
    {"See which plugin: the plugin rows of {0} in this diagnosis.",
     "看是哪个插件：本诊断中 {0} 的插件各行。"},
    {"In-tree Reserve plugins do bookkeeping in memory: look for an out-of-tree plugin in the "
     "profile, and for calls or locks in it.",
     "树内的 Reserve 插件只在内存里记账：在 profile 中找树外插件，看它有没有外部调用或锁。"},
    {"Find the plugin: profiles[].plugins.permit in the file that `--config` names.",
     "找到这个插件：`--config` 所指文件里的 profiles[].plugins.permit。"},
    {"With coscheduling: `kubectl get podgroups -A`, groups below minMember, and "
     "scheduleTimeoutSeconds.",
     "若用 coscheduling：`kubectl get podgroups -A`，看不足 minMember 的组，以及 "
     "scheduleTimeoutSeconds。"},
    {"Many waits that end Unschedulable are time-outs: `sum by (result) "
     "(increase(scheduler_permit_wait_duration_seconds_count[5m]))`.",
     "许多以 Unschedulable 告终的等待其实是超时：`sum by (result) "
     "(increase(scheduler_permit_wait_duration_seconds_count[5m]))`。"},
    {"If such waiting is wanted, alert on time without it: e2e less permit wait, by sums.",
     "如果这种等待是有意的，就对不含它的时间告警：用 _sum 计算 e2e 减去 Permit 等待。"},
    // prebind.volume, prebind
    {"Claims that wait: `kubectl get pvc -A | grep Pending`, then `kubectl describe pvc` for the "
     "provisioner's events.",
     "在等待的 PVC：`kubectl get pvc -A | grep Pending`，再用 `kubectl describe pvc` 看 "
     "provisioner "
     "的事件。"},
    {"The CSI provisioner's time: "
     "`csi_sidecar_operations_seconds{method_name=\"/csi.v1.Controller/CreateVolume\"}` of "
     "external-provisioner, and its log.",
     "CSI provisioner 的耗时：external-provisioner 的 "
     "`csi_sidecar_operations_seconds{method_name=\"/csi.v1.Controller/"
     "CreateVolume\"}`，以及它的日志。"},
    {"The limit of the wait is bindTimeoutSeconds of VolumeBinding (600 s by default).",
     "等待的上限是 VolumeBinding 的 bindTimeoutSeconds（默认 600 s）。"},
    {"Where it may happen earlier, volumeBindingMode: Immediate takes provisioning out of the "
     "attempt, at the price of worse placement.",
     "若可以提前供给，volumeBindingMode: Immediate 能把供给移出调度过程，代价是放置效果变差。"},
    {"VolumeBinding: `kubectl get pvc -A | grep Pending`. DynamicResources: `kubectl get "
     "resourceclaims -A`.",
     "VolumeBinding：`kubectl get pvc -A | grep Pending`。DynamicResources：`kubectl get "
     "resourceclaims -A`。"},
    {"PreBind writes go through the scheduler's client limit: look at bind.client-throttling too.",
     "PreBind 的写请求要经过调度器的客户端限流：也要看 bind.client-throttling。"},
    // queue.backlog
    {"Who waits where: `sum by (queue) (scheduler_pending_pods)`.",
     "谁在哪里等：`sum by (queue) (scheduler_pending_pods)`。"},
    {"How busy the loop is: the loop can start at most 1 / (mean algorithm time) attempts a "
     "second.",
     "调度循环有多忙：它每秒最多能开始 1 /（算法平均耗时）次调度。"},
    {"Active queue full while the loop is not busy: un-metered work on the loop (status patches of "
     "failed pods), or CPU: look at algorithm.cpu-starved.",
     "活动队列很长而调度循环不忙：循环上有未计量的工作（失败 Pod 的 status PATCH），或 CPU "
     "不足：看 "
     "algorithm.cpu-starved。"},
    {"Back-off: pods with many attempts; podMaxBackoffSeconds (10 s by default).",
     "退避：多次尝试的 Pod；podMaxBackoffSeconds（默认 10 s）。"},
    // quantile.population
    {"Compare like with like: add result=\"scheduled\" to e2e.",
     "同类相比：给 e2e 加上 result=\"scheduled\"。"},
    {"See the witness and the cause: `schedlens compare`, same source and window.",
     "看证据与原因：对同一数据来源和窗口运行 `schedlens compare`。"},
    {"For shares use sums, never the difference of two quantiles.",
     "算占比要用 _sum，绝不能用两个分位数之差。"},
    // quantile.threshold-inside-bucket
    {"Move the threshold to a bound: this diagnosis names the nearest decidable ones.",
     "把阈值移到桶的边界上：本诊断给出了最近的可判定阈值。"},
    {"Or alert on a share, which needs no interpolation: 1 - rate of _bucket{le=\"BOUND\"} / rate "
     "of _count > 0.01.",
     "或者对占比告警，这样不需要插值：1 - _bucket{le=\"BOUND\"} 的 rate / _count 的 rate > 0.01。"},
    {"`schedlens lint RULES.yaml` finds all such rules and proposes the change.",
     "`schedlens lint RULES.yaml` 能找出所有这样的规则，并给出改法。"},
    // quantile.saturated
    {"Use the mean: rate of _sum / rate of _count is never clipped.",
     "用平均值：_sum 的 rate / _count 的 rate 永远不会被截断。"},
    {"A threshold above the last bound can never fire: `schedlens lint RULES.yaml`.",
     "高于最后一个边界的阈值永远不会触发：`schedlens lint RULES.yaml`。"},
    {"The time above the last bound is bounded by _sum: see the interval in this diagnosis.",
     "超出最后一个边界的时间由 _sum 给出界限：见本诊断中的区间。"},
    // quantile.few-samples
    {"Take a longer window or a lower quantile: p90 needs a tenth of the attempts that p99 needs.",
     "取更长的窗口或更低的分位数：p90 所需的次数是 p99 的十分之一。"},
    {"Guard the alert: `and sum(increase(..._count[5m])) > 1000`.",
     "给告警加上前提：`and sum(increase(..._count[5m])) > 1000`。"},
    {"Read the sampling interval, not the number.", "看抽样区间，不要看这个数本身。"},
    // quantile.forced-monotonic
    {"Find the series: `sum by (le, instance) (rate(..._bucket[5m]))`, one instance falls.",
     "找出是哪条序列：`sum by (le, instance) (rate(..._bucket[5m]))`，有一个实例是下降的。"},
    {"Recording rules: aggregate buckets in one rule, from raw series, at one time.",
     "记录规则：在一条规则里、用原始序列、在同一时刻聚合所有的桶。"},
    {"Different bucket layouts summed together do it too: look at data.mixed-layouts.",
     "不同布局的桶相加也会这样：看 data.mixed-layouts。"},
    // quantile.rate-extrapolation
    {"Trust the numbers of --start/--end: they are exact increases between scrapes.",
     "相信 --start/--end 给出的数：它们是抓取之间的精确增量。"},
    {"Wait one window after a restart or leader change before reading the alert.",
     "重启或 leader 切换之后，等一个窗口再看告警。"},
    {"See both: `schedlens quantile`, same source and time.",
     "两者都看：对同一数据来源和时间运行 `schedlens quantile`。"},
    // data.reset
    {"When and why: `kubectl -n kube-system get pods -l component=kube-scheduler`, restart count "
     "and last state.",
     "何时、为何：`kubectl -n kube-system get pods -l "
     "component=kube-scheduler`，看重启次数和上一个状态。"},
    {"Leader changes: `kubectl -n kube-system get lease kube-scheduler -o yaml`, leaseTransitions.",
     "leader 切换：`kubectl -n kube-system get lease kube-scheduler -o yaml`，看 "
     "leaseTransitions。"},
    {"After a restart informers sync and caches are cold: slow first attempts are expected.",
     "重启后 informer 要同步，缓存是冷的：最初几次调度慢属于正常。"},
    // data.missing
    {"See what is there: `schedlens doctor`, same source.",
     "看看有什么：对同一数据来源运行 `schedlens doctor`。"},
    {"Scrape configuration: metric_relabel_configs that drop _bucket series or scheduler_*.",
     "抓取配置：是否有 metric_relabel_configs 丢弃了 _bucket 序列或 scheduler_*。"},
    {"Hidden by deprecation: `--show-hidden-metrics-for-version` of kube-scheduler, previous "
     "minor.",
     "因弃用而隐藏：kube-scheduler 的 `--show-hidden-metrics-for-version`，填上一个次版本。"},
    // data.mixed-layouts
    {"Split by instance: `sum by (le, instance) (rate(..._bucket[5m]))`.",
     "按实例拆开：`sum by (le, instance) (rate(..._bucket[5m]))`。"},
    {"Finish the roll-out, or select one release with --selector.",
     "完成滚动升级，或用 --selector 只选一个版本。"},
    {"Recording rules over both layouts stay wrong until the old series are gone.",
     "同时覆盖两种布局的记录规则，在旧序列消失之前都是错的。"},
};

}  // namespace

std::span<const Message> RemarkSteps() { return kRows; }

}  // namespace schedlens
