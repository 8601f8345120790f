#include "sandbox/session_walls.h"

#include <algorithm>
#include <array>

namespace paddock::sandbox {

void add_protection(WriteMap& map, std::string_view workspace, std::string_view path,
                    std::span<char> buffer) noexcept {
    std::string_view whole = path;
    if (!path.starts_with('/')) {
        const std::size_t size = workspace.size() + 1 + path.size();
        if (size > buffer.size()) return;
        char* at = std::copy(workspace.begin(), workspace.end(), buffer.data());
        *at++ = '/';
        std::copy(path.begin(), path.end(), at);
        whole = {buffer.data(), size};
    }
    map.set(whole, Wall::kRule);
}

ObservedWorld observed_world(const WardenPlan& plan) {
    ObservedWorld world;
    WriteMap& map = world.map;
    map.loopback_only = plan.own_network;
    if (plan.rung == Rung::kFull) {
        world.own_view = true;
        map.set("/dev", Wall::kView);
        for (const Piece& piece : plan.view.pieces) {
            const bool leads_there = piece.make == Make::kLink && piece.text == "/tmp";
            const bool is_own = piece.make == Make::kScratch || piece.make == Make::kHome;
            const bool is_device = piece.path.starts_with("dev/") && piece.make != Make::kDirectory;
            if (is_own || leads_there || is_device) {
                map.set('/' + piece.path, Wall::kNone);
            }
            if (piece.make == Make::kClosed) map.set('/' + piece.path, Wall::kView);
        }
    } else {
        // There is the host's /dev, of which few devices can be used.
        map.set("/dev/shm", Wall::kView);
        map.set(plan.scratch_parent + '/' + plan.scratch_name, Wall::kNone);
        if (plan.user.chosen) world.looker = {plan.user.user, plan.user.group};
    }
    map.set(plan.workspace_path, plan.read_only ? Wall::kReadOnly : Wall::kNone);
    for (const FurtherRootPlan& each : plan.further) {
        const bool is_gated = plan.gate != nullptr && each.journal != nullptr;
        const Wall wall = each.journal == nullptr ? Wall::kSeen : Wall::kView;
        map.set(each.path, is_gated ? Wall::kNone : wall);
    }
    // Without a mount namespace nothing holds them while a command runs.
    if (plan.rung == Rung::kLow) return world;
    std::array<char, limits::kPathBytesMax> buffer{};
    for (const Protection& each : plan.protections) {
        add_protection(map, plan.workspace_path, each.path, buffer);
    }
    return world;
}

}  // namespace paddock::sandbox
