#ifndef SCHEDLENS_CLI_COMMANDS_CAPTURE_RESUME_H_
#define SCHEDLENS_CLI_COMMANDS_CAPTURE_RESUME_H_

// Whether the answers that an earlier capture kept are those that this one would get.

#include <string>

#include "contract/source.h"
#include "source/capture/part_file.h"
#include "source/open_source.h"

namespace schedlens {

/// What distinguishes the queries of one capture from those of another: source, tenant, options,
/// and the names of other headers. No secret: values of headers, users and passwords are left out,
/// since a short one could be guessed from any hash of it in a file. `alert` and `window` are the
/// options as typed.
std::string AskedText(const SourceOptions& options, const SourceInfo& info,
                      const std::string& alert, const std::string& window);

/// Whether AskedText leaves out something that may decide who answers: a header's value, a user in
/// the URL, the content of the HTTP configuration.
bool LeavesOutWhoAsks(const SourceOptions& options);

/// Sends one of the kept queries again and compares: another user's or tenant's data differ. False
/// too when nothing is kept that can be compared. Throws what the source throws.
bool StillAnswersTheSame(Source& source, const CapturePartFile& part);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_COMMANDS_CAPTURE_RESUME_H_
