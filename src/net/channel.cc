#include "net/channel.h"

#include <cerrno>
#include <utility>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>

namespace paddock::net {
namespace {

using Error = boost::system::error_code;

bool is_not_now(const Error& error) {
    return error == boost::asio::error::would_block || error == boost::asio::error::try_again;
}

}  // namespace

Transfer PlainChannel::read(std::span<char> buffer) {
    Error error;
    const std::size_t bytes =
        socket_.read_some(boost::asio::buffer(buffer.data(), buffer.size()), error);
    if (!error) return {Moved::kSome, bytes};
    if (is_not_now(error)) return {Moved::kNeedsRead, 0};
    return {error == boost::asio::error::eof ? Moved::kEnd : Moved::kBroken, 0};
}

Transfer PlainChannel::write(std::string_view bytes) {
    Error error;
    const std::size_t written =
        socket_.write_some(boost::asio::buffer(bytes.data(), bytes.size()), error);
    if (!error) return {Moved::kSome, written};
    return {is_not_now(error) ? Moved::kNeedsWrite : Moved::kBroken, 0};
}

void PlainChannel::end_writing() {
    Error ignored;
    socket_.shutdown(boost::asio::ip::tcp::socket::shutdown_send, ignored);
}

// OpenSSL drives the handshake and the records; the bytes below go through the Asio socket, which
// never raises SIGPIPE.
namespace {

using Socket = boost::asio::ip::tcp::socket;

template <auto kFree>
struct Freed {
    template <class T>
    void operator()(T* object) const noexcept {
        kFree(object);
    }
};
using Context = std::unique_ptr<SSL_CTX, Freed<SSL_CTX_free>>;
using TlsConnection = std::unique_ptr<SSL, Freed<SSL_free>>;
using Method = std::unique_ptr<BIO_METHOD, Freed<BIO_meth_free>>;

// One transfer of a BIO, in OpenSSL's terms: the number of bytes, or -1 and a mark to try again.
int moved(BIO* bio, std::size_t bytes, const boost::system::error_code& error, int retry_flag) {
    BIO_clear_retry_flags(bio);
    if (!error) return static_cast<int>(bytes);
    if (error == boost::asio::error::would_block || error == boost::asio::error::try_again) {
        BIO_set_flags(bio, retry_flag | BIO_FLAGS_SHOULD_RETRY);
        return -1;
    }
    return error == boost::asio::error::eof ? 0 : -1;
}

int write_socket(BIO* bio, const char* bytes, int size) {
    boost::system::error_code error;
    auto& socket = *static_cast<Socket*>(BIO_get_data(bio));
    const std::size_t written =
        socket.write_some(boost::asio::buffer(bytes, static_cast<std::size_t>(size)), error);
    return moved(bio, written, error, BIO_FLAGS_WRITE);
}

int read_socket(BIO* bio, char* buffer, int size) {
    boost::system::error_code error;
    auto& socket = *static_cast<Socket*>(BIO_get_data(bio));
    const std::size_t read =
        socket.read_some(boost::asio::buffer(buffer, static_cast<std::size_t>(size)), error);
    return moved(bio, read, error, BIO_FLAGS_READ);
}

long control_socket(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

Method socket_method() {
    Method method(BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket"));
    if (method == nullptr) return method;
    BIO_meth_set_write(method.get(), write_socket);
    BIO_meth_set_read(method.get(), read_socket);
    BIO_meth_set_ctrl(method.get(), control_socket);
    return method;
}

class TlsChannel final : public Channel {
public:
    explicit TlsChannel(TlsConnection connection) : connection_(std::move(connection)) {}

    Moved shake_hands() override {
        ERR_clear_error();
        return outcome(SSL_accept(connection_.get()));
    }

    Transfer read(std::span<char> buffer) override {
        ERR_clear_error();
        std::size_t bytes = 0;
        const int answer = SSL_read_ex(connection_.get(), buffer.data(), buffer.size(), &bytes);
        return {outcome(answer), bytes};
    }

    Transfer write(std::string_view bytes) override {
        ERR_clear_error();
        std::size_t written = 0;
        const int answer = SSL_write_ex(connection_.get(), bytes.data(), bytes.size(), &written);
        return {outcome(answer), written};
    }

    void end_writing() override {
        ERR_clear_error();
        if (SSL_is_init_finished(connection_.get()) == 1) SSL_shutdown(connection_.get());
    }

    bool can_be_half_closed() const noexcept override { return false; }

private:
    Moved outcome(int answer) {
        if (answer == 1) return Moved::kSome;
        switch (SSL_get_error(connection_.get(), answer)) {
            case SSL_ERROR_WANT_READ: return Moved::kNeedsRead;
            case SSL_ERROR_WANT_WRITE: return Moved::kNeedsWrite;
            case SSL_ERROR_ZERO_RETURN: return Moved::kEnd;
            default: return Moved::kBroken;
        }
    }

    TlsConnection connection_;
};

// What OpenSSL's earliest complaint about a file means here. Its text may name the host's paths.
Failure cannot_load(std::string_view reason) {
    const unsigned long first = ERR_get_error();
    ERR_clear_error();
    const int system = ERR_SYSTEM_ERROR(first) ? static_cast<int>(ERR_GET_REASON(first)) : 0;
    if (system == ENOENT || system == EACCES) return Failure::from_errno(system);
    return refuse(Code::kInvalidArgument, reason);
}

}  // namespace

struct TlsContext::Native {
    Context context;
    Method method;
};

TlsContext::TlsContext(std::unique_ptr<Native> native) : native_(std::move(native)) {}

TlsContext::~TlsContext() = default;

Result<std::shared_ptr<TlsContext>> TlsContext::load(const TlsFiles& files) {
    OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);
    auto native = std::make_unique<Native>();
    native->context.reset(SSL_CTX_new(TLS_server_method()));
    native->method = socket_method();
    SSL_CTX* context = native->context.get();
    if (context == nullptr || native->method == nullptr) {
        return as_error(refuse(Code::kInternal), "listen", {});
    }
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_options(
        context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                  SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    // A key that wants a passphrase would ask the terminal.
    SSL_CTX_set_default_passwd_cb(context, [](char*, int, int, void*) { return -1; });
    ERR_clear_error();
    if (SSL_CTX_use_certificate_chain_file(context, files.certificate.c_str()) != 1) {
        return as_error(cannot_load("does not contain a certificate chain in PEM format"),
                        "certificate file", files.certificate);
    }
    if (SSL_CTX_use_PrivateKey_file(context, files.key.c_str(), SSL_FILETYPE_PEM) != 1 ||
        SSL_CTX_check_private_key(context) != 1) {
        return as_error(cannot_load("does not contain the private key for the certificate (PEM "
                                    "format, without a passphrase)"),
                        "key file", files.key);
    }
    return std::shared_ptr<TlsContext>(new TlsContext(std::move(native)));
}

std::unique_ptr<Channel> TlsContext::channel(Socket& socket) {
    TlsConnection connection(SSL_new(native_->context.get()));
    BIO* bio = BIO_new(native_->method.get());
    if (connection == nullptr || bio == nullptr) {
        BIO_free(bio);
        return nullptr;
    }
    BIO_set_data(bio, &socket);
    BIO_set_init(bio, 1);
    SSL_set_bio(connection.get(), bio, bio);
    SSL_set_accept_state(connection.get());
    return std::make_unique<TlsChannel>(std::move(connection));
}

}  // namespace paddock::net
