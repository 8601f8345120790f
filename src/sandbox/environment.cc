#include "sandbox/environment.h"

#include <algorithm>
#include <string_view>

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
    const std::string authority = "127.0.0.1:" + std::to_string(port);
    for (const char* name : {"http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"}) {
        variables.set(name, "http://" + authority);
    }
    for (const char* name : {"all_proxy", "ALL_PROXY"}) {
        variables.set(name, "socks5h://" + authority);
    }
    for (const char* name : {"no_proxy", "NO_PROXY"}) {
        variables.set(name, "localhost,127.0.0.1,::1");
    }
}

void set_basis(Collector& variables, const std::string& home, const std::string& temporary) {
    variables.set("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
    variables.set("HOME", home);
    variables.set("TMPDIR", temporary);
    variables.set("USER", "agent");
    variables.set("LOGNAME", "agent");
    variables.set("SHELL", "/bin/sh");
    // The host's own is not there, or on the low rung cannot be read, which git takes for an error.
    variables.set("GIT_CONFIG_NOSYSTEM", "1");
}

bool is_passed(const ShellOptions& options, std::string_view name) {
    const auto& ours = limits::kPassedVariables;
    const auto& theirs = options.pass_environment;
    return std::find(ours.begin(), ours.end(), name) != ours.end() ||
           std::find(theirs.begin(), theirs.end(), name) != theirs.end();
}

}  // namespace

Environment command_environment(const ShellOptions& options, std::span<const std::string> host,
                                const std::string& home, const std::string& temporary,
                                std::uint16_t proxy_port) {
    Collector variables;
    for (const EnvironmentVariable& own : options.environment) variables.set(own.name, own.value);
    if (proxy_port != 0) set_proxy(variables, proxy_port);
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
    set_basis(variables, home, temporary);
    std::sort(environment.withheld.begin(), environment.withheld.end());
    environment.variables = variables.take();
    return environment;
}

}  // namespace paddock::sandbox
