#include "sandbox/command_user.h"

#include <fcntl.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>

#include "sys/files.h"
#include "sys/identity.h"
#include "sys/io.h"
#include "sys/kernel_text.h"
#include "sys/mount.h"
#include "sys/process.h"
#include "sys/signal.h"

namespace paddock::sandbox {
namespace {

// What commands see where root chose a user: as on most machines with one.
constexpr uid_t kInsideId = 1000;

// From here on no distribution gives out ids, up to the sign bit, which some programs dislike.
constexpr std::uint32_t kUnusedFirst = 0x7000'0000;
constexpr std::uint32_t kUnusedLast = 0x7fff'ffff;

constexpr gid_t kNoGroup = 65534;

constexpr int kTriesMax = 64;

constexpr std::string_view kRootOwned =
    "the workspace belongs to root and cannot be shown to another user; change its owner to an "
    "unprivileged user, or start paddock as one";

Done write_maps(pid_t process, std::string_view users, std::string_view groups) {
    const std::string directory = "/proc/" + std::to_string(process);
    PADDOCK_ASSIGN(held, sys::openat(AT_FDCWD, directory.c_str(), O_PATH | O_DIRECTORY));
    PADDOCK_TRY(sys::write_text(held.get(), "uid_map", users));
    return sys::write_text(held.get(), "gid_map", groups);
}

struct PipeEnds {
    int read;
    int write;
};

// The namespace is needed, not the process: it waits to be killed, or for the end of its parent,
// which closes the pipe. Its own copy of the end to write to would keep it open.
int wait_for_end(void* argument) {
    const auto& ends = *static_cast<const PipeEnds*>(argument);
    char nothing = 0;
    (void)sys::close_between(ends.write, ends.write);
    (void)sys::read(ends.read, &nothing, 1);
    return 0;
}

// A user namespace in which the owner of a directory and the user of the commands are exchanged.
Outcome<UniqueFd> owner_namespace(const Stat& owner, const CommandUser& user) {
    PADDOCK_ASSIGN(pipe, sys::pipe());
    PipeEnds ends{pipe.read.get(), pipe.write.get()};
    alignas(16) std::array<std::byte, 8192> stack;
    const sys::SignalsHeldBack held_back;
    PADDOCK_ASSIGN(child, sys::share_process(wait_for_end, &ends, stack, CLONE_NEWUSER));
    const std::string name = "/proc/" + std::to_string(child.id) + "/ns/user";
    const auto mapped = write_maps(child.id, exchange_map(owner.uid, user.user),
                                   exchange_map(owner.gid, user.group));
    auto space = sys::openat(AT_FDCWD, name.c_str(), O_RDONLY);
    (void)sys::send_signal(child.held.get(), SIGKILL);
    pipe.write.reset();
    PADDOCK_TRY(sys::wait_for(child.held.get()));
    if (!mapped) return mapped.error();
    return space;
}

// A directory as a mount in which its owner appears as `user`. Made while this is root: nobody else
// may.
Outcome<UniqueFd> mapped_mount(int directory, const CommandUser& user) {
    PADDOCK_ASSIGN(owner, sys::fstat(directory));
    PADDOCK_ASSIGN(space, owner_namespace(owner, user));
    PADDOCK_ASSIGN(mount, sys::copy_mount(directory, "", sys::Tree::kOne));
    PADDOCK_TRY(sys::map_owners(mount.get(), space.get()));
    return std::move(mount);
}

CommandUser itself() {
    CommandUser user;
    user.user = user.inside_user = sys::effective_user();
    user.group = user.inside_group = sys::effective_group();
    return user;
}

Outcome<CommandUser> owner_of(const Stat& workspace) {
    if (workspace.uid == 0) return refuse(Code::kSandboxUnavailable, kRootOwned);
    CommandUser user;
    user.user = workspace.uid;
    user.group = workspace.gid == 0 ? kNoGroup : workspace.gid;
    user.chosen = true;
    return user;
}

}  // namespace

std::string exchange_map(std::uint32_t one, std::uint32_t other) {
    constexpr std::uint64_t kEnd = 0xffff'ffff;  // the last id means "none"
    std::string map;
    const auto line = [&map](std::uint64_t inside, std::uint64_t outside, std::uint64_t count) {
        if (count == 0) return;
        map += std::to_string(inside) + ' ' + std::to_string(outside) + ' ' +
               std::to_string(count) + '\n';
    };
    const std::uint64_t low = std::min(one, other);
    const std::uint64_t high = std::max(one, other);
    line(0, 0, low);
    line(low, high, 1);
    if (low != high) {
        line(low + 1, low + 1, high - low - 1);
        line(high, low, 1);
    }
    line(high + 1, high + 1, kEnd - high - 1);
    return map;
}

std::uint32_t id_in_map(std::string_view map, std::uint64_t random) {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    for (const std::string& line : sys::split(map, '\n')) {
        const auto fields = sys::split(line, ' ');
        std::uint64_t begin = 0;
        std::uint64_t count = 0;
        if (fields.size() != 3 || !sys::parse_number(fields[0], begin) ||
            !sys::parse_number(fields[2], count))
            continue;
        const std::uint64_t end = begin + count;
        if (begin <= kUnusedFirst && end > kUnusedLast) {
            first = kUnusedFirst;
            last = kUnusedLast;
            break;
        }
        if (count > 0 && end - 1 > last) {
            first = std::max<std::uint64_t>(begin, 1);
            last = end - 1;
        }
    }
    if (first == 0 || last < first) return 0;
    return static_cast<std::uint32_t>(first + random % (last - first + 1));
}

bool lists_id(std::string_view accounts, std::uint32_t id) {
    for (const std::string& line : sys::split(accounts, '\n')) {
        std::string_view rest = line;
        for (int skipped = 0; skipped < 2; ++skipped) {
            const std::size_t colon = rest.find(':');
            rest = colon == std::string_view::npos ? std::string_view() : rest.substr(colon + 1);
        }
        std::uint32_t listed = 0;
        if (sys::parse_number(rest.substr(0, rest.find(':')), listed) && listed == id) return true;
    }
    return false;
}

Outcome<std::uint32_t> unused_id() {
    PADDOCK_ASSIGN(users, sys::read_text(AT_FDCWD, "/proc/self/uid_map"));
    PADDOCK_ASSIGN(groups, sys::read_text(AT_FDCWD, "/proc/self/gid_map"));
    const std::string accounts = sys::read_text(AT_FDCWD, "/etc/passwd").value_or("");
    const std::string teams = sys::read_text(AT_FDCWD, "/etc/group").value_or("");
    for (int i = 0; i < kTriesMax; ++i) {
        PADDOCK_ASSIGN(random, sys::random_u64());
        const std::uint32_t id = id_in_map(users, random);
        if (id == 0 || id_in_map(groups, random) != id) continue;
        if (!lists_id(accounts, id) && !lists_id(teams, id)) return id;
    }
    return refuse(Code::kSandboxUnavailable, "every user of this system is in use");
}

Outcome<CommandUser> choose_user(int workspace, int home, bool map_owners) {
    if (sys::effective_user() != 0) return itself();
    CommandUser user;
    if (map_owners) {
        PADDOCK_ASSIGN(id, unused_id());
        user.user = user.group = id;
        user.chosen = true;
        if (auto mount = mapped_mount(workspace, user)) user.workspace_mount = std::move(*mount);
    }
    if (!user.workspace_mount.valid()) {
        PADDOCK_ASSIGN(owner, sys::fstat(workspace));
        PADDOCK_ASSIGN(known, owner_of(owner));
        user = std::move(known);
    }
    user.inside_user = user.inside_group = kInsideId;
    if (home >= 0 && map_owners) {
        if (auto mount = mapped_mount(home, user)) user.home_mount = std::move(*mount);
    }
    return user;
}

Outcome<UniqueFd> mount_for_user(int directory, const CommandUser& user) {
    if (user.workspace_mount.valid()) {
        if (auto mount = mapped_mount(directory, user)) return mount;
    }
    return sys::copy_mount(directory, "", sys::Tree::kOne);
}

Outcome<CommandUser> choose_plain_user(int workspace) {
    if (sys::effective_user() != 0) return itself();
    PADDOCK_ASSIGN(owner, sys::fstat(workspace));
    PADDOCK_ASSIGN(user, owner_of(owner));
    user.inside_user = user.user;
    user.inside_group = user.group;
    return std::move(user);
}

Done map_user(pid_t process, const CommandUser& user) {
    const auto line = [](std::uint32_t inside, std::uint32_t outside) {
        return std::to_string(inside) + ' ' + std::to_string(outside) + " 1\n";
    };
    if (!user.chosen) {
        // Who is not root may map a group only where groups cannot be given up any more: a group
        // can take rights away, too.
        const std::string name = "/proc/" + std::to_string(process) + "/setgroups";
        PADDOCK_TRY(sys::write_text(AT_FDCWD, name.c_str(), "deny"));
    }
    return write_maps(process, line(user.inside_user, user.user),
                      line(user.inside_group, user.group));
}

}  // namespace paddock::sandbox
