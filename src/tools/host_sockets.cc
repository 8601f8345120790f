#include "tools/host_sockets.h"

#include <utility>

namespace paddock::tools {

HostSockets::Key HostSockets::key_of(const Stat& stat) {
    return {stat.identity.device, stat.identity.inode, stat.created.count()};
}

// Else an inode number that is used again would be taken for the old socket.
void HostSockets::forget_all_but(const List& sockets) {
    std::set<Key> there;
    for (const search::ProtectedPath& socket : sockets) there.insert(key_of(socket.stat));
    const auto is_gone = [&](const Key& key) { return there.count(key) == 0; };
    std::erase_if(hidden_, is_gone);
    std::erase_if(of_commands_, is_gone);
}

void HostSockets::trust(const List& sockets) {
    forget_all_but(sockets);
    for (const search::ProtectedPath& socket : sockets) {
        const Key key = key_of(socket.stat);
        if (of_commands_.count(key) != 0) continue;
        if (hidden_.insert(key).second) fresh_.push_back(socket);
    }
}

void HostSockets::admit(const List& sockets) {
    forget_all_but(sockets);
    for (const search::ProtectedPath& socket : sockets) {
        const Key key = key_of(socket.stat);
        if (hidden_.count(key) == 0) of_commands_.insert(key);
    }
}

HostSockets::List HostSockets::bind() { return std::exchange(fresh_, {}); }

}  // namespace paddock::tools
