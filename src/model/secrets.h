#ifndef SCHEDLENS_MODEL_SECRETS_H_
#define SCHEDLENS_MODEL_SECRETS_H_

// The one place that hides secrets in text that may hold URLs. Rather too much is hidden than too
// little: a URL with an `@` in its path loses its host.

#include <string>
#include <string_view>

namespace schedlens {

/// What stands in the place of a secret.
inline constexpr std::string_view kSecretText = "<secret>";

/// Whether a parameter of a URL, as it is written there, is named like a token, a key, a password
/// or a signature.
bool IsSecretName(std::string_view name);

/// The text with kSecretText for user and password of the URLs in it, with or without a scheme, and
/// for values of their parameters that are named like a token, a key, a password or a signature.
/// URLs end at blanks and quotes. PromQL without a URL in it stays. Doing it twice changes nothing
/// more.
std::string HideSecrets(std::string_view text);

/// The same for a text that is one URL, blanks and quotes in it or not: all before its last `@`
/// is hidden.
std::string HideSecretsOfUrl(std::string_view url);

}  // namespace schedlens

#endif  // SCHEDLENS_MODEL_SECRETS_H_
