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
    const auto is_gone = [&](const Key& key) { return !there.contains(key); };
    std::erase_if(of_host_, is_gone);
    std::erase_if(of_commands_, is_gone);
    std::erase_if(bound_, is_gone);
}

void HostSockets::find_unbound(const List& sockets) {
    unbound_.clear();
    for (const search::ProtectedPath& socket : sockets) {
        const Key key = key_of(socket.stat);
        if (of_host_.contains(key) && !bound_.contains(key)) unbound_.push_back(socket);
    }
}

void HostSockets::trust(const List& sockets) {
    forget_all_but(sockets);
    for (const search::ProtectedPath& socket : sockets) {
        const Key key = key_of(socket.stat);
        if (!of_commands_.contains(key)) of_host_.insert(key);
    }
    find_unbound(sockets);
}

void HostSockets::admit(const List& sockets) {
    forget_all_but(sockets);
    for (const search::ProtectedPath& socket : sockets) {
        const Key key = key_of(socket.stat);
        if (!of_host_.contains(key)) of_commands_.insert(key);
    }
    find_unbound(sockets);
}

HostSockets::List HostSockets::bind() {
    for (const search::ProtectedPath& socket : unbound_) bound_.insert(key_of(socket.stat));
    return std::exchange(unbound_, {});
}

void HostSockets::unbind(const List& paths) {
    for (const search::ProtectedPath& path : paths) bound_.erase(key_of(path.stat));
}

}  // namespace paddock::tools
