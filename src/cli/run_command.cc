#include "cli/run_command.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "base/display.h"
#include "policy/host_rules.h"

namespace paddock::cli {
namespace {

struct NamedLimit {
    std::string_view name;
    std::uint64_t CommandLimits::*member;
};
constexpr std::array kLimits{NamedLimit{"processes", &CommandLimits::processes},
                             NamedLimit{"memory", &CommandLimits::memory_bytes},
                             NamedLimit{"file", &CommandLimits::file_bytes},
                             NamedLimit{"open-files", &CommandLimits::open_files},
                             NamedLimit{"scratch", &CommandLimits::scratch_bytes}};

// "2G", "100". Nothing if it is no such number.
std::optional<std::uint64_t> number(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    if (error != std::errc() || unit.size() > 1) return std::nullopt;
    const unsigned shift = unit.empty() ? 0 : unit == "K" ? 10 : unit == "M" ? 20 : 30;
    if (!unit.empty() && unit != "K" && unit != "M" && unit != "G") return std::nullopt;
    if (value > std::numeric_limits<std::uint64_t>::max() >> shift) return std::nullopt;
    return value << shift;
}

class RunForm final : public Form {
public:
    void declare(Parser& parser) override {
        parser.workspace(request_.root);
        parser.flag({.names = {"--ro"}, .help = "The command cannot change the workspace"},
                    request_.shell.read_only);
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
        parser.texts(
            {.names = {"--env"}, .unit = "NAME=VALUE", .help = "A variable that the command gets"},
            environment_);
        parser.texts({.names = {"--pass-env"},
                      .unit = "NAME",
                      .help = "A variable of yours that the command gets"},
                     request_.shell.pass_environment);
        parser.texts({.names = {"--see"},
                      .unit = "DIR",
                      .help = "A directory that it can read besides the system's",
                      .offers = Offers::kHostDirectory},
                     request_.shell.read_only_directories);
    }

    Request finish(Parser& parser) override {
        for (const std::string& limit : limits_) {
            if (auto wrong = set_limit(request_.shell.limits, limit)) {
                return complaint(*wrong, "run");
            }
        }
        for (const std::string& variable : environment_) {
            const std::size_t equals = variable.find('=');
            if (equals == 0 || equals == variable.npos) {
                return complaint("'" + displayable(variable) + "' is no NAME=VALUE", "run");
            }
            request_.shell.environment.push_back(
                {variable.substr(0, equals), variable.substr(equals + 1)});
        }
        if (auto wrong = set_network(request_.shell, net_)) return complaint(*wrong, "run");
        request_.command = std::move(parser.operands());
        return std::move(request_);
    }

private:
    RunRequest request_;
    std::string net_ = "none";
    Words limits_;
    Words environment_;
};

}  // namespace

std::optional<std::string> set_limit(CommandLimits& limits, const std::string& text) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    Words names;
    for (const NamedLimit& limit : kLimits) {
        names.emplace_back(limit.name);
        if (name != limit.name) continue;
        const auto value =
            equals == text.npos ? std::nullopt : number(std::string_view(text).substr(equals + 1));
        if (!value || *value == 0) {
            return "'" + displayable(text) + "' is no limit such as '" + name + "=100'";
        }
        limits.*limit.member = *value;
        return std::nullopt;
    }
    return "there is no limit '" + displayable(name) + "'" + meant(name, names);
}

std::optional<std::string> set_network(ShellOptions& shell, const std::string& text) {
    constexpr std::string_view kAllow = "allow=";
    if (text == "none") return std::nullopt;
    if (text == "host") {
        shell.host_network = permit::HostNetwork{"asked for by --net host"};
        return std::nullopt;
    }
    const Words known{"none", "host", "allow="};
    if (!text.starts_with(kAllow)) {
        return "'" + displayable(text) + "' is not one of none, host, allow=HOST[:PORT],..." +
               meant(text, known);
    }
    for (std::size_t begin = kAllow.size(); begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        shell.network_allow.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    const auto rules = policy::HostRules::parse(shell.network_allow);
    if (!rules) return rules.error().message();
    return std::nullopt;
}

Command run_command() {
    return {{.name = "run",
             .summary = "Run a command that cannot leave the workspace.",
             .description =
                 "The command sees the workspace, the system's programs, a private /tmp and home, "
                 "and its own processes; no network unless asked for. Listed hosts are reached "
                 "through a proxy that HTTP_PROXY and the like name; addresses of this machine and "
                 "of private networks have to be listed themselves. What was denied is told at the "
                 "end. In a terminal it gets a terminal of its own. The exit code is the "
                 "command's, or 128 and the number of "
                 "the signal that ended it; 125 the sandbox could not be made, 126 the program "
                 "cannot be run, 127 there is none.",
             .operands = {{.name = "COMMAND", .many = true}},
             .examples = {"paddock run -- make -j4", "paddock run --ro -- git log",
                          "paddock run --net 'allow=*.debian.org:443' -- curl -I "
                          "https://www.debian.org/",
                          "paddock run --net host --pass-env HTTPS_PROXY -- npm install",
                          "paddock run --root ~/project --limit memory=2G -- bash"},
             .no = "as the command says"},
            [] { return std::make_unique<RunForm>(); }};
}

}  // namespace paddock::cli
