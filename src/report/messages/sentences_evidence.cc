// Evidence of findings, how stages are measured, and what the cross-check says.

#include "report/messages/sentences.h"

namespace schedlens {
namespace {

constexpr Message kRows[] = {
    // The time of a stage, and what the stage is called in that sentence.
    {"{0} took {1} s of the window's {2} s of e2e time ({3} %).",
     "{0}用去 {1} s，窗口内的 e2e 时间共 {2} s（{3} %）。"},
    {"{0} took {1} s of the window's {2} s of e2e time ({3} %): {4} ms a scheduled pod, {5} ms in "
     "the baseline.",
     "{0}用去 {1} s，窗口内的 e2e 时间共 {2} s（{3} %）：每个成功调度的 Pod {4} ms，基线为 {5} "
     "ms。"},
    {"The algorithm less its extension points", "调度算法中扩展点以外的部分"},
    {"PostFilter (preemption)", "PostFilter（抢占）"},
    {"The bind less its plugins", "bind 中 Bind 插件以外的部分"},
    {"What is left of e2e after every measured stage", "e2e 减去所有有指标的阶段后，剩余部分"},
    {"Waiting on permit", "Permit 等待"},
    {"Of the time of the slowest 1 % of attempts it has at least {0} %, however the observations "
     "pair up.",
     "最慢的 1 % 调度的时间中，它至少占 {0} %，无论各项观测如何配对。"},
    // The scheduling loop.
    {"Its mean is {0} ms a run, {1} ms in the baseline.", "平均每次运行 {0} ms，基线为 {1} ms。"},
    {"It grew by {0} s while the whole process used {1} s of CPU: {2}",
     "它增加了 {0} s，而整个进程只用了 {1} s 的 CPU：{2}"},
    {"the loop waited, which only a call to an extender makes it do here.",
     "调度循环是在等待，而这里只有对 extender 的调用会让它等待。"},
    {"that does not prove waiting, a snapshot or a busy processor could take it too.",
     "这不能证明是在等待，做快照或 CPU 繁忙也可能占用这些时间。"},
    {"The process used {0} cores on average.", "进程平均用了 {0} 个核。"},
    {"The process used {0} cores on average, {1} in the baseline.",
     "进程平均用了 {0} 个核，基线为 {1} 个。"},
    {"Bind is slower in the scrape intervals in which the loop is busier (rank correlation {0}): "
     "binds wait for the processor, not for the API server.",
     "调度循环越忙的抓取间隔里 Bind 越慢（秩相关系数 {0}）：bind 等的是 CPU，不是 API server。"},
    // Attempts, preemption, the queue.
    {"{0} of {1} attempts ended as {2} ({3} %).", "{1} 次调度中有 {0} 次以 {2} 告终（{3} %）。"},
    {"{0} of {1} attempts ended as {2} ({3} %), {4} % in the baseline.",
     "{1} 次调度中有 {0} 次以 {2} 告终（{3} %），基线为 {4} %。"},
    {"{0} preemption attempts were made.", "共尝试抢占 {0} 次。"},
    {"{0} attempts failed after a node was found: reserve, permit, PreBind or bind.",
     "有 {0} 次调度在选定节点之后失败：Reserve、Permit、PreBind 或 bind。"},
    {"{0} pods waited in the active queue on average; {1} attempts were made a second.",
     "活动队列中平均有 {0} 个 Pod 在等待；每秒调度 {1} 次。"},
    {"{0} pods waited in the active queue on average, {1} in the baseline; {2} attempts were made "
     "a second.",
     "活动队列中平均有 {0} 个 Pod 在等待，基线为 {1} 个；每秒调度 {2} 次。"},
    // The binding cycle.
    {"While a backlog stood ({0} scrape intervals, {1} to {2} running binds), binds left at {3} +- "
     "{4}/s and attempts arrived at {5} +- {6}/s",
     "积压期间（{0} 个抓取间隔，进行中的 bind 为 {1} 至 {2} 个），bind 以 {3} ± {4}/s "
     "完成，而调度以 {5} ± {6}/s 到来"},
    {"{0}: the binds are paced, the arrivals are not.", "{0}：bind 的节奏受到限制，到来的却没有。"},
    {"{0}: too few intervals to tell a slow server from the client's own limit.",
     "{0}：抓取间隔太少，分不清是服务器慢还是客户端自身限流。"},
    {"{0}: both are too even to tell a slow server from the client's own limit.",
     "{0}：两者都太均匀，分不清是服务器慢还是客户端自身限流。"},
    {"{0}: nothing paces the binds.", "{0}：没有什么在限制 bind 的节奏。"},
    {"{0} of {1} successful binds were made by an extender: PostBind ran for them, no Bind plugin "
     "did.",
     "{1} 次成功的 bind 中有 {0} 次由 extender 完成：它们运行了 PostBind，却没有运行 Bind 插件。"},
    {"That is {0} s an extender bind on average.", "平均每次 extender bind {0} s。"},
    {"POST requests waited {0} s each for the client's rate limiter: {1} s of the {2} s in Bind "
     "(at least {3} s, at most {4} s).",
     "每个 POST 请求在客户端限流器处等待 {0} s：Bind 的 {2} s 中占 {1} s（至少 {3} s，至多 {4} "
     "s）。"},
    {"Bind took {0} s, the API calls for it {1} s: {2} s were spent queued in the dispatcher.",
     "Bind 用去 {0} s，其中 API 调用本身 {1} s：有 {2} s 是在派发队列里排队。"},
    {"The client's rate limiter explains at most {0} s of it.",
     "客户端限流器至多能解释其中 {0} s。"},
    {"No backlog of running binds stood: the client's rate limiter had nothing to hold back.",
     "进行中的 bind 没有积压：客户端限流器没有可以扣住的请求。"},
    {"VolumeBinding makes up most of the time that the plugin metric saw in PreBind.",
     "插件指标在 PreBind 中看到的时间大多属于 VolumeBinding。"},
    // The number and the data.
    {"The algorithm's p99 reads above e2e's over all results. Over the same attempts that is "
     "impossible: {0} % of e2e and {1} % of the algorithm's runs took at most {2} s.",
     "调度算法的 p99 高于全部结果的 e2e p99。若统计的是同一批调度，这不可能：不超过 {2} s 的，e2e "
     "占 {0} %，算法的运行占 {1} %。"},
    {"p99 of scheduled attempts is {0}, over all results {1}: {2} failed attempts (mean {3} ms) "
     "drown {4} scheduled ones.",
     "成功调度的 p99 为 {0}，全部结果的为 {1}：{2} 次失败的尝试（平均 {3} ms）淹没了 {4} "
     "次成功的调度。"},
    {"The threshold {0} s lies inside the proven interval of the quantile.",
     "阈值 {0} s 落在该分位数已证明的区间内。"},
    {"p99 of result=\"{0}\" is in the open bucket: Prometheus prints {1} s whatever it is; the "
     "mean of all {2} attempts is {3} s.",
     "result=\"{0}\" 的 p99 在没有上界的桶里：无论真实值是多少，Prometheus 都显示 {1} s；全部 "
     "{2} 次调度的平均值为 {3} s。"},
    {"p99 of result=\"{0}\" rests on {1} attempts: about {2} lie above it.",
     "result=\"{0}\" 的 p99 只依据 {1} 次调度：高于它的约有 {2} 次。"},
    {"Counters restarted inside the window: {0}. What ended between the last scrape and the "
     "restart is lost.",
     "计数器在窗口内重新开始：{0}。最后一次抓取与重启之间结束的调度已丢失。"},
    {"scheduler_scheduling_algorithm_duration_seconds is absent: the scheduling loop and the "
     "binding cycle cannot be told apart.",
     "没有 scheduler_scheduling_algorithm_duration_seconds：分不清调度循环与绑定周期。"},
    {"scheduler_framework_extension_point_duration_seconds is absent: no stage below the algorithm "
     "can be told.",
     "没有 scheduler_framework_extension_point_duration_seconds：看不到算法以下的任何阶段。"},
    {"scheduler_scheduling_attempt_duration_seconds (up to 1.22: "
     "scheduler_e2e_scheduling_duration_seconds) is absent: no e2e quantile can be told.",
     "没有 scheduler_scheduling_attempt_duration_seconds（1.22 及以前为 "
     "scheduler_e2e_scheduling_duration_seconds）：给不出 e2e 分位数。"},
    {"The attempts' histogram has no buckets: no e2e quantile can be told.",
     "调度尝试的直方图没有桶：给不出 e2e 分位数。"},
    {"The e2e histogram has {0} different sets of bucket bounds among its series; sum by (le) over "
     "them is wrong.",
     "e2e 直方图的各序列有 {0} 种不同的桶边界；对它们做 sum by (le) 是错的。"},
    // What a KubeSchedulerConfiguration says about a finding.
    {"{0} configures {1}.", "{0} 中的配置：{1}。"},
    {"{0} plugins: {1}", "{0} 插件：{1}"},
    {"percentageOfNodesToScore adaptive, parallelism {0}",
     "percentageOfNodesToScore 自适应，parallelism {0}"},
    {"{0} ({1}; timeout {2} s)", "{0}（{1}；超时 {2} s）"},
    {"{0} ({1}; timeout {2} s; only pods that ask for {3})",
     "{0}（{1}；超时 {2} s；只处理请求 {3} 的 Pod）"},
    {"{0} ({1}; timeout {2} s; whole Node objects are sent)",
     "{0}（{1}；超时 {2} s；发送完整的 Node 对象）"},
    {"{0} ({1}; timeout {2} s; only pods that ask for {3}; whole Node objects are sent)",
     "{0}（{1}；超时 {2} s；只处理请求 {3} 的 Pod；发送完整的 Node 对象）"},
    {"none", "无"},
    // How a stage is measured.
    {"scheduling_algorithm + failed attempts", "scheduling_algorithm + 失败的尝试"},
    {"algorithm - its extension points", "algorithm - 其扩展点"},
    {"rate limiter of the API client", "API 客户端的限流器"},
    {"EP{Bind} - rate limiter", "EP{Bind} - 限流器"},
    {"e2e - every other stage", "e2e - 其他所有阶段"},
    {"e2e - every measured stage; holds the rest of the cycle too, about 0.1 ms an attempt",
     "e2e - 所有有指标的阶段；也包含周期的其余部分，每次约 0.1 ms"},
    {"binding_duration + failed EP{Bind}", "binding_duration + 失败的 EP{Bind}"},
    {"plugin_execution, by worker time", "plugin_execution，按工作线程时间"},
    {"e2e, all results", "e2e（全部结果）"},
    // The cross-check.
    {"Too few scheduled attempts to replay.", "成功的调度太少，无法重放。"},
    {"The cause is in failed attempts; the replay models scheduled ones only.",
     "原因在失败的尝试中；重放只模拟成功的调度。"},
    {"{0} binds were already waiting when the window began; the replay starts without any. Give a "
     "window that starts earlier.",
     "窗口开始时已有 {0} 个 bind 在等待，而重放从零开始。请给出更早开始的窗口。"},
    {"The replay scheduled too little to compare.", "重放中成功的调度太少，无法比较。"},
    {"Largest gap {0} between measured and replayed e2e; {1} would be chance and buckets. The "
     "replay's first cause: {2}.",
     "实测与重放的 e2e 最大差距为 {0}；{1} 以内可归于偶然和桶宽。重放的首要原因：{2}。"},
    {"{0} Its binds do not come in the measured dispersion.", "{0}重放的 bind 节奏与实测不符。"},
};

}  // namespace

std::span<const Message> EvidenceSentences() { return kRows; }

}  // namespace schedlens
