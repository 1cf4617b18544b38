#ifndef SCHEDLENS_MODEL_TIME_ZONE_H_
#define SCHEDLENS_MODEL_TIME_ZONE_H_

// Times in the zone of a reader.

#include <string>

#include "contract/series.h"
#include "contract/zone.h"

namespace schedlens {

/// `UTC`, `Z`, an offset such as `+02:00`, or a name of the IANA's data base such as
/// `Europe/Berlin`, which becomes the zone of the process (the variable TZ): to be called before
/// threads start; the last call counts. Throws Error(kUsage) for a name that is not installed.
Zone ReadZone(const std::string& text);

/// How far east of UTC the zone is at that time.
int OffsetMinutes(const Zone& zone, TimeMs time);

/// `UTC`, or `UTC+08:00`: what stands behind times of that zone. It can be typed in again.
std::string ZoneText(const Zone& zone, TimeMs time);

/// RFC 3339: `2026-11-21T18:00:00+08:00`; in UTC as FormatTime(time).
std::string FormatTime(TimeMs time, const Zone& zone);

}  // namespace schedlens

#endif  // SCHEDLENS_MODEL_TIME_ZONE_H_
