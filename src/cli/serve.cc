#include "cli/serve.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <optional>

#include "base/display.h"
#include "cli/input.h"
#include "cli/mcp.h"
#include "cli/terminal.h"
#include "cli/workspace_options.h"
#include "daemon/guard.h"
#include "daemon/http_endpoint.h"
#include "net/server.h"
#include "sys/identity.h"
#include "sys/io.h"
#include "sys/memory.h"
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
             " has no valid token: 16 to 1024 visible ASCII characters on one line");
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
        [&workspace](std::string_view name) { tools::Session::of(*workspace).meet_client(name); });
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
            "other machines could read the traffic: give --tls-cert and --tls-key, listen on the "
            "loopback, or give --allow-plaintext and a reason");
        return kUsageError;
    }
    const auto token = token_for(wanted);
    if (!token) return kUsageError;
    return serve(std::move(*setup), *token);
}

namespace {

// "127.0.0.1:8080", "[::1]:0" in its two parts; nothing if it is none.
struct Place {
    std::string address;
    std::string port;
};
std::optional<Place> place_of(const std::string& text) {
    const std::size_t colon = text.rfind(':');
    if (colon == text.npos || colon == 0 || colon + 1 == text.size()) return std::nullopt;
    Place place{text.substr(0, colon), text.substr(colon + 1)};
    if (place.address.starts_with('[') && place.address.ends_with(']')) {
        place.address = place.address.substr(1, place.address.size() - 2);
    } else if (place.address.find(':') != place.address.npos) {
        return std::nullopt;
    }
    return place;
}

class ServeParser final : public CommandParser {
public:
    void declare(Parser& parser) override {
        parser.text({.names = {"--listen"},
                     .unit = "ADDRESS:PORT",
                     .help = "Listen here: --address and --port in one"},
                    place_);
        options_.declare(parser,
                         {"workspace.", "paths.", "secrets.", "limits.", "bash.", "serve."});
    }

    Request finish(Parser& parser) override {
        ServeRequest request{options_.take(parser)};
        if (!parser.was_given("--listen")) return request;
        const auto place = place_of(place_);
        if (!place) {
            return complaint("'" + displayable(place_) +
                                 "' is not an ADDRESS:PORT such as 127.0.0.1:8080 or [::1]:8080",
                             "serve");
        }
        request.settings.overrides.push_back({"serve.address", place->address, "--listen"});
        request.settings.overrides.push_back({"serve.port", place->port, "--listen"});
        return request;
    }

private:
    std::string place_;
    SettingOptions options_;
};

}  // namespace

Command serve_command() {
    return {
        {.name = "serve",
         .summary = "Serve a workspace to agents: MCP over HTTP.",
         .description =
             "Answers the Model Context Protocol at /mcp, revision 2026-07-28 and the four before "
             "it, and GET /healthz and /readyz. Clients send the token as 'Authorization: Bearer "
             "TOKEN'. By default, the server listens on the loopback; on other addresses it "
             "requires TLS. Requests of foreign web pages, or under a foreign host name, are "
             "refused. All clients with the token share one session: the files read, and the "
             "shell. The server is confined before it takes the first request: the kernel lets it "
             "open nothing outside the workspace. SIGTERM and SIGINT end it after calls in "
             "progress are finished.",
         .examples = {"paddock serve --root ~/project",
                      "paddock serve --root ~/project --token-file ~/.paddock-token",
                      "paddock serve --listen 0.0.0.0:8443 --tls-cert chain.pem --tls-key key.pem "
                      "--allow-server-name agents.example.org",
                      "claude mcp add --transport http paddock http://127.0.0.1:8080/mcp --header "
                      "'Authorization: Bearer TOKEN'"},
         .no = "the workspace cannot be opened, the address cannot be used, or the kernel cannot "
               "confine the server"},
        [] { return std::make_unique<ServeParser>(); }};
}

}  // namespace paddock::cli
