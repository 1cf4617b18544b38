#pragma once

// What may be shown: whatever others put into labels, names, answers and file names moves no cursor
// and reverses no text, and of what a user gave no header, credential in a URL or path of a chat's
// webhook is printed (see base/url.h).

#include <ostream>
#include <streambuf>

#include "base/url.h"
#include "cli/command.h"

namespace schedlens {

/// Writes to `to` well-formed UTF-8 (U+FFFD for each ill-formed part) in which every control
/// character but \n and \t, and every character that sets the direction of text, is spelled out as
/// JSON does it: `\u001b`, `\u202e`. JSON stays the same JSON by that. Known secrets are masked
/// (see base/url.h), also across writes between which nobody flushes.
class SafeStream : private std::streambuf, public std::ostream {
 public:
  /// `to` must outlive it.
  explicit SafeStream(std::ostream& to) : std::ostream(this), to_(to) {}
  ~SafeStream() override { Put("", true); }

  std::ostream& target() const { return to_; }
  /// Writes text that is our own, or safe already, as it is but for known secrets: colours, a
  /// screen's control.
  void PutOwn(std::string_view text);

 private:
  std::streambuf::int_type overflow(std::streambuf::int_type byte) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override;
  void Put(std::string_view text, bool last);

  std::ostream& to_;
  SecretMask mask_;
  std::string open_;  // the first bytes of a character whose others have not come
};

/// Text that is our own, or safe already, where it goes through a SafeStream; it must outlive the
/// expression.
struct Own {
  std::string_view text;
};
std::ostream& operator<<(std::ostream& out, Own own);

/// The text with a blank for each control character, none at its end, without secrets (see
/// base/url.h), and cut in the middle of each word of more than 200
/// characters: errors, logs and screens stay one line and move no cursor, whatever text of others
/// they quote.
std::string OneLine(std::string text);

/// Whether a value begins with a scheme: it is one URL, with whatever blanks and line breaks in its
/// password.
bool StartsAsUrl(std::string_view value);

/// The value of the option with this long name (without dashes) as it may be printed.
std::string Printable(std::string_view option, const std::string& value);

/// Makes the secrets in the value of an option known (see base/url.h).
void RegisterGiven(std::string_view option, const std::string& value);

/// RegisterGiven of all that was typed.
void RegisterTyped(std::span<const char* const> words);

/// Overwrites the secrets in the process's own arguments with asterisks: every user of the machine
/// can read those.
void HideTyped(std::span<char* const> words);

/// The command line for a shell to read again: `schedlens`, and each word quoted where it must be.
/// What Printable hides is hidden. `words` are the words behind the program's name. Options tell
/// whose value a word is.
std::string CommandText(const std::vector<std::string>& words, const Options& options);

}  // namespace schedlens
