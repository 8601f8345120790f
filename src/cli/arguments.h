// What the user asked for. Parsing touches neither the disk nor the terminal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <paddock/root_options.h>
#include <paddock/shell.h>

#include "cli/ending.h"
#include "cli/terminal.h"

namespace paddock::cli {

struct ResolveRequest {
    std::vector<std::string> paths;
    std::string root = ".";
    RootOptions options;
    Output output;
};

struct DoctorRequest {
    Output output;
};

struct ProveRequest {
    std::string directory = "/tmp";
    ResolverKind resolver = ResolverKind::kProbe;  // kProbe: every one that works here
    int rounds = 20'000;
    Output output;
};

// Calls of one tool.
struct ToolRequest {
    std::string root = ".";
    bool read_only = false;
    Output output;
    std::string tool;
    std::vector<std::string> arguments;  // JSON, one call each
    bool for_people = false;             // its answer is shown in another form than to an agent
    bool detailed = false;               // in a pipe too, what else only a terminal shows
};

// The Model Context Protocol on standard input and output.
struct McpRequest {
    std::string root = ".";
    bool read_only = false;
    bool bash = true;
};

// The same over HTTP.
struct ServeRequest {
    std::string root = ".";
    bool read_only = false;
    bool bash = true;
    std::string address;
    std::uint16_t port = 0;
    std::string token_file;
    std::string certificate_file;
    std::string key_file;
    bool allow_plaintext = false;
    std::vector<std::string> hosts;
    std::vector<std::string> origins;
    std::int64_t drain_ms = 10'000;
};

struct RunRequest {
    std::string root = ".";
    ShellOptions shell;
    std::vector<std::string> command;
};


struct ToolListRequest {
    bool read_only = false;
    Output output;
};

using Request =
    std::variant<Ending, ResolveRequest, DoctorRequest, ProveRequest, ToolRequest, ToolListRequest,
                 RunRequest, McpRequest, ServeRequest>;

// `words` are the arguments after the program's name. PADDOCK_RESOLVER is the default of
// --resolver, TMPDIR that of prove's --dir. Standard input is read where the words ask for it.
Request parse_arguments(const std::vector<std::string>& words);

inline std::string_view resolver_name(ResolverKind kind) noexcept {
    return kind == ResolverKind::kOpenat2 ? "openat2"
           : kind == ResolverKind::kWalk  ? "walk"
                                          : "auto";
}

}  // namespace paddock::cli
