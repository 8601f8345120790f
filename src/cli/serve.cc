#include "cli/serve.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <optional>

#include "cli/agent_workspace.h"
#include "cli/input.h"
#include "cli/terminal.h"
#include "daemon/bearer.h"
#include "daemon/http_endpoint.h"
#include "net/server.h"
#include "sys/credential.h"
#include "sys/signal.h"
#include "sys/socket.h"

namespace paddock::cli {
namespace {

// After the cancellation of everything: tools look at it between system calls.
constexpr std::chrono::milliseconds kCancelPatience{1000};

constexpr std::uint64_t kOpenFiles = limits::kHttpConnectionsMax + 3072;

int refuse(const Error& error) {
    complain(error.message());
    return kRefused;
}

struct Token {
    std::string text;
    bool is_new = false;
};

// Nothing, after a complaint that never repeats the token, if there is no usable one.
std::optional<Token> token_for(const ServeRequest& request) {
    Token token;
    std::string_view origin = "$PADDOCK_TOKEN";
    if (!request.token_file.empty()) {
        origin = "the token file";
        auto text = read_input(request.token_file);
        if (!text) {
            complain(text.error());
            return std::nullopt;
        }
        token.text = std::move(*text);
        while (token.text.ends_with('\n') || token.text.ends_with('\r')) token.text.pop_back();
    } else if (const char* variable = std::getenv("PADDOCK_TOKEN")) {
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

net::Settings settings_for(const ServeRequest& request) {
    net::Settings settings;
    settings.address = request.address;
    settings.port = request.port;
    settings.certificate_file = request.certificate_file;
    settings.key_file = request.key_file;
    // What is quick is answered by the thread that read it; a slow disk then holds up a part only.
    settings.threads = 2;
    return settings;
}

std::string url_of(const ServeRequest& request, const net::Server& server) {
    const bool is_v6 = request.address.find(':') != request.address.npos;
    return std::string(request.certificate_file.empty() ? "http" : "https") + "://" +
           (is_v6 ? "[" + request.address + "]" : request.address) + ":" +
           std::to_string(server.port()) + "/mcp";
}

bool announce(const ServeRequest& request, const net::Server& server, const Token& token) {
    std::string text = "Listening on " + url_of(request, server) + "\n";
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
int serve(const ServeRequest& request, const Token& token) {
    WorkspaceOptions options = options_for({request.root, request.read_only, request.bash});
    options.secrets.push_back({"paddock-token", token.text});
    auto workspace = Workspace::open(std::move(options));
    if (!workspace) return refuse(workspace.error());
    complain_of_shell(*workspace);
    // As many as connections and their workspace need; a lower limit means fewer connections.
    static_cast<void>(sys::set_limit(sys::Limit::kOpenFiles, kOpenFiles));
    auto server = net::Server::listen(settings_for(request));
    if (!server) return refuse(server.error());
    const auto signals = sys::hold_ending_signals();
    if (!signals) return refuse(as_error(signals.error(), "serve", {}));
    if (const auto report = confine_to(*workspace); !report) return refuse(report.error());

    const mcp::Protocol protocol(info_of(*workspace), methods_of(*workspace));
    daemon::HttpEndpoint endpoint(protocol, {.address = request.address,
                                             .token = token.text,
                                             .allowed_hosts = request.hosts,
                                             .allowed_origins = request.origins});
    server->start(endpoint.handlers());
    if (!announce(request, *server, token)) return kUsageError;
    wait_for_signal(signals->get());
    endpoint.prepare_to_end();
    server->stop(std::chrono::milliseconds(request.drain_ms));
    // The warden notices, and ends what is left.
    if (!endpoint.end(kCancelPatience)) ::_exit(0);
    return 0;
}

}  // namespace

int run(const ServeRequest& request) {
    if (!is_loopback(request.address) && request.certificate_file.empty() &&
        !request.allow_plaintext) {
        complain(
            "other machines could read along: give --tls-cert and --tls-key, listen on the "
            "loopback, or say --allow-plaintext");
        return kUsageError;
    }
    const auto token = token_for(request);
    if (!token) return kUsageError;
    return serve(request, *token);
}

}  // namespace paddock::cli
