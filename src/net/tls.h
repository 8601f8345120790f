// The certificate of a server, and its side of a TLS connection. OpenSSL is used here and nowhere
// else; its configuration files are not read.
#pragma once

#include <memory>
#include <string>

#include "base/outcome.h"
#include "net/channel.h"

namespace paddock::net {

struct TlsFiles {
    std::string certificate;  // chain, PEM
    std::string key;          // PEM, without a passphrase
};

// TLS 1.2 and 1.3, no renegotiation, no compression.
class TlsContext {
public:
    // Reads both files now. Errors: not_found, permission_denied, invalid_argument; with the name
    // of the file, never with any of what it holds.
    static Result<std::shared_ptr<TlsContext>> load(const TlsFiles& files);
    ~TlsContext();
    TlsContext(const TlsContext&) = delete;
    TlsContext& operator=(const TlsContext&) = delete;

    // `socket` is borrowed. nullptr where memory is short.
    std::unique_ptr<Channel> channel(boost::asio::ip::tcp::socket& socket);

private:
    struct Native;
    explicit TlsContext(std::unique_ptr<Native> native);

    std::unique_ptr<Native> native_;
};

}  // namespace paddock::net
