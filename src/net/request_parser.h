// Bytes of a client to requests: HTTP/1.1 and 1.0, strictly. What two servers could read in two
// ways (two lengths, a folded line, an unknown transfer coding) is refused, so that nothing can
// hide behind a proxy's reading of it. No input or output here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "net/answer.h"

namespace paddock::net {

struct ParserLimits {
    std::size_t head_bytes_max = 0;
    std::size_t headers_max = 0;
    std::size_t body_bytes_max = 0;
};

class RequestParser {
public:
    enum class State : std::uint8_t {
        kHead,   // the head is not complete
        kBody,   // the head is, the body is not
        kDone,   // take() the request
        kWrong,  // status() says why; nothing of this client can be understood any more
    };

    explicit RequestParser(const ParserLimits& limits);
    ~RequestParser();
    RequestParser(const RequestParser&) = delete;
    RequestParser& operator=(const RequestParser&) = delete;

    // `bytes` are those that were not taken before, and what came after them. Returns how many are
    // taken now. Stops at the end of a head, so that it can be judged before its body is taken in:
    // call it again, with nothing new if need be, to go on.
    std::size_t feed(std::string_view bytes);

    State state() const noexcept { return state_; }
    bool has_begun() const noexcept { return has_begun_; }  // took or saw a byte of this request
    unsigned status() const noexcept { return status_; }    // 400, 413, 431, 501 or 505
    const Head& head() const noexcept { return request_.head; }
    std::size_t body_bytes() const noexcept;  // that are here

    // Nothing more is wanted of this client: what is here of its request is let go.
    void drop() noexcept;

    // The request; the parser is then ready for the next one.
    Request take();

private:
    struct Beast;

    void begin();
    void refuse(unsigned status) noexcept;
    std::size_t feed_head(std::string_view bytes);
    std::size_t feed_body(std::string_view bytes);
    bool read_head(std::string_view text);

    const ParserLimits limits_;
    std::unique_ptr<Beast> beast_;
    Request request_;
    State state_ = State::kHead;
    bool has_begun_ = false;
    unsigned status_ = 0;
};

}  // namespace paddock::net
