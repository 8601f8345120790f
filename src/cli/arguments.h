// What the user asked for. Parsing touches neither the disk nor the terminal.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <paddock/config.h>
#include <paddock/root_options.h>

#include "cli/clients.h"
#include "cli/terminal.h"
#include "json/value.h"

namespace paddock::tools {
struct Declaration;
}

namespace paddock::cli {

// How a command ends that has nothing to run.

// Exit codes: 0 all is well, 1 a path or a call was refused, a need is missing or an attack got
// through, 2 the call makes no sense or could not be carried out.
inline constexpr int kRefused = 1;
inline constexpr int kUsageError = 2;

// After a signal, as shells have it.
inline constexpr int kAddedToSignal = 128;

// `text` is the answer (exit 0) or the complaint.
struct ExitMessage {
    int exit_code = 0;
    std::string text;
};

// What the words of a call say of the configuration.
struct SettingWords {
    std::string file;  // empty: the usual one
    std::vector<config::Override> overrides;
};

struct ResolveRequest {
    std::vector<std::string> paths;
    SettingWords settings;
    Output output;
};

struct DoctorRequest {
    Output output;
};

struct ProveRequest {
    std::string directory = "/tmp";
    ResolverKind resolver = ResolverKind::kProbe;  // kProbe: every one that works here
    int rounds = 5'000;
    Output output;
};

// Calls of one tool.
struct ToolRequest {
    SettingWords settings;
    Output output;
    std::string tool;
    const tools::Declaration* declared = nullptr;  // nullptr: there is none of that name
    std::vector<json::Value> arguments;            // one call each
    std::optional<std::string> text = {};  // instead: JSON of one call, as an agent gives it
    bool for_people = false;               // its answer is shown in another form than to an agent
    bool detailed = false;                 // in a pipe too, what else only a terminal shows
};

// The Model Context Protocol on standard input and output.
struct McpRequest {
    SettingWords settings;
};

// The same over HTTP.
struct ServeRequest {
    SettingWords settings;
};

struct RunRequest {
    SettingWords settings;
    std::vector<std::string> command;
};

struct ToolListRequest {
    SettingWords settings;
    Output output;
};

struct ConfigRequest {
    SettingWords settings;
    bool only_check = false;
    std::vector<std::string> paths{};  // to check the rules with
    Output output;
};

struct InitRequest {
    bool global = false;
};

// An entry in the file of an agent.
struct RegisterRequest {
    std::string client;
    Scope scope = Scope::kUser;
    std::string root{};  // empty: the project that is open
    bool remove = false;
    bool dry_run = false;
};

// What sessions changed.
struct LogRequest {
    SettingWords settings;
    Output output;
    std::string file{};  // empty: all that happened
    int sessions = 20;   // the last ones
    bool prune = false;
};

// A session or call, and files of it.
struct PastWords {
    std::string target{};  // empty: the last one
    std::vector<std::string> files{};
};

struct DiffRequest {
    SettingWords settings;
    Output output;
    PastWords words;
};

struct UndoRequest {
    SettingWords settings;
    Output output;
    PastWords words{};
    bool redo = false;
    bool dry_run = false;
    bool yes = false;
};

struct CleanRequest {
    SettingWords settings;
    Output output;
    bool all = false;
    bool dry_run = false;
    bool yes = false;
};

using Request =
    std::variant<ExitMessage, ResolveRequest, DoctorRequest, ProveRequest, ToolRequest,
                 ToolListRequest, RunRequest, McpRequest, ServeRequest, ConfigRequest, InitRequest,
                 RegisterRequest, LogRequest, DiffRequest, UndoRequest, CleanRequest>;

// `words` are the arguments after the program's name. TMPDIR is the default of prove's --dir,
// PADDOCK_RESOLVER that of its --resolver. Standard input is read where the words ask for it.
Request parse_arguments(const std::vector<std::string>& words);

inline std::string_view resolver_name(ResolverKind kind) noexcept {
    return kind == ResolverKind::kOpenat2 ? "openat2"
           : kind == ResolverKind::kWalk  ? "walk"
                                          : "auto";
}

}  // namespace paddock::cli
