#include "fs/resolver.h"

#include <fcntl.h>

#include <cerrno>
#include <chrono>

#include <paddock/limits.h>

#include "sys/open.h"
#include "sys/uapi.h"

namespace paddock::fs {
namespace {

template <class Attempt>
auto until_settled(Attempt attempt) -> decltype(attempt()) {
    using Clock = std::chrono::steady_clock;
    std::optional<Clock::time_point> deadline;
    for (;;) {
        auto outcome = attempt();
        if (outcome || outcome.error().code != Code::kRace) return outcome;
        if (!deadline) {
            deadline = Clock::now() + limits::kRaceDeadline;
        } else if (Clock::now() > *deadline) {
            return refuse(Code::kRace, {}, EAGAIN);
        }
    }
}

// EXDEV may be an escape, a mount, an absolute link inside, or a rename passing by; ELOOP a loop, a
// magic link or a refused one; ENOSYS and EPERM a filter, or the file's own. None is remembered.
bool is_for_the_walk(int os_error) {
    return os_error == EXDEV || os_error == ELOOP || os_error == ENOSYS || os_error == EPERM;
}

Outcome<UniqueFd> walk_to(const RootState& state, const RelPath& path, int flags,
                          Symlinks symlinks) {
    RelPath goal = path;
    goal.must_be_directory = goal.must_be_directory || (flags & O_DIRECTORY) != 0;
    PADDOCK_ASSIGN(end, walk_path(state, goal, flags & ~O_DIRECTORY, symlinks));
    if (!end.node) return Failure::from_errno(ENOENT);
    return std::move(end.object);
}

Outcome<UniqueFd> open_once(const RootState& state, const RelPath& path, int flags,
                            Symlinks symlinks) {
    // The kernel does not tell what it passes.
    if (!state.kernel) return walk_to(state, path, flags, symlinks);
    std::uint64_t resolve = sys::uapi::kResolveBeneath | sys::uapi::kResolveNoMagiclinks;
    if (!state.every_mount) resolve |= sys::uapi::kResolveNoXdev;
    if (symlinks == Symlinks::kReject) resolve |= sys::uapi::kResolveNoSymlinks;
    if (path.must_be_directory) flags |= O_DIRECTORY;
    const char* text = path.is_root() ? "." : path.text.c_str();
    auto fd = sys::openat2(state.fd.get(), text, flags, resolve);
    if (fd || !is_for_the_walk(fd.error().os_error)) return fd;
    auto walked = walk_to(state, path, flags, symlinks);
    if (walked || !gave_up(walked.error())) return walked;
    // The kernel has no bound on components, and its ELOOP may pass: a lookup that a mount anywhere
    // in the system makes start over goes on counting links where the first attempt stopped.
    for (int i = 0; i < limits::kLinkCountRetriesMax && fd.error().os_error == ELOOP; ++i) {
        fd = sys::openat2(state.fd.get(), text, flags, resolve);
        if (fd || !is_for_the_walk(fd.error().os_error)) return fd;
    }
    return walked;
}

Outcome<std::optional<sys::Node>> look(const RootState& state, const Place& place) {
    auto node = sys::node_at(place.directory, place.c_name());
    if (!node && node.error().os_error == ENOENT) return std::nullopt;
    if (!node) return node.error();
    if (!state.may_enter(node->mount)) return refuse(Code::kMountCrossing, {}, EBUSY);
    return *node;
}

// "link/" means what the link leads to. If that is outside or absent, that is the answer.
Failure not_a_directory_at(const RootState& state, const RelPath& path) {
    const auto followed = open_object(state, path, O_PATH);
    return followed ? refuse(Code::kNotADirectory, "is not a directory, but was written with a '/'")
                    : followed.error();
}

}  // namespace

Outcome<UniqueFd> open_object(const RootState& state, const RelPath& path, int flags) {
    return open_object(state, path, flags, state.symlinks);
}

Outcome<UniqueFd> open_object(const RootState& state, const RelPath& path, int flags,
                              Symlinks symlinks) {
    return until_settled([&] { return open_once(state, path, flags, symlinks); });
}

Outcome<WalkEnd> walk_settled(const RootState& state, const RelPath& path, Symlinks symlinks) {
    return until_settled([&] { return walk_path(state, path, O_PATH, symlinks); });
}

Outcome<UniqueFd> open_listing(const RootState& state, const RelPath& path) {
    RelPath name = path;
    name.must_be_directory = false;
    PADDOCK_ASSIGN(pinned, open_object(state, name, O_PATH));
    PADDOCK_ASSIGN(stat, sys::fstat(pinned.get()));
    if (stat.type != FileType::kDirectory) return refuse(Code::kNotADirectory);
    auto readable = sys::openat(pinned.get(), ".", O_RDONLY | O_DIRECTORY);
    if (readable || readable.error().os_error != EACCES) return readable;
    // "." needs the permission to search; the name does not.
    readable = open_object(state, path, O_RDONLY | O_DIRECTORY | kNoWait);
    if (!readable) return readable;
    PADDOCK_ASSIGN(opened, sys::fstat(readable->get()));
    if (opened.identity != stat.identity) return refuse(Code::kRace);
    return readable;
}

Outcome<Place> locate_name(const RootState& state, const RelPath& path) {
    if (path.is_root()) return refuse(Code::kInvalidArgument, "is the workspace itself");
    if (path.ends_in_dots) return refuse(Code::kInvalidArgument, "ends in '.' or '..'");
    Place place;
    place.name = path.leaf();
    place.directory = state.fd.get();
    if (const std::string_view parent = path.parent(); !parent.empty()) {
        RelPath above;
        above.text = parent;
        PADDOCK_ASSIGN(directory, open_object(state, above, O_PATH | O_DIRECTORY));
        place.owned = std::move(directory);
        place.directory = place.owned.get();
    }
    PADDOCK_ASSIGN(node, look(state, place));
    place.node = node;
    if (path.must_be_directory && node && node->stat.type != FileType::kDirectory) {
        return not_a_directory_at(state, path);
    }
    return place;
}

Outcome<Place> locate_target(const RootState& state, const RelPath& path) {
    RelPath name = path;
    name.must_be_directory = false;
    PADDOCK_ASSIGN(place, locate_name(state, name));
    if (!place.node || place.node->stat.type != FileType::kSymlink) return std::move(place);
    auto end = walk_settled(state, path, state.symlinks);
    if (!end) return end.error();
    if (!end->missing.empty()) return Failure::from_errno(ENOENT);
    if (end->name.empty() || end->as_directory) return refuse(Code::kIsADirectory);
    Place target;
    target.name = std::move(end->name);
    target.node = end->node;
    target.by_link = true;
    PADDOCK_ASSIGN(directory, end->directories.take_top());
    target.owned = std::move(directory);
    target.directory = target.owned.get();
    return target;
}

}  // namespace paddock::fs
