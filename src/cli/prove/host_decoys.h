// Things of the host that a command has no business with, made for one trial: a process with a
// secret in its environment, a service on the loopback that tells it, a variable and an open
// descriptor that a careless caller passes on. They end with the object.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include <paddock/unique_fd.h>

#include "cli/prove/ground.h"

namespace paddock::cli::prove {

class HostDecoys {
public:
    static constexpr const char* kVariable = "PADDOCK_PROVE_DECOY";

    // Throws std::system_error if something of it cannot be made.
    explicit HostDecoys(const Ground& ground);
    ~HostDecoys();
    HostDecoys(const HostDecoys&) = delete;
    HostDecoys& operator=(const HostDecoys&) = delete;

    // Shell assignments of what a script is told.
    std::string assignments(const Ground& ground) const;

    bool victim_lives() const;
    // Processes that have the mark among their arguments; ends them.
    bool end_left_behind() const;

private:
    bool end_marked() const;
    void start_victim();
    void start_service();

    std::string mark_;
    pid_t victim_ = -1;
    pid_t service_ = -1;
    int port_ = 0;
    UniqueFd left_open_;
};

}  // namespace paddock::cli::prove
