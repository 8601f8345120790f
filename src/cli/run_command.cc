#include "cli/run_command.h"

#include <algorithm>
#include <array>

#include "base/display.h"
#include "cli/setting_options.h"

namespace paddock::cli {
namespace {

// The limits that can be given in short.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kLimits{
    {{"processes", "bash.limits.processes"},
     {"memory", "bash.limits.memory_bytes"},
     {"file", "bash.limits.file_bytes"},
     {"open-files", "bash.limits.open_files"},
     {"scratch", "bash.limits.scratch_bytes"}}};

class RunForm final : public Form {
public:
    void declare(Parser& parser) override {
        parser.flag({.names = {"--ro", "--read-only", "--bash-read-only"},
                     .help = "The command cannot change the workspace"},
                    read_only_);
        parser.text({.names = {"--net"},
                     .unit = "none|host|allow=LIST",
                     .choices = {"none", "host", "allow="},
                     .help = "The network: its own loopback, yours, or only hosts of the LIST, "
                             "such as pypi.org:443,*.example.org"},
                    net_);
        parser.texts(
            {.names = {"--limit"},
             .unit = "NAME=VALUE",
             .help = "processes, memory, file, open-files or scratch; K, M and G are known"},
            limits_);
        // What 'paddock mcp' has for commands goes by the same names.
        options_.declare(
            parser, {"workspace.root", "workspace.rules", "limits.bytes_on_disk", "bash.required",
                     "bash.network", "bash.network_allow", "bash.pass_environment",
                     "bash.environment", "bash.read_only_directories", "bash.limits."});
    }

    Request finish(Parser& parser) override {
        request_.settings = options_.take(parser);
        auto& overrides = request_.settings.overrides;
        // A person asks for it: that an agent gets no bash is no matter.
        overrides.push_back({"bash.enabled", "yes", "paddock run"});
        if (read_only_) overrides.push_back({"bash.read_only", "yes", "--ro"});
        if (parser.was_given("--net")) {
            if (auto wrong = take_network()) return complaint(*wrong, "run");
        }
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
                return "'" + displayable(text) + "' is no limit such as '" + name + "=100'";
            }
            request_.settings.overrides.push_back(
                {std::string(key), text.substr(equals + 1), "--limit"});
            return std::nullopt;
        }
        return "there is no limit '" + displayable(name) + "'" + meant(name, names);
    }

    // "none", "host", "allow=example.org,*.example.com:443". The same.
    std::optional<std::string> take_network() {
        constexpr std::string_view kAllow = "allow=";
        auto& overrides = request_.settings.overrides;
        if (!net_.starts_with(kAllow)) {
            if (net_ == "none" || net_ == "host") {
                overrides.push_back({"bash.network", net_, "--net"});
                return std::nullopt;
            }
            return "'" + displayable(net_) + "' is not one of none, host, allow=HOST[:PORT],..." +
                   meant(net_, {"none", "host", "allow="});
        }
        overrides.push_back({"bash.network", "listed", "--net"});
        for (std::size_t begin = kAllow.size(); begin <= net_.size();) {
            const std::size_t end = std::min(net_.find(',', begin), net_.size());
            overrides.push_back({"bash.network_allow", net_.substr(begin, end - begin), "--net"});
            begin = end + 1;
        }
        return std::nullopt;
    }

    SettingOptions options_;
    RunRequest request_;
    bool read_only_ = false;
    std::string net_ = "none";
    Words limits_;
};

}  // namespace

Command run_command() {
    return {
        {.name = "run",
         .summary = "Run a command that cannot leave the workspace.",
         .description =
             "Options come before the command: all that follows its name is the command's. It "
             "sees the workspace, the system's programs, a private /tmp and home, "
             "and its own processes; no network unless asked for. Listed hosts are reached "
             "through a proxy that HTTP_PROXY and the like name; addresses of this machine and "
             "of private networks have to be listed themselves. What was denied is told at the "
             "end, and which limit ended the command; a limit that only makes a call of a program "
             "fail (open files, address space, a full /tmp) is for the program to tell. In a "
             "terminal it gets a terminal of its own.",
         .operands = {{.name = "COMMAND", .many = true}},
         .takes_command = true,
         .examples = {"paddock run make -j4", "paddock run --ro -- git log",
                      "paddock run --net allow=pypi.org:443 -- curl -I https://pypi.org/",
                      "paddock run --net host --pass-env HTTPS_PROXY -- npm install",
                      "paddock run --root ~/project --limit memory=2G -- bash"},
         .exits = "that of the command, or 128 and the number of the signal that ended it; 2 the "
                  "words before the command make no sense, 125 paddock failed (its configuration, "
                  "the workspace, the sandbox), 126 the program cannot be run, 127 there is none."},
        [] { return std::make_unique<RunForm>(); }};
}

}  // namespace paddock::cli
