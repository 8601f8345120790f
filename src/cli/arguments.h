// What the user asked for. Parsing touches neither the disk nor the terminal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <paddock/root_options.h>

#include "cli/ending.h"

namespace paddock::cli {

struct ResolveRequest {
    std::vector<std::string> paths;
    std::string root = ".";
    RootOptions options;
    bool json = false;
};

struct DoctorRequest {
    bool json = false;
};

struct ProveRequest {
    std::string directory = "/tmp";
    ResolverKind resolver = ResolverKind::kProbe;  // kProbe: every one that works here
    int rounds = 20'000;
    bool json = false;
};

struct ToolRequest {
    std::string root = ".";
    bool read_only = false;
    bool json = false;
    std::string tool;
    std::string arguments;  // a JSON object
};

using Request = std::variant<Ending, ResolveRequest, DoctorRequest, ProveRequest, ToolRequest>;

// `words` are the arguments after the program's name. PADDOCK_RESOLVER is the default of
// --resolver, TMPDIR that of prove's --dir.
Request parse_arguments(const std::vector<std::string>& words);

inline std::string_view resolver_name(ResolverKind kind) noexcept {
    return kind == ResolverKind::kOpenat2 ? "openat2"
           : kind == ResolverKind::kWalk  ? "walk"
                                          : "auto";
}

}  // namespace paddock::cli
