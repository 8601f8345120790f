#include "cli/serve_command.h"

#include <charconv>
#include <optional>

#include "base/display.h"

namespace paddock::cli {
namespace {

constexpr std::int64_t kPatienceMaxMs = 3'600'000;

// "127.0.0.1:8080", "[::1]:0". What is wrong with it, or nothing.
std::optional<std::string> set_place(ServeRequest& request, const std::string& text) {
    const std::size_t colon = text.rfind(':');
    if (colon != text.npos) {
        const char* end = text.data() + text.size();
        const auto [read, error] = std::from_chars(text.data() + colon + 1, end, request.port);
        request.address = text.substr(0, colon);
        if (request.address.starts_with('[') && request.address.ends_with(']')) {
            request.address = request.address.substr(1, request.address.size() - 2);
        }
        const bool is_plain = request.address.find(':') == request.address.npos || text[0] == '[';
        if (error == std::errc() && read == end && !request.address.empty() && is_plain) return {};
    }
    return "'" + displayable(text) + "' is no ADDRESS:PORT such as 127.0.0.1:8080 or [::1]:8080";
}

class ServeForm final : public Form {
public:
    void declare(Parser& parser) override {
        parser.workspace(request_.root);
        parser.text({.names = {"--listen"},
                     .unit = "ADDRESS:PORT",
                     .help = "Where to listen; port 0 is any free one"},
                    place_, "PADDOCK_LISTEN");
        parser.text({.names = {"--token-file"},
                     .unit = "FILE",
                     .help = "Holds the token that clients must send; else $PADDOCK_TOKEN, else "
                             "one is made and shown once",
                     .offers = Offers::kHostFile},
                    request_.token_file);
        parser.text({.names = {"--tls-cert"},
                     .unit = "FILE",
                     .help = "The certificate chain for TLS, in PEM",
                     .offers = Offers::kHostFile},
                    request_.certificate_file);
        parser.text({.names = {"--tls-key"},
                     .unit = "FILE",
                     .help = "The private key for TLS, in PEM",
                     .offers = Offers::kHostFile},
                    request_.key_file);
        parser.flag({.names = {"--allow-plaintext"},
                     .help = "Other machines may connect without TLS, and read along"},
                    request_.allow_plaintext);
        parser.texts({.names = {"--allow-host"},
                      .unit = "NAME",
                      .help = "A name under which clients may reach the server"},
                     request_.hosts);
        parser.texts({.names = {"--allow-origin"},
                      .unit = "ORIGIN",
                      .help = "An origin of web pages that may connect"},
                     request_.origins);
        parser.integer({.names = {"--drain-ms"},
                        .help = "How long calls may go on when the server is told to end",
                        .usual = std::to_string(request_.drain_ms)},
                       request_.drain_ms, 0, kPatienceMaxMs);
        parser.flag({.names = {"--read-only"}, .help = "No tool that changes files, and no bash"},
                    request_.read_only);
        parser.flag({.names = {"--no-bash"}, .help = "No bash, bash_output and bash_kill"},
                    no_bash_);
    }

    Request finish(Parser&) override {
        if (auto wrong = set_place(request_, place_)) return complaint(*wrong, "serve");
        if (request_.certificate_file.empty() != request_.key_file.empty()) {
            return complaint("--tls-cert and --tls-key go together", "serve");
        }
        request_.bash = !no_bash_;
        return std::move(request_);
    }

private:
    ServeRequest request_;
    std::string place_ = "127.0.0.1:8080";
    bool no_bash_ = false;
};

}  // namespace

Command serve_command() {
    return {
        {.name = "serve",
         .summary = "Serve a workspace to agents: MCP over HTTP.",
         .description =
             "Answers the Model Context Protocol at /mcp, revision 2026-07-28 and the four before "
             "it, and GET /healthz and /readyz. Clients send the token as 'Authorization: Bearer "
             "TOKEN'. The server listens on the loopback unless told otherwise, and elsewhere "
             "only with TLS. Requests of foreign web pages, or under a foreign host name, are "
             "refused. Whoever has the token shares one session: what was read, and the shell. "
             "The server is confined before it takes the first request: the kernel lets it open "
             "nothing outside the workspace. SIGTERM and SIGINT end it: what is under way is "
             "finished first.",
         .examples = {"paddock serve --root ~/project",
                      "paddock serve --root ~/project --token-file ~/.paddock-token",
                      "paddock serve --listen 0.0.0.0:8443 --tls-cert chain.pem --tls-key key.pem "
                      "--allow-host agents.example.org",
                      "claude mcp add --transport http paddock http://127.0.0.1:8080/mcp --header "
                      "'Authorization: Bearer TOKEN'"},
         .no = "the workspace cannot be opened, the address cannot be listened on, or the kernel "
               "cannot confine the server"},
        [] { return std::make_unique<ServeForm>(); }};
}

}  // namespace paddock::cli
