// A thread that exchanges two names again and again (RENAME_EXCHANGE): the attacker of a race.
// While one of the names is absent it does nothing, and tries on.
#pragma once

#include <atomic>
#include <string>
#include <thread>

namespace paddock::cli::prove {

class Swapper {
public:
    // Two absolute paths. Returns once the thread is at it; the destructor ends it.
    Swapper(std::string first, std::string second);
    ~Swapper();
    Swapper(const Swapper&) = delete;
    Swapper& operator=(const Swapper&) = delete;

    // Exchanges the two names once and back. False if the file system cannot.
    static bool works(const std::string& first, const std::string& second);

private:
    void run();

    std::string first_;
    std::string second_;
    std::atomic<bool> started_{false};
    std::atomic<bool> ended_{false};
    std::thread thread_;
};

}  // namespace paddock::cli::prove
