#include "cli/serve_command.h"

#include <optional>

#include "base/display.h"
#include "cli/setting_options.h"

namespace paddock::cli {
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

class ServeForm final : public Form {
public:
    void declare(Parser& parser) override {
        parser.text({.names = {"--listen"},
                     .unit = "ADDRESS:PORT",
                     .help = "Where to listen: --address and --port in one"},
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
                                 "' is no ADDRESS:PORT such as 127.0.0.1:8080 or [::1]:8080",
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
             "TOKEN'. The server listens on the loopback unless told otherwise, and elsewhere "
             "only with TLS. Requests of foreign web pages, or under a foreign host name, are "
             "refused. Whoever has the token shares one session: what was read, and the shell. "
             "The server is confined before it takes the first request: the kernel lets it open "
             "nothing outside the workspace. SIGTERM and SIGINT end it: what is under way is "
             "finished first.",
         .examples = {"paddock serve --root ~/project",
                      "paddock serve --root ~/project --token-file ~/.paddock-token",
                      "paddock serve --listen 0.0.0.0:8443 --tls-cert chain.pem --tls-key key.pem "
                      "--allow-server-name agents.example.org",
                      "claude mcp add --transport http paddock http://127.0.0.1:8080/mcp --header "
                      "'Authorization: Bearer TOKEN'"},
         .no = "the workspace cannot be opened, the address cannot be listened on, or the kernel "
               "cannot confine the server"},
        [] { return std::make_unique<ServeForm>(); }};
}

}  // namespace paddock::cli
