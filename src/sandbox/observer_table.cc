#include "sandbox/observer_table.h"

#include <utility>

#include "base/check.h"

namespace paddock::sandbox {

void ObserverTable::add(UniqueFd listener, UniqueFd report, const ObservedWorld& world,
                        Gates* gates, const CallIds& calls) noexcept {
    PADDOCK_CHECK(!is_full());
    observers_[count_++].emplace(std::move(listener), std::move(report), world, gates, calls);
}

std::size_t ObserverTable::add_waits(std::span<pollfd> waits) const noexcept {
    for (std::size_t i = 0; i < count_; ++i) waits[i] = {observers_[i]->listener(), POLLIN, 0};
    return count_;
}

void ObserverTable::tell_refusals() noexcept {
    for (std::size_t i = 0; i < count_; ++i) observers_[i]->tell_refusals();
}

void ObserverTable::serve(std::span<const pollfd> waits) noexcept {
    // From the end: the one that takes the place of what is gone was served already.
    for (std::size_t i = waits.size(); i-- > 0;) {
        const short ready = waits[i].revents;
        if ((ready & POLLIN) != 0) {
            observers_[i]->serve();
        } else if (ready != 0) {
            observers_[i]->leave();
            if (i != --count_) observers_[i] = std::move(observers_[count_]);
            observers_[count_].reset();
        }
    }
}

}  // namespace paddock::sandbox
