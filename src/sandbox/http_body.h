// Where the body of an HTTP request ends, so that a connection carries the one request that was
// checked and not another behind it. Pure; bytes are counted, not changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/outcome.h"

namespace paddock::sandbox {

class HttpBody {
public:
    HttpBody() = default;  // no body
    static HttpBody of_length(std::uint64_t bytes);
    static HttpBody chunked() { return {State::kSize, 0}; }

    // How many of the next bytes belong to the body. invalid_argument: the chunks are malformed.
    Outcome<std::size_t> take(std::string_view bytes);
    bool complete() const noexcept { return state_ == State::kDone; }

private:
    enum class State : std::uint8_t {
        kDone,
        kData,         // `left_` bytes and the end
        kSize,         // hexadecimal digits
        kExtension,    // behind them
        kSizeFeed,     // "\n" of that line
        kChunk,        // `left_` bytes
        kChunkReturn,  // "\r" behind them
        kChunkFeed,    // "\n"
        kTrailer,      // the beginning of a line
        kField,        // further on in it
        kFieldFeed,    // its "\n"
        kLastFeed,     // "\n" of the empty line
    };

    HttpBody(State state, std::uint64_t left) : state_(state), left_(left) {}
    bool step(char c);  // one byte that is no data; false: malformed
    bool add_digit(char c);
    bool go(bool allowed, State next);

    State state_ = State::kDone;
    std::uint64_t left_ = 0;
    int digits_ = 0;  // of the size
};

}  // namespace paddock::sandbox
