// The path rules of every workspace, unless the operator's own rules say otherwise: one table.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "policy/path_rules.h"

namespace paddock::policy {

// Backups and drafts that editors and people make of a file: "x~", "#x#", "x.bak", ".x.swp".

// The path of the file of which `path` is a backup, by its names: "certs.old/server.key~" is of
// "certs/server.key". Nothing if no name of it is that of a backup.
std::optional<std::string> backed_up_path(std::string_view path);

struct PathDefault {
    enum class Class : std::uint8_t {
        kExcepted,  // free, though a later row matches
        kSecret,    // existing files cannot be read
        kSealed,    // cannot be made or changed
    };

    Class kind;
    std::string_view patterns;  // separated by a blank
    std::string_view reason;
    std::string_view source;  // who says so: a product's documentation, or a convention
    std::string_view date;    // of the last change of the row
};

// The first row that matches decides, so exceptions come first.
std::span<const PathDefault> path_defaults();

// The same as rules.
std::span<const PathRule> default_path_rules();

}  // namespace paddock::policy
