#include "sandbox/environment.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "policy/host_rules.h"
#include "proxy/name_server.h"
#include "sandbox/view_plan.h"

namespace paddock::sandbox {
namespace {

std::string_view name_of(std::string_view variable) {
    return variable.substr(0, variable.find('='));
}

// Collects in the order of precedence: who comes first stays.
class Collector {
public:
    void set(std::string_view name, std::string_view value) {
        if (has(name)) return;
        std::string variable(name);
        variable += '=';
        variable += value;
        variables_.push_back(std::move(variable));
    }

    bool has(std::string_view name) const {
        return std::any_of(variables_.begin(), variables_.end(),
                           [name](const std::string& set) { return name_of(set) == name; });
    }

    std::vector<std::string> take() { return std::move(variables_); }

private:
    std::vector<std::string> variables_;
};

void set_proxy(Collector& variables, std::uint16_t port) {
    for (const std::string& each : proxy_environment(port)) {
        const std::string_view name = name_of(each);
        variables.set(name, std::string_view(each).substr(name.size() + 1));
    }
}

// npm takes its variables in any case.
bool has_in_any_case(const Collector& variables, std::string_view name) {
    std::string upper(name);
    for (char& c : upper) c = is_lower(c) ? static_cast<char>(c & ~32) : c;
    return variables.has(name) || variables.has(upper);
}

// Where a program cannot get an answer, it shall not wait for one, and shall not look for a newer
// version of itself: a report would name that host for every command that fails.
void set_network(Collector& variables, const ShellOptions& options, bool has_proxy) {
    if (options.host_network) return;
    const auto rules = policy::HostRules::parse(options.network_allow);
    const auto reaches = [&](std::string_view registry) {
        return rules && rules->has({std::string(registry), {}});
    };
    const auto set = [&](std::string_view name, std::string_view value) {
        if (!has_in_any_case(variables, name)) variables.set(name, value);
    };
    if (!reaches("registry.npmjs.org")) {
        set("npm_config_update_notifier", "false");
        set("NO_UPDATE_NOTIFIER", "1");
    }
    if (!reaches("pypi.org")) set("PIP_DISABLE_PIP_VERSION_CHECK", "1");
    if (options.network_allow.empty()) {
        // pip says what failed only when it tries again, which it does at once the first time.
        set("PIP_RETRIES", "1");
        set("CARGO_NET_RETRY", "0");
    } else {
        set("NODE_USE_ENV_PROXY", "1");
    }
    // What the proxy refuses npm does not ask for again; a look-up that fails it does.
    if (!has_proxy) set("npm_config_fetch_retries", "0");
}

// Each entry that begins with "~/" lies there.
std::string in_home(std::string_view search_path, std::string_view home) {
    std::string expanded;
    while (!search_path.empty()) {
        const std::string_view entry = search_path.substr(0, search_path.find(':'));
        search_path.remove_prefix(std::min(search_path.size(), entry.size() + 1));
        if (!expanded.empty()) expanded += ':';
        if (entry.starts_with("~/")) expanded += home;
        expanded += entry.substr(entry.starts_with("~/") ? 1 : 0);
    }
    return expanded;
}

void set_basis(Collector& variables, const Surroundings& around) {
    for (const std::string& variable : around.variables) {
        const std::string_view name = name_of(variable);
        variables.set(name, std::string_view(variable).substr(name.size() + 1));
    }
    constexpr const char* kSystem = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    variables.set("PATH",
                  around.search_path.empty() ? kSystem : in_home(around.search_path, around.home));
    variables.set("HOME", around.home);
    variables.set("TMPDIR", around.temporary);
    variables.set("USER", "agent");
    variables.set("LOGNAME", "agent");
    variables.set("SHELL", "/bin/sh");
    // The host's own is not there, or on the low level cannot be read, which git takes for an
    // error.
    if (around.git_config.empty()) {
        variables.set("GIT_CONFIG_NOSYSTEM", "1");
    } else {
        variables.set("GIT_CONFIG_SYSTEM", around.git_config);
    }
}

bool is_passed(const ShellOptions& options, std::string_view name) {
    const auto& ours = kPassedVariables;
    const auto& theirs = options.pass_environment;
    return std::find(ours.begin(), ours.end(), name) != ours.end() ||
           std::find(theirs.begin(), theirs.end(), name) != theirs.end();
}

}  // namespace

std::vector<std::string> proxy_environment(std::uint16_t port) {
    const std::string place = "://127.0.0.1:" + std::to_string(port);
    std::vector<std::string> environment;
    const auto add = [&](std::string_view upper, std::string_view lower, const std::string& value) {
        for (const std::string_view name : {upper, lower}) {
            environment.push_back(std::string(name) + "=" + value);
        }
    };
    add("HTTP_PROXY", "http_proxy", "http" + place);
    add("HTTPS_PROXY", "https_proxy", "http" + place);
    add("ALL_PROXY", "all_proxy", "socks5h" + place);
    add("NO_PROXY", "no_proxy", std::string("localhost,127.0.0.1,::1,") + proxy::kInsideHostName);
    return environment;
}

Environment command_environment(const ShellOptions& options, std::span<const std::string> host,
                                const Surroundings& surroundings) {
    Collector variables;
    for (const EnvironmentVariable& own : options.environment) variables.set(own.name, own.value);
    if (surroundings.proxy_port != 0) set_proxy(variables, surroundings.proxy_port);
    // A variable of the basis that the operator lets through is the host's.
    Environment environment;
    for (const std::string& variable : host) {
        const std::string_view name = name_of(variable);
        if (name.empty() || name.size() == variable.size()) continue;
        if (is_passed(options, name)) {
            variables.set(name, std::string_view(variable).substr(name.size() + 1));
        } else if (!variables.has(name)) {
            environment.withheld.emplace_back(name);
        }
    }
    set_basis(variables, surroundings);
    set_network(variables, options, surroundings.proxy_port != 0);
    std::sort(environment.withheld.begin(), environment.withheld.end());
    environment.variables = variables.take();
    return environment;
}

}  // namespace paddock::sandbox
