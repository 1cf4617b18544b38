// Next steps about causes, in the order of the findings.

#include "report/messages/sentences.h"

namespace schedlens {
namespace {

constexpr Message kRows[] = {
    // bind.extender
    {"Find the extender: in the file that kube-scheduler's `--config` names, the entry of "
     "extenders[] with a bindVerb; `schedlens diagnose --scheduler-config FILE` then names it.",
     "找到这个 extender：在 kube-scheduler 的 `--config` 所指的文件里，extenders[] 中带 bindVerb "
     "的那一项；`schedlens diagnose --scheduler-config FILE` 会把它列出来。"},
    {"Look at the extender's own log and metrics for its bind verb in this window. It binds with a "
     "client of its own: check that client's QPS limit and its locks too.",
     "查看 extender 自己的日志，以及它的 bind 在这个窗口内的指标。它用自己的客户端做 "
     "bind：也要查该客户端的 QPS 限制和锁。"},
    {"Tell network from work: `curl -so /dev/null -w '%{time_connect} %{time_total}\\n' "
     "URL_PREFIX` from the scheduler's host.",
     "区分网络与处理时间：在调度器所在的主机上运行 `curl -so /dev/null -w '%{time_connect} "
     "%{time_total}\\n' URL_PREFIX`。"},
    {"See what a fast bind would give: `schedlens whatif --set bind.extender=0`, same source and "
     "window.",
     "看看 bind 变快后会怎样：对同一数据来源和窗口运行 `schedlens whatif --set bind.extender=0`。"},
    {"If the extender's bind does nothing but bind, removing bindVerb hands the bind back to "
     "DefaultBinder.",
     "如果 extender 的 bind 除了绑定什么也不做，去掉 bindVerb 就会把绑定交还给 DefaultBinder。"},
    // bind.apiserver
    {"Ask the API servers: `histogram_quantile(0.99, sum by (le) "
     "(rate(apiserver_request_duration_seconds_bucket{verb=\"POST\",resource=\"pods\","
     "subresource=\"binding\"}[5m])))`.",
     "查询 API server：`histogram_quantile(0.99, sum by (le) "
     "(rate(apiserver_request_duration_seconds_bucket{verb=\"POST\",resource=\"pods\","
     "subresource=\"binding\"}[5m])))`。"},
    {"Admission webhooks: `apiserver_admission_webhook_admission_duration_seconds` by name; a "
     "webhook on pods/binding runs inside every bind.",
     "准入 webhook：按 name 看 "
     "`apiserver_admission_webhook_admission_duration_seconds`；挂在 pods/binding 上的 webhook "
     "会在每次 bind 中运行。"},
    {"etcd: `etcd_request_duration_seconds` on the API servers, "
     "`etcd_disk_wal_fsync_duration_seconds` on etcd.",
     "etcd：API server 上的 `etcd_request_duration_seconds`，etcd 上的 "
     "`etcd_disk_wal_fsync_duration_seconds`。"},
    {"Priority and fairness: `apiserver_flowcontrol_request_wait_duration_seconds` of the priority "
     "level that serves system:kube-scheduler.",
     "API 优先级与公平性（APF）：看服务 system:kube-scheduler 的那个优先级的 "
     "`apiserver_flowcontrol_request_wait_duration_seconds`。"},
    // bind.client-throttling
    {"Read the limit: clientConnection.qps and .burst in the file that `--config` names; 50 and "
     "100 when absent.",
     "查看限额：`--config` 所指文件里的 clientConnection.qps 和 .burst；未写时为 50 和 100。"},
    {"Confirm in the log: `Waited for ... due to client-side throttling` (waits over 1 s at -v=2).",
     "在日志中确认：`Waited for ... due to client-side throttling`（-v=2 时记录超过 1 s "
     "的等待）。"},
    {"See who else drains the bucket: every newly unschedulable pod costs one status PATCH: `sum "
     "by (verb) (rate(rest_client_rate_limiter_duration_seconds_count[5m]))`.",
     "看看还有谁在消耗令牌桶：每个新出现的不可调度 Pod 都要一次 status PATCH：`sum by (verb) "
     "(rate(rest_client_rate_limiter_duration_seconds_count[5m]))`。"},
    {"Predict a higher limit: `schedlens whatif --set client.qps=200`, same source and window; "
     "then raise qps and burst together and watch the API servers.",
     "预测更高限额的效果：对同一数据来源和窗口运行 `schedlens whatif --set "
     "client.qps=200`；然后同时调高 qps 和 burst，并观察 API server。"},
    // bind.async-queue
    {"Check the gate: `--feature-gates` of kube-scheduler; the metric "
     "scheduler_pending_async_api_calls exists only with it.",
     "检查特性门控：kube-scheduler 的 `--feature-gates`；只有打开它才有 "
     "scheduler_pending_async_api_calls 这个指标。"},
    {"Turn it off with `--feature-gates=SchedulerAsyncAPICalls=false`, or move to a patch release "
     "where it is off.",
     "用 `--feature-gates=SchedulerAsyncAPICalls=false` 关闭它，或换到默认关闭它的补丁版本。"},
    {"Count what shares the queue: `sum by (call_type) "
     "(rate(scheduler_async_api_call_execution_total[5m]))`.",
     "统计哪些调用共用这个队列：`sum by (call_type) "
     "(rate(scheduler_async_api_call_execution_total[5m]))`。"},
    // algorithm.extender
    {"Find extenders[] with a filterVerb or prioritizeVerb in the file that `--config` names.",
     "在 `--config` 所指的文件里找 extenders[] 中带 filterVerb 或 prioritizeVerb 的项。"},
    {"kube-scheduler logs a trace of each algorithm run over 100 ms: `kubectl -n kube-system logs "
     "POD | grep -A4 'Trace.*Scheduling'`; the long step is `Computing predicates` (filter) or "
     "`Prioritizing`.",
     "kube-scheduler 会为每次超过 100 ms 的算法运行记录 trace：`kubectl -n kube-system logs POD | "
     "grep -A4 'Trace.*Scheduling'`；耗时长的步骤是 `Computing predicates`（filter）或 "
     "`Prioritizing`。"},
    {"A plateau at 5 s is the default httpTimeout: the extender does not answer at all.",
     "如果停在 5 s 的平台上，那是默认的 httpTimeout：extender 根本没有应答。"},
    {"nodeCacheCapable: true sends node names in place of whole Node objects; managedResources "
     "keeps pods away that the extender has no say in; ignorable: true lets scheduling go on "
     "without it.",
     "nodeCacheCapable: true 只发送节点名而不是完整的 Node 对象；managedResources 把与 extender "
     "无关的 Pod 挡在外面；ignorable: true 让调度在没有它时也能继续。"},
    // algorithm.prefilter, .filter, .prescore, .score
    {"See which plugin: the plugin rows of {0} in this diagnosis (a sample: rank, do not add).",
     "看是哪个插件：本诊断中 {0} 的插件各行（是抽样：只排名次，不要相加）。"},
    {"InterPodAffinity first: fewer required pod (anti-)affinity terms, or topology spread "
     "constraints with a narrower selector.",
     "先看 InterPodAffinity：减少 required 的 Pod 亲和/反亲和条目，或把 topologySpreadConstraints "
     "的 selector 收窄。"},
    {"Check how many nodes and pods the cache holds: `scheduler_scheduler_cache_size` (up to "
     "1.33), `scheduler_cache_size` (from 1.33).",
     "看缓存里有多少节点和 Pod：`scheduler_scheduler_cache_size`（1.33 及以前），"
     "`scheduler_cache_size`（1.33 起）。"},
    {"Nodes tried per attempt (from 1.27): `sum by (plugin) "
     "(rate(scheduler_plugin_evaluation_total{extension_point=\"Filter\"}[5m]))` over the attempts "
     "per second.",
     "每次调度尝试了多少节点（1.27 起）：用 `sum by (plugin) "
     "(rate(scheduler_plugin_evaluation_total{extension_point=\"Filter\"}[5m]))` "
     "除以每秒调度次数。"},
    {"If nearly all nodes are tried, the cluster is full or selectors are narrow: that is "
     "capacity, not code.",
     "如果几乎每次都要试遍所有节点，说明集群已满或 selector 太窄：这是容量问题，不是代码问题。"},
    {"An out-of-tree filter plugin that calls out (network, locks) belongs in PreFilter, once an "
     "attempt.",
     "树外的 Filter 插件若要访问外部（网络、锁），应放到 PreFilter 里，每次调度只做一次。"},
    {"Preferred inter-pod affinity costs here: drop terms nobody needs, or disable the plugin's "
     "scoring in the profile.",
     "preferred 的 Pod 间亲和在这里花时间：删掉没人需要的条目，或在 profile 中关闭该插件的打分。"},
    {"Default topology spread constraints apply to pods that declare none: pluginConfig "
     "PodTopologySpread, defaultingType.",
     "没有声明拓扑分布约束的 Pod 也会套用默认约束：见 pluginConfig 中 PodTopologySpread 的 "
     "defaultingType。"},
    {"Score fewer nodes: percentageOfNodesToScore in the file that `--config` names.",
     "给更少的节点打分：`--config` 所指文件里的 percentageOfNodesToScore。"},
    {"An out-of-tree score plugin that calls out once a node multiplies its latency by the nodes: "
     "fetch in PreScore instead.",
     "树外的 Score 插件若对每个节点访问一次外部，延迟就要乘以节点数：应改在 PreScore 中一次取回。"},
    // algorithm.cpu-starved
    {"Throttling: `rate(container_cpu_cfs_throttled_periods_total{container=\"kube-scheduler\"}"
     "[5m]) / rate(container_cpu_cfs_periods_total{container=\"kube-scheduler\"}[5m])`.",
     "CPU 限流：`rate(container_cpu_cfs_throttled_periods_total{container=\"kube-scheduler\"}[5m]) "
     "/ rate(container_cpu_cfs_periods_total{container=\"kube-scheduler\"}[5m])`。"},
    {"Used CPU: `rate(process_cpu_seconds_total{job=\"kube-scheduler\"}[5m])`, beside the limit in "
     "/etc/kubernetes/manifests/kube-scheduler.yaml.",
     "实际用量：`rate(process_cpu_seconds_total{job=\"kube-scheduler\"}[5m])`，对照 "
     "/etc/kubernetes/manifests/kube-scheduler.yaml 里的 limit。"},
    {"Host: load and steal of the control plane node; etcd and the API server share it.",
     "主机：控制面节点的 load 和 steal；etcd 与 API server 也在用它。"},
    {"If the CPU is spent well, see on what: 30 s of /debug/pprof/profile of the scheduler.",
     "如果 CPU 确实用在了计算上，看用在哪里：对调度器的 /debug/pprof/profile 采样 30 s。"},
    // preemption
    {"Who preempts: `kubectl get events -A --field-selector reason=Preempted`.",
     "谁在抢占：`kubectl get events -A --field-selector reason=Preempted`。"},
    {"How often and how many: `rate(scheduler_preemption_attempts_total[5m])`, "
     "`scheduler_preemption_victims`.",
     "多频繁、多少个：`rate(scheduler_preemption_attempts_total[5m])`、"
     "`scheduler_preemption_victims`。"},
    {"Pods that need not preempt: a PriorityClass with preemptionPolicy: Never.",
     "不需要抢占的 Pod：使用 preemptionPolicy: Never 的 PriorityClass。"},
    {"Deletions share the scheduler's client limit: look at bind.client-throttling too.",
     "删除请求与调度器共用客户端限额：也要看 bind.client-throttling。"},
    // attempts.unschedulable
    {"Which pods and why: `kubectl get events -A --field-selector reason=FailedScheduling`.",
     "哪些 Pod、为什么：`kubectl get events -A --field-selector reason=FailedScheduling`。"},
    {"Which plugin rejects (from 1.24): `sum by (plugin) (scheduler_unschedulable_pods)`.",
     "哪个插件拒绝（1.24 起）：`sum by (plugin) (scheduler_unschedulable_pods)`。"},
    {"Alert on what users feel: add result=\"scheduled\" to the alert, or keep the label in its "
     "aggregation.",
     "按用户的感受告警：在告警中加上 result=\"scheduled\"，或在聚合时保留这个标签。"},
    {"Stop the retries: capacity, or remove the pods that can never fit.",
     "停止重试：扩容，或删除永远放不下的 Pod。"},
    // attempts.error
    {"Read why: `kubectl -n kube-system logs POD | grep 'Error scheduling pod'`.",
     "看原因：`kubectl -n kube-system logs POD | grep 'Error scheduling pod'`。"},
    {"Refused requests: `sum by (code, method) "
     "(rate(rest_client_requests_total{code!~\"2..\"}[5m]))` of the scheduler.",
     "被拒绝的请求：调度器的 `sum by (code, method) "
     "(rate(rest_client_requests_total{code!~\"2..\"}[5m]))`。"},
    {"Which step: `sum by (extension_point, status) "
     "(increase(scheduler_framework_extension_point_duration_seconds_count{status!=\"Success\"}[5m]"
     "))`.",
     "在哪一步：`sum by (extension_point, status) "
     "(increase(scheduler_framework_extension_point_duration_seconds_count{status!=\"Success\"}[5m]"
     "))`。"},
};

}  // namespace

std::span<const Message> StepSentences() { return kRows; }

}  // namespace schedlens
