#include <algorithm>

#include "base/display.h"
#include "config/fields.h"
#include "config/words.h"
#include "policy/host_presets.h"
#include "policy/host_rules.h"
#include "policy/published_ports.h"
#include "policy/toolchains.h"

namespace paddock::config {
namespace {

using Texts = std::vector<std::string>;

Texts layer_names() {
    Texts names;
    for (std::size_t i = 0; i < kLayers; ++i) {
        names.emplace_back(layer_name(static_cast<Layer>(i)));
    }
    return names;
}

Setting required_setting() {
    Setting setting{.key = "bash.required",
                    .kind = Kind::kTexts,
                    .help =
                        "Layers of the sandbox without which no command is run; landlock and "
                        "seccomp are required in any case",
                    .unit = "LAYER",
                    .flags = {"--require-layer"},
                    .choices = layer_names(),
                    .example = R"(["user_namespace", "network_namespace"])"};
    setting.read = [](const Draft& draft) -> Value {
        Texts names;
        for (const Layer layer : draft.shell.required) names.emplace_back(layer_name(layer));
        return names;
    };
    setting.apply = [](Value value, Draft& draft) -> std::string {
        const Texts valid = layer_names();
        std::vector<Layer> layers;
        for (const std::string& name : std::get<Texts>(value)) {
            const auto found = std::find(valid.begin(), valid.end(), name);
            if (found == valid.end()) {
                return "'" + displayable(name) + "' is no layer" + meant(name, valid);
            }
            layers.push_back(static_cast<Layer>(found - valid.begin()));
        }
        draft.shell.required = std::move(layers);
        return {};
    };
    return setting;
}

Setting environment_setting() {
    Setting setting{.key = "bash.environment",
                    .kind = Kind::kTable,
                    .help = "Variables that commands get, with their values",
                    .unit = "NAME=VALUE",
                    .flags = {"--env"},
                    .example = R"({ CI = "1" })",
                    .is_secret = true};
    setting.read = [](const Draft& draft) -> Value {
        Texts texts;
        for (const auto& [name, value] : draft.shell.environment) {
            texts.emplace_back(name).append("=").append(value);
        }
        return texts;
    };
    setting.apply = [](Value value, Draft& draft) -> std::string {
        draft.shell.environment.clear();
        for (const std::string& text : std::get<Texts>(value)) {
            const std::size_t equals = text.find('=', 1);
            draft.shell.environment.push_back({text.substr(0, equals), text.substr(equals + 1)});
        }
        return {};
    };
    return setting;
}

// An empty list, and the word "none" where an option cannot be empty: no toolchain.
Setting toolchains_setting() {
    Setting setting{.key = "bash.toolchains",
                    .kind = Kind::kTexts,
                    .help =
                        "Toolchains in the user's home that commands can read if they are on "
                        "PATH; [] or none: no toolchain",
                    .unit = "NAME",
                    .flags = {"--toolchain"},
                    .choices = policy::toolchain_names(),
                    .example = R"(["cargo", "rustup"])"};
    setting.choices.emplace_back("none");
    setting.read = [](const Draft& draft) -> Value { return draft.toolchains; };
    setting.apply = [](Value value, Draft& draft) -> std::string {
        Texts names = std::get<Texts>(std::move(value));
        Texts valid = policy::toolchain_names();
        valid.emplace_back("none");
        for (const std::string& name : names) {
            if (std::find(valid.begin(), valid.end(), name) != valid.end()) continue;
            return "'" + displayable(name) + "' is no toolchain" + meant(name, valid);
        }
        std::erase(names, "none");
        draft.toolchains = std::move(names);
        return {};
    };
    return setting;
}

std::string wrong_host(const std::string& item) {
    const auto rules = policy::HostRules::parse({&item, 1});
    if (rules) return {};
    Texts words{"none", "host", "listed"};
    for (const policy::PresetHost& each : policy::preset_hosts()) words.emplace_back(each.preset);
    return "'" + displayable(item) + "' " + std::string(rules.error().reason) + meant(item, words);
}

// One word for the whole, or a list. "allow=" before the list says what is clear without it.
Setting network_setting() {
    Setting setting{.key = "bash.network",
                    .kind = Kind::kText,
                    .help =
                        "What commands reach: none, host (all that this machine reaches, its "
                        "own services included), or a list of hosts and presets: 'npm,github,"
                        "internal.example.org'. Presets: " +
                        policy::preset_names(),
                    .unit = "LIST",
                    .flags = {"--net", "--bash-network"},
                    .example = R"("npm,github,internal.example.org")",
                    .weakens = true};
    setting.read = [](const Draft& draft) -> Value { return draft.network; };
    setting.apply = [](Value value, Draft& draft) -> std::string {
        constexpr std::string_view kAllow = "allow=";
        auto text = std::get<std::string>(std::move(value));
        if (text.starts_with(kAllow)) text.erase(0, kAllow.size());
        const bool is_mode = text == "none" || text == "host" || text == "listed";
        if (!is_mode) {
            for (const std::string& item : network_hosts(text)) {
                if (std::string problem = wrong_host(item); !problem.empty()) return problem;
            }
        }
        draft.network = std::move(text);
        return {};
    };
    return setting;
}

std::string wrong_port(const std::string& item) {
    const auto ports = policy::PublishedPorts::parse({&item, 1});
    if (ports) return {};
    return "'" + displayable(item) + "' " + std::string(ports.error().reason) +
           meant(item, {"auto"});
}

std::string wrong_name(const std::string& item) {
    if (item.find('=') == item.npos) return {};
    return "'" + displayable(item) + "' is no name of a variable";
}

std::string wrong_directory(const std::string& item) {
    return item.starts_with('/') ? "" : "'" + displayable(item) + "' is no absolute path";
}

template <std::uint64_t CommandLimits::*kMember>
Setting command_limit(const char* name, Kind kind, const char* help) {
    Setting setting{.key = std::string("bash.limits.") + name, .kind = kind, .help = help};
    setting.least = 1;
    return number<std::uint64_t>(std::move(setting), [](Draft& draft) -> std::uint64_t& {
        return draft.shell.limits.*kMember;
    });
}

}  // namespace

std::vector<std::string> network_hosts(std::string_view text) {
    Texts hosts;
    for (;;) {
        const std::size_t comma = std::min(text.find(','), text.size());
        std::string_view item = text.substr(0, comma);
        item.remove_prefix(std::min(item.find_first_not_of(' '), item.size()));
        hosts.emplace_back(item.substr(0, item.find_last_not_of(' ') + 1));
        if (comma == text.size()) return hosts;
        text.remove_prefix(comma + 1);
    }
}

std::vector<Setting> bash_settings() {
    return {
        plain<bool>({.key = "bash.enabled",
                     .kind = Kind::kSwitch,
                     .help = "Commands can be run, each in the sandbox",
                     .off_help = "Without commands",
                     .variables = {"PADDOCK_BASH"},
                     .flags = {"--no-bash"}},
                    [](Draft& draft) -> bool& { return draft.bash; }),
        required_setting(),
        plain<bool>({.key = "bash.read_only",
                     .kind = Kind::kSwitch,
                     .help = "Commands cannot change the workspace"},
                    [](Draft& draft) -> bool& { return draft.shell.read_only; }),
        network_setting(),
        checked(
            {.key = "bash.network_allow",
             .kind = Kind::kTexts,
             .help = "Hosts and presets that commands reach in addition to those of bash.network: "
                     "'example.org', 'example.org:443', '*.example.org', 'npm'; "
                     "'private:registry.corp' for a name of a private network",
             .unit = "HOST",
             .flags = {"--allow-host"},
             .example = R"(["registry.npmjs.org:443", "*.debian.org"])"},
            [](Draft& draft) -> Texts& { return draft.shell.network_allow; }, wrong_host),
        checked(
            {.key = "bash.publish",
             .kind = Kind::kTexts,
             .help = "Servers of commands that you reach on this machine's loopback, and nobody "
                     "else: a port, outside:inside, or auto for those below 32768 that commands "
                     "start",
             .unit = "PORT",
             .flags = {"--publish"},
             .example = R"(["3000", "8080:80"])"},
            [](Draft& draft) -> Texts& { return draft.shell.publish; }, wrong_port),
        checked(
            {.key = "bash.pass_environment",
             .kind = Kind::kTexts,
             .help = "Variables of paddock's own environment that commands get besides the "
                     "language and the terminal",
             .unit = "NAME",
             .flags = {"--pass-env"},
             .example = R"(["HTTPS_PROXY"])"},
            [](Draft& draft) -> Texts& { return draft.shell.pass_environment; }, wrong_name),
        environment_setting(),
        checked(
            {.key = "bash.read_only_directories",
             .kind = Kind::kTexts,
             .help = "Directories that commands can read besides the system's; tools do not, and "
                     "nothing in them is hidden",
             .unit = "DIR",
             .flags = {"--read-only-dir"},
             .example = R"(["/opt/toolchain"])"},
            [](Draft& draft) -> Texts& { return draft.shell.read_only_directories; },
            wrong_directory),
        toolchains_setting(),
        plain<bool>({.key = "bash.fresh_home",
                     .kind = Kind::kSwitch,
                     .help = "Commands get a home that ends with the session, instead of the "
                             "workspace's own, which keeps caches, settings of tools and history. "
                             "Without a mount namespace or a gate there is no other",
                     .flags = {"--fresh-home"}},
                    [](Draft& draft) -> bool& { return draft.fresh_home; }),
        command_limit<&CommandLimits::processes>("processes", Kind::kNumber,
                                                 "Processes of all commands together"),
        command_limit<&CommandLimits::memory_bytes>("memory_bytes", Kind::kBytes,
                                                    "Memory of all commands together"),
        command_limit<&CommandLimits::file_bytes>("file_bytes", Kind::kBytes,
                                                  "Largest file that a command may write"),
        command_limit<&CommandLimits::open_files>("open_files", Kind::kNumber,
                                                  "Open files of a process"),
        command_limit<&CommandLimits::scratch_bytes>("scratch_bytes", Kind::kBytes,
                                                     "/tmp, /dev/shm and a home that ends with "
                                                     "the session, together; never more than "
                                                     "memory_bytes, since they are memory"),
        command_limit<&CommandLimits::home_bytes>("home_bytes", Kind::kBytes,
                                                  "The home that lasts; a file counts for at "
                                                  "least 4 kB"),
        number<std::uint64_t>(
            {.key = "bash.limits.disk_reserve_bytes",
             .kind = Kind::kBytes,
             .help = "What must stay free on the workspace's disk: commands that "
                     "leave less are ended; 0: nothing"},
            [](Draft& draft) -> std::uint64_t& { return draft.shell.limits.disk_reserve_bytes; }),
        limit<std::uint32_t>({.key = "bash.limits.cpu_percent",
                              .kind = Kind::kNumber,
                              .help = "Of one processor, for all commands together, where a "
                                      "cgroup is delegated; 0: no limit"},
                             [](Draft& draft) -> std::optional<std::uint32_t>& {
                                 return draft.shell.limits.cpu_percent;
                             }),
    };
}

}  // namespace paddock::config
