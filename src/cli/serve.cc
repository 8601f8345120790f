#include "cli/serve.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <optional>

#include "cli/agent_workspace.h"
#include "cli/host_environment.h"
#include "cli/input.h"
#include "cli/terminal.h"
#include "cli/workspace_options.h"
#include "daemon/bearer.h"
#include "daemon/http_endpoint.h"
#include "net/server.h"
#include "sys/credential.h"
#include "sys/memory.h"
#include "sys/output.h"
#include "sys/signal.h"
#include "sys/socket.h"
#include "tools/session.h"

namespace paddock::cli {
namespace {

// After the cancellation of everything: tools look at it between system calls.
constexpr std::chrono::milliseconds kCancelPatience{1000};

// Besides those of connections: what tools have open, and commands that run.
constexpr std::uint64_t kOtherFiles = 3072;

struct Token {
    std::string text;
    bool is_new = false;
};

// Nothing, after a complaint that never repeats the token, if there is no usable one.
std::optional<Token> token_for(const config::ServeSettings& wanted) {
    Token token;
    std::string_view origin = "$PADDOCK_TOKEN";
    if (!wanted.token_file.empty()) {
        origin = "the token file";
        auto text = read_secret_input(wanted.token_file);
        if (!text) {
            complain(text.error());
            return std::nullopt;
        }
        token.text = std::move(*text);
        while (token.text.ends_with('\n') || token.text.ends_with('\r')) token.text.pop_back();
    } else if (const auto variable = host_variable("PADDOCK_TOKEN"); !variable.empty()) {
        token.text = variable;
    } else {
        auto made = daemon::make_secret();
        if (!made) {
            complain(as_error(made.error(), "token", {}).message());
            return std::nullopt;
        }
        return Token{std::move(*made), true};
    }
    if (daemon::is_usable_token(token.text)) return token;
    complain(std::string(origin) +
             " holds no usable token: 16 to 1024 visible ASCII characters, in one line");
    return std::nullopt;
}

bool is_loopback(const std::string& address) {
    return address.starts_with("127.") || address == "::1";
}

net::Settings settings_for(const config::ServeSettings& wanted) {
    net::Settings settings;
    settings.address = wanted.address;
    settings.port = wanted.port;
    settings.certificate_file = wanted.certificate_file;
    settings.key_file = wanted.key_file;
    settings.limits.connections_max = wanted.connections;
    settings.limits.head_bytes_max = wanted.head_bytes;
    settings.limits.body_bytes_max = wanted.body_bytes;
    settings.limits.request_time = std::chrono::milliseconds(wanted.request_ms);
    settings.limits.idle_time = std::chrono::milliseconds(wanted.idle_ms);
    settings.limits.write_time = std::chrono::milliseconds(wanted.write_ms);
    // What is quick is answered by the thread that read it; a slow disk then holds up a part only.
    settings.threads = 2;
    return settings;
}

std::string url_of(const config::ServeSettings& wanted, const net::Server& server) {
    const bool is_v6 = wanted.address.find(':') != wanted.address.npos;
    return std::string(wanted.certificate_file.empty() ? "http" : "https") + "://" +
           (is_v6 ? "[" + wanted.address + "]" : wanted.address) + ":" +
           std::to_string(server.port()) + "/mcp";
}

bool announce(const config::ServeSettings& wanted, const net::Server& server, const Token& token) {
    std::string text = "Listening on " + url_of(wanted, server) + "\n";
    if (token.is_new) text += "Token, shown only now: " + token.text + "\n";
    return print(text);
}

void wait_for_signal(int signals) {
    std::array<pollfd, 1> watched{pollfd{signals, POLLIN, 0}};
    while (!sys::wait_ready(watched, -1)) {
    }
}

// The order matters: the warden is started before there is anything that it could inherit, files
// are read and the socket is bound before the wall is up, threads come after it.
int serve(config::Configuration setup, const Token& token) {
    const config::ServeSettings& wanted = setup.serve;
    setup.workspace.secrets.push_back({"paddock-token", token.text});
    auto workspace = Workspace::open(std::move(setup.workspace));
    if (!workspace) return refuse_to_serve(workspace.error());
    complain_of_workspace(*workspace);
    // A lower limit of the system's means fewer connections.
    static_cast<void>(sys::set_limit(sys::Limit::kOpenFiles, wanted.connections + kOtherFiles));
    auto server = net::Server::listen(settings_for(wanted));
    if (!server) return refuse_to_serve(server.error());
    const auto signals = sys::hold_ending_signals();
    if (!signals) return refuse_to_serve(as_error(signals.error(), "serve", {}));
    sys::ignore_broken_pipes();
    if (const auto report = confine_to(*workspace); !report) return refuse_to_serve(report.error());

    const mcp::Protocol protocol(
        info_of(*workspace), methods_of(*workspace),
        [&workspace](std::string_view name) { workspace->session().meet_client(name); });
    daemon::HttpEndpoint endpoint(protocol, {.address = wanted.address,
                                             .token = token.text,
                                             .allowed_hosts = wanted.allowed_hosts,
                                             .allowed_origins = wanted.allowed_origins});
    // Whoever connects from now on is answered as soon as there are threads.
    if (!announce(wanted, *server, token)) return kUsageError;
    server->start(endpoint.handlers());
    sys::release_program();
    wait_for_signal(signals->get());
    endpoint.prepare_to_end();
    server->stop(std::chrono::milliseconds(wanted.drain_ms));
    const bool is_clean = endpoint.end(kCancelPatience);
    end_commands(*workspace);
    if (!is_clean) ::_exit(0);
    return 0;
}

}  // namespace

int run(const ServeRequest& request) {
    auto setup = session_configuration(request.settings);
    if (!setup) {
        complain(setup.error().text);
        return setup.error().exit_code;
    }
    setup->workspace.client = "serve";
    const config::ServeSettings& wanted = setup->serve;
    if (!is_loopback(wanted.address) && wanted.certificate_file.empty() &&
        wanted.plaintext_reason.empty()) {
        complain(
            "other machines could read along: give --tls-cert and --tls-key, listen on the "
            "loopback, or say --allow-plaintext and why");
        return kUsageError;
    }
    const auto token = token_for(wanted);
    if (!token) return kUsageError;
    return serve(std::move(*setup), *token);
}

}  // namespace paddock::cli
