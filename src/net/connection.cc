// Everything is tried at once and waited for only if it cannot be done: a request that is here is
// read, and its answer written, by one system call each.
#include "net/connection.h"

#include <utility>

#include <boost/asio/post.hpp>

#include "net/answer.h"

namespace paddock::net {
namespace {

// After a refusal the server still reads that long and that much, so that the client gets to see
// it.
constexpr std::chrono::milliseconds kHttpLingerTime{2'000};
constexpr std::size_t kHttpLingerBytesMax = std::size_t{1} << 20;

using Socket = boost::asio::ip::tcp::socket;
using Error = boost::system::error_code;

// What must be taken within the time of a write.
constexpr std::size_t kWritten = std::size_t{64} << 10;

std::atomic<std::uint64_t> connections_made = 0;

}  // namespace

Connection::Connection(Loop& loop, Socket socket)
    : number_(++connections_made),
      loop_(loop),
      socket_(std::move(socket)),
      parser_(ParserLimits{loop.limits().head_bytes_max, loop.limits().headers_max,
                           loop.limits().body_bytes_max}),
      body_share_(loop.shared().body_bytes) {
    if (loop.shared().tls == nullptr)
        channel_ = std::make_unique<PlainChannel>(socket_);
    else
        channel_ = loop.shared().tls->channel(socket_);
}

void Connection::start() {
    if (channel_ == nullptr) return close();
    deadline_ = Clock::now() + loop_.limits().request_time;
    shake_hands();
}

void Connection::shake_hands() {
    const auto go_on = [self = shared_from_this()](const Error& error) {
        if (!error && self->phase_ == Phase::kHandshake) self->shake_hands();
    };
    switch (channel_->shake_hands()) {
        case Moved::kNeedsRead: return socket_.async_wait(Socket::wait_read, go_on);
        case Moved::kNeedsWrite: return socket_.async_wait(Socket::wait_write, go_on);
        case Moved::kSome: break;
        default: return close();
    }
    phase_ = Phase::kReceiving;
    deadline_ = Clock::now() + loop_.limits().idle_time;
    wait_readable();
}

void Connection::wait_readable() {
    if (phase_ == Phase::kClosed || input_ended_ || std::exchange(waits_to_read_, true)) return;
    socket_.async_wait(Socket::wait_read, [self = shared_from_this()](const Error& error) {
        self->waits_to_read_ = false;
        if (!error && self->phase_ != Phase::kClosed) self->read();
    });
}

// After the end of the input nothing more is readable; a reset still shows.
void Connection::wait_broken() {
    socket_.async_wait(Socket::wait_error, [self = shared_from_this()](const Error& error) {
        if (!error) self->close();
    });
}

void Connection::read() {
    auto& buffer = loop_.scratch();
    const std::size_t most = loop_.limits().head_bytes_max + buffer.size();
    bool drained = false;
    while (!drained && input_.size() - input_at_ < most) {
        const Transfer transfer = channel_->read(buffer);
        if (transfer.moved == Moved::kBroken) return close();
        if (transfer.moved == Moved::kEnd) {
            input_ended();
            break;
        }
        if (transfer.moved != Moved::kSome) {
            drained = true;
            break;
        }
        if (phase_ == Phase::kLingering) {
            lingered_ += transfer.bytes;
            if (lingered_ > kHttpLingerBytesMax) return close();
        } else {
            input_.append(buffer.data(), transfer.bytes);
        }
        // TLS may hold more than the socket shows.
        drained = channel_->can_be_half_closed() && transfer.bytes < buffer.size();
    }
    has_unread_ = !drained && !input_ended_;
    advance();
    if (drained) wait_readable();
}

void Connection::read_what_is_left() {
    if (!std::exchange(has_unread_, false)) return;
    boost::asio::post(loop_.io(), [self = shared_from_this()] {
        if (self->phase_ != Phase::kClosed && !self->waits_to_read_) self->read();
    });
}

void Connection::input_ended() {
    input_ended_ = true;
    if (phase_ == Phase::kHandshake || phase_ == Phase::kLingering) return close();
    if (phase_ != Phase::kAnswering) return;
    if (!channel_->can_be_half_closed()) return close();
    // A client that is gone answers this with a reset.
    if (is_streaming_ && !is_answered_) put_event(std::string(kSilentEvent), 0);
    wait_broken();
}

void Connection::advance() {
    again_ = true;
    if (advancing_) return;
    const auto self = shared_from_this();
    advancing_ = true;
    while (std::exchange(again_, false)) {
        while (step()) {
        }
    }
    advancing_ = false;
}

bool Connection::step() {
    if (phase_ == Phase::kReceiving) return receive();
    return phase_ == Phase::kAnswering && answer();
}

bool Connection::receive() {
    input_at_ += parser_.feed(std::string_view(input_).substr(input_at_));
    if (input_at_ == input_.size()) {
        // A large body leaves no large buffer behind.
        if (input_.capacity() > kWritten) std::string().swap(input_);
        input_.clear();
        input_at_ = 0;
    } else if (input_at_ > kWritten) {
        input_.erase(0, std::exchange(input_at_, 0));
    }
    read_what_is_left();
    if (!hold_body(parser_.body_bytes())) {
        answer_and_close(
            plain_response(503, "Too many requests are in progress; try again later."));
        return true;
    }
    switch (parser_.state()) {
        case RequestParser::State::kDone: serve(); return true;
        case RequestParser::State::kWrong:
            answer_and_close(plain_response(parser_.status()));
            return true;
        case RequestParser::State::kBody:
            if (!is_admitted_) return judge_head();
            break;
        case RequestParser::State::kHead: break;
    }
    if (input_ended_) return close(), false;
    if (parser_.has_begun() && !std::exchange(is_timed_, true)) {
        deadline_ = Clock::now() + loop_.limits().request_time;
    }
    return false;
}

// False: all bodies together are too large.
bool Connection::hold_body(std::size_t bytes) {
    const std::size_t all = body_share_.resize(bytes);
    return bytes == 0 || all <= loop_.limits().bodies_bytes_max;
}

bool Connection::judge_head() {
    is_admitted_ = true;
    const Head& head = parser_.head();
    if (const auto& admit = loop_.shared().handlers.admit) {
        if (const auto refusal = admit(head)) {
            is_head_request_ = head.method == "HEAD";
            answer_and_close(*refusal);
            return true;
        }
    }
    if (head.expects_continue && head.has_body && input_.empty()) {
        write("HTTP/1.1 100 Continue\r\n\r\n");
        flush();
    }
    return true;
}

void Connection::serve() {
    Request request = parser_.take();
    request.connection = number_;
    request.share = std::move(body_share_);
    phase_ = Phase::kAnswering;
    is_admitted_ = is_timed_ = false;
    is_head_request_ = request.head.method == "HEAD";
    is_http_1_0_ = request.head.is_http_1_0;
    closes_ = !request.head.keeps_alive;
    const auto wake = [connection = weak_from_this(), loop = loop_.shared_from_this()] {
        // Answered on the spot: advance() goes on to it by itself.
        if (loop->io().get_executor().running_in_this_thread()) {
            if (const auto self = connection.lock(); self == nullptr || self->advancing_) return;
        }
        boost::asio::post(loop->io(), [connection] {
            if (const auto self = connection.lock()) self->advance();
        });
    };
    answer_ = std::make_shared<Answer>(wake, loop_.limits().stream_bytes_max);
    if (input_ended_) wait_broken();
    loop_.shared().handlers.serve(std::move(request), Responder(answer_));
}

bool Connection::answer() {
    if (answer_ != nullptr) {
        for (const Answer::Part& part : answer_->take()) put(part);
    }
    flush();
    if (phase_ != Phase::kAnswering || !is_answered_ || !output_.empty()) return false;
    answer_over();
    return true;
}

void Connection::put(const Answer::Part& part) {
    const bool closes = closes_ || loop_.shared().draining || input_ended_;
    const Response& response = part.response;
    switch (part.kind) {
        case Answer::PartKind::kWhole:
            closes_ = closes;
            write_whole(response);
            break;
        case Answer::PartKind::kStream:
            is_streaming_ = true;
            closes_ = closes || is_http_1_0_;
            write(head_text(response, {.closes = closes_,
                                       .is_stream = true,
                                       .is_chunked = !is_http_1_0_,
                                       .date = loop_.date()}));
            last_event_ = Clock::now();
            break;
        case Answer::PartKind::kEvent:
        case Answer::PartKind::kEnd:
            if (!part.event.empty()) put_event(part.event, part.event.size());
            if (part.kind == Answer::PartKind::kEvent) break;
            if (!is_http_1_0_) write(std::string(kLastChunk));
            is_answered_ = true;
            break;
        case Answer::PartKind::kDrop: close(); break;
    }
}

void Connection::put_event(std::string text, std::size_t event_bytes) {
    last_event_ = Clock::now();
    write(is_http_1_0_ ? std::move(text) : chunk_text(text), event_bytes);
}

void Connection::answer_and_close(const Response& response) {
    phase_ = Phase::kAnswering;
    closes_ = true;
    parser_.drop();
    body_share_.resize(0);
    write_whole(response);
}

void Connection::write_whole(const Response& response) {
    std::string text = head_text(response, {.closes = closes_, .date = loop_.date()});
    if (!is_head_request_ && response.status != 204) text += response.body;
    write(std::move(text));
    is_answered_ = true;
}

void Connection::answer_over() {
    answer_.reset();
    is_answered_ = is_streaming_ = false;
    if (closes_ || loop_.shared().draining) return linger();
    phase_ = Phase::kReceiving;
    deadline_ = Clock::now() + loop_.limits().idle_time;
}

void Connection::write(std::string text, std::size_t event_bytes) {
    if (output_.empty()) write_deadline_ = Clock::now() + loop_.limits().write_time;
    // One system call for what belongs together; the piece that is being written stays as it is.
    const bool joins = !output_.empty() && (output_.size() > 1 || written_ == 0) &&
                       output_.back().text.size() + text.size() < kWritten;
    if (joins) {
        output_.back().text += text;
        output_.back().event_bytes += event_bytes;
    } else {
        output_.push_back({std::move(text), event_bytes});
    }
}

void Connection::flush() {
    while (!output_.empty() && !waits_to_write_ && phase_ != Phase::kClosed) {
        const Piece& piece = output_.front();
        const Transfer transfer =
            channel_->write(std::string_view(piece.text).substr(written_, kWritten));
        if (transfer.moved == Moved::kNeedsWrite || transfer.moved == Moved::kNeedsRead) {
            return wait_writable(transfer.moved);
        }
        if (transfer.moved != Moved::kSome) return close();
        written_ += transfer.bytes;
        written_since_ += transfer.bytes;
        if (written_since_ >= kWritten) {
            written_since_ = 0;
            write_deadline_ = Clock::now() + loop_.limits().write_time;
        }
        if (written_ < piece.text.size()) continue;
        if (answer_ != nullptr) answer_->sent(piece.event_bytes);
        output_.pop_front();
        written_ = 0;
    }
}

void Connection::wait_writable(Moved need) {
    waits_to_write_ = true;
    socket_.async_wait(need == Moved::kNeedsRead ? Socket::wait_read : Socket::wait_write,
                       [self = shared_from_this()](const Error& error) {
                           self->waits_to_write_ = false;
                           if (error || self->phase_ == Phase::kClosed) return;
                           self->flush();
                           self->advance();
                       });
}

// A connection that is closed while the client still sends loses what the client has not read yet.
void Connection::linger() {
    phase_ = Phase::kLingering;
    channel_->end_writing();
    if (input_ended_) return close();
    std::string().swap(input_);
    input_at_ = 0;
    deadline_ = Clock::now() + kHttpLingerTime;
    read_what_is_left();
}

void Connection::tick(Clock::time_point now) {
    if (!output_.empty() && now >= write_deadline_) return close();
    if (phase_ == Phase::kAnswering) {
        if (is_streaming_ && !is_answered_ && output_.empty() &&
            now - last_event_ >= loop_.limits().silence_max) {
            put_event(std::string(kSilentEvent), 0);
            flush();
        }
    } else if (now >= deadline_) {
        if (phase_ != Phase::kReceiving || !parser_.has_begun()) return close();
        answer_and_close(plain_response(408));
        advance();
    }
}

void Connection::drain() {
    if (phase_ == Phase::kReceiving || phase_ == Phase::kHandshake) close();
}

void Connection::close() {
    if (std::exchange(phase_, Phase::kClosed) == Phase::kClosed) return;
    Error ignored;
    socket_.close(ignored);
    output_.clear();
    parser_.drop();
    body_share_.resize(0);
    if (const auto answer = std::exchange(answer_, nullptr)) answer->close();
    loop_.remove(shared_from_this());
}

}  // namespace paddock::net
