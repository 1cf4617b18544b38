#ifndef SCHEDLENS_CLI_WEB_SAME_SITE_H_
#define SCHEDLENS_CLI_WEB_SAME_SITE_H_

// What a page of another site may not make a reader's browser ask of us.

#include <string>

#include "cli/web/server.h"

namespace schedlens {

/// Refuses (403) what changes something and comes from a page of another site, by its `Origin` or
/// `Sec-Fetch-Site`; and a `Host` that is none of our names, by which such a page would be of our
/// site: where only this machine can connect all but its own names, where `external_url` (empty:
/// not told) says our name all but that and addresses. Status 200: let it pass.
WebReply CheckSite(const WebRequest& request, const ListenAddress& listen,
                   const std::string& external_url);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_WEB_SAME_SITE_H_
