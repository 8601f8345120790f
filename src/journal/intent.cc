#include <string>
#include <utility>

#include "fs/rel_path.h"
#include "journal/journal_state.h"
#include "journal/place.h"
#include "sys/stat.h"

namespace paddock::journal {

Intent::Intent(Intent&& other) noexcept
    : state_(std::exchange(other.state_, nullptr)),
      call_(other.call_),
      fresh_(std::move(other.fresh_)),
      set_aside_(std::move(other.set_aside_)),
      moves_(std::move(other.moves_)),
      is_exchange_(other.is_exchange_) {}

Intent::~Intent() {
    if (state_ == nullptr || !moves_) return;
    const std::lock_guard locked(*state_->guard);
    for (auto& [call, open_call] : state_->calls) {
        if (is_exchange_) {
            open_call.names.exchange_directories(moves_->first, moves_->second);
        } else {
            open_call.names.rename_directory(moves_->first, moves_->second);
        }
    }
}

void Intent::made(const Stat& stat) {
    if (state_ == nullptr || state_->is_silent) return;
    const std::lock_guard locked(*state_->guard);
    state_->shared.note_made(stat, call_);
    Record record;
    record.call = call_;
    record.verb = Verb::kMade;
    record.object = object_of(stat);
    state_->append_to_batch(state_->pending, record);
}

void Intent::failed() {
    if (state_ == nullptr) return;
    const std::lock_guard locked(*state_->guard);
    withdraw();
}

// With the guard held.
void Intent::withdraw() {
    Journal::State& state = *std::exchange(state_, nullptr);
    if (state.is_silent) return;
    // Some errors come after the change. Then what was set aside is the only one.
    if (set_aside_ && !state.is_at(set_aside_->path, object_of(set_aside_->stat))) return;
    Record record;
    record.call = call_;
    record.verb = Verb::kFailed;
    (void)state.append(record);
    const auto open_call = state.calls.find(call_);
    if (open_call != state.calls.end()) {
        if (!fresh_.empty()) open_call->second.names.forget(fresh_);
        if (set_aside_ && set_aside_->is_lost) --open_call->second.settled.not_kept;
    }
    if (set_aside_) state.drop_kept(set_aside_->kept, set_aside_->stat);
}

bool Journal::State::is_at(std::string_view where, const Object& object) const {
    const auto directory = open_directory(workspace.get(), fs::parent_of(where));
    if (!directory) return false;
    const auto node = sys::node_at(directory->get(), std::string(fs::leaf_of(where)).c_str());
    return node && object_of(node->stat) == object;
}

}  // namespace paddock::journal
