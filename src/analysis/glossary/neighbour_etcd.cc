// etcd.

#include "analysis/glossary/neighbour_texts.h"

namespace schedlens {
namespace {

using enum kube::Neighbour;

constexpr NeighbourText kEtcdRows[] = {
    {kEtcdDiskWalFsyncDuration,
     "Each fsync of the log: one for all writes that came while the one before ran.",
     "Its quantile is no request's latency: a write may wait for two in a row. Rounds, not writes, "
     "are counted. A slow follower costs nothing in a healthy group of three."},
    {kEtcdDiskWalWriteDuration, "Writing to the log before its fsync.", ""},
    {kEtcdDiskBackendCommitDuration, "Commits of the database, about every 100 ms.",
     "A request waits for one only where it meets it."},
    {kEtcdDebuggingDiskBackendCommitRebalanceDuration, "Commits: rebalancing pages.", ""},
    {kEtcdDebuggingDiskBackendCommitSpillDuration, "Commits: spilling pages.", ""},
    {kEtcdDebuggingDiskBackendCommitWriteDuration, "Commits: writing pages.", ""},
    {kEtcdDiskBackendSnapshotDuration, "Sending a snapshot of the database.", ""},
    {kEtcdDiskBackendDefragDuration, "Defragmenting a member.",
     "The member stands still for all of it."},
    {kEtcdDiskDefragInflight, "Whether a member is being defragmented.", ""},
    {kEtcdSnapFsyncDuration, "Fsyncs of a snapshot file.", ""},
    {kEtcdSnapDbSaveTotalDuration, "Saving a received snapshot.", ""},
    {kEtcdDebuggingSnapSaveTotalDuration, "Saving a snapshot file.", ""},
    {kEtcdNetworkPeerRoundTripTime, "Round trips between members, by the other member.",
     "Absent where a member stands alone."},
    {kEtcdServerHasLeader, "Whether a member knows a leader.", ""},
    {kEtcdServerIsLeader, "Whether a member is the leader.", ""},
    {kEtcdServerLeaderChangesSeen, "Elections that a member saw.",
     "Each member counts the same ones."},
    {kEtcdServerProposalsPending, "Writes that wait for consensus now.", ""},
    {kEtcdServerProposalsFailed, "Writes that failed.", ""},
    {kEtcdServerProposalsCommitted,
     "Writes that consensus was found on; by fsyncs of the leader, how many share one.",
     "A gauge that counts: it restarts from the log."},
    {kEtcdServerProposalsApplied, "Writes applied to the database.",
     "A gauge that counts. Far behind committed: applying is slow."},
    {kEtcdServerHeartbeatSendFailures,
     "Heartbeats that the leader sent too late: a slow disk, or too little CPU.", ""},
    {kEtcdServerSlowApply, "Applies over 100 ms, the default of its warning.",
     "Slow reads are counted too."},
    {kEtcdServerSlowReadIndexes, "Consistent reads that waited long for the leader.", ""},
    {kEtcdServerReadIndexesFailed, "Consistent reads that failed.", ""},
    {kEtcdServerApplyDuration, "Applying one request: the wait for the lock and the write.",
     "Without consensus."},
    {kEtcdServerRangeDuration, "Reads, as a member serves them.", ""},
    {kEtcdServerRequestDuration, "Whole requests, as a member serves them.", ""},
    {kEtcdMvccDbTotalSizeInBytes, "Size of the database file.", ""},
    {kEtcdMvccDbTotalSizeInUseInBytes,
     "Of the file, what is in use; the rest is free for new data.", ""},
    {kEtcdMvccDbOpenReadTransactions, "Reads of the database that are open now.", ""},
    {kEtcdServerQuotaBackendBytes, "Size at which writes are refused.", ""},
    {kEtcdMvccPut, "Puts that this member applied.", ""},
    {kEtcdMvccTxn, "Transactions that this member applied.", ""},
    {kEtcdMvccRange, "Ranges that this member read.", ""},
    {kEtcdMvccDelete, "Deletes that this member applied.", ""},
    {kEtcdDebuggingMvccKeys, "Keys in the store.", ""},
    {kEtcdDebuggingMvccWatcher, "Watchers of this member.", ""},
    {kEtcdDebuggingMvccSlowWatcher, "Watchers that are behind.", ""},
    {kEtcdDebuggingMvccPendingEvents, "Events that watchers still have to get.", ""},
    {kEtcdDebuggingMvccDbCompactionPauseDuration, "Compaction: each pause of the store.",
     "Milliseconds."},
    {kEtcdDebuggingMvccDbCompactionTotalDuration, "Compaction: whole runs.",
     "Milliseconds. The API server asks for one every five minutes."},
    {kEtcdDebuggingMvccIndexCompactionPauseDuration, "Compaction of the index: its pause.",
     "Milliseconds."},
    {kEtcdDebuggingMvccDbCompactionKeys, "Keys that compaction removed.", ""},
    {kEtcdDebuggingMvccDbCompactionLast, "When compaction ran last, in unix seconds.", ""},
    {kEtcdServerVersion, "The release of a member, in a label.", ""},
    {kEtcdClusterVersion, "The release that all members agree on.", ""},
    {kEtcdServerClientRequests, "Requests of clients, by type.", ""},
    {kGrpcServerHandling, "Whole gRPC calls.", "Only with --metrics=extensive."},
    {kGrpcServerHandled, "gRPC calls, by code.", ""},
};

}  // namespace

std::span<const NeighbourText> EtcdTexts() { return kEtcdRows; }

}  // namespace schedlens
