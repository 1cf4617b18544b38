#ifndef SCHEDLENS_MODEL_KNOWN_SECRETS_H_
#define SCHEDLENS_MODEL_KNOWN_SECRETS_H_

// The credentials that this process holds. Whoever loads one registers it; whatever leaves the
// process, as text or in a file, is masked: a server may quote what it was sent. For secrets that
// nobody loaded, such as passwords in URLs of others, see secrets.h.

#include <cstddef>
#include <string>
#include <string_view>

namespace schedlens {

/// What stands in the place of a registered secret: nothing in it acts in JSON, HTML or a shell.
inline constexpr std::string_view kKnownSecretText = "[secret]";

/// From now on the text is masked as it is, in base64 (alone and as the end of `user:password`),
/// percent-encoded, and as JSON and HTML spell it. Under four characters it is not: every text has
/// such parts. A word of fewer than 16 letters, which a report may hold of itself, is masked where
/// it stands alone. The newest 256 count. For any thread.
void RegisterSecret(std::string_view secret);

/// The password, and both as basic authentication writes them; a user without one is a token.
void RegisterCredentials(std::string_view user, std::string_view password);

/// The value of a header, unless it is one that tells nothing but what is spoken (Accept) or whose
/// data are asked for (X-Scope-OrgID): all of it, what stands behind `Bearer`, what basic
/// authentication packs, and the values of cookies.
void RegisterHeader(std::string_view name, std::string_view value);

/// User and password of a URL, as written and decoded, and what its parameters that are named like
/// a secret hold.
void RegisterSecretsOfUrl(std::string_view url);

/// For a new run in the same process.
void ForgetSecrets();

/// The text with kKnownSecretText for each registered secret; costs nothing where there is none.
std::string MaskKnownSecrets(std::string text);

/// The same for text that comes in pieces.
class SecretMask {
 public:
  /// What may be passed on: all but an end with which a secret may begin, unless it is the last.
  std::string Put(std::string_view piece, bool last);

 private:
  std::string held_;
};

}  // namespace schedlens

#endif  // SCHEDLENS_MODEL_KNOWN_SECRETS_H_
