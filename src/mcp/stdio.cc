#include "mcp/stdio.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include <paddock/limits.h>

#include "mcp/scheduler.h"
#include "sys/identity.h"
#include "sys/io.h"
#include "sys/process.h"
#include "sys/signal.h"

namespace paddock::mcp {
namespace {

// What a pipe holds.
constexpr std::size_t kReadBytes = 65536;

}  // namespace

LineBuffer::LineBuffer(std::size_t line_bytes_max)
    : line_bytes_max_(line_bytes_max),
      capacity_(2 * kReadBytes),
      bytes_(std::make_unique_for_overwrite<char[]>(capacity_)) {}

std::span<char> LineBuffer::room() {
    if (dropped_) {
        dropped_->read({bytes_.get() + begin_, end_ - begin_});
        begin_ = end_;
    }
    const std::size_t kept = end_ - begin_;
    const bool is_large_for_nothing = kept == 0 && capacity_ > 16 * kReadBytes;
    if (capacity_ - end_ < kReadBytes || is_large_for_nothing) {
        const std::size_t wanted = std::max(2 * kReadBytes, kept + kReadBytes);
        // Twice as much each time, so that a long line is moved a few times only.
        const std::size_t larger = wanted > capacity_ ? std::max(wanted, 2 * capacity_) : capacity_;
        if (larger != capacity_ || is_large_for_nothing) {
            capacity_ = is_large_for_nothing ? wanted : larger;
            auto bytes = std::make_unique_for_overwrite<char[]>(capacity_);
            std::memcpy(bytes.get(), bytes_.get() + begin_, kept);
            bytes_ = std::move(bytes);
        } else {
            std::memmove(bytes_.get(), bytes_.get() + begin_, kept);
        }
        scanned_ = scanned_ > begin_ ? scanned_ - begin_ : 0;
        begin_ = 0;
        end_ = kept;
    }
    return {bytes_.get() + end_, std::min(capacity_ - end_, kReadBytes)};
}

std::optional<LineBuffer::Line> LineBuffer::next() {
    scanned_ = std::max(scanned_, begin_);
    const char* from = bytes_.get() + scanned_;
    const void* found = std::memchr(from, '\n', end_ - scanned_);
    if (found == nullptr) {
        scanned_ = end_;
        if (end_ - begin_ > line_bytes_max_ && !dropped_) dropped_.emplace();
        return std::nullopt;
    }
    const auto at = static_cast<std::size_t>(static_cast<const char*>(found) - bytes_.get());
    const std::string_view text(bytes_.get() + begin_, at - begin_);
    begin_ = at + 1;
    return line_of(text);
}

// `text` is the line, or the end of one that is being dropped.
LineBuffer::Line LineBuffer::line_of(std::string_view text) {
    if (!dropped_ && text.size() <= line_bytes_max_) return {text};
    RequestId id = std::exchange(dropped_, std::nullopt).value_or(RequestId());
    id.read(text);
    return {{}, true, id.found()};
}

std::optional<LineBuffer::Line> LineBuffer::rest() {
    if (begin_ == end_ && !dropped_) return std::nullopt;
    const std::string_view text(bytes_.get() + begin_, end_ - begin_);
    begin_ = end_;
    return line_of(text);
}

namespace {

// Gathered before it is written, where more is about to come.
constexpr std::size_t kGatheredBytes = 65536;

// A buffer that once was larger is given back.
constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

}  // namespace

Outbox::Outbox(sys::Output output, int wakeup, Bounds bounds)
    : output_(std::move(output)), wakeup_(wakeup), bounds_(bounds) {}

Outbox::~Outbox() { close(); }

Outbox::Room Outbox::room() const {
    const std::lock_guard lock(mutex_);
    if (closed_ || kept_bytes() < bounds_.unread) return Room::kPlenty;
    return kept_bytes() < bounds_.unread_max ? Room::kLittle : Room::kNone;
}

void Outbox::put(std::string message) {
    Lock lock(mutex_);
    keep(std::move(message));
    if (!stuck_) write_kept(lock);
}

void Outbox::put_later(std::string message) {
    Lock lock(mutex_);
    keep(std::move(message));
    if (!stuck_ && kept_bytes() >= kGatheredBytes) write_kept(lock);
}

void Outbox::put_if_room(std::string message) {
    Lock lock(mutex_);
    if (kept_bytes() >= bounds_.unread) return;
    keep(std::move(message));
    if (!stuck_) write_kept(lock);
}

void Outbox::put_when_room(std::string message) {
    Lock lock(mutex_);
    changed_.wait(lock, [&] { return closed_ || kept_bytes() < bounds_.unread; });
    keep(std::move(message));
    if (!stuck_) write_kept(lock);
}

void Outbox::flush() {
    Lock lock(mutex_);
    if (!stuck_) write_kept(lock);
}

// A large message is not copied if it is the first.
void Outbox::keep(std::string message) {
    if (closed_) return;
    message += '\n';
    if (kept_.empty() && message.size() >= kGatheredBytes) {
        kept_ = std::move(message);
    } else {
        kept_ += message;
    }
}

// One thread writes, without the lock: what others put meanwhile it takes along.
void Outbox::write_kept(Lock& lock) {
    if (std::exchange(writing_, true)) return;
    while (kept_bytes() > 0 && !stuck_) {
        if (written_ == taken_.size()) take_kept();
        lock.unlock();
        const auto written = output_.write_now(std::string_view(taken_).substr(written_));
        lock.lock();
        if (!written) {
            close(lock);
            break;
        }
        const bool was_short = kept_bytes() >= bounds_.unread;
        written_ += *written;
        if (was_short && kept_bytes() < bounds_.unread) {
            changed_.notify_all();
            sys::wake(wakeup_);
        }
        if (*written > 0) continue;
        stuck_ = true;
        if (!start_thread()) close(lock);
        changed_.notify_all();
    }
    writing_ = false;
}

void Outbox::take_kept() {
    taken_.clear();
    if (taken_.capacity() > kBufferBytes) taken_.shrink_to_fit();
    taken_.swap(kept_);
    written_ = 0;
}

bool Outbox::start_thread() try {
    if (thread_.joinable()) return true;
    auto wakeup = sys::make_wakeup();
    if (!wakeup) return false;
    thread_wakeup_ = std::move(*wakeup);
    thread_ = std::jthread([this] { write_on(); });
    return true;
} catch (const std::system_error&) {
    return false;
}

void Outbox::write_on() {
    Lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [&] { return closed_ || stuck_; });
        if (closed_) return;
        lock.unlock();
        const auto waited = output_.wait(thread_wakeup_.get());
        lock.lock();
        if (closed_) return;
        if (!waited) return close(lock);
        stuck_ = false;
        write_kept(lock);
        if (kept_bytes() == 0) sys::wake(wakeup_);
    }
}

bool Outbox::is_closed() const {
    const std::lock_guard lock(mutex_);
    return closed_;
}

bool Outbox::is_empty() const {
    const std::lock_guard lock(mutex_);
    return kept_bytes() == 0;
}

void Outbox::close() {
    Lock lock(mutex_);
    close(lock);
}

void Outbox::close(Lock&) {
    if (std::exchange(closed_, true)) return;
    kept_ = {};
    changed_.notify_all();
    if (thread_wakeup_.valid()) sys::wake(thread_wakeup_.get());
    sys::wake(wakeup_);
}

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
        return {*end, scheduler_.wait_idle(deadline)};
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
        const auto context = protocol_.accept(parse_message(line.text), arrival_);
        if (!context) return;
        const tools::Pace pace = protocol_.pace(*context);
        if (pace == tools::Pace::kQuick) return answer(context);
        hand_on(context, pace);
    }

    void hand_on(const std::shared_ptr<RequestContext>& context, tools::Pace pace) {
        const auto run = [this, context] { protocol_.run(context); };
        const auto refuse = [this, context](std::string_view full) {
            protocol_.refuse(*context, full);
        };
        if (const auto full = scheduler_.submit(pace, run, context->bytes(), refuse)) refuse(*full);
    }

    void answer(const std::shared_ptr<RequestContext>& context) {
        const bool is_behind = context->method().pace && scheduler_.is_changing();
        const bool may_run = outbox_.room() == Outbox::Room::kPlenty && !is_behind;
        if (!may_run || !protocol_.run_if_quick(context)) hand_on(context, tools::Pace::kQuick);
    }

    // The rest, for those who still read. Another end may come first.
    std::optional<StdioEnd> finish_requests() {
        const auto deadline = Clock::now() + limits::kMcpFinishTime;
        scheduler_.tell_when_idle(state_.wakeup.get());
        while (scheduler_.under_way() > 0 || !outbox_.is_empty()) {
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
    Scheduler scheduler_;
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
