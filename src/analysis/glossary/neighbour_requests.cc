// The API server: requests, admission, flow control, audit, authorization.

#include "analysis/glossary/neighbour_texts.h"

namespace schedlens {
namespace {

using enum kube::Neighbour;

constexpr NeighbourText kRequestRows[] = {
    {kApiserverRequestDuration,
     "Requests by verb and resource, from receipt of the headers to the answer in its buffer: "
     "filters, wait for a seat, admission with webhooks, storage. Bindings are verb=\"POST\", "
     "resource=\"pods\", subresource=\"binding\".",
     "Up to 1.19 its clock began after the filters. The audit backend's last call and the flush to "
     "the network come after it. Requests that a filter refused (429) are not in it. Lowest bucket "
     "50 ms up to 1.24, 5 ms after."},
    {kApiserverRequestSloDuration,
     "Requests as apiserver_request_duration_seconds has them, without the time of webhooks.",
     "Total less this, of the same labels, is the time of webhooks for that resource."},
    {kApiserverRequestSliDuration,
     "Requests as apiserver_request_duration_seconds has them, without the time of webhooks, and "
     "from 1.27 on without the wait for a seat.",
     "A low one says nothing of what it leaves out. Total less this, of pods/binding, is the only "
     "figure of webhooks by resource."},
    {kApiserverRequest, "Requests by code, refused ones too.",
     "A binding's 201 is a success; 409 is a pod that was bound already."},
    {kApiserverRequestTerminations,
     "Requests that the API server ended to protect itself: 429, or a time-out.", ""},
    {kApiserverRequestAborts, "Requests that were cut off while their answer was written.", ""},
    {kApiserverRequestPostTimeout,
     "Handlers that went on after their request had timed out, and how they ended.", ""},
    {kApiserverCurrentInflightRequests,
     "The most requests in flight in the last second, reading and mutating apart.",
     "A maximum over a second, not a value at the scrape."},
    {kApiserverCurrentInqueueRequests,
     "The most requests waiting for a seat in the last second, reading and mutating apart.", ""},
    {kApiserverLongrunningRequests, "Watches and other long requests that are open now.", ""},
    {kApiserverLongrunningGauge, "Watches and other long requests that are open now.",
     "Successor: apiserver_longrunning_requests."},
    {kApiserverDroppedRequests,
     "Requests refused with 429 by the limits in flight, before priority and fairness.", ""},
    {kApiserverResponseSizes, "Bytes of answers, by verb and resource.", "Of reads only."},
    {kApiserverRequestFilterDuration,
     "Time in each filter before the handler: authentication, audit, impersonation, priority and "
     "fairness, authorization.",
     "Without a verb: a burst of bindings drowns in reads. A detector, not a share."},
    {kApiserverTlsHandshakeErrors, "TLS handshakes that failed.", ""},
    {kApiserverSelfrequest, "Requests that the API server made to itself.", ""},
    {kApiserverWatchEvents, "Events sent to watchers, by kind.", ""},
    {kApiserverAdmissionStepAdmissionDuration,
     "A whole phase of admission (admit or validate), by operation: built-in plugins and webhooks.",
     "Not by resource: all CREATEs together, bindings among them."},
    {kApiserverAdmissionControllerAdmissionDuration, "One built-in admission plugin, by operation.",
     "A binding gives a sample to plugins that return at once."},
    {kApiserverAdmissionWebhookAdmissionDuration,
     "Calls of one webhook, by operation: connection, the webhook itself, the answer.",
     "Not by resource: a webhook that is slow on pods may never see pods/binding. Equal counts "
     "prove nothing, since pods are created as often as they are bound. Buckets end at 2.5 s up to "
     "1.26."},
    {kApiserverAdmissionWebhookRequest, "Calls of one webhook by the code of its answer.", ""},
    {kApiserverAdmissionWebhookRejectionCount,
     "Requests that a webhook refused, or that failed with it (failurePolicy Fail).",
     "error_type tells a webhook that said no from one that could not be called."},
    {kApiserverAdmissionWebhookFailOpenCount,
     "Calls that failed and were let pass (failurePolicy Ignore).",
     "Their time-outs were waited for all the same."},
    {kApiserverAdmissionMatchConditionEvaluation,
     "Evaluating the match conditions of webhooks and policies.", ""},
    {kApiserverValidatingAdmissionPolicyCheckDuration, "One check of a ValidatingAdmissionPolicy.",
     ""},
    {kApiserverValidatingAdmissionPolicyCheck,
     "Checks of ValidatingAdmissionPolicies, by what they led to.", ""},
    {kApiserverMutatingAdmissionPolicyCheckDuration, "One check of a MutatingAdmissionPolicy.", ""},
    {kApiserverFlowcontrolRequestWaitDuration,
     "Waits for a seat, by flow schema and priority level; the first bucket holds those that did "
     "not wait.",
     "Which schema bindings fall into is in no metric: kube-scheduler on workload-high is only the "
     "default. The labels were flowSchema and priorityLevel up to 1.22."},
    {kApiserverFlowcontrolRequestExecution, "Time in a seat: authorization and the handler.",
     "type=\"watch\" is the start of watches."},
    {kApiserverFlowcontrolCurrentInqueueRequests, "Requests that wait for a seat now.", ""},
    {kApiserverFlowcontrolCurrentInqueueSeats, "Seats that the waiting requests would take.", ""},
    {kApiserverFlowcontrolCurrentExecutingRequests, "Requests in a seat now.", ""},
    {kApiserverFlowcontrolCurrentExecutingSeats, "Seats taken now.",
     "A write holds its seats for its watchers after the answer."},
    {kApiserverFlowcontrolNominalLimitSeats, "Seats of a level by its shares.",
     "The limit in force is the current one: levels lend each other seats."},
    {kApiserverFlowcontrolCurrentLimitSeats,
     "Seats of a level after lending and borrowing: the limit in force.", ""},
    {kApiserverFlowcontrolLowerLimitSeats, "The fewest seats that lending leaves to a level.", ""},
    {kApiserverFlowcontrolUpperLimitSeats,
     "The most seats that a level may have with what it borrows.", ""},
    {kApiserverFlowcontrolTargetSeats, "Seats that borrowing aims at for a level.", ""},
    {kApiserverFlowcontrolRequestConcurrencyLimit, "Seats of a level by its shares.",
     "Successor: apiserver_flowcontrol_nominal_limit_seats."},
    {kApiserverFlowcontrolRequestConcurrencyInUse, "Seats taken now.",
     "Successor: apiserver_flowcontrol_current_executing_seats."},
    {kApiserverFlowcontrolRejectedRequests,
     "Requests refused, by reason: queue-full, concurrency-limit, time-out.", ""},
    {kApiserverFlowcontrolDispatchedRequests,
     "Requests that got a seat, by flow schema: the load by client.", ""},
    {kApiserverFlowcontrolRequestDispatchNoAccommodation,
     "Times that a request found no free seat.", ""},
    {kApiserverFlowcontrolRequestQueueLengthAfterEnqueue,
     "Length of the queue that a request joined.", ""},
    {kApiserverFlowcontrolWorkEstimatedSeats, "Seats that a request is taken to need.", ""},
    {kApiserverFlowcontrolPriorityLevelSeatUtilization,
     "Part of a level's seats in use, over time.",
     "One observation a nanosecond: shares of time, not of requests."},
    {kApiserverAuditEvent, "Audit events made.", ""},
    {kApiserverAuditError, "Audit events that their backend lost.",
     "plugin=\"buffered\" is a batch backend with a full buffer."},
    {kApiserverAuditLevel, "Requests by level of audit.", ""},
    {kApiserverAuditRequestsRejected,
     "Requests refused since their audit failed (blocking-strict).", ""},
    {kAuthenticationDuration, "Authenticating a request, by result.", ""},
    {kAuthenticatedUserRequests, "Requests by user.",
     "Only a few names are told apart; the rest is other."},
    {kAuthorizationDuration, "Authorizing a request, by result.",
     "Inside the seat that flow control gave, not inside the wait for it."},
    {kApiserverAuthorizationDecisions, "Decisions of each authorizer.", ""},
    {kApiserverAuthorizationWebhookDuration, "Calls of an authorization webhook.", ""},
    {kApiserverAuthorizationWebhookEvaluations, "Calls of an authorization webhook, by result.",
     ""},
    {kApiserverAuthorizationWebhookEvaluationsFailOpen,
     "Calls of an authorization webhook that failed and were passed on.", ""},
    {kApiserverDelegatedAuthnRequestDuration, "Authentication asked of another API server.", ""},
    {kApiserverDelegatedAuthzRequestDuration, "Authorization asked of another API server.", ""},
    {kApiserverImpersonationAttemptsDuration, "Impersonating a user.", ""},
};

}  // namespace

std::span<const NeighbourText> RequestTexts() { return kRequestRows; }

}  // namespace schedlens
