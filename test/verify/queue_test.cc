// Recorded runs of real scheduling queues against ours.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/file.h"
#include "verify/nominator.h"
#include "verify/queue_hints.h"
#include "verify/queue_replay.h"
#include "verify/queue_report.h"
#include "verify/run_here.h"

namespace schedlens::verify {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const std::string kTraces = SCHEDLENS_TEST_DATA "/queue-traces";

std::string Unpacked(const std::string& file) {
  const auto bytes = OpenByteSource(file, file);
  std::string text;
  char buffer[65536];
  while (const std::size_t n = bytes->Read(buffer, sizeof buffer)) text.append(buffer, n);
  return text;
}

std::string Write(const std::string& name, const std::string& text) {
  const std::string file = testing::TempDir() + "/" + name;
  std::ofstream(file, std::ios::binary) << text;
  return file;
}

TEST(Nominator, KeepsTheOrderOfNominations) {
  Nominator nominator;
  const auto pod = [](queue::PodKey key, queue::NodeName node) {
    return queue::PodVersion{key, key, 0, 0, node};
  };
  nominator.Add(pod(0, 1), true);
  nominator.Add(pod(1, 1), true);
  nominator.Add(pod(2, 1), false);
  nominator.Add(pod(3, 0), true);
  const auto keys = [&](queue::NodeName node) {
    std::vector<queue::PodKey> out;
    for (const Nominator::Nomination& one : nominator.all()) {
      if (one.node == node) out.push_back(one.key);
    }
    return out;
  };
  EXPECT_THAT(keys(1), testing::ElementsAre(0, 1));
  nominator.Update(pod(0, 1), pod(0, 1), true);
  EXPECT_THAT(keys(1), testing::ElementsAre(1, 0));
  nominator.Update(pod(1, 1), pod(1, 0), true);
  EXPECT_THAT(keys(1), testing::ElementsAre(0));
  nominator.Override(pod(1, 0), 0, true);
  EXPECT_THAT(keys(0), testing::ElementsAre(1));
  nominator.Override(pod(1, 0), 2, true);
  nominator.Update(pod(1, 0), pod(1, 0), true);
  EXPECT_THAT(keys(2), testing::ElementsAre(1));
  nominator.Forget(1);
  EXPECT_THAT(keys(2), testing::IsEmpty());
}

TEST(ChangesOf, NamesWhatDiffers) {
  using testing::ElementsAre;
  sim::core::PodSpec plain, other;
  plain.request.milli_cpu = 2000;
  other.request.milli_cpu = 1000;
  EXPECT_THAT(ChangesOf(plain, other), ElementsAre(PodChange::kScaleDown));
  EXPECT_THAT(ChangesOf(other, plain), ElementsAre(PodChange::kScaleUp));
  other = plain;
  other.labels.push_back({1, 2});
  other.tolerations.emplace_back();
  EXPECT_THAT(ChangesOf(plain, other), ElementsAre(PodChange::kLabels, PodChange::kTolerations));
  other = plain;
  other.scheduling_gates = 1;
  EXPECT_THAT(ChangesOf(other, plain), ElementsAre(PodChange::kGatesGone));
}

TEST(VerifyQueue, EveryStateOfRealQueuesIsOurs) {
  const Ran run = RunHere({"queue", kTraces, "-o", "json"});
  ASSERT_EQ(run.code, 0) << run.out.substr(0, 2000) << run.err;
  const Json json = Json::parse(run.out);
  EXPECT_EQ(json["mismatches"], 0);
  EXPECT_EQ(json["hint_mismatches"], 0);
  EXPECT_EQ(json["kubernetes_version"], "1.26.15, 1.30.14, 1.32.13, 1.34.4, 1.36.3, 1.37.2");
  EXPECT_GT(json["compared"].get<std::int64_t>(), 700'000);
  EXPECT_GT(json["hints_compared"].get<std::int64_t>(), 400);
  EXPECT_EQ(json["list"].size(), 0u);
  EXPECT_EQ(json["traces"].size(), 25u);
  std::int64_t compared = 0;
  for (const Json& trace : json["traces"]) {
    compared += trace["compared"].get<std::int64_t>();
    EXPECT_GT(trace["operations"].get<std::int64_t>(), 20) << trace["file"];
  }
  EXPECT_EQ(json["compared"], compared);
}

TEST(VerifyQueue, OneFileIsNamedWithItsRelease) {
  const Ran run = RunHere({"queue", kTraces + "/1.32.13/in-flight-events.jsonl.gz"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find(" operations of the queue of kube-scheduler 1.32.13 replayed\n"),
            std::string::npos)
      << run.out;
}

// Each changes one value of a trace; the second is the field that must be named.
TEST(VerifyQueue, AFalsifiedTraceIsNoticed) {
  const struct {
    const char* trace;
    const char* from;
    const char* to;
    const char* field;
  } rows[] = {
      {"1.36.3/hint-skip", "\"expiry\":750", "\"expiry\":1750", ".expiry: "},
      {"1.26.15/error-return", "\"expiry\":1", "\"expiry\":2", ".expiry: "},
      {"1.36.3/random-1", "\"attempts\":2,\"consecutive", "\"attempts\":3,\"consecutive",
       ".attempts: "},
      {"1.34.4/priority-ties", "\"backoffHeap\":[\"default/t", "\"backoffHeap\":[\"default/x",
       "backoffHeap: "},
      {"1.30.14/move-request-cycle", "\"moveRequestCycle\":", "\"moveRequestCycle\":1",
       "moveRequestCycle: "},
      {"1.32.13/pending-plugins", "\"pending\":[\"", "\"pending\":[\"x", ".pending: "},
      {"1.36.3/hint-skip", "\"pending_pods/active\":7", "\"pending_pods/active\":6",
       "metrics.pending_pods/active: "},
      {"1.36.3/hint-skip", "queue_incoming_pods_total/active/UnschedulablePodAdd\":2",
       "queue_incoming_pods_total/active/UnschedulablePodAdd\":3",
       "metrics.queue_incoming_pods_total/active/UnschedulablePodAdd: "},
      {"1.26.15/random-13+readiness", "\"unschedulable_pods/SchedulingGates\":2",
       "\"unschedulable_pods/SchedulingGates\":1", "metrics.unschedulable_pods/SchedulingGates: "},
      {"1.36.3/pop-specific", "\"popped\":null", "\"popped\":\"default/s1\"", "popped: "},
      {"1.30.14/duplicates+hints", "already present in the active queue", "already there",
       "error: "},
      {"1.32.13/in-flight-events", "\"seq\":1", "\"seq\":7", "inFlight: "},
      {"1.37.2/leftover", "\"flushTs\":330000", "\"flushTs\":300000", ".flushTs: "},
      {"1.37.2/no-plugins", "\"queued_entities/active/pod\":1", "\"queued_entities/active/pod\":2",
       "metrics.queued_entities/active/pod: "},
      {"1.37.2/no-plugins", "entities_total/active/UnscheduledPodAdd/pod\":1",
       "entities_total/active/UnscheduledPodAdd/pod\":2",
       "metrics.queue_incoming_entities_total/active/UnscheduledPodAdd/pod: "},
      {"1.37.2/gang-changes", "\"pods\":[\"batch/c-0\",\"batch/c-1\"]",
       "\"pods\":[\"batch/c-1\",\"batch/c-0\"]", "groups.podgroup/batch/g.pods: "},
      {"1.37.2/gang-changes", "\"pending\":[\"batch/c-0\"", "\"pending\":[\"batch/c-1\"",
       " pending: "},
      {"1.37.2/gang-incomplete", "\"incomplete\":[\"batch/a-0\"", "\"incomplete\":[\"batch/a-9\"",
       " incomplete: "},
      {"1.37.2/gang-incomplete", "\"lastPopped\":\"podgroup/batch/ga\"", "\"lastPopped\":\"\"",
       " lastPopped: "},
      {"1.37.2/gang-incomplete", "\"queued_entities/gated/podgroup\":1",
       "\"queued_entities/gated/podgroup\":2", "metrics.queued_entities/gated/podgroup: "},
      {"1.37.2/gang-incomplete", "entities_total/unschedulable/UnscheduledPodAdd/podgroup\":1",
       "entities_total/unschedulable/UnscheduledPodAdd/podgroup\":2",
       "metrics.queue_incoming_entities_total/unschedulable/UnscheduledPodAdd/podgroup: "},
      {"1.34.4/mixed-counts", "\"consecutiveErrorsCount\":2", "\"consecutiveErrorsCount\":1",
       ".consecutiveErrorsCount: "},
  };
  for (const auto& row : rows) {
    std::string text = Unpacked(kTraces + "/" + row.trace + ".jsonl.gz");
    const std::size_t state = text.find("\"state\"");
    const std::size_t at = text.find(
        row.from,
        row.field == std::string("error: ") || row.field == std::string("popped: ") ? 0 : state);
    ASSERT_NE(at, std::string::npos) << row.trace << " " << row.from;
    text.replace(at, std::string(row.from).size(), row.to);
    const std::string file = Write("falsified.jsonl", text);
    const Ran run = RunHere({"queue", file});
    EXPECT_EQ(run.code, 3) << row.from << run.err;
    EXPECT_NE(run.out.find("mismatch: " + file + ": operation "), std::string::npos) << run.out;
    EXPECT_NE(run.out.find(row.field), std::string::npos) << row.from << "\n" << run.out;
    const Json json = Json::parse(RunHere({"queue", file, "-o", "json"}).out);
    EXPECT_GT(json["mismatches"].get<std::int64_t>(), 0) << row.from;
    EXPECT_EQ(json["list"][0]["file"], file);
  }
}

TEST(VerifyQueue, AFalsifiedHintIsNoticed) {
  std::string text = Unpacked(kTraces + "/1.36.3/hint-skip.jsonl.gz");
  const std::size_t at = text.find("\"NodeAffinity\",\"Node:Add|UpdateNodeLabel\",\"Skip\"");
  ASSERT_NE(at, std::string::npos);
  text.replace(text.find("Skip", at), 4, "Queue");
  const Ran run = RunHere({"queue", Write("hint.jsonl", text), "-o", "json"});
  EXPECT_EQ(run.code, 3);
  EXPECT_EQ(Json::parse(run.out)["hint_mismatches"], 1);
}

// Only the layout differs: these pods tie, so each order would pop as well as the other.
TEST(VerifyQueue, TwoPodsSwappedInAHeapAreNoticed) {
  std::string text = Unpacked(kTraces + "/1.34.4/priority-ties.jsonl.gz");
  const std::string list = "\"activeHeap\":[";
  for (std::size_t at = text.find(list); at != std::string::npos; at = text.find(list, at + 1)) {
    const std::size_t first = at + list.size();
    const std::size_t comma = text.find_first_of(",]", first);
    const std::size_t end = text.find_first_of(",]", comma + 1);
    if (text[comma] != ',') continue;
    const std::string a = text.substr(first, comma - first);
    const std::string b = text.substr(comma + 1, end - comma - 1);
    text.replace(first, end - first, b + "," + a);
    EXPECT_EQ(RunHere({"queue", Write("swapped.jsonl", text)}).code, 3);
    return;
  }
  FAIL() << "no heap of two pods";
}

TEST(VerifyQueue, BadInputIsOneClearLine) {
  const std::string whole = Unpacked(kTraces + "/1.34.4/gates.jsonl.gz");
  const std::size_t header = whole.find('\n') + 1;
  const std::string first_line = whole.substr(0, header);
  const std::string packed = [] {
    std::ifstream in(kTraces + "/1.34.4/gates.jsonl.gz", std::ios::binary);
    std::stringstream all;
    all << in.rdbuf();
    return all.str();
  }();
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string text = whole;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  const struct {
    std::string text;
    const char* error;
  } rows[] = {
      {"", "no operation of a queue in it"},
      {first_line, "no operation of a queue in it"},
      {"{}", "line 1: not a trace of a scheduling queue: no header"},
      {"hello", "line 1: "},
      {whole.substr(0, whole.size() - 40), ": line "},
      {packed.substr(0, packed.size() / 2), "bad.jsonl"},
      {replaced("\"format\":1", "\"format\":9"), "line 1: header: format 9 is unknown"},
      {replaced("\"release\":\"1.34.4\"", "\"release\":\"2.0\""), "line 1: header: release `2.0`"},
      {replaced("\"featureGates\":{", "\"featureGates\":{\"GenericWorkload\":true,"),
       "line 1: header: pod groups (GenericWorkload) of 1.34.4 are not played"},
      {replaced("\"podInitialBackoffMs\":1000", "\"podInitialBackoffMs\":0"), "line 1: header: "},
      {replaced("\"op\":\"Add\"", "\"op\":\"Put\""), ": unknown operation \"Put\""},
      {replaced("\"t\":", "\"t\":1e300,\"u\":"), "line 2: a number out of range: 1e+300"},
      {replaced("\"state\":", "\"stale\":"), "line 2: key 'state' not found"},
      {replaced("\"pod\":\"pod/default/g1@1\"", "\"pod\":\"pod/x@1\""), "unknown object"},
  };
  for (const auto& row : rows) {
    const Ran run = RunHere({"queue", Write("bad.jsonl", row.text)});
    EXPECT_EQ(run.code, 1) << row.error << run.out;
    EXPECT_NE(run.err.find(row.error), std::string::npos) << run.err;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  }
  EXPECT_NE(RunHere({"queue", "no/such"}).err.find("no/such: no such file or folder"),
            std::string::npos);
  EXPECT_NE(RunHere({"queue", SCHEDLENS_TEST_DATA "/pairs"}).err.find("no *.jsonl.gz in it"),
            std::string::npos);
}

// Any byte of a trace may be damaged: an error, a mismatch or nothing, never a crash.
TEST(VerifyQueue, DamagedTracesNeverCrash) {
  const std::string wholes[] = {Unpacked(kTraces + "/1.34.4/mixed-counts.jsonl.gz"),
                                Unpacked(kTraces + "/1.37.2/gang-changes.jsonl.gz")};
  unsigned state = 12345;
  for (int round = 0; round < 300; ++round) {
    std::string text = wholes[round % 2];
    for (int change = 0; change < 3; ++change) {
      state = state * 1664525 + 1013904223;
      text[state % text.size()] = "0x\"]}-9"[(state >> 24) % 7];
    }
    const int code = RunHere({"queue", Write("damaged.jsonl", text)}).code;
    EXPECT_TRUE(code == 0 || code == 1 || code == 3) << code;
  }
}

}  // namespace
}  // namespace schedlens::verify
