// What a body takes of the bound on all bodies together. It goes where the body goes, and is given
// back with it: a client that leaves while its call runs does not make room for another one.
//
// Threads: one at a time; shares of one bound may be in any number of them.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace paddock::net {

class BodyShare {
public:
    using Sum = std::atomic<std::size_t>;  // of all shares, in bytes

    BodyShare() = default;  // of no bound, and always empty
    explicit BodyShare(std::shared_ptr<Sum> all) noexcept : all_(std::move(all)) {}
    // What it was moved from is empty, and can grow again.
    BodyShare(BodyShare&& other) noexcept
        // NOLINTNEXTLINE(performance-move-constructor-init,cert-oop11-cpp): the other keeps it.
        : all_(other.all_), bytes_(std::exchange(other.bytes_, 0)) {}
    BodyShare& operator=(BodyShare&& other) noexcept {
        resize(0);
        all_ = other.all_;
        bytes_ = std::exchange(other.bytes_, 0);
        return *this;
    }
    BodyShare(const BodyShare&) = delete;
    BodyShare& operator=(const BodyShare&) = delete;
    ~BodyShare() { resize(0); }

    // Returns the sum.
    std::size_t resize(std::size_t bytes) noexcept {
        if (all_ == nullptr) return 0;
        const std::size_t grown = bytes - std::exchange(bytes_, bytes);  // wraps where it shrinks
        return grown == 0 ? all_->load() : all_->fetch_add(grown) + grown;
    }

private:
    std::shared_ptr<Sum> all_;
    std::size_t bytes_ = 0;
};

}  // namespace paddock::net
