#pragma once

#include <string>
#include <string_view>

#include "base/exposition.h"

namespace schedlens {

// A capture without names, so that it can be shown to others.

/// Keeps what kube/public_words.h knows: metrics, labels, numbers, words of Kubernetes. All else
/// becomes a code of the form `n0123456789abcdef`, the same for equal names wherever they stand: in
/// labels and their names, in names of metrics, and in the header's selector, alert and rules.
/// A port stays, and of a URL the scheme and the words of the API. Regular expressions become lists
/// of the coded values that they match in these samples, so every question keeps its answer. Of the
/// header's lines only those that RecordFrom writes are kept, without the source's name.
///
/// The codes depend on `salt`: the same salt gives the same codes in another capture. They hide
/// names from readers, not from attackers: the hash is fast and not cryptographic, and whoever
/// knows the salt can try names.
Exposition Redacted(Exposition exposition, std::string_view salt);

/// What Redacted puts in the place of a name: of a node, of an alert.
std::string RedactedName(std::string_view name, std::string_view salt);

/// 128 random bits as text.
std::string RandomSalt();

}  // namespace schedlens
