// One client: its requests are read, answered and followed by the next, until one of both has
// enough. Belongs to the thread of its loop.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include <boost/asio/ip/tcp.hpp>

#include "net/answer.h"
#include "net/channel.h"
#include "net/loop.h"
#include "net/request_parser.h"

namespace paddock::net {

class Connection : public std::enable_shared_from_this<Connection> {
public:
    using Clock = Loop::Clock;

    Connection(Loop& loop, boost::asio::ip::tcp::socket socket);
    ~Connection() = default;
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    void start();
    void tick(Clock::time_point now);
    void drain();  // ends it after the answer that is under way
    void close();  // at once

private:
    enum class Phase : std::uint8_t {
        kHandshake,
        kReceiving,  // a request, or nothing yet
        kAnswering,
        kLingering,  // all is said; the client may still read it
        kClosed,
    };
    struct Piece {
        std::string text;
        std::size_t event_bytes = 0;  // of the answer's bound that are free when it is written
    };

    void shake_hands();
    void wait_readable();
    void wait_broken();
    void read();
    void read_what_is_left();
    void input_ended();

    // Does whatever can be done now. Calls from inside only leave a mark.
    void advance();
    bool step();
    bool receive();
    bool judge_head();
    bool hold_body(std::size_t bytes);
    void serve();
    bool answer();
    void put(const Answer::Part& part);
    void put_event(std::string text, std::size_t event_bytes);
    void answer_and_close(const Response& response);
    void write_whole(const Response& response);
    void answer_over();

    void write(std::string text, std::size_t event_bytes = 0);
    void flush();
    void wait_writable(Moved need);
    void linger();

    const std::uint64_t number_;
    Loop& loop_;
    boost::asio::ip::tcp::socket socket_;
    std::unique_ptr<Channel> channel_;

    Phase phase_ = Phase::kHandshake;
    Clock::time_point deadline_{};  // of the phase
    bool advancing_ = false;
    bool again_ = false;

    std::string input_;
    std::size_t input_at_ = 0;  // what is before it was taken
    std::size_t lingered_ = 0;
    bool waits_to_read_ = false;
    bool has_unread_ = false;  // there was no room for it
    bool input_ended_ = false;
    RequestParser parser_;
    bool is_admitted_ = false;
    BodyShare body_share_;   // of what is here of the body
    bool is_timed_ = false;  // the deadline is that of a request that has begun

    std::shared_ptr<Answer> answer_;
    bool is_head_request_ = false;
    bool is_http_1_0_ = false;
    bool is_streaming_ = false;
    bool is_answered_ = false;  // all parts are there
    bool closes_ = false;       // after this answer

    std::deque<Piece> output_;
    std::size_t written_ = 0;  // of the first piece
    std::size_t written_since_ = 0;
    bool waits_to_write_ = false;
    Clock::time_point write_deadline_{};
    Clock::time_point last_event_{};
};

}  // namespace paddock::net
