// The queues behind an API server's door.

#include <gtest/gtest.h>

#include "scheduler/engine/api_server_metrics.h"

namespace schedlens::sim {
namespace {

constexpr Nanos kMs = kMillisecond;

TEST(CommitLog, AWriteWaitsForTheFsyncThatRunsThenForItsOwn) {
  CommitLog log;
  Random random(1, 1);
  std::vector<CommitLog::Fsync> fsyncs;
  const Distribution ten = Distribution::Constant(0.010);
  const auto write = [&](Nanos at) { return log.Write(at, ten, random, &fsyncs); };
  EXPECT_EQ(write(0), 10 * kMs) << "the disk was idle";
  EXPECT_EQ(write(3 * kMs), 20 * kMs) << "behind the one that runs";
  EXPECT_EQ(write(9 * kMs), 20 * kMs) << "with the one before";
  EXPECT_EQ(write(12 * kMs), 30 * kMs) << "theirs runs now";
  EXPECT_EQ(write(29 * kMs), 40 * kMs);
  EXPECT_EQ(write(50 * kMs), 60 * kMs) << "idle again";
  ASSERT_EQ(fsyncs.size(), 5u);
  for (const CommitLog::Fsync& fsync : fsyncs) EXPECT_EQ(fsync.length, 10 * kMs);
}

TEST(CommitLog, NoWriteWaitsForMoreThanTwoFsyncs) {
  CommitLog log;
  Random random(7, 1);
  std::vector<CommitLog::Fsync> fsyncs;
  const Distribution law = Distribution::Parse("0.95*ln(0.002,0.4)+0.05*u(0.4,1.2)");
  Nanos now = 0;
  for (int i = 0; i < 20'000; ++i) {
    now += FromSeconds(random.Uniform() * 0.02);
    const Nanos end = log.Write(now, law, random, &fsyncs);
    EXPECT_GT(end, now);
    EXPECT_LE(end - now, FromSeconds(2.4));
  }
  // One fsync at a time.
  for (std::size_t i = 1; i < fsyncs.size(); ++i) {
    EXPECT_GE(fsyncs[i].end - fsyncs[i].length, fsyncs[i - 1].end);
  }
}

TEST(CommitLog, AWriteOfLaterDoesNotHoldThoseOfNow) {
  CommitLog log;
  Random random(1, 1);
  std::vector<CommitLog::Fsync> fsyncs;
  const Distribution ten = Distribution::Constant(0.010);
  const auto write = [&](Nanos at) { return log.Write(at, ten, random, &fsyncs); };
  EXPECT_EQ(write(1000 * kMs), 1010 * kMs) << "a slow webhook comes first";
  EXPECT_EQ(write(0), 10 * kMs);
  EXPECT_EQ(write(5 * kMs), 20 * kMs);
  EXPECT_EQ(write(995 * kMs), 1010 * kMs) << "its own would be in the way";
  EXPECT_EQ(write(1005 * kMs), 1020 * kMs);
  log.Forget(900 * kMs);
  EXPECT_EQ(write(1012 * kMs), 1030 * kMs);
}

TEST(SharedCores, EverythingThatRunsGetsAnEqualShare) {
  SharedCores cores;
  RequestPath path;
  EXPECT_EQ(cores.Stretch(path), 1) << "no limit";
  path.cores = 1;
  path.readers_rate = 4;
  path.readers_cost = Distribution::Constant(0.2);  // the processor is busy for 80 %
  Random random(5, 1);
  std::vector<SharedCores::Read> reads;
  double stretch = 0, cpu = 0, length = 0;
  constexpr int kSteps = 40'000;
  for (int i = 1; i <= kSteps; ++i) {
    cores.AdvanceTo(i * 100 * kMs, path, random, &reads);
    stretch += cores.Stretch(path);
  }
  for (const SharedCores::Read& read : reads) {
    EXPECT_GE(read.length, 199 * kMs);
    cpu += read.cpu_seconds;
    length += ToSeconds(read.length);
  }
  // As theory has it: cost / (1 - load) each, load / (1 - load) of them at a time.
  EXPECT_NEAR(cpu / 4000, 0.8, 0.02);
  EXPECT_NEAR(length / static_cast<double>(reads.size()), 1.0, 0.15);
  EXPECT_NEAR(stretch / kSteps, 5, 0.6);
}

TEST(SeatQueue, WithoutSeatsNobodyWaits) {
  SeatQueue seats;
  EXPECT_EQ(seats.Start(5), 5);
  seats.Hold(100);
  EXPECT_EQ(seats.Start(6), 6);
}

TEST(SeatQueue, WhoComesFirstSitsFirst) {
  SeatQueue seats;
  RequestPath path;
  path.seats = 2;
  Random random(1, 1);
  std::vector<SeatQueue::Visit> others;
  const auto come = [&](Nanos at, Nanos length) {
    seats.AdvanceTo(at, path, random, &others);
    const Nanos start = seats.Start(at);
    seats.Hold(start + length);
    return start;
  };
  EXPECT_EQ(come(0, 100), 0);
  EXPECT_EQ(come(10, 50), 10);
  EXPECT_EQ(come(20, 10), 60) << "both seats are held until 60 and 100";
  EXPECT_EQ(come(30, 10), 70);
  EXPECT_EQ(come(200, 10), 200);
  EXPECT_TRUE(others.empty());
}

TEST(SeatQueue, OthersComeAtTheirRateAndLeaveWhenItTakesTooLong) {
  SeatQueue seats;
  RequestPath path;
  path.seats = 1;
  path.neighbours_rate = 2;
  path.neighbours_cost = Distribution::Constant(1);  // twice what the seat can take
  Random random(3, 1);
  std::vector<SeatQueue::Visit> others;
  for (int s = 0; s <= 1000; ++s) seats.AdvanceTo(s * kSecond, path, random, &others);
  EXPECT_NEAR(static_cast<double>(others.size()), 2000, 150);
  int left = 0;
  Nanos end = 0;
  for (const SeatQueue::Visit& visit : others) {
    EXPECT_GE(visit.start, visit.arrival);
    left += visit.gave_up;
    if (visit.gave_up) continue;
    EXPECT_GE(visit.start, end) << "one seat, one request";
    EXPECT_LE(visit.start - visit.arrival, SeatQueue::kPatience);
    end = visit.end;
  }
  EXPECT_NEAR(left, 1000, 150);
}

}  // namespace
}  // namespace schedlens::sim
