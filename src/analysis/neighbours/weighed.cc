#include "analysis/neighbours/weighed.h"

#include "analysis/glossary/glossary.h"

namespace schedlens {
namespace {

/// Proven is only what no missing metric could tell otherwise.
bool MayBeCertain(const std::string& id) {
  return id == "apiserver.webhook" || id == "apiserver.flowcontrol" || id == "etcd.disk";
}

}  // namespace

CauseBehind Told(const Weighed& w, double e2e) {
  CauseBehind behind;
  const FindingText& text = TextOfFinding(w.cause);
  behind.id = w.cause;
  behind.object = w.object;
  behind.title = TitleOf(text);
  if (!w.object.empty()) {
    const bool webhook = w.cause == "apiserver.webhook";
    behind.title = Message(webhook ? "behind.apiserver.webhook" : "behind.apiserver.flowcontrol",
                           {{"object", w.object}});
  }
  behind.share = MeasuredOf(w.part, e2e, "1");
  behind.evidence = w.evidence;
  behind.next_steps = NextStepsOf(text);
  behind.confidence = w.weight >= kLikelyWeight ? Confidence::kLikely : Confidence::kPossible;
  if (MayBeCertain(w.cause) && w.proven >= kCertainWeight) behind.confidence = Confidence::kCertain;
  if (w.tied) behind.confidence = Confidence::kPossible;
  return behind;
}

}  // namespace schedlens
