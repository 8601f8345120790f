// The toolchains that developers keep in their home: how each is recognised, and which parts of it
// commands may read. Pure: sandbox/toolchains.h looks for them on the host.
//
// The table is an allow list of parts. What is not in it is not shown, so credentials and settings
// that lie beside a toolchain (credentials.toml, .npmrc, pip.conf) stay out of reach by default,
// and a variable that names another directory shows little of that.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace paddock::policy {

struct Toolchain {
    std::string_view name;
    std::string_view variable;                 // of the host, names its directory; empty: none does
    std::span<const std::string_view> places;  // its directory otherwise: below the home, or whole
    // Parts of it, as names with slashes. "*" is any name. "<prefix>" at the end is what programs
    // of an installed prefix need: the directories and files of is_shown_in_prefix.
    std::span<const std::string_view> shown;
    std::span<const std::string_view> programs = {};  // its own, shown in any directory on PATH
    std::string_view told = {};  // variable by which commands learn its directory
    // Paths in its directory that identify the toolchain. If `variable` names the directory, one of
    // them must exist. A directory of `places` is identified by its name alone, unless
    // `shares_places` says that other programs use it too.
    std::span<const std::string_view> markers = {};
    bool shares_places = false;
    std::string_view brought_by = {};  // it is shown if this one is
    // Variables of the host that commands get if they lead to something that is shown.
    std::span<const std::string_view> passed = {};
    std::string_view versions = {};  // a file in the home: which versions are in use
};

std::span<const Toolchain> all_toolchains();
std::vector<std::string> toolchain_names();

// In a directory that "<prefix>" stands for.
bool is_shown_in_prefix(std::string_view name);

// Directories of a home that many programs keep their data in, secrets among them, and the
// variables that name others. A directory that holds one is no toolchain's, whatever says so.
struct SharedDirectory {
    std::string_view variable;
    std::string_view usual;  // below the home
};
std::span<const SharedDirectory> shared_directories();

}  // namespace paddock::policy
