// What is missing, what was odd, and notes on the alert.

#include "report/messages/sentences.h"

namespace schedlens {
namespace {

constexpr Message kRows[] = {
    // What is missing.
    {"{0} is missing: {1}.", "缺少 {0}：{1}。"},
    {"{0} is missing ({1}): {2}.", "缺少 {0}（{1}）：{2}。"},
    {"{0}_bucket is missing: sums and counts tell where the time went, but no quantile and no "
     "share of the slowest.",
     "缺少 {0}_bucket：总和与计数能说明时间用在哪里，但得不到分位数，也得不到最慢部分的占比。"},
    {"{0}_sum is missing: quantiles and counts can be told, but not where the time went.",
     "缺少 {0}_sum：能得到分位数与计数，但不知道时间用在哪里。"},
    {"only {0} is here: neither where the time went nor a quantile can be told from it.",
     "这里只有 {0}：由它既不知道时间用在哪里，也得不到分位数。"},
    {"called {0} up to {1}", "{1} 及以前名为 {0}"},
    {"called {0} from {1} on", "{1} 起名为 {0}"},
    {"{0}; {1} has it: not scraped, or dropped", "{0}；{1} 有这个指标：没有抓取，或被丢弃"},
    {"{0} has it: not scraped, or dropped", "{0} 有这个指标：没有抓取，或被丢弃"},
    {"{0}; some of {1} have it: not there, not scraped, or dropped",
     "{0}；{1} 中有的版本有这个指标：本来没有、没有抓取，或被丢弃"},
    {"some of {0} have it: not there, not scraped, or dropped",
     "{0} 中有的版本有这个指标：本来没有、没有抓取，或被丢弃"},
    {"removed in {0}, its successor is {1}", "{0} 中已移除，后继者是 {1}"},
    {"removed in {0}", "{0} 中已移除"},
    {"hidden from {0} on, its successor is {1}", "{0} 起隐藏，后继者是 {1}"},
    {"hidden from {0} on", "{0} 起隐藏"},
    {"exposed from {0} on, before that {1}", "{0} 起暴露，此前为 {1}"},
    {"exposed from {0} on", "{0} 起暴露"},
    {"the attempts' parts are added up instead, and no e2e quantile can be told",
     "改为把调度的各部分相加，得不到 e2e 分位数"},
    {"the scheduling loop and the binding cycle cannot be told apart", "分不清调度循环与绑定周期"},
    {"filter, score, prebind and bind cannot be told apart: only loop and binding are",
     "分不清 filter、score、prebind 与 bind：只能区分调度循环与绑定"},
    {"an extender's bind is found by a wider subtraction", "extender 的 bind 只能由更宽的相减得出"},
    {"slow extension points are named, their plugins are not", "能指出慢的扩展点，但指不出其插件"},
    {"time in the queue is not seen, and the attempts' quantile has no second ladder of buckets",
     "看不到排队时间，调度的分位数也没有第二套桶可供对照"},
    {"a slow API server cannot be told from work inside the scheduler",
     "分不清 API server 慢与调度器自身的工作"},
    {"the client's own limit is judged by the dispersion of the binds",
     "客户端自身的限流只能从 bind 的节奏判断"},
    {"computing and waiting cannot be told apart, restarts only by falling counters",
     "分不清计算与等待，重启只能从计数下降看出"},
    {"the queue is not seen", "看不到队列"},
    {"the queue's length is not seen", "看不到队列长度"},
    {"preemption is seen only by its extension point", "抢占只能从其扩展点看出"},
    {"running binding cycles are not seen", "看不到进行中的绑定周期"},
    {"it appears once a Permit plugin makes a pod wait; else nothing is lost",
     "只有 Permit 插件让 pod 等待时才会出现；否则没有损失"},
    {"the leader is found by which replica schedules", "由哪个副本在调度来判断 leader"},
    {"its extension points; scheduling_algorithm is missing",
     "它的各扩展点；缺少 scheduling_algorithm"},
    {"processes of {0} came, went or restarted: its own samples were asked, not their sums",
     "{0} 的进程有出现、消失或重启：改为查询它自己的样本，而不是总和"},
    {"Yet whether they are there under other labels or names is not known: {0}.",
     "不过不清楚它们是否在别的标签或名称下：“{0}”。"},
    {"Yet {0}.", "不过{0}。"},
    {"whether they are there under other labels or names is not known: {0}",
     "不清楚它们是否在别的标签或名称下：“{0}”"},
    {"Yet {0}: {1}.", "不过{0}：{1}。"},
    {"kube-scheduler metrics are there under other labels: job {0}",
     "kube-scheduler 的指标在其他标签之下：job {0}"},
    {"kube-scheduler metrics are there under other names: {0}",
     "kube-scheduler 的指标在其他名字之下：{0}"},
    {"name one of them, --selector 'job=\"{0}\"', or leave the option out",
     "指定其中之一，--selector 'job=\"{0}\"'，或不给这个选项"},
    {"undo the renaming in metric_relabel_configs or in the vendor's exporter, or put the new "
     "names into the questions: --queries DIR",
     "撤销 metric_relabel_configs 或厂商 exporter 中的改名，或把新名字写进所问的问题：--queries "
     "DIR"},
    {"no scheduler's metrics are under the alert's selector {0}: a wider search follows",
     "告警的选择器 {0} 之下没有调度器的指标：改为更宽的查找"},
    {"{0} is pending since {1}: the rule (for {2}) has not fired yet",
     "{0} 自 {1} 起处于 pending：规则（for {2}）尚未触发"},
    {"{0} was pending from {1} to {2}: the rule (for {3}) did not fire",
     "{0} 在 {1} 至 {2} 处于 pending：规则（for {3}）没有触发"},
    {"ALERTS holds no sample of {0} from {1} on: it did not fire, or nobody keeps its samples",
     "{1} 起 ALERTS 没有 {0} 的样本：它没有触发，或无人保存其样本"},
    {"The scheduler here is {0}, and {1} was {2}: the alert can never fire",
     "这里的调度器是 {0}，而 {1} {2}：这个告警永远不会触发"},
    {"Neither scheduling attempts nor the algorithm have a histogram here; `schedlens doctor` with "
     "the same source says what it sees.",
     "这里既没有调度尝试的直方图，也没有调度算法的；对同一数据来源运行 `schedlens doctor` "
     "可查看它能看到什么。"},
    // Restarts, leaders, counts.
    {"{0} restarted {1} times between {2} and {3}; what ended after the last scrape before each is "
     "lost",
     "{0} 在 {2} 与 {3} 之间重启了 {1} 次；每次重启前最后一次抓取之后结束的调度都已丢失"},
    {"{0} restarted at {1}; what ended after its last scrape before is lost",
     "{0} 于 {1} 重启；此前最后一次抓取之后结束的调度已丢失"},
    {"The baseline {0} to {1} is itself slow: it is set aside, and the window is judged by itself.",
     "基线 {0} 至 {1} 本身就慢：不采用它，窗口单独判断。"},
    {"The baseline {0} to {1} has no attempts: it is set aside, and the window is judged by "
     "itself.",
     "基线 {0} 至 {1} 内没有调度：不采用它，窗口单独判断。"},
    {"The window's start falls between scrapes: moved to {0}.",
     "窗口的起点在两次抓取之间：移到 {0}。"},
    {"The window's end falls between scrapes: moved to {0}.",
     "窗口的终点在两次抓取之间：移到 {0}。"},
    {"The window's edges fall between scrapes: moved to {0} and {1}.",
     "窗口的边界落在两次抓取之间：已移到 {0} 和 {1}。"},
    {"The window holds no scrape, the last one before its end was at {0}: widen it or move it.",
     "窗口内没有一次抓取，结束之前的最后一次在 {0}：请放宽或移动窗口。"},
    {"the leader changed inside the window: {0} finished attempts until {1}, {2} from {3} on",
     "窗口内 leader 发生了切换：{1} 之前由 {0} 完成调度，{3} 起由 {2} 完成"},
    {"{0} and {1} scheduled at the same time: two schedulers are added up here, tell them apart by "
     "--selector or --by",
     "{0} 与 {1} 同时在调度：这里把两个调度器加在了一起，请用 --selector 或 --by 区分"},
    {"leader_election_master_status: {0} became leader by {1}",
     "leader_election_master_status：{0} 于 {1} 之前成为 leader"},
    {"leader_election_master_status: {0} stopped leading by {1}",
     "leader_election_master_status：{0} 于 {1} 之前不再是 leader"},
    {"the attempts have no sum of their own: their stages are added up instead",
     "调度没有自己的总和：改为把各阶段相加"},
    {"{0} attempts failed after a node was found; their time is estimated from their stages",
     "有 {0} 次调度在选定节点之后失败；它们的时间由各阶段估计"},
    {"Counts do not conserve: {0} counts {1} more than {2}. Attempts are missing there: a metric "
     "dropped or relabelled away, or samples lost.",
     "计数不守恒：{0} 比 {2} 多 {1} 次。后者缺了一些调度：指标被丢弃或被 relabel "
     "去掉，或样本丢失。"},
    {"e2e and the running binding cycles", "e2e 加上进行中的绑定周期"},
    // Samples.
    {"{0}: _count and the +Inf bucket differ in {1} scrape{2}",
     "{0}：有 {1} 次抓取的 _count 与 +Inf 桶不一致"},
    {"{0}: {1} scrape{2} in the window {3} no histogram: counts that fall from one bound to the "
     "next or fell since the scrape before, are negative or infinite; {4}",
     "{0}：窗口内有 {1} "
     "次抓取不成直方图：计数随边界上升而减少、比前一次抓取少、为负或为无穷；{4}"},
    {"nothing is proven", "因此什么也不能证明"},
    {"left out", "已略去"},
    {"{0}: {1} counter reset{2} in the window (a scheduler restarted)",
     "{0}：计数器在窗口内被重置 {1} 次（调度器重启过）"},
    {"{0}: {1} scrape{2} without all buckets (or NaN) left out",
     "{0}：有 {1} 次抓取的桶不全（或为 NaN），已略去"},
    {"{0}: le is missing or not a number; left out", "{0}：缺少 le，或 le 不是数字；已略去"},
    {"{0}: le=\"{1}\" and le=\"{2}\" are one bound; added",
     "{0}：le=\"{1}\" 与 le=\"{2}\" 是同一个边界；已相加"},
    {"{0}: timestamps go backwards {1} times (first in {2}); samples were sorted",
     "{0}：时间戳倒退 {1} 次（最先在 {2}）；样本已重新排序"},
    {"{0}: {1} samples repeat a timestamp of their series with another value (first in {2}); the "
     "first value was kept",
     "{0}：有 {1} 个样本的时间戳与同一序列的其他样本重复而数值不同（最先在 "
     "{2}）；保留了第一个数值"},
    {"{0}: no `# EOF` at the end: lines may be missing", "{0}：结尾没有 `# EOF`：可能缺了一些行"},
    {"{0}: timestamps beyond the year 5138: OpenMetrics counts seconds, are these milliseconds?",
     "{0}：时间戳超过公元 5138 年：OpenMetrics 以秒计，这些是毫秒吗？"},
    {"the files' times do not say how far the two pages lie apart: 5m is assumed; counts, shares "
     "and quantiles do not depend on it, rates per second do",
     "从文件时间看不出两页相隔多久：按 5m 计；次数、占比和分位数不受影响，每秒速率会受影响"},
    {"processes came, went or restarted in {0} of {1} columns of {2}, the first from {3}, the last "
     "to {4}: sums over processes do not tell what these columns hold, they are left out",
     "{1} 个 {2} 的时间段中有 {0} 个有进程出现、消失或重启，第一个始于 {3}，最后一个止于 "
     "{4}：按进程求和看不出其中的内容，已略去"},
    {"{0} % of the window lies in such columns of {1}: {2} values with as many or more were asked "
     "for their own samples, --selector '{3}' asks for those of {4}",
     "{1} 的窗口有 {0} % 落在这样的时间段里：已为 {2} "
     "个这类时间段不少于它的取值查询它们自己的样本，"
     "--selector '{3}' 可查询 {4} 自己的样本"},
    // What a KubeSchedulerConfiguration rules out.
    {"{0} rules out {1}: it configures no such extender",
     "{0} 排除了 {1}：其中没有配置这样的 extender"},
    {"{0} configures no extender for what {1} proves: it is not this scheduler's",
     "{0} 没有配置 {1} 所证明的 extender：它不是这个调度器的配置"},
    // The server's own words stay as they are: people search for them.
    {"PromQL info: {0}", "PromQL 提示：“{0}”"},
    {"PromQL warning: {0}", "PromQL 警告：“{0}”"},
    {"schedlens: {0}", "schedlens：“{0}”"},
    {"how the server rounds is not known: {0}", "不清楚服务器如何舍入：“{0}”"},
    // Notes on the alert.
    {"The alert's own window holds no histogram to prove anything from.",
     "告警自身的窗口里没有直方图，无从证明。"},
    {"The alert's quantile is no number from 0 to 1; the default question stands in.",
     "告警的分位数不是 0 到 1 之间的数；改用默认问题。"},
    {"The alert is no histogram quantile; the default question stands in.",
     "告警不是直方图分位数；改用默认的问题。"},
    {"The quantile is judged without `{0}` around it", "判断的是分位数本身，不含其外的 `{0}`"},
    {"The alert's threshold is no number: nothing is compared with it",
     "告警的阈值不是数字：没有与它比较"},
    {"{0} rules are named {1}: the one of group {2} is taken, others by their expression",
     "有 {0} 条规则名为 {1}：采用组 {2} 的那条，其余的请给出表达式"},
    {"ALERTS holds no sample of {0} though it fired at {1}: nobody keeps its samples here",
     "ALERTS 没有 {0} 的样本，尽管它在 {1} 触发：这里没有保存它的样本"},
    {"The alert's expression gives no value at the window's end.",
     "告警表达式在窗口末尾没有数值。"},
    {"the alert's expression cannot be read ({0}): the default question is diagnosed instead: the "
     "p99 of the scheduling attempts' duration",
     "无法解析告警表达式（“{0}”）：改为诊断默认的问题，即调度尝试耗时的 p99"},
    {"the alert's expression is no histogram quantile: the default question is diagnosed instead: "
     "the p99 of the scheduling attempts' duration",
     "告警表达式不是直方图分位数：改为诊断默认的问题，即调度尝试耗时的 p99"},
    {"the notification of {0} does not say the alert's expression: the default question is "
     "diagnosed instead: the p99 of the scheduling attempts' duration",
     "{0} 的通知里没有告警表达式：改为诊断默认的问题，即调度尝试耗时的 p99"},
    {"the notification of {0} does not say the alert's expression and the server has no rule of "
     "that name: the default question is diagnosed instead: the p99 of the scheduling attempts' "
     "duration",
     "{0} 的通知里没有告警表达式，服务器上也没有同名规则：改为诊断默认的问题，即调度尝试耗时的 "
     "p99"},
    {"an alert without name", "一个没有名字的告警"},
    {"the notification holds {0} other alerts", "通知里还有 {0} 个其他告警"},
    {"recording rules in the expression were not looked up: {0}",
     "没有查到表达式中的记录规则：“{0}”"},
    {"several recording rules are named {0}: it was left as it is",
     "有多条记录规则名为 {0}：原样保留"},
    {"{0} is a recording rule asked with a range, offset or @: it was left as it is",
     "{0} 是记录规则，但查询带有区间、offset 或 @：原样保留"},
    {"{0} is recorded from {1}", "{0} 由 `{1}` 记录而来"},
    {"the alert's matchers on {0} ({1}) apply to the recorded series only",
     "告警中对 {0} 的匹配条件（{1}）只作用于记录下来的序列"},
    {"the expression cannot be read: {0}", "无法解析表达式：“{0}”"},
    {"the recording rules refer to each other too deeply to be seen through",
     "记录规则相互引用太深，无法展开"},
    {"can never fire: the highest finite bound is {0} s, and a server never shows more than it",
     "永远不会触发：最高的有限边界是 {0} s，服务器不会显示更大的值"},
    {"{0} s lies inside a bucket, so interpolation decides when this alert fires",
     "{0} s 落在桶的内部，这个告警何时触发由插值决定"},
    {"{0} s lies inside a bucket, so interpolation decides when this alert fires; decidable in "
     "every window: {1} s",
     "{0} s 落在桶的内部，这个告警何时触发由插值决定；在任何窗口都能判定的阈值：{1} s"},
    {"{0} s lies inside a bucket, so interpolation decides when this alert fires; decidable in "
     "every window: {1} or {2} s",
     "{0} s 落在桶的内部，这个告警何时触发由插值决定；在任何窗口都能判定的阈值：{1} 或 {2} s"},
    // What was redone from raw samples.
    {"the alert's expression", "告警表达式"},
    {"the recording rule {0}", "记录规则 {0}"},
    {"ALERTS of {0}, which began to fire", "{0} 的 ALERTS（开始触发时）"},
};

}  // namespace

std::span<const Message> WarningSentences() { return kRows; }

}  // namespace schedlens
