// Why a quantile is what it is, and why its interval is no narrower.

#include "report/messages/sentences.h"

namespace schedlens {
namespace {

constexpr Message kRows[] = {
    {"the server raised falling cumulative counts between {0} and {1} s (by up to {2})",
     "服务器抬高了 {0} 至 {1} s 之间下降的累积计数（最多抬高 {2}）"},
    {"the server draws a straight line through the bucket {0} .. {1} s; only the bucket is "
     "measured, the place in it is not",
     "服务器在桶 {0} .. {1} s 内画直线插值；测到的只有桶，桶内的位置没有测到"},
    {"attempts with different results are mixed in this quantile ({0}); quick failures push it "
     "down: ask per result",
     "这个分位数混合了不同结果的调度（{0}）；很快的失败会把它压低：请按 result 分别查询"},
    {"{0} observations: this quantile is the single slowest of them",
     "共 {0} 个观测：这个分位数就是其中最慢的那一个"},
    {"{0} observations are too few to bound the p{1} of the process from above at 95 %",
     "{0} 个观测太少，不足以在 95 % 的置信度下给出该过程 p{1} 的上界"},
    {"{0} of {1} scrape intervals are bounded by buckets alone: {2}",
     "{1} 个抓取间隔中有 {0} 个只能由桶来界定：{2}"},
    {"no _sum sample at the same scrapes as the buckets", "与桶同时抓取的 _sum 样本缺失"},
    {"a counter reset lies in them; what was observed between the last scrape and the reset is "
     "lost",
     "其中有计数器重置；最后一次抓取与重置之间的观测已丢失"},
    {"their _sum contradicts their buckets (negative observations, or samples of different "
     "scrapes)",
     "_sum 与桶矛盾（有负的观测，或样本来自不同的抓取）"},
    {"their counts are not whole numbers: recorded rates, not counters",
     "计数不是整数：记录的是速率，不是计数器"},
    {"the first bound is not positive, so values have no lower edge",
     "第一个边界不是正数，数值因此没有下限"},
    {"there is no bound but +Inf, so a server shows NaN; only the sums tell",
     "除 +Inf 外没有别的边界，服务器因此显示 NaN；只有 _sum 能说明问题"},
    {"the rank lies above the highest finite bound: a server prints {0} s and means more than "
     "that; only the sums bound it from above",
     "该名次高于最高的有限边界：服务器显示 {0} s，意思是“比这更大”；只有 _sum 能给出上界"},
    {"knife edge: exactly {0} of {1} observations lie up to {2} s and the next bucket is empty; "
     "after rate() a server's value is a rounding accident between {3} and {4} s",
     "刀刃上：{1} 个观测中恰有 {0} 个不超过 {2} s，而下一个桶是空的；经 rate() "
     "之后，服务器的值只是 "
     "{3} 与 {4} s 之间的舍入偶然"},
    {"the aggregated series have different bucket layouts: a server's sum by (le) is wrong here; "
     "each series was bracketed by its own bounds",
     "被聚合的序列桶布局不同：服务器的 sum by (le) 在这里是错的；各序列已按自己的边界分别界定"},
    {"q = {0} is not within 0..1: no observation has that rank",
     "q = {0} 不在 0..1 之内：没有观测处于这个名次"},
    {"no two scrapes of a series hold counts that rise from bound to bound: they were repaired as "
     "a server does, and nothing is proven about the truth",
     "该序列没有两次抓取的计数随边界递增：已像服务器那样修补，对真实值什么也不能证明"},
    {"no observation in the window", "窗口内没有观测"},
    {"the counts are not finite numbers: nothing can be proven", "计数不是有限数：什么也不能证明"},
    {"a series has no +Inf bucket: the number of observations is unknown",
     "有序列缺少 +Inf 桶：观测总数未知"},
    {"a bucket without a number as its bound was left out", "有一个桶的边界不是数字，已略去"},
    {"cumulative counts fall from one bound to the next; they were raised, as a server does, and "
     "nothing is proven about what was torn",
     "累积计数随边界上升而减少；已像服务器那样抬高，对损坏的部分什么也不能证明"},
    {"{0} holds the same attempts in {1} of {2} scrape intervals (equal counts since process "
     "start, ordered sums) and narrows the interval",
     "{0}在 {2} 个抓取间隔中的 {1} 个里统计的是同一批调度（自进程启动以来计数相等，_sum "
     "大小有序），从而收窄了区间"},
    {"the Bind extension point's ladder", "Bind 扩展点的桶"},
    {"{0}'s ladder", "{0} 的桶"},
};

}  // namespace

std::span<const Message> ReasonSentences() { return kRows; }

}  // namespace schedlens
