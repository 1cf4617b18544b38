#include "sim/engine/request_model.h"

#include <algorithm>

namespace schedlens::sim {

void SeatQueue::Resize(int seats) {
  const auto wanted = static_cast<std::size_t>(seats);
  if (wanted == free_at_.size()) return;
  // The idle ones come and go; a held seat is given up last.
  if (wanted < free_at_.size()) {
    free_at_.erase(free_at_.begin(), free_at_.end() - static_cast<std::ptrdiff_t>(wanted));
  } else {
    free_at_.insert(free_at_.begin(), wanted - free_at_.size(), 0);
  }
}

void SeatQueue::AdvanceTo(Nanos t, const RequestPath& path, Random& random,
                          std::vector<Visit>* others) {
  Resize(path.seats);
  const auto gap = [&] { return FromSeconds(random.Exponential() / path.neighbours_rate); };
  if (rate_ != path.neighbours_rate) {
    rate_ = path.neighbours_rate;
    if (rate_ > 0) next_other_ = t + gap();
  }
  while (rate_ > 0 && next_other_ <= t) {
    Visit visit{next_other_, Start(next_other_), 0, false};
    const Nanos cost = FromSeconds(path.neighbours_cost.Sample(random));
    visit.gave_up = visit.start - visit.arrival > kPatience;
    visit.end = visit.gave_up ? visit.start : visit.start + cost;
    if (!visit.gave_up) Hold(visit.end);
    others->push_back(visit);
    next_other_ += gap();
  }
}

void SeatQueue::Hold(Nanos end) {
  if (free_at_.empty()) return;
  free_at_.erase(free_at_.begin());
  free_at_.insert(std::upper_bound(free_at_.begin(), free_at_.end(), end), end);
}

// All readers run at one speed; whoever has least left ends first.
void SharedCores::Run(Nanos until, int cores, std::vector<Read>* reads) {
  while (now_ < until && !readers_.empty()) {
    const double speed = std::min(1.0, cores / static_cast<double>(readers_.size()));
    const auto first =
        std::min_element(readers_.begin(), readers_.end(),
                         [](const Reader& a, const Reader& b) { return a.left < b.left; });
    const Nanos end = now_ + std::max<Nanos>(1, FromSeconds(first->left / speed));
    const double done = ToSeconds(std::min(end, until) - now_) * speed;
    now_ = std::min(end, until);
    const Reader ending = *first;
    if (end <= until) readers_.erase(first);
    for (Reader& reader : readers_) reader.left = std::max(0.0, reader.left - done);
    if (end <= until) reads->push_back({end, end - ending.start, ending.cost});
  }
  now_ = std::max(now_, until);
}

void SharedCores::AdvanceTo(Nanos t, const RequestPath& path, Random& random,
                            std::vector<Read>* reads) {
  if (path.cores <= 0) return;
  const auto gap = [&] { return FromSeconds(random.Exponential() / path.readers_rate); };
  if (rate_ != path.readers_rate) {
    rate_ = path.readers_rate;
    next_ = rate_ > 0 ? t + gap() : 0;
  }
  while (rate_ > 0 && next_ <= t) {
    Run(next_, path.cores, reads);
    const double cost = path.readers_cost.Sample(random);
    if (readers_.size() < kMostReaders) readers_.push_back({next_, cost, cost});
    next_ += gap();
  }
  Run(t, path.cores, reads);
}

Nanos SharedCores::WakeUp(const RequestPath& path) const {
  constexpr double kSlice = 0.01;  // a goroutine is not put aside before
  constexpr double kIdle = 10e-6;
  return FromSeconds(kIdle + (Stretch(path) - 1) * kSlice / 2);
}

Nanos CommitLog::Write(Nanos t, const Distribution& fsync, Random& random,
                       std::vector<Fsync>* caused) {
  auto next = fsyncs_.upper_bound(t);  // the first that begins later
  Nanos start = t;
  if (next != fsyncs_.begin()) start = std::max(t, std::prev(next)->second);
  if (next != fsyncs_.end() && next->first <= start) return next->second;
  const Nanos length = std::max<Nanos>(1, FromSeconds(fsync.Sample(random)));
  if (next != fsyncs_.end() && next->first < start + length) return next->second;
  fsyncs_.emplace_hint(next, start, start + length);
  caused->push_back({start + length, length});
  return start + length;
}

}  // namespace schedlens::sim
