#ifndef SCHEDLENS_CLI_COMMANDS_SERVE_FOLDER_H_
#define SCHEDLENS_CLI_COMMANDS_SERVE_FOLDER_H_

// Folders that a power cut does not take back, and that do not grow for ever.

#include <cstddef>
#include <string>

namespace schedlens {

/// Makes the folder and those above it that are missing; all of them are on disk when it returns.
/// Throws Error(kFailed) naming what cannot be made.
void MakeFolder(const std::string& path);
/// The same, and only its owner may look into it, also where it was there before.
void MakePrivateFolder(const std::string& path);

/// The names in the folder are on disk when it returns: a file's name is as durable as its folder.
/// Throws Error(kFailed).
void SyncFolder(const std::string& path);

/// Removes the oldest reports of `serve` in the folder until `most` are left: files whose names end
/// with a dash, 16 hexadecimal digits and .html, .json or .txt; those that differ in the ending
/// alone are one report. Other files stay. What cannot be removed stays, without an error.
void KeepNewest(const std::string& folder, std::size_t most);

}  // namespace schedlens

#endif  // SCHEDLENS_CLI_COMMANDS_SERVE_FOLDER_H_
