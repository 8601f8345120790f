#include "mcp/stdio.h"

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <paddock/limits.h>

#include "mcp/lanes.h"
#include "mcp/line_buffer.h"
#include "mcp/outbox.h"
#include "sys/host.h"
#include "sys/io.h"
#include "sys/output.h"
#include "sys/signal.h"
#include "sys/stream.h"
#include "sys/wait.h"

namespace paddock::mcp {
namespace {

using Clock = std::chrono::steady_clock;

// After the cancellation of everything: tools look at it between system calls.
constexpr std::chrono::seconds kCancelPatience{1};

// All requests share the one pipe. The thread that makes this is the reader: its answers never
// wait for room, and are written together when it has taken all that was there.
class StdioPeer final : public Peer {
public:
    explicit StdioPeer(Outbox& outbox) : outbox_(outbox) {}

    void send(std::string message) override { outbox_.put_if_room(std::move(message)); }

    void finish(std::string message, int) override {
        if (std::this_thread::get_id() == reader_) return outbox_.put_later(std::move(message));
        outbox_.put_when_room(std::move(message));
    }

    void drop() override {}

private:
    Outbox& outbox_;
    const std::thread::id reader_ = std::this_thread::get_id();
};

// The parent's end shows on it; nothing where the parent cannot be seen.
UniqueFd hold_parent() {
    const auto parent = sys::parent_id();
    if (!parent || *parent == 0) return {};
    auto held = sys::hold_process(*parent);
    return held ? std::move(*held) : UniqueFd();
}

}  // namespace

struct StdioServer::State {
    int input = -1;
    UniqueFd signals;
    UniqueFd parent;
    UniqueFd wakeup;
    sys::Output output;
};

namespace {

class Serving {
public:
    Serving(const Protocol& protocol, StdioServer::State& state)
        : protocol_(protocol),
          state_(state),
          outbox_(std::move(state.output), state.wakeup.get()),
          peer_(std::make_shared<StdioPeer>(outbox_)),
          arrival_{std::make_shared<Conversation>(Transport::kStdio), peer_} {}

    StdioServed run() {
        std::optional<StdioEnd> end;
        while (!end) end = step();
        if (*end == StdioEnd::kInput) end = finish_requests();
        // All is written, or nobody waits for it any longer.
        outbox_.close();
        arrival_.conversation->cancel_all();
        const auto deadline = Clock::now() + kCancelPatience;
        return {*end, lanes_.wait_idle(deadline)};
    }

private:
    // Waits for something to do. An end that shows, or nothing.
    struct Ready {
        std::optional<StdioEnd> end;
        bool input = false;
    };
    Ready wait(bool for_input, std::optional<std::chrono::milliseconds> at_most = {}) {
        std::array<sys::Watched, 5> watched{
            sys::Watched{for_input ? state_.input : -1}, sys::Watched{state_.signals.get()},
            sys::Watched{state_.parent.get()}, sys::Watched{state_.wakeup.get()},
            sys::Watched{outbox_.end_shows_on(), false, true}};
        if (!sys::wait_readable(watched, at_most)) return {StdioEnd::kInput};
        if (watched[3].ready) sys::rest(state_.wakeup.get());
        if (watched[1].ready) return {StdioEnd::kSignal};
        if (watched[2].ready) return {StdioEnd::kParent};
        if (watched[4].ready || outbox_.is_closed()) return {StdioEnd::kReader};
        return {std::nullopt, watched[0].ready};
    }

    std::optional<StdioEnd> step() {
        const Ready ready = wait(outbox_.room() != Outbox::Room::kNone);
        if (ready.end) return ready.end;
        if (!ready.input) return std::nullopt;
        const std::span<char> room = lines_.room();
        const auto got = sys::read(state_.input, room.data(), room.size());
        const bool is_over = got ? *got == 0 : !sys::would_block(got.error());
        if (got) lines_.filled(*got);
        while (const auto line = lines_.next()) take(*line);
        if (is_over) {
            if (const auto line = lines_.rest()) take(*line);
        }
        outbox_.flush();
        return is_over ? std::optional(StdioEnd::kInput) : std::nullopt;
    }

    void take(const LineBuffer::Line& line) {
        if (line.is_too_long) {
            const RpcError error{error_code::kInvalidRequest,
                                 "the message is longer than " +
                                     std::to_string(limits::kMcpMessageBytesMax) + " bytes"};
            return peer_->finish(error_text(line.id, error), error.code);
        }
        if (line.text.find_first_not_of(" \t\r") == line.text.npos) return;
        const auto exchange = protocol_.accept(parse_message(line.text), arrival_);
        if (!exchange) return;
        const tools::Pace pace = protocol_.pace(*exchange);
        if (pace == tools::Pace::kQuick) return answer(exchange);
        hand_on(exchange, pace);
    }

    void hand_on(const std::shared_ptr<Exchange>& exchange, tools::Pace pace) {
        const auto run = [this, exchange] { protocol_.run(exchange); };
        const auto refuse = [this, exchange](std::string_view full) {
            protocol_.refuse(*exchange, full);
        };
        if (const auto full = lanes_.submit(pace, run, exchange->bytes(), refuse)) refuse(*full);
    }

    void answer(const std::shared_ptr<Exchange>& exchange) {
        const bool is_behind = exchange->method().pace && lanes_.is_changing();
        const bool may_run = outbox_.room() == Outbox::Room::kPlenty && !is_behind;
        if (!may_run || !protocol_.run_if_quick(exchange)) hand_on(exchange, tools::Pace::kQuick);
    }

    // The rest, for those who still read. Another end may come first.
    std::optional<StdioEnd> finish_requests() {
        const auto deadline = Clock::now() + limits::kMcpFinishTime;
        lanes_.tell_when_idle(state_.wakeup.get());
        while (lanes_.under_way() > 0 || !outbox_.is_empty()) {
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
            if (left.count() <= 0) break;
            if (const Ready ready = wait(false, left); ready.end) return ready.end;
        }
        return StdioEnd::kInput;
    }

    const Protocol& protocol_;
    StdioServer::State& state_;
    Outbox outbox_;
    std::shared_ptr<StdioPeer> peer_;
    Arrival arrival_;
    LineBuffer lines_{limits::kMcpMessageBytesMax};
    Lanes lanes_;
};

}  // namespace

StdioServer::StdioServer(std::unique_ptr<State> state) : state_(std::move(state)) {}
StdioServer::StdioServer(StdioServer&&) noexcept = default;
StdioServer& StdioServer::operator=(StdioServer&&) noexcept = default;
StdioServer::~StdioServer() = default;

Outcome<StdioServer> StdioServer::prepare(const StdioStreams& streams) {
    auto state = std::make_unique<State>();
    state->input = streams.input;
    PADDOCK_ASSIGN(signals, sys::hold_ending_signals());
    PADDOCK_ASSIGN(wakeup, sys::make_wakeup());
    state->signals = std::move(signals);
    state->wakeup = std::move(wakeup);
    state->parent = hold_parent();
    state->output = sys::Output::on(streams.output);
    sys::ignore_broken_pipes();
    return StdioServer(std::move(state));
}

StdioServed StdioServer::serve(const Protocol& protocol) {
    auto serving = std::make_unique<Serving>(protocol, *state_);
    const StdioServed served = serving->run();
    // The threads of an unfinished call still use it, until the process leaves.
    if (!served.is_clean) (void)serving.release();  // NOLINT(bugprone-unused-return-value)
    return served;
}

}  // namespace paddock::mcp
