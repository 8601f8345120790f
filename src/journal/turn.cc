// What all sessions of a workspace share: the turn, and one number. Both lie in the file "lock".
#include <array>
#include <bit>
#include <thread>

#include "journal/journal_state.h"
#include "sys/io.h"

namespace paddock::journal {

Turn::Turn(Journal& journal) : journal_(journal) {
    Journal::State& state = *journal_.state_;
    state.turns->lock();
    state.turn_failure.reset();
    if (const auto locked = sys::lock_file(state.lock.get(), sys::FileLock::kAlone); !locked) {
        state.turn_failure = locked.error();
    }
    state.holder.store(std::this_thread::get_id(), std::memory_order_relaxed);
}

Turn::~Turn() {
    Journal::State& state = *journal_.state_;
    state.holder.store({}, std::memory_order_relaxed);
    (void)sys::lock_file(state.lock.get(), sys::FileLock::kNone);
    state.turns->unlock();
}

std::uint64_t Journal::State::shared_count() const noexcept {
    std::array<char, sizeof(std::uint64_t)> bytes{};
    (void)sys::read_at(lock.get(), bytes.data(), bytes.size(), 0);
    return std::bit_cast<std::uint64_t>(bytes);
}

void Journal::State::increase_shared_count() const noexcept {
    const std::uint64_t next = shared_count() + 1;
    const auto bytes = std::bit_cast<std::array<char, sizeof next>>(next);
    (void)sys::write_at(lock.get(), {bytes.data(), bytes.size()}, 0);
}

std::uint64_t Journal::shared_count() const noexcept { return state_->shared_count(); }
void Journal::increase_shared_count() noexcept { state_->increase_shared_count(); }

}  // namespace paddock::journal
