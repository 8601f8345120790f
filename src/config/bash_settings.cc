#include <algorithm>

#include "base/display.h"
#include "config/fields.h"
#include "config/words.h"
#include "policy/host_rules.h"

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

std::string wrong_host(const std::string& item) {
    const auto rules = policy::HostRules::parse({&item, 1});
    if (rules) return {};
    return "'" + displayable(item) + "' " + std::string(rules.error().reason);
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
        choice<Network>(
            {.key = "bash.network",
             .help = "What commands reach: nothing, the listed hosts, or all that "
                     "this machine reaches, its own services included",
             .weakens = true},
            [](Draft& draft) -> Network& { return draft.network; },
            {{"none", Network::kNone}, {"listed", Network::kListed}, {"host", Network::kHost}}),
        checked(
            {.key = "bash.network_allow",
             .kind = Kind::kTexts,
             .help = "Hosts for network = \"listed\": 'example.org', 'example.org:443', "
                     "'*.example.org'; those in a private network with their addresses besides",
             .unit = "HOST",
             .flags = {"--allow-host"},
             .example = R"(["registry.npmjs.org:443", "*.debian.org"])"},
            [](Draft& draft) -> Texts& { return draft.shell.network_allow; }, wrong_host),
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
             .help = "Directories that commands can read besides the system's",
             .unit = "DIR",
             .flags = {"--see"},
             .example = R"(["/opt/toolchain"])"},
            [](Draft& draft) -> Texts& { return draft.shell.read_only_directories; },
            wrong_directory),
        command_limit<&CommandLimits::processes>("processes", Kind::kNumber,
                                                 "Processes of all commands together"),
        command_limit<&CommandLimits::memory_bytes>("memory_bytes", Kind::kBytes,
                                                    "Memory of a process, or of all with a "
                                                    "cgroup"),
        command_limit<&CommandLimits::address_bytes>("address_bytes", Kind::kBytes,
                                                     "Address space of a process"),
        command_limit<&CommandLimits::file_bytes>("file_bytes", Kind::kBytes,
                                                  "Largest file that a command may write"),
        command_limit<&CommandLimits::open_files>("open_files", Kind::kNumber,
                                                  "Open files of a process"),
        command_limit<&CommandLimits::scratch_bytes>("scratch_bytes", Kind::kBytes,
                                                     "/tmp and home of the commands, together"),
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
