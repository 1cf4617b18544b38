// Headlines, and the titles of findings.

#include "report/messages/sentences.h"

namespace schedlens {
namespace {

constexpr Message kRows[] = {
    // The verdict in one sentence.
    {"Attempts are slow.", "调度变慢。"},
    {"{0}: {1} % of all e2e time.", "{0}：占全部 e2e 时间的 {1} %。"},
    {"{0}: {1} % of all e2e time, and {2} more cause.",
     "{0}：占全部 e2e 时间的 {1} %，另有 {2} 个原因。"},
    {"{0}: {1} % of all e2e time, and {2} more causes.",
     "{0}：占全部 e2e 时间的 {1} %，另有 {2} 个原因。"},
    {"{0}, and {1} more cause.", "{0}，另有 {1} 个原因。"},
    {"{0}, and {1} more causes.", "{0}，另有 {1} 个原因。"},
    {"No incident: {0} attempts, none of them slower than they should be.",
     "没有故障：{0} 次调度，没有一次慢得异常。"},
    {"The alert is an artifact: the quantile it shows is provably over the true one, which is "
     "below the threshold.",
     "这次告警是假象：可以证明它显示的分位数高于真实值，而真实值低于阈值。"},
    {"This data cannot decide whether there is an incident, or what caused it.",
     "凭这些数据无法判定是否有故障，也无法判定原因。"},
    {"There is not enough data here to say anything.", "数据不足，无法下任何结论。"},
    {"The window lies outside the data, which spans {0} to {1}.",
     "时间窗口在数据之外，数据的范围是 {0} 至 {1}。"},
    {"No kube-scheduler metrics were found here.", "这里没有找到 kube-scheduler 的指标。"},
    // Causes, in the order of the scheduling attempt.
    {"An extender's bind call is slow", "extender 的 bind 调用很慢"},
    {"The API server answers bind requests slowly", "API server 处理 bind 请求很慢"},
    {"The scheduler's own client limit delays binds",
     "bind 请求被调度器自身的客户端限流（QPS/burst）拖慢"},
    {"Binds wait in the scheduler's API call dispatcher", "bind 在调度器的 API 调用派发队列里排队"},
    {"An extender's filter or prioritize call holds up the algorithm",
     "extender 的 filter 或 prioritize 调用拖住了调度算法"},
    {"PreFilter plugins take the time", "时间花在 PreFilter 插件上"},
    {"Filter plugins take the time", "时间花在 Filter 插件上"},
    {"PreScore plugins take the time", "时间花在 PreScore 插件上"},
    {"Score plugins take the time", "时间花在 Score 插件上"},
    {"The scheduler does not get the CPU it needs", "调度器得不到足够的 CPU"},
    {"Preemption takes the time", "时间花在抢占上"},
    {"Unschedulable attempts outnumber scheduled ones", "不可调度的尝试多于成功的调度"},
    {"Attempts end in errors", "调度以错误告终"},
    {"Reserve plugins take the time", "时间花在 Reserve 插件上"},
    {"Pods wait at Permit", "Pod 在 Permit 处等待"},
    {"PreBind waits for volumes", "PreBind 在等待存储卷"},
    {"PreBind plugins take the time", "时间花在 PreBind 插件上"},
    {"Pods wait in the queue, not in attempts", "Pod 等在队列里，而不是调度过程中"},
    // Remarks about the number and the data.
    {"The compared numbers count different attempts", "相互比较的两个数统计的不是同一批调度"},
    {"The threshold lies inside a bucket", "阈值落在桶的内部"},
    {"The quantile is at the last finite bucket: read it as more than",
     "分位数到了最后一个有限的桶：应读作“大于”"},
    {"Too few attempts for this quantile", "调度次数太少，撑不起这个分位数"},
    {"The server repaired the buckets before it computed", "服务器在计算前修补了桶"},
    {"rate() bends this number: series are young or were reset",
     "rate() 扭曲了这个数：序列刚出现，或被重置过"},
    {"Counters were reset: a scheduler restarted", "计数器被重置：调度器重启过"},
    {"Metrics that the answer needs are missing", "缺少得出结论所需的指标"},
    {"Bucket layouts differ between series that are summed", "被求和的序列桶布局不一致"},
};

}  // namespace

std::span<const Message> TitleSentences() { return kRows; }

}  // namespace schedlens
