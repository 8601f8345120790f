// Bytes as a client of HTTP: however they are cut into parts, the same requests come out, within
// the bounds, and nothing is read in two ways. The head of each request then passes the rules of
// the endpoint's headers.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "daemon/browser_guard.h"
#include "daemon/mcp_headers.h"
#include "net/request_parser.h"

namespace {

using namespace paddock;
using net::RequestParser;

constexpr net::ParserLimits kLimits{.head_bytes_max = 512, .headers_max = 8, .body_bytes_max = 64};

struct Seen {
    std::vector<net::Request> requests;
    unsigned status = 0;

    bool operator==(const Seen& other) const {
        if (status != other.status || requests.size() != other.requests.size()) return false;
        for (std::size_t i = 0; i < requests.size(); ++i) {
            const net::Request& a = requests[i];
            const net::Request& b = other.requests[i];
            if (a.body != b.body || a.head.method != b.head.method ||
                a.head.target != b.head.target || a.head.headers.size() != b.head.headers.size()) {
                return false;
            }
        }
        return true;
    }
};

void check(const net::Request& request) {
    static const daemon::BrowserGuard guard("127.0.0.1", {"agents.example"}, {});
    const net::Head& head = request.head;
    PADDOCK_CHECK(request.body.size() <= kLimits.body_bytes_max);
    PADDOCK_CHECK(head.headers.size() <= kLimits.headers_max);
    PADDOCK_CHECK(head.is_http_1_0 || head.header("Host") != nullptr);
    PADDOCK_CHECK(head.header("Content-Length") == nullptr ||
                  head.header("Transfer-Encoding") == nullptr);
    (void)guard.allows_host(head);
    (void)guard.allows_origin(head);
    mcp::Message message;
    message.method = "tools/call";
    message.params.append("name", "read_file");
    (void)daemon::check_headers(head, message);
}

// `step` bytes at a time.
Seen feed(std::string_view bytes, std::size_t step) {
    RequestParser parser(kLimits);
    Seen seen;
    std::size_t at = 0;
    for (std::size_t end = 0; end < bytes.size();) {
        end = std::min(bytes.size(), end + step);
        for (;;) {
            const auto before = parser.state();
            const std::size_t taken = parser.feed(bytes.substr(at, end - at));
            PADDOCK_CHECK(taken <= end - at);
            at += taken;
            if (parser.state() == RequestParser::State::kWrong) {
                seen.status = parser.status();
                return seen;
            }
            if (parser.state() == RequestParser::State::kDone) {
                seen.requests.push_back(parser.take());
                check(seen.requests.back());
            } else if (taken == 0 && parser.state() == before) {
                break;
            }
        }
    }
    return seen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const Seen whole = feed(bytes, std::max<std::size_t>(size, 1));
    PADDOCK_CHECK(whole == feed(bytes, 1));
    PADDOCK_CHECK(whole == feed(bytes, 7));
    return 0;
}
