#include "config/settings.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include <paddock/limits.h>

#include "base/display.h"
#include "base/reason.h"
#include "base/text.h"
#include "base/utf8.h"
#include "config/words.h"
#include "policy/host_rules.h"
#include "policy/path_rules.h"
#include "policy/published_ports.h"
#include "policy/toolchains.h"

namespace paddock::config {
namespace {

// "bash.read_only" -> "BASH_READ_ONLY", or with '-' in lower case.
std::string spelled(std::string_view key, char between) {
    std::string name(key);
    for (char& c : name) {
        if (c == '.' || c == '_') {
            c = between;
        } else if (between == '_' && c >= 'a' && c <= 'z') {
            c = static_cast<char>(c - 'a' + 'A');
        }
    }
    return name;
}

// Variable and flag follow from the key unless they are named.
void add_names(Setting& setting) {
    if (setting.variables.empty()) {
        setting.variables = {"PADDOCK_" + spelled(setting.key, '_')};
    }
    if (setting.flags.empty()) setting.flags = {"--" + spelled(setting.key, '-')};
}

std::vector<Setting> gathered() {
    std::vector<Setting> all;
    for (auto& some : {workspace_settings(), path_settings(), guard_settings(), bash_settings(),
                       serve_settings()}) {
        all.insert(all.end(), some.begin(), some.end());
    }
    for (Setting& setting : all) add_names(setting);
    return all;
}

}  // namespace

std::span<const Setting> all_settings() {
    static const std::vector<Setting> all = gathered();
    return all;
}

const Setting* find_setting(std::string_view key) {
    for (const Setting& setting : all_settings()) {
        if (setting.key == key) return &setting;
    }
    return nullptr;
}

bool Setting::switches_off() const {
    return kind == Kind::kSwitch && std::get<bool>(default_value());
}

Setting reason(Setting setting, Field<std::string> field) {
    setting.kind = Kind::kText;
    setting.unit = "REASON";
    setting.weakens = true;
    setting = plain(std::move(setting), field);
    setting.apply = [field](Value value, Draft& draft) -> std::string {
        const std::string text(trimmed(std::get<std::string>(value)));
        const auto as_switch = switch_of(text);
        if (as_switch && *as_switch) {
            return "gives no reason; write why it is needed instead of '" + text + "'";
        }
        if (!as_switch && !is_reason(text)) {
            return "is not a reason; write why it is needed, in more than one word";
        }
        field(draft) = as_switch ? std::string() : text;
        return {};
    };
    return setting;
}

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
                        "Run no command without these layers of the sandbox; landlock and seccomp "
                        "are always required",
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
                return "'" + displayable(name) + "' is not a layer" + meant(name, valid);
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
                    .help = "Set variables for commands",
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
                        "Let commands read these toolchains in the user's home if they are on "
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
            return "'" + displayable(name) + "' is not a toolchain" + meant(name, valid);
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
                        "Set the network of commands: none, host (everything that this machine "
                        "reaches, including its own services), or a list of hosts and presets: "
                        "'npm,github,internal.example.org'. Presets: " +
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
    return "'" + displayable(item) + "' is not the name of a variable";
}

std::string wrong_directory(const std::string& item) {
    return item.starts_with('/') ? "" : "'" + displayable(item) + "' is not an absolute path";
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
                     .help = "Let commands be run, each in the sandbox",
                     .off_help = "Turn off commands",
                     .variables = {"PADDOCK_BASH"},
                     .flags = {"--no-bash"}},
                    [](Draft& draft) -> bool& { return draft.bash; }),
        required_setting(),
        plain<bool>({.key = "bash.read_only",
                     .kind = Kind::kSwitch,
                     .help = "Keep commands from changing the workspace"},
                    [](Draft& draft) -> bool& { return draft.shell.read_only; }),
        network_setting(),
        checked(
            {.key = "bash.network_allow",
             .kind = Kind::kTexts,
             .help = "Let commands reach more hosts and presets than bash.network lists: "
                     "'example.org', 'example.org:443', '*.example.org', 'npm'; "
                     "'private:registry.corp' for a name in a private network",
             .unit = "HOST",
             .flags = {"--allow-host"},
             .example = R"(["registry.npmjs.org:443", "*.debian.org"])"},
            [](Draft& draft) -> Texts& { return draft.shell.network_allow; }, wrong_host),
        checked(
            {.key = "bash.publish",
             .kind = Kind::kTexts,
             .help = "Make servers of commands reachable on this machine's loopback, for you only: "
                     "a port, outside:inside, or auto for servers of commands on ports below 32768",
             .unit = "PORT",
             .flags = {"--publish"},
             .example = R"(["3000", "8080:80"])"},
            [](Draft& draft) -> Texts& { return draft.shell.publish; }, wrong_port),
        checked(
            {.key = "bash.pass_environment",
             .kind = Kind::kTexts,
             .help = "Pass variables of paddock's own environment to commands; language and "
                     "terminal are always passed",
             .unit = "NAME",
             .flags = {"--pass-env"},
             .example = R"(["HTTPS_PROXY"])"},
            [](Draft& draft) -> Texts& { return draft.shell.pass_environment; }, wrong_name),
        environment_setting(),
        checked(
            {.key = "bash.read_only_directories",
             .kind = Kind::kTexts,
             .help = "Let commands read these directories in addition to the system's; tools "
                     "cannot, and nothing in them is hidden",
             .unit = "DIR",
             .flags = {"--read-only-dir"},
             .example = R"(["/opt/toolchain"])"},
            [](Draft& draft) -> Texts& { return draft.shell.read_only_directories; },
            wrong_directory),
        toolchains_setting(),
        plain<bool>(
            {.key = "bash.fresh_home",
             .kind = Kind::kSwitch,
             .help = "Give commands a home that ends with the session, instead of the workspace's "
                     "lasting home for caches, settings of tools and history. Without a mount "
                     "namespace or a gate, homes always end with the session",
             .flags = {"--fresh-home"}},
            [](Draft& draft) -> bool& { return draft.fresh_home; }),
        command_limit<&CommandLimits::processes>("processes", Kind::kNumber,
                                                 "Limit the processes of all commands together"),
        command_limit<&CommandLimits::memory_bytes>("memory_bytes", Kind::kBytes,
                                                    "Limit the memory of all commands together"),
        command_limit<&CommandLimits::file_bytes>("file_bytes", Kind::kBytes,
                                                  "Limit the size of a file that a command writes"),
        command_limit<&CommandLimits::open_files>("open_files", Kind::kNumber,
                                                  "Limit the open files of a process"),
        command_limit<&CommandLimits::scratch_bytes>(
            "scratch_bytes", Kind::kBytes,
            "Limit /tmp, /dev/shm and a home that ends with the session, together; they use "
            "memory, so memory_bytes limits them too"),
        command_limit<&CommandLimits::home_bytes>(
            "home_bytes", Kind::kBytes, "Limit the lasting home; a file counts for at least 4 kB"),
        number<std::uint64_t>(
            {.key = "bash.limits.disk_reserve_bytes",
             .kind = Kind::kBytes,
             .help = "Keep this much space free on the workspace's disk: commands that leave less "
                     "are ended; 0: no limit"},
            [](Draft& draft) -> std::uint64_t& { return draft.shell.limits.disk_reserve_bytes; }),
        limit<std::uint32_t>({.key = "bash.limits.cpu_percent",
                              .kind = Kind::kNumber,
                              .help = "Limit all commands together to this percentage of one "
                                      "processor, where a cgroup is delegated; 0: no limit"},
                             [](Draft& draft) -> std::optional<std::uint32_t>& {
                                 return draft.shell.limits.cpu_percent;
                             }),
    };
}

namespace {

using Texts = std::vector<std::string>;

// Nothing of the item is told: somebody may have written the secret itself.
std::string wrong_secret(const std::string& item) {
    const std::string source = item.substr(item.find('=', 1) + 1);
    if (source.starts_with("env:") && source.size() > 4) return {};
    if (source.starts_with("file:/") || source.starts_with("file:~/")) return {};
    return "takes the source of a secret, \"env:VARIABLE\" or \"file:/path\", never the secret "
           "itself";
}

}  // namespace

std::vector<Setting> guard_settings() {
    return {
        plain<bool>({.key = "secrets.redact",
                     .kind = Kind::kSwitch,
                     .help = "Replace text that looks like a secret in all output",
                     .off_help = "Show secrets unchanged",
                     .flags = {"--no-redact-secrets"},
                     .weakens = true},
                    [](Draft& draft) -> bool& { return draft.workspace.redact_secrets; }),
        checked(
            {.key = "secrets.values",
             .kind = Kind::kTable,
             .help = "Replace known secrets wherever they appear; each has a name and a source, "
                     "'env:VARIABLE' or 'file:/path'",
             .unit = "NAME=SOURCE",
             .flags = {"--secret"},
             .example = R"({ DEPLOY_KEY = "env:DEPLOY_KEY", DB = "file:/etc/app/db" })"},
            [](Draft& draft) -> Texts& { return draft.secrets; }, wrong_secret),
        limit<std::uint32_t>({.key = "limits.calls_per_second",
                              .kind = Kind::kNumber,
                              .help = "Limit tool calls per second; 0: no limit"},
                             [](Draft& draft) -> std::optional<std::uint32_t>& {
                                 return draft.workspace.limits.calls_per_second;
                             }),
        limit<std::uint32_t>({.key = "limits.calls_in_flight",
                              .kind = Kind::kNumber,
                              .help = "Limit simultaneous tool calls; 0: no limit"},
                             [](Draft& draft) -> std::optional<std::uint32_t>& {
                                 return draft.workspace.limits.calls_in_flight;
                             }),
        limit<std::uint64_t>({.key = "limits.bytes_read",
                              .kind = Kind::kBytes,
                              .help = "Limit the bytes that a session reads; 0: no limit"},
                             [](Draft& draft) -> std::optional<std::uint64_t>& {
                                 return draft.workspace.limits.bytes_read;
                             }),
        limit<std::uint64_t>({.key = "limits.bytes_written",
                              .kind = Kind::kBytes,
                              .help = "Limit the bytes that a session writes; 0: no limit"},
                             [](Draft& draft) -> std::optional<std::uint64_t>& {
                                 return draft.workspace.limits.bytes_written;
                             }),
        limit<std::uint64_t>(
            {.key = "limits.bytes_on_disk",
             .kind = Kind::kBytes,
             .help = "Limit the disk space of all files in the workspace; 0: no limit",
             .example = "\"10G\""},
            [](Draft& draft) -> std::optional<std::uint64_t>& {
                return draft.workspace.limits.bytes_on_disk;
            }),
    };
}

namespace {

using Texts = std::vector<std::string>;

template <std::uint32_t ServeSettings::*kMember>
Setting time_or_count(const char* name, const char* help) {
    Setting setting{
        .key = std::string("serve.") + name, .kind = Kind::kNumber, .help = help, .least = 1};
    return number<std::uint32_t>(
        std::move(setting), [](Draft& draft) -> std::uint32_t& { return draft.serve.*kMember; });
}

template <std::string ServeSettings::*kMember>
Setting text(Setting setting) {
    return plain<std::string>(std::move(setting),
                              [](Draft& draft) -> std::string& { return draft.serve.*kMember; });
}

template <Texts ServeSettings::*kMember>
Setting texts(Setting setting) {
    setting.kind = Kind::kTexts;
    return plain<Texts>(std::move(setting),
                        [](Draft& draft) -> Texts& { return draft.serve.*kMember; });
}

}  // namespace

std::vector<Setting> serve_settings() {
    return {
        text<&ServeSettings::address>({.key = "serve.address",
                                       .help = "Listen on this address, in numbers or localhost",
                                       .unit = "ADDRESS",
                                       .flags = {"--address"}}),
        number<std::uint16_t>({.key = "serve.port",
                               .kind = Kind::kNumber,
                               .help = "Listen on this port; 0: any free one",
                               .flags = {"--port"}},
                              [](Draft& draft) -> std::uint16_t& { return draft.serve.port; }),
        text<&ServeSettings::token_file>(
            {.key = "serve.token_file",
             .kind = Kind::kFile,
             .help = "Read the bearer token that clients must send from this file; without a file, "
                     "paddock makes a token and shows it once",
             .unit = "FILE",
             .flags = {"--token-file"},
             .example = R"("token")"}),
        text<&ServeSettings::certificate_file>(
            {.key = "serve.certificate_file",
             .kind = Kind::kFile,
             .help = "Use this certificate chain for TLS, in PEM",
             .unit = "FILE",
             .flags = {"--tls-cert"},
             .example = R"("server.crt")"}),
        text<&ServeSettings::key_file>({.key = "serve.key_file",
                                        .kind = Kind::kFile,
                                        .help = "Use this private key for TLS, in PEM",
                                        .unit = "FILE",
                                        .flags = {"--tls-key"},
                                        .example = R"("server.key")"}),
        reason({.key = "serve.allow_plaintext",
                .help = "Reason to let other machines connect without TLS",
                .flags = {"--allow-plaintext"},
                .example = R"("a proxy on the same private network terminates TLS")"},
               [](Draft& draft) -> std::string& { return draft.serve.plaintext_reason; }),
        texts<&ServeSettings::allowed_origins>(
            {.key = "serve.allowed_origins",
             .help = "Let web pages of these origins connect, in addition to those of this machine",
             .unit = "ORIGIN",
             .flags = {"--allow-origin"},
             .example = R"(["https://tools.example.org"])"}),
        texts<&ServeSettings::allowed_hosts>(
            {.key = "serve.allowed_hosts",
             .help = "Accept these host names, in addition to the server's address and localhost",
             .unit = "HOST",
             .flags = {"--allow-server-name"},
             .example = R"(["paddock.example.org"])"}),
        time_or_count<&ServeSettings::connections>("connections", "Limit simultaneous connections"),
        time_or_count<&ServeSettings::head_bytes>("head_bytes",
                                                  "Limit the bytes of the head of a request"),
        number<std::uint64_t>(
            {.key = "serve.body_bytes",
             .kind = Kind::kBytes,
             .help = "Limit the bytes of the body of a request",
             .least = 1,
             .most = limits::kHttpBodiesBytesMax},
            [](Draft& draft) -> std::uint64_t& { return draft.serve.body_bytes; }),
        time_or_count<&ServeSettings::request_ms>(
            "request_ms", "Limit the milliseconds that a client takes to send a request"),
        time_or_count<&ServeSettings::idle_ms>(
            "idle_ms", "Limit the milliseconds that a connection is idle between requests"),
        time_or_count<&ServeSettings::write_ms>(
            "write_ms", "Limit the milliseconds that a client takes to read a part of an answer"),
        time_or_count<&ServeSettings::drain_ms>(
            "drain_ms",
            "Limit the milliseconds that calls continue after the server is asked to end"),
    };
}

namespace {

using Texts = std::vector<std::string>;

// Empty: it is a good one. The user's own home is expanded later.
std::string not_a_pattern(std::string_view pattern) {
    if (pattern.empty()) return "a rule has no pattern";
    if (pattern == "~") return {};
    for (std::string_view rest = pattern; !rest.empty();) {
        const Character next = first_character(rest);
        if (is_unseen(next.value)) {
            return "'" + displayable(pattern) +
                   "' contains a blank or an invisible character; remove it, or write ? for it";
        }
        rest.remove_prefix(next.length);
    }
    const std::string_view fault =
        policy::pattern_fault(pattern.starts_with("~/") ? pattern.substr(1) : pattern);
    return fault.empty() ? "" : "'" + displayable(pattern) + "' " + std::string(fault);
}

tl::expected<PathRule, std::string> rule_of(const std::string& text) {
    const std::string_view whole = trimmed(text);
    const std::size_t space = std::min(whole.find_first_of(kBlanks), whole.size());
    const auto access = policy::access_named(whole.substr(0, space));
    if (!access) {
        Texts words;
        for (const auto& [name, meaning] : policy::kAccessWords) words.emplace_back(name);
        return tl::unexpected(
            "'" + displayable(text) +
            "' is not a rule; write allow, read_only or deny, a space and a pattern" +
            meant(whole.substr(0, space), words));
    }
    std::string pattern(trimmed(whole.substr(space)));
    if (std::string why = not_a_pattern(pattern); !why.empty()) return tl::unexpected(why);
    if (pattern == "." || pattern == "./") pattern = "**";
    PathRule rule{std::move(pattern), *access};
    const auto compiled = policy::PathRules::compile({}, {&rule, 1});
    if (compiled) return rule;
    const std::string_view why = compiled.error().reason;
    return tl::unexpected("'" + displayable(rule.pattern) + "' is not a pattern" +
                          (why.empty() ? "" : ": " + std::string(why)));
}

std::string rule_text(const PathRule& rule) {
    for (const auto& [name, access] : policy::kAccessWords) {
        if (access == rule.access) return std::string(name) + " " + rule.pattern;
    }
    return {};
}

// An empty one is a variable that somebody forgot to set, not a wish for the current directory.
Setting root_setting() {
    Setting setting = plain<std::string>(
        {.key = "workspace.root",
         .kind = Kind::kFile,
         .help = "Work in this directory, the workspace; by default the current directory, or "
                 "workspaces/ in the state directory if the file has a table [workspace]",
         .unit = "DIR",
         .variables = {"PADDOCK_ROOT", "WORKSPACE_ROOT"},
         .flags = {"--root", "--workspace"},
         .example = R"("~/project")"},
        [](Draft& draft) -> std::string& { return draft.root; });
    setting.apply = [](Value value, Draft& draft) -> std::string {
        if (std::get<std::string>(value).empty()) return "is empty";
        draft.root = std::get<std::string>(std::move(value));
        return {};
    };
    return setting;
}

Setting rules_setting() {
    Setting setting{.key = "workspace.rules",
                    .kind = Kind::kTexts,
                    .help =
                        "Set a rule for paths: 'allow', 'read_only' or 'deny', a space and a "
                        "pattern; the first match decides, before the default rules",
                    .unit = "RULE",
                    .variables = {"PADDOCK_RULES"},
                    .flags = {"--rule"},
                    .example = R"(["allow .env.example", "read_only vendor", "deny *.sqlite"])"};
    setting.read = [](const Draft& draft) -> Value {
        Texts texts;
        for (const PathRule& rule : draft.workspace.rules) texts.push_back(rule_text(rule));
        return texts;
    };
    setting.apply = [](Value value, Draft& draft) -> std::string {
        std::vector<PathRule> rules;
        for (const std::string& text : std::get<Texts>(value)) {
            auto rule = rule_of(text);
            if (!rule) return rule.error();
            rules.push_back(std::move(*rule));
        }
        draft.workspace.rules = std::move(rules);
        return {};
    };
    return setting;
}

}  // namespace

std::vector<Setting> workspace_settings() {
    return {
        root_setting(),
        plain<Texts>({.key = "workspace.also",
                      .kind = Kind::kTexts,
                      .help = "Let tools and commands read and change further directories; each "
                              "has its own journal",
                      .unit = "DIR",
                      .variables = {"PADDOCK_ALSO"},
                      .flags = {"--also"},
                      .example = R"(["~/library"])"},
                     [](Draft& draft) -> Texts& { return draft.workspace.also; }),
        plain<Texts>({.key = "workspace.see",
                      .kind = Kind::kTexts,
                      .help = "Let tools and commands read further directories",
                      .unit = "DIR",
                      .variables = {"PADDOCK_SEE"},
                      .flags = {"--see"},
                      .example = R"(["~/reference"])"},
                     [](Draft& draft) -> Texts& { return draft.workspace.see; }),
        plain<bool>({.key = "workspace.read_only",
                     .kind = Kind::kSwitch,
                     .help = "Turn off bash and the tools that change files",
                     .variables = {"PADDOCK_READ_ONLY", "READ_ONLY"},
                     .flags = {"--read-only"}},
                    [](Draft& draft) -> bool& { return draft.workspace.read_only; }),
        reason({.key = "workspace.allow_outside_workspace",
                .help = "Reason to let the file tools reach the whole file system; commands stay "
                        "in the workspace",
                .variables = {"PADDOCK_ALLOW_OUTSIDE_WORKSPACE", "ALLOW_OUTSIDE_WORKSPACE"},
                .flags = {"--allow-outside-workspace"},
                .example = R"("a machine that is thrown away after the task")"},
               [](Draft& draft) -> std::string& { return draft.outside_reason; }),
        plain<Texts>({.key = "workspace.tools",
                      .kind = Kind::kTexts,
                      .help = "List only these tools: names, 'core' (read, write, edit, patch, "
                              "find, list, bash) or 'full'; empty: all",
                      .unit = "TOOL",
                      .variables = {"PADDOCK_TOOLS"},
                      .flags = {"--tools"},
                      .example = R"(["core", "move_path"])"},
                     [](Draft& draft) -> Texts& { return draft.workspace.tools; }),
        rules_setting(),
        plain<bool>({.key = "workspace.default_rules",
                     .kind = Kind::kSwitch,
                     .help = "Deny files that usually hold secrets, and keep files that git, "
                             "shells and agents act on read-only",
                     .off_help = "Turn off the rules that deny secrets and protect settings",
                     .variables = {"PADDOCK_DEFAULT_RULES"},
                     .flags = {"--no-default-rules"},
                     .weakens = true},
                    [](Draft& draft) -> bool& { return draft.workspace.default_rules; }),
        plain<Texts>({.key = "workspace.ignore",
                      .kind = Kind::kTexts,
                      .help = "Skip more files in searches: lines as in a .gitignore file",
                      .unit = "PATTERN",
                      .variables = {"PADDOCK_IGNORE"},
                      .flags = {"--ignore-files"},
                      .example = R"(["node_modules/", "*.min.js"])"},
                     [](Draft& draft) -> Texts& { return draft.ignore; }),
        plain<bool>({.key = "workspace.track_reads",
                     .kind = Kind::kSwitch,
                     .help = "Require that the session has read the present content of a file "
                             "before it changes the file",
                     .off_help = "Let files be changed without reading them first",
                     .variables = {"PADDOCK_TRACK_READS"},
                     .flags = {"--no-track-reads"},
                     .weakens = true},
                    [](Draft& draft) -> bool& { return draft.workspace.track_reads; }),
    };
}

std::vector<Setting> path_settings() {
    return {
        choice<AbsolutePaths>(
            {.key = "paths.absolute",
             .help = "Map absolute paths inside, or refuse them",
             .flags = {"--absolute"}},
            [](Draft& draft) -> AbsolutePaths& { return draft.workspace.paths.absolute; },
            {{"inside", AbsolutePaths::kInside}, {"reject", AbsolutePaths::kReject}}),
        choice<DotDot>({.key = "paths.dotdot",
                        .help = "Reduce '..' before the look-up, or refuse it",
                        .flags = {"--dotdot"}},
                       [](Draft& draft) -> DotDot& { return draft.workspace.paths.dotdot; },
                       {{"normalize", DotDot::kNormalize}, {"reject", DotDot::kReject}}),
        choice<Symlinks>({.key = "paths.symlinks",
                          .help = "Follow links inside, or refuse them",
                          .flags = {"--symlinks"}},
                         [](Draft& draft) -> Symlinks& { return draft.workspace.paths.symlinks; },
                         {{"inside", Symlinks::kInside}, {"reject", Symlinks::kReject}}),
        choice<Hardlinks>(
            {.key = "paths.hardlinks",
             .help = "Let files with several names be read, or refuse them",
             .flags = {"--hardlinks"}},
            [](Draft& draft) -> Hardlinks& { return draft.workspace.paths.hardlinks; },
            {{"readable", Hardlinks::kReadable}, {"reject", Hardlinks::kReject}}),
        plain<Texts>({.key = "paths.mounts",
                      .kind = Kind::kTexts,
                      .help = "Allow another file system at these directories below the root",
                      .unit = "DIR",
                      .flags = {"--mount"},
                      .example = R"(["data"])"},
                     [](Draft& draft) -> Texts& { return draft.workspace.paths.mounts; }),
        reason({.key = "paths.every_mount",
                .help = "Reason to allow every file system mounted below the root",
                .flags = {"--every-mount"},
                .example = R"("the data sets are mounted one by one")"},
               [](Draft& draft) -> std::string& { return draft.every_mount_reason; }),
        choice<ResolverKind>(
            {.key = "paths.resolver",
             .help = "Choose how files are opened; the results are the same",
             .variables = {"PADDOCK_RESOLVER"},
             .flags = {"--resolver"}},
            [](Draft& draft) -> ResolverKind& { return draft.workspace.paths.resolver; },
            {{"auto", ResolverKind::kProbe},
             {"openat2", ResolverKind::kOpenat2},
             {"walk", ResolverKind::kWalk}}),
    };
}

}  // namespace paddock::config
