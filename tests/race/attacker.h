// Somebody else who may change the workspace: a thread that repeats one step at full speed, with a
// bound for each round. Without it the kernel's lock of a directory would never be free, and each
// change by the victim would wait for milliseconds.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>

namespace paddock::testing {

class Attacker {
public:
    using Step = std::function<bool()>;  // true: something was changed

    explicit Attacker(Step step);
    ~Attacker();
    Attacker(const Attacker&) = delete;
    Attacker& operator=(const Attacker&) = delete;

    std::uint64_t changes() const { return changes_.load(); }
    void begin_round();

    // Runs `act` while no step is under way: for putting a tree back between two rounds.
    void while_paused(const std::function<void()>& act);

private:
    void loop();

    const Step step_;
    std::atomic<std::uint64_t> changes_ = 0;
    std::atomic<int> strength_ = 0;  // for the rest of this round
    std::atomic<bool> stop_ = false;
    std::atomic<bool> hold_ = false;
    std::atomic<bool> held_ = false;
    std::thread thread_;
};

// Steps. Names are host paths.
Attacker::Step exchange(std::string a, std::string b);                // RENAME_EXCHANGE
Attacker::Step move_to_and_fro(std::string here, std::string there);  // plain renames

// Exchanges `name` with a link to `target` that waits as `spare`, and makes the link anew when a
// write has replaced it.
Attacker::Step exchange_with_link(std::string name, std::string spare, std::string target);

bool exchange_once(const std::string& a, const std::string& b);

}  // namespace paddock::testing
