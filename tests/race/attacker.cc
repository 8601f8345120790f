#include "race/attacker.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

namespace paddock::testing {
namespace {

constexpr int kChange = 8;               // what a change costs; a failure costs 1
constexpr int kStrength = 61 * kChange;  // for a round; a prime number, to end it in any state

bool is_link(const std::string& path) {
    struct stat found;
    return ::lstat(path.c_str(), &found) == 0 && S_ISLNK(found.st_mode);
}

// Lets a varying time pass, shorter than a step, so that victim and attacker never keep step.
class Jitter {
public:
    void wait() {
        seed_ = seed_ * 1664525 + 1013904223;
        for (std::uint32_t i = seed_ >> 22; i > 0; --i) {
            std::atomic_signal_fence(std::memory_order_seq_cst);
        }
    }

private:
    std::uint32_t seed_ = 1;
};

template <class T>
void set(std::atomic<T>& variable, T value) {
    variable = value;
    variable.notify_one();
}

}  // namespace

Attacker::Attacker(Step step) : step_(std::move(step)), thread_([this] { loop(); }) {}

Attacker::~Attacker() {
    stop_ = true;
    begin_round();
    thread_.join();
}

void Attacker::loop() {
    Jitter jitter;
    while (!stop_) {
        if (hold_) {
            set(held_, true);
            hold_.wait(true);
            set(held_, false);
        } else if (const int left = strength_; left <= 0) {
            strength_.wait(left);
        } else if (step_()) {
            ++changes_;
            strength_ -= kChange;
            jitter.wait();
        } else {
            --strength_;
        }
    }
}

void Attacker::begin_round() { set(strength_, kStrength); }

void Attacker::while_paused(const std::function<void()>& act) {
    hold_ = true;
    begin_round();
    held_.wait(false);
    act();
    set(hold_, false);
    held_.wait(true);
}

bool exchange_once(const std::string& a, const std::string& b) {
    constexpr unsigned kExchange = 2;
    return ::syscall(SYS_renameat2, AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), kExchange) == 0;
}

Attacker::Step exchange(std::string a, std::string b) {
    return [a = std::move(a), b = std::move(b)] { return exchange_once(a, b); };
}

Attacker::Step move_to_and_fro(std::string here, std::string there) {
    return [from = std::move(here), to = std::move(there)]() mutable {
        if (std::rename(from.c_str(), to.c_str()) != 0) return false;
        std::swap(from, to);
        return true;
    };
}

Attacker::Step exchange_with_link(std::string name, std::string spare, std::string target) {
    return [name = std::move(name), spare = std::move(spare), target = std::move(target)] {
        const bool exchanged = exchange_once(name, spare);
        if (!is_link(spare) && !is_link(name)) {
            const std::string fresh = spare + ".fresh";
            return ::symlink(target.c_str(), fresh.c_str()) == 0 &&
                   std::rename(fresh.c_str(), spare.c_str()) == 0;
        }
        return exchanged;
    };
}

}  // namespace paddock::testing
