#ifndef SCHEDLENS_MODEL_REDACT_H_
#define SCHEDLENS_MODEL_REDACT_H_

// Names of nodes, pods and instances replaced by codes, so that a capture can be shown to others.

#include <string>
#include <string_view>

#include "model/exposition.h"

namespace schedlens {

/// Replaces the names that stand in the labels `node`, `pod`, `instance`, `host` and their common
/// variants (`exported_pod`, `nodename`, ...) by a code of the form `n-0123456789abcdef`. Equal
/// names get equal codes wherever they stand: in these labels, in other label values (a URL), in
/// the comments. The port of an instance stays. Labels with kube-scheduler's own words (`le`,
/// `result`, `plugin`, `job`, ...) are never touched, so every question keeps its answer.
///
/// The codes depend on `salt`: the same salt gives the same codes in another capture. They hide
/// names from readers, not from attackers: the hash is fast and not cryptographic, and whoever
/// knows the salt can try names.
Exposition Redacted(Exposition exposition, std::string_view salt);

/// 128 random bits as text.
std::string RandomSalt();

}  // namespace schedlens

#endif  // SCHEDLENS_MODEL_REDACT_H_
