// A process that mounts and unmounts at full speed in a mount namespace of its own.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <string>

namespace paddock::testing {

class Mounter {
public:
    // Mounts on `directory`. Must be made while this process has a single thread.
    explicit Mounter(const std::string& directory);
    ~Mounter();
    Mounter(const Mounter&) = delete;
    Mounter& operator=(const Mounter&) = delete;

    // The first mount was made; if not, this kernel lets nobody here make any.
    bool works() const;
    std::uint64_t mounts() const { return shared_->mounts.load(); }

private:
    struct Shared {
        std::atomic<std::uint64_t> mounts = 0;
        std::atomic<bool> failed = false;
    };
    static void run(Shared& shared, const char* directory);

    Shared* shared_;  // in memory that both processes see
    pid_t child_;
};

}  // namespace paddock::testing
