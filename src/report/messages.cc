#include "report/messages.h"

#include <algorithm>
#include <array>

#include "schedlens/error.h"

namespace schedlens {

namespace {

constexpr Message kMessages[] = {
    {", ", "，"},
    {"; ", "；"},
    {". ", "。"},
    // The verdict.
    {"Incident", "发生故障"},
    {"No incident", "没有故障"},
    {"Artifact of the number", "数字本身的假象"},
    {"Undecidable", "无法判定"},
    {"Not enough data", "数据不足"},
    {"{0}.", "{0}。"},
    {"{0}: {1}.", "{0}：{1}。"},
    {"{0}: {1}, {2} of the time.", "{0}：{1}，占全部时间的 {2}。"},
    {"certain", "确定"},
    {"likely", "很可能"},
    {"possible", "可能"},
    {"Redone", "复算"},
    {"they agree to the bit", "逐位一致"},
    {"they agree to 1e-9", "在 1e-9 内一致"},
    {"they do not agree ({0} of {1} rates do)", "不一致（{1} 个 rate 中有 {0} 个一致）"},
    {"{0} at {1}: {2} there, {3} from raw samples; {4}",
     "{0}，{1}：显示 {2}，由原始样本得 {3}；{4}"},
    // Many schedulers.
    {"{0} of {1} values of {2} have an incident.", "标签 {2} 的 {1} 个取值中有 {0} 个发生故障。"},
    {"verdict", "判定"},
    {"alert shows", "告警显示"},
    {"in one sentence", "一句话"},
    {"{0} without an incident are not shown in full; `-o json` has them.",
     "{0} 个没有故障，未展开；见 `-o json`。"},
    // The alert.
    {"Alert", "告警"},
    {"{0} of {1}", "{1} 的 {0}"},
    {"shows {0}", "显示 {0}"},
    {"shows nothing", "没有数值"},
    {"proven: {0}", "已证明的区间：{0}"},
    {"no data to compare with {0}", "没有数据可与 {0} 比较"},
    {"truly above {0}", "确实高于 {0}"},
    {"truly not above {0}", "确实不高于 {0}"},
    {"cannot be decided against {0} from this data", "凭这些数据无法判定是否超过 {0}"},
    // What was looked at.
    {"Window", "时间窗口"},
    {"found by itself", "自动找到"},
    {"Baseline", "基线"},
    {"none", "无"},
    {"to", "至"},
    {"Source", "数据来源"},
    {"kube-scheduler {0} by its metrics", "从指标看是 kube-scheduler {0}"},
    {"arithmetic of {0}", "按 {0} 的算法"},
    {"Attempts", "调度次数"},
    {"{0}, {1} in all", "{0} 次，共 {1}"},
    // Sections of the terminal report.
    {"Findings", "结论"},
    {"{0} of the time", "占全部时间的 {0}"},
    {"Where the time went", "时间花在哪里"},
    {"stage", "阶段"},
    {"now, | before", "现在，| 之前"},
    {"now, ┃ before", "现在，┃ 之前"},
    {"share", "占比"},
    {"before", "之前"},
    {"slowest 1 %", "最慢的 1 %"},
    {"slow alone", "单独致慢"},
    {"time", "时间"},
    {"excess", "增量"},
    {"! its p99 is at the top bucket: the true one may be far higher.",
     "! 它的 p99 落在最高的桶：真实值可能高得多。"},
    {"No time in: {0}.", "没有耗时：{0}。"},
    {"{0} plugins below 1 % each are not listed.", "另有 {0} 个插件各不到 1 %，未列出。"},
    {"{0} more are listed by `-o html` and `-o json`.", "另有 {0} 个见 `-o html` 和 `-o json`。"},
    {"Results", "调度结果"},
    {"queue and loop", "队列与调度循环"},
    {"now", "现在"},
    {"scheduling loop busy", "调度循环忙碌"},
    {"attempts a scheduled pod", "每个已调度 Pod 的尝试次数"},
    {"wait of a pod beside its last attempt", "每个已调度 Pod 在最后一次尝试之外的等待"},
    {"pods in the active queue", "活动队列中的 Pod"},
    {"pods in back-off", "退避中的 Pod"},
    {"unschedulable pods", "不可调度的 Pod"},
    {"gated pods", "被门控的 Pod"},
    {"result", "结果"},
    {"attempts", "次数"},
    {"mean", "平均"},
    {"Quantiles", "分位数"},
    {"metric", "指标"},
    {"shown", "显示值"},
    {"proven", "已证明"},
    {"estimate", "估计"},
    {"Plugins (a 10 % sample: compare within one extension point only)",
     "插件（10 % 抽样：只能在同一扩展点内比较）"},
    {"extension point", "扩展点"},
    {"plugin", "插件"},
    {"of the point", "占该点"},
    {"calls", "调用次数"},
    {"Cross-check: the reference scheduler replays it", "交叉检验：用参考调度器重放"},
    {"largest gap between the two curves {0}", "两条曲线的最大差距 {0}"},
    {"explained", "能够解释"},
    {"partly explained", "部分解释"},
    {"not explained", "不能解释"},
    {"undecidable", "无法判定"},
    {"measured", "实测"},
    {"replayed", "重放"},
    {"What is missing", "缺少什么"},
    {"Warnings", "警告"},
    {"Noticed while reading", "读取时发现"},
    {"{0} queries asked; `-o json` and `-o html` list them.",
     "共查询 {0} 次；`-o json` 和 `-o html` 会逐条列出。"},
    {"Over time, {0} to {1} UTC", "随时间变化，{0} 至 {1} UTC"},
    {"up to {0}", "最高 {0}"},
    {"attempts by e2e time; fuller is more", "按 e2e 耗时分布的次数，越满越多"},
    // Tables of the Markdown and HTML reports.
    {"measured by", "如何测得"},
    {"p99 at the top bucket", "p99 在最高的桶"},
    {"sampling", "抽样区间"},
    {"why", "原因"},
    // Markdown and HTML.
    {"Verdict", "判断"},
    {"Proven", "已证明"},
    {"Decided", "结论"},
    {"Expression", "表达式"},
    {"Note", "说明"},
    {"Next:", "下一步："},
    {"Missing", "缺少"},
    {"At {0} the two curves prove that {1} and {2} count different attempts.",
     "在 {0} 处，两条曲线证明 {1} 与 {2} 统计的不是同一批调度。"},
    {"Why one quantile reads above the other", "为什么一个分位数高于另一个"},
    {"{0} queries", "{0} 条查询"},
    {"{0} series", "{0} 条序列"},
    // The page.
    {"kube-scheduler latency report", "kube-scheduler 延迟报告"},
    {"{0} shown", "{0} 显示值"},
    {"Threshold", "阈值"},
    {"Time in all", "总耗时"},
    {"Contents", "目录"},
    {"The alert", "告警"},
    {"Heatmap", "热力图"},
    {"Stages", "阶段"},
    {"Tail", "尾部"},
    {"Inversion", "倒挂"},
    {"Plugins", "插件"},
    {"Queue", "队列"},
    {"Cross-check", "交叉检验"},
    {"Appendix", "附录"},
    {"Measured", "实测"},
    {"Next", "下一步"},
    {"The numbers as a table", "用表格看这些数字"},
    {"All numbers, and how each was measured", "全部数字，以及各自如何测得"},
    {"The part of all e2e time that each stage takes. The thin bar is the baseline.",
     "每个阶段占全部 e2e 时间的比例。细条是基线。"},
    {"The part of all e2e time that each stage takes.", "每个阶段占全部 e2e 时间的比例。"},
    {"now / before", "现在 / 之前"},
    {"The slowest attempts", "最慢的调度"},
    {"proven interval, and the best estimate", "已证明的区间，以及最佳估计"},
    {"of the slowest 1 %", "占最慢的 1 %"},
    {"How much of the time of the slowest 1 % of attempts each stage makes up. The band is proven: "
     "no arrangement of the data leaves it. “Slow alone” is the part of the slow attempts in which "
     "this stage by itself was over the threshold.",
     "最慢的 1 % 调度的时间中，每个阶段各占多少。色带是已证明的：数据怎样排列都不会超出它。"
     "“单独致慢”是仅凭这一阶段就超过阈值的慢调度所占的比例。"},
    {"All plugins", "全部插件"},
    {"Quantiles and results", "分位数与结果"},
    {"kube-scheduler times a 10 % sample of its plugins: compare them within one extension point "
     "only.",
     "kube-scheduler 只对 10 % 的调度测量插件：只能在同一扩展点内比较。"},
    {"Queue and throughput", "队列与吞吐"},
    {"Measured and replayed quantiles", "实测与重放的分位数"},
    {"Every number carries its exact value; bounds are proven unless marked as an estimate. All "
     "times are UTC.",
     "每个数字都带有精确值；除非标明是估计，区间都是已证明的。所有时间均为 UTC。"},
    // Plots.
    {"baseline", "基线"},
    {"window", "窗口"},
    {"{0}: up to {1}", "{0}：最高 {1}"},
    {"the alert's value", "告警数值"},
    {"{0} over time", "{0} 随时间的变化"},
    {"threshold {0}", "阈值 {0}"},
    {"shown by the server", "服务器显示"},
    {"Attempts by e2e time, over time", "按 e2e 耗时分布的调度，随时间的变化"},
    {"the stronger the colour, the more attempts; buckets from {0} to {1}",
     "颜色越浓，次数越多；桶从 {0} 到 {1}"},
    {"Pods waiting in the queues", "队列中等待的 Pod"},
    {"Attempts in each column, and binds in flight", "每列的调度次数，以及进行中的 bind"},
    {"scheduled", "成功"},
    {"failed", "失败"},
    {"binds in flight", "进行中的 bind"},
    {"UTC", "UTC"},
    {"bucket up to", "桶上限"},
    {"attempts in all columns", "各列次数合计"},
    {"Cumulative curves of the two metrics", "两个指标的累积曲线"},
    {"witness at {0}", "证据在 {0}"},
    {"the curves cross the wrong way at {0}", "曲线在 {0} 处反向交叉"},
    {"e2e time, measured and replayed", "e2e 耗时，实测与重放"},
    // The post-mortem.
    {"Post-mortem", "事后复盘"},
    {"Filled in where the data proves it; the rest is for people.",
     "数据能证明的已填好，其余由人来写。"},
    {"inference", "推断"},
    {"to be filled in", "待填写"},
    {"Title", "标题"},
    {"Date", "日期"},
    {"Authors", "作者"},
    {"Status", "状态"},
    {"Impact", "影响"},
    {"Contributing factors", "促成因素"},
    {"Trigger", "触发原因"},
    {"Detection", "如何发现"},
    {"Resolution", "如何解决"},
    {"Timeline", "时间线"},
    {"Action items (owner: to be named)", "行动项（负责人待定）"},
    {"What went well, what went wrong, where we were lucky", "做得好的、做得不好的、侥幸的"},
    {"{0} scheduling attempts in the window took {1} in all.", "窗口内 {0} 次调度共用 {1}。"},
    {"{0}: {1} attempts.", "{0}：{1} 次。"},
    {"the alert's value is first above {0}", "告警数值首次高于 {0}"},
    {"from here on it is proven to be above {0}", "由此可证明高于 {0}"},
    {"the alert's value is last above {0}", "告警数值最后一次高于 {0}"},
    {"baseline starts", "基线开始"},
    {"baseline ends", "基线结束"},
    {"window of the diagnosis starts", "诊断窗口开始"},
    {"window of the diagnosis ends", "诊断窗口结束"},
};

// Titles of findings by id: in English the analysis words them itself.
struct Title {
  std::string_view id, chinese;
};

constexpr Title kTitles[] = {
    {"bind.extender", "时间花在扩展程序（extender）的 bind 上"},
    {"bind.apiserver", "apiserver 处理 bind 请求很慢"},
    {"bind.client-throttling", "bind 请求被客户端限流（QPS/burst）"},
    {"bind.async-queue", "bind 请求在异步队列中等待"},
    {"algorithm.extender", "时间花在扩展程序的 filter 或 prioritize 上"},
    {"algorithm.prefilter", "PreFilter 变慢"},
    {"algorithm.filter", "Filter 变慢"},
    {"algorithm.prescore", "PreScore 变慢"},
    {"algorithm.score", "Score 变慢"},
    {"algorithm.cpu-starved", "kube-scheduler 得不到足够的 CPU"},
    {"preemption", "时间花在抢占（PostFilter）上"},
    {"attempts.unschedulable", "大量无法调度的 Pod"},
    {"attempts.error", "大量调度出错"},
    {"prebind.volume", "PreBind 在等待卷"},
    {"prebind", "PreBind 变慢"},
    {"permit.wait", "Pod 在 Permit 处等待"},
    {"reserve", "Reserve 变慢"},
    {"queue.backlog", "调度队列积压"},
    {"quantile.population", "两个分位数的统计对象不同"},
    {"quantile.threshold-inside-bucket", "阈值落在桶的内部，数值由插值决定"},
    {"quantile.saturated", "分位数到了最高的桶，只知道下限"},
    {"quantile.few-samples", "样本太少"},
    {"quantile.forced-monotonic", "服务器把桶强制改成单调"},
    {"quantile.rate-extrapolation", "rate 的外推改变了数值"},
    {"data.reset", "计数器在窗口内重置"},
    {"data.missing", "缺少指标"},
    {"data.mixed-layouts", "混有不同的桶布局"},
};

}  // namespace

std::span<const Message> MessageTable() { return kMessages; }

Messages::Messages(std::string_view lang) : chinese_(lang == "zh") {
  if (lang != "zh" && lang != "en") {
    throw Error(ErrorKind::kUsage,
                "no reports in the language \"" + std::string(lang) + "\"; choose en or zh");
  }
}

std::string Messages::FindingTitle(std::string_view id, std::string_view title) const {
  if (!chinese_) return std::string(title);
  const auto found = std::find_if(std::begin(kTitles), std::end(kTitles),
                                  [id](const Title& entry) { return entry.id == id; });
  return std::string(found == std::end(kTitles) ? title : found->chinese);
}

std::string_view Messages::Find(std::string_view english) const {
  if (!chinese_) return english;
  const auto found =
      std::find_if(std::begin(kMessages), std::end(kMessages),
                   [english](const Message& message) { return message.english == english; });
  return found == std::end(kMessages) ? english : found->chinese;
}

}  // namespace schedlens
