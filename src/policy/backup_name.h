// Backups and drafts that editors and people make of a file: "x~", "#x#", "x.bak", ".x.swp".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace paddock::policy {

// The path of the file of which `path` is a backup, by its names: "certs.old/server.key~" is of
// "certs/server.key". Nothing if no name of it is that of a backup.
std::optional<std::string> backed_up_path(std::string_view path);

}  // namespace paddock::policy
