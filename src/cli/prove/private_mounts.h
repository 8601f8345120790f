// Mounts for one trial, in a child process with a mount namespace of its own: nobody else sees
// them, and they vanish with it.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "cli/prove/ground.h"
#include "cli/prove/report.h"

namespace paddock::cli::prove {

// Runs `trial` in such a child and hands its verdict back; kSkipped, with the kernel's answer,
// where none can be made. For processes with a single thread.
Verdict with_private_mounts(const std::function<Verdict()>& trial);

// The ground's outside, visible on the directory `name` of its workspace too; nothing if `name` is
// empty. Throws std::system_error if that is not allowed.
class BindMount {
public:
    BindMount(const Ground& ground, std::string_view name);
    ~BindMount();
    BindMount(const BindMount&) = delete;
    BindMount& operator=(const BindMount&) = delete;

private:
    std::string place_;
};

}  // namespace paddock::cli::prove
