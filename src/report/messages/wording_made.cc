// When the alert fired, and who made the report.

#include "model/text.h"
#include "report/escape.h"
#include "report/format.h"
#include "report/messages/wording.h"

namespace schedlens {

std::string EpisodesSentence(const Messages& t, const AlertVerdict& alert) {
  if (alert.episodes.empty()) return "";
  std::string all;
  for (const AlertEpisode& episode : alert.episodes) {
    std::string one = t("episode.pending", TimeOfDay(episode.pending, t.zone()));
    if (episode.firing) {
      one += t("join.comma") + t("episode.firing", TimeOfDay(*episode.firing, t.zone()));
    }
    if (episode.resolved) {
      one += t("join.comma") + t("episode.resolved", TimeOfDay(*episode.resolved, t.zone()));
    }
    all += (all.empty() ? "" : t("join.semicolon")) + one;
  }
  return t("episode.all", all, ZoneText(t.zone(), alert.episodes.front().pending));
}

std::string MadeSentence(const Messages& t, const Diagnosis& diagnosis) {
  if (!diagnosis.made) return "";
  const std::string by =
      t("made.by", Moment(*diagnosis.made, t.zone()), Shorten(Visible(diagnosis.tool_version), 40));
  if (diagnosis.cluster.empty()) return by;
  return t("made.cluster", by, Shorten(Visible(diagnosis.cluster), 100));
}

std::string CommandOf(const Diagnosis& diagnosis) {
  return Shorten(Visible(diagnosis.command), 4 * kLongestQuery);
}

}  // namespace schedlens
