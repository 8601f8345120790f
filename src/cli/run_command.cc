#include "cli/run_command.h"

#include <array>

#include "base/display.h"
#include "cli/workspace_options.h"

namespace paddock::cli {
namespace {

// The limits that can be given in short.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kLimits{
    {{"processes", "bash.limits.processes"},
     {"memory", "bash.limits.memory_bytes"},
     {"file", "bash.limits.file_bytes"},
     {"open-files", "bash.limits.open_files"},
     {"scratch", "bash.limits.scratch_bytes"}}};

class RunParser final : public CommandParser {
public:
    void declare(Parser& parser) override {
        parser.flag({.names = {"--ro", "--read-only", "--bash-read-only"},
                     .help = "Keep the command from changing the workspace"},
                    read_only_);
        parser.texts(
            {.names = {"--limit"},
             .unit = "NAME=VALUE",
             .help = "Limit processes, memory, file, open-files or scratch (accepts K, M, G)"},
            limits_);
        // What 'paddock mcp' has for commands goes by the same names.
        options_.declare(
            parser, {"workspace.root", "workspace.also", "workspace.see", "workspace.rules",
                     "limits.bytes_on_disk", "bash.required", "bash.network", "bash.network_allow",
                     "bash.pass_environment", "bash.environment", "bash.read_only_directories",
                     "bash.toolchains", "bash.fresh_home", "bash.publish", "bash.limits."});
    }

    Request finish(Parser& parser) override {
        request_.settings = options_.take(parser);
        auto& overrides = request_.settings.overrides;
        // A person asks for it: that an agent gets no bash is no matter.
        overrides.push_back({"bash.enabled", "yes", "paddock run"});
        if (read_only_) overrides.push_back({"bash.read_only", "yes", "--ro"});
        for (const std::string& limit : limits_) {
            if (auto wrong = take_limit(limit)) return complaint(*wrong, "run");
        }
        request_.command = std::move(parser.operands());
        return std::move(request_);
    }

private:
    // "memory=2G". What is wrong with it, or nothing.
    std::optional<std::string> take_limit(const std::string& text) {
        const std::size_t equals = text.find('=');
        const std::string name = text.substr(0, equals);
        Words names;
        for (const auto& [short_name, key] : kLimits) {
            names.emplace_back(short_name);
            if (name != short_name) continue;
            if (equals == text.npos) {
                return "'" + displayable(text) + "' is not a limit such as '" + name + "=100'";
            }
            request_.settings.overrides.push_back(
                {std::string(key), text.substr(equals + 1), "--limit"});
            return std::nullopt;
        }
        return "there is no limit '" + displayable(name) + "'" + meant(name, names);
    }

    SettingOptions options_;
    RunRequest request_;
    bool read_only_ = false;
    Words limits_;
};

}  // namespace

Command run_command() {
    return {{.name = "run",
             .summary = "Run a command that cannot leave the workspace.",
             .description =
                 "Put paddock's options before the command. The command sees the workspace, the "
                 "system's programs, the toolchains in your home that are on PATH, a private /tmp, "
                 "a home that belongs to the workspace, and its own processes. It has no network "
                 "unless --net lists hosts, or presets such as npm. It reaches them through a "
                 "proxy, which HTTP_PROXY and similar variables name. Addresses of this machine "
                 "and of private networks must be listed explicitly. When the command ends, "
                 "paddock lists blocked writes, blocked connections and any limit that stopped it. "
                 "The program itself reports a limit that only makes one of its calls fail (open "
                 "files, a full /tmp). On a terminal, the command gets its own terminal.",
             .operands = {{.name = "COMMAND", .many = true}},
             .takes_command = true,
             .examples = {"paddock run make -j4", "paddock run --ro -- git log",
                          "paddock run --net npm,internal.example.org -- npm install",
                          "paddock run --publish 3000 -- npm run dev",
                          "paddock run --net host --pass-env HTTPS_PROXY -- npm install",
                          "paddock run --root ~/project --limit memory=2G -- bash"},
             .exits =
                 "that of the command, or 128 plus the number of the signal that ended it; 2 wrong "
                 "usage before the command, 125 paddock failed (its configuration, the workspace, "
                 "the sandbox), 126 the program cannot be run, 127 the program does not exist."},
            [] { return std::make_unique<RunParser>(); }};
}

}  // namespace paddock::cli
