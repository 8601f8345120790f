#include "sandbox/http_body.h"

#include <algorithm>

namespace paddock::sandbox {
namespace {

// A size of so many digits cannot overflow.
constexpr int kSizeDigitsMax = 15;

int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    const char lower = static_cast<char>(c | 32);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

bool is_text(char c) { return c == '\t' || (static_cast<unsigned char>(c) >= ' ' && c != 127); }

}  // namespace

HttpBody HttpBody::of_length(std::uint64_t bytes) {
    return bytes == 0 ? HttpBody{} : HttpBody(State::kData, bytes);
}

Outcome<std::size_t> HttpBody::take(std::string_view bytes) {
    std::size_t taken = 0;
    while (taken < bytes.size() && state_ != State::kDone) {
        if (state_ != State::kData && state_ != State::kChunk) {
            if (!step(bytes[taken])) return refuse(Code::kInvalidArgument, "malformed chunks");
            ++taken;
            continue;
        }
        const std::uint64_t part = std::min<std::uint64_t>(left_, bytes.size() - taken);
        left_ -= part;
        taken += static_cast<std::size_t>(part);
        if (left_ == 0) state_ = state_ == State::kData ? State::kDone : State::kChunkReturn;
    }
    return taken;
}

bool HttpBody::go(bool allowed, State next) {
    state_ = next;
    return allowed;
}

bool HttpBody::add_digit(char c) {
    const int value = hex_value(c);
    if (value < 0 || digits_ == kSizeDigitsMax) return false;
    ++digits_;
    left_ = left_ * 16 + static_cast<unsigned>(value);
    return true;
}

bool HttpBody::step(char c) {
    switch (state_) {
        case State::kSize:
            if (digits_ == 0 || hex_value(c) >= 0) return add_digit(c);
            if (c == '\r') return go(true, State::kSizeFeed);
            return go(c == ';' || c == ' ' || c == '\t', State::kExtension);
        case State::kExtension: return c == '\r' ? go(true, State::kSizeFeed) : is_text(c);
        case State::kSizeFeed:
            digits_ = 0;
            return go(c == '\n', left_ == 0 ? State::kTrailer : State::kChunk);
        case State::kChunkReturn: return go(c == '\r', State::kChunkFeed);
        case State::kChunkFeed: return go(c == '\n', State::kSize);
        case State::kTrailer:
            return c == '\r' ? go(true, State::kLastFeed) : go(is_text(c), State::kField);
        case State::kField: return c == '\r' ? go(true, State::kFieldFeed) : is_text(c);
        case State::kFieldFeed: return go(c == '\n', State::kTrailer);
        case State::kLastFeed: return go(c == '\n', State::kDone);
        default: return false;
    }
}

}  // namespace paddock::sandbox
