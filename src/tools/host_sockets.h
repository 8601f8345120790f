// Unix sockets in a workspace. Those of the host are to be hidden from commands: before Landlock
// ABI 9 nothing else keeps them from talking to whoever listens there. Those of commands are not:
// the next command may need them.
//
// Not told apart: what somebody outside makes while a command runs counts as the command's.
#pragma once

#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

#include "search/protected_paths.h"

namespace paddock::tools {

class HostSockets {
public:
    using List = std::vector<search::ProtectedPath>;

    // No process has been alive since the last look: what is new is the host's.
    void trust(const List& sockets);

    // What is new may be a command's.
    void admit(const List& sockets);

    // Those that the kernel has not been told of yet; from now on it has.
    List bind();
    // It has not, after all. Those of `paths` that are no sockets of the host do not matter.
    void unbind(const List& paths);

    std::size_t size() const noexcept { return of_host_.size(); }

private:
    using Key = std::tuple<std::uint64_t, std::uint64_t, std::int64_t>;  // device, inode, created

    static Key key_of(const Stat& stat);
    void forget_all_but(const List& sockets);
    void find_unbound(const List& sockets);

    std::set<Key> of_host_;
    std::set<Key> of_commands_;
    std::set<Key> bound_;  // of the host's
    List unbound_;         // when they were last looked at
};

}  // namespace paddock::tools
