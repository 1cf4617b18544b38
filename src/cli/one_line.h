#ifndef SCHEDLENS_CLI_ONE_LINE_H_
#define SCHEDLENS_CLI_ONE_LINE_H_

#include <string>

namespace schedlens {

/// The text with a blank for each control character, none at its end, without secrets (see
/// model/secrets.h), and cut in the middle of each word of more than 200
/// characters: errors, logs and screens stay one line and move no cursor, whatever text of others
/// they quote.
std::string OneLine(std::string text);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_ONE_LINE_H_
