#include <paddock/limits.h>

#include "config/fields.h"

namespace paddock::config {
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
                                       .help = "The address that 'paddock serve' listens on, in "
                                               "numbers or localhost",
                                       .unit = "ADDRESS",
                                       .flags = {"--address"}}),
        number<std::uint16_t>({.key = "serve.port",
                               .kind = Kind::kNumber,
                               .help = "The port; 0: any free one",
                               .flags = {"--port"}},
                              [](Draft& draft) -> std::uint16_t& { return draft.serve.port; }),
        text<&ServeSettings::token_file>(
            {.key = "serve.token_file",
             .kind = Kind::kFile,
             .help = "Holds the bearer token that clients must send; without it one is made and "
                     "shown once",
             .unit = "FILE",
             .flags = {"--token-file"},
             .example = R"("token")"}),
        text<&ServeSettings::certificate_file>({.key = "serve.certificate_file",
                                                .kind = Kind::kFile,
                                                .help = "The certificate chain for TLS, in PEM",
                                                .unit = "FILE",
                                                .flags = {"--tls-cert"},
                                                .example = R"("server.crt")"}),
        text<&ServeSettings::key_file>({.key = "serve.key_file",
                                        .kind = Kind::kFile,
                                        .help = "The private key for TLS, in PEM",
                                        .unit = "FILE",
                                        .flags = {"--tls-key"},
                                        .example = R"("server.key")"}),
        reason({.key = "serve.allow_plaintext",
                .help = "Other machines may connect without TLS; says why",
                .flags = {"--allow-plaintext"},
                .example = R"("a proxy on the same private network ends TLS")"},
               [](Draft& draft) -> std::string& { return draft.serve.plaintext_reason; }),
        texts<&ServeSettings::allowed_origins>(
            {.key = "serve.allowed_origins",
             .help = "Origins of web pages that may connect besides those of this machine",
             .unit = "ORIGIN",
             .flags = {"--allow-origin"},
             .example = R"(["https://tools.example.org"])"}),
        texts<&ServeSettings::allowed_hosts>(
            {.key = "serve.allowed_hosts",
             .help = "Names under which clients may reach the server besides its address and "
                     "localhost",
             .unit = "HOST",
             .flags = {"--allow-server-name"},
             .example = R"(["paddock.example.org"])"}),
        time_or_count<&ServeSettings::connections>("connections", "Connections at the same time"),
        time_or_count<&ServeSettings::head_bytes>("head_bytes", "Bytes of the head of a request"),
        number<std::uint64_t>(
            {.key = "serve.body_bytes",
             .kind = Kind::kBytes,
             .help = "Bytes of the body of a request",
             .least = 1,
             .most = limits::kHttpBodiesBytesMax},
            [](Draft& draft) -> std::uint64_t& { return draft.serve.body_bytes; }),
        time_or_count<&ServeSettings::request_ms>(
            "request_ms", "Milliseconds that a client may take to send a request"),
        time_or_count<&ServeSettings::idle_ms>(
            "idle_ms", "Milliseconds that a connection may be idle between requests"),
        time_or_count<&ServeSettings::write_ms>(
            "write_ms", "Milliseconds that a client may take for a part of an answer"),
        time_or_count<&ServeSettings::drain_ms>(
            "drain_ms", "Milliseconds that calls may go on when the server is told to end"),
    };
}

}  // namespace paddock::config
