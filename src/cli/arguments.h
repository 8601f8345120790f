// What the user asked for. Parsing touches neither the disk nor the terminal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <paddock/root_options.h>

namespace paddock::cli {

// Exit codes: 0 all is well, 1 a path was refused, a need is missing or an attack got through, 2
// the call makes no sense or could not be carried out.
inline constexpr int kUsageError = 2;

// Nothing to run: `text` is the answer (exit 0) or the complaint (kUsageError).
struct Ending {
    int exit_code = 0;
    std::string text;
};

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

using Request = std::variant<Ending, ResolveRequest, DoctorRequest, ProveRequest>;

// `words` are the arguments after the program's name. PADDOCK_RESOLVER is the default of
// --resolver, TMPDIR that of prove's --dir.
Request parse_arguments(const std::vector<std::string>& words);

inline std::string_view resolver_name(ResolverKind kind) noexcept {
    return kind == ResolverKind::kOpenat2 ? "openat2"
           : kind == ResolverKind::kWalk  ? "walk"
                                          : "auto";
}

}  // namespace paddock::cli
