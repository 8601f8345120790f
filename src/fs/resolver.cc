#include "fs/resolver.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <chrono>
#include <utility>

#include <paddock/limits.h>

#include "base/check.h"
#include "fs/report.h"
#include "sys/files.h"
#include "sys/process.h"
#include "sys/uapi.h"

namespace paddock::fs {
namespace {

constexpr std::size_t kWindow = kHeldDirectoriesMax;

// The levels of the window, and further down every 16th as long as it is near, every 32nd twice as
// far, and so on.
bool worth_holding(std::size_t level, std::size_t last) {
    const std::size_t distance = last - level;
    if (distance < kWindow || level == 0) return true;
    if (level % kWindow != 0) return false;
    const int rarity = std::countr_zero(level / kWindow);
    return distance < (2 * kWindow) << rarity;
}

Outcome<ChildDirectory> open_child_once(const RootState& state, int directory, const char* name,
                                        int flags) {
    // O_PATH without O_DIRECTORY: a link is not followed and an automount not set off.
    PADDOCK_ASSIGN(pinned, sys::openat(directory, name, O_PATH | O_NOFOLLOW));
    PADDOCK_ASSIGN(node, sys::node(pinned.get()));
    if (node.stat.type != FileType::kDirectory) return refuse(Code::kNotADirectory);
    if (!state.may_enter(node.mount)) return refuse(Code::kMountCrossing, {}, EBUSY);
    if ((flags & O_PATH) != 0) return ChildDirectory{std::move(pinned), node};
    // By name, not by ".": reading a directory must not need the permission to search it.
    constexpr int kNameOnly = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
    auto readable = sys::openat(directory, name, flags | kNameOnly);
    if (!readable && readable.error().os_error == ELOOP) return refuse(Code::kRace);
    if (!readable) return readable.error();
    PADDOCK_ASSIGN(opened, sys::fstat(readable->get()));
    if (opened.identity != node.stat.identity) return refuse(Code::kRace);
    return ChildDirectory{std::move(*readable), node};
}

}  // namespace

Outcome<ChildDirectory> open_child(const RootState& state, int directory, const char* name,
                                   int flags) {
    return retried([&] { return open_child_once(state, directory, name, flags); });
}

std::string DirChain::path() const {
    std::string joined;
    for (const Level& level : levels_) {
        if (!joined.empty()) joined += '/';
        joined += level.name;
    }
    return joined;
}

void DirChain::push(std::string_view name, UniqueFd fd, const sys::Node& node) {
    levels_.push_back({std::string(name), std::move(fd), node});
    // Only a level at one of these distances from the top can have lost its worth just now.
    const std::size_t last = levels_.size() - 1;
    for (std::size_t distance = kWindow; distance <= last; distance *= 2) {
        if (!worth_holding(last - distance, last)) levels_[last - distance].fd.reset();
    }
}

Outcome<DirChain::Level> DirChain::pop() {
    PADDOCK_CHECK(!levels_.empty());
    Level left = std::move(levels_.back());
    levels_.pop_back();
    PADDOCK_TRY(hold_top());
    return left;
}

Done DirChain::hold_top() {
    std::size_t held = levels_.size();
    while (held > 0 && !levels_[held - 1].fd.valid()) --held;
    UniqueFd passing;
    for (std::size_t i = held; i < levels_.size(); ++i) {
        const int parent = passing.valid() ? passing.get()
                           : i == 0        ? start_
                                           : levels_[i - 1].fd.get();
        const bool hold = worth_holding(i, levels_.size() - 1);
        // Who only passes through reads nothing, which Landlock would have to look at.
        auto child = open_child(*state_, parent, levels_[i].name.c_str(), hold ? flags_ : O_PATH);
        if (!child && !is_elsewhere(child.error().code)) return child.error();
        if (!child || child->node.stat.identity != levels_[i].node.stat.identity) {
            return refuse(Code::kRace);
        }
        (hold ? levels_[i].fd : passing) = std::move(child->fd);
        if (hold) passing.reset();
    }
    return {};
}

Outcome<UniqueFd> DirChain::take_top() {
    if (levels_.empty()) return sys::duplicate(start_);
    UniqueFd top = std::move(levels_.back().fd);
    levels_.clear();
    return top;
}

namespace {

constexpr std::string_view kTooManySteps = "takes too many steps to resolve";

struct Opened {
    UniqueFd fd;
    sys::Node node;
};

// A link that the kernel would resolve by itself instead of by its text.
Outcome<bool> is_magic(int link, const sys::Node& parent) {
    PADDOCK_ASSIGN(file_system, sys::file_system(link));
    if ((file_system.flags & sys::uapi::kStNoSymFollow) != 0) return Failure::from_errno(ELOOP);
    if (file_system.type == sys::uapi::kAppArmorFsMagic) return true;
    constexpr std::uint64_t kProcRootInode = 1;  // "self" and its like there are ordinary links
    return file_system.type == sys::uapi::kProcSuperMagic &&
           parent.stat.identity.inode != kProcRootInode;
}

// The kernel's fs.protected_symlinks: at the end of a path, in a sticky, world-writable directory,
// only links of one's own or of the directory's owner are followed.
bool is_planted(const Stat& link, const Stat& directory) {
    constexpr unsigned kShared = S_ISVTX | S_IWOTH;
    return (directory.mode & kShared) == kShared && link.uid != sys::effective_user() &&
           link.uid != directory.uid;
}

class PathWalk {
public:
    PathWalk(const RootState& state, const RelPath& path, int flags, Symlinks symlinks)
        : state_(state),
          flags_(flags),
          symlinks_(symlinks),
          chain_(state, state.fd.get(), state.node, O_PATH),
          text_(path.text),
          pending_(text_),
          written_(text_.size()),
          must_be_directory_(path.must_be_directory) {}

    Outcome<WalkEnd> run();

private:
    // Each takes one component; a WalkEnd ends the walk.
    Outcome<std::optional<WalkEnd>> take(std::string_view name);
    Outcome<std::optional<WalkEnd>> absent(std::string_view name);
    Outcome<WalkEnd> end_at_top();

    Outcome<Opened> open_name(std::string_view name, bool last);
    Failure refused_at(const Failure& failure) const;
    Done follow(const Opened& link);
    WalkEnd end(std::string_view name, Opened object);

    bool nothing_follows() const {
        return pending_.find_first_not_of('/') == std::string_view::npos;
    }
    bool needs_directory() const { return must_be_directory_ || !pending_.empty(); }

    const RootState& state_;
    const int flags_;
    const Symlinks symlinks_;
    DirChain chain_;
    std::string text_;          // the path, or the newest link's text with what came after the link
    std::string_view pending_;  // the end of text_ that is still to be walked
    std::size_t written_;       // how many bytes at the end of text_ the caller wrote
    bool must_be_directory_;
    int links_ = 0;
    int steps_ = 0;
    std::string name_;  // the present component, ended by NUL for the kernel
};

Outcome<WalkEnd> PathWalk::run() {
    for (auto name = take_component(pending_); !name.empty(); name = take_component(pending_)) {
        if (++steps_ > limits::kResolveStepsMax) {
            return refuse(Code::kLimitReached, kTooManySteps, ELOOP);
        }
        // Only a link's text has dots; as in the kernel, they need search permission.
        if (name == "." || name == "..") PADDOCK_TRY(sys::openat(chain_.top(), ".", O_PATH));
        if (name == ".") continue;
        if (name == "..") {
            if (chain_.depth() == 0) return refuse(Code::kPathEscape);
            PADDOCK_TRY(chain_.pop());
            continue;
        }
        PADDOCK_ASSIGN(arrived, take(name));
        if (arrived) return std::move(*arrived);
    }
    return end_at_top();
}

Outcome<std::optional<WalkEnd>> PathWalk::take(std::string_view name) {
    const bool last = nothing_follows();
    auto opened = open_name(name, last);
    if (!opened && opened.error().os_error == ENOENT) return absent(name);
    if (!opened) return refused_at(opened.error());
    if (!state_.may_enter(opened->node.mount)) return refuse(Code::kMountCrossing);
    const FileType type = opened->node.stat.type;
    if (type == FileType::kSymlink) {
        PADDOCK_TRY(follow(*opened));
        return std::nullopt;
    }
    if (needs_directory() && type != FileType::kDirectory) return refuse(Code::kNotADirectory);
    if (last) return end(name, std::move(*opened));
    chain_.push(name, std::move(opened->fd), opened->node);
    return std::nullopt;
}

// What is wrong with the object itself does not matter if it is on a foreign mount, or is not the
// directory that it must be.
Failure PathWalk::refused_at(const Failure& failure) const {
    if (failure.code == Code::kRace) return failure;
    const auto node = sys::node_at(chain_.top(), name_.c_str());
    if (!node) return failure;
    if (!state_.may_enter(node->mount)) return refuse(Code::kMountCrossing);
    const FileType type = node->stat.type;
    const bool is_other = type != FileType::kDirectory && type != FileType::kSymlink;
    return is_other && needs_directory() ? refuse(Code::kNotADirectory) : failure;
}

// The last component is opened as asked at once: what is in a pinned directory under that name is
// inside, whichever of two racing objects it is. Only a link needs a second look. O_DIRECTORY stays
// away: there is a kernel that follows links when it comes with O_NOFOLLOW.
Outcome<Opened> PathWalk::open_name(std::string_view name, bool last) {
    name_ = name;
    const int flags = last ? flags_ : O_PATH;
    auto fd = sys::openat(chain_.top(), name_.c_str(), flags | O_NOFOLLOW);
    const bool expect_link = !fd && fd.error().os_error == ELOOP;
    if (expect_link) fd = sys::openat(chain_.top(), name_.c_str(), O_PATH | O_NOFOLLOW);
    if (!fd) return fd.error();
    PADDOCK_ASSIGN(node, sys::node(fd->get()));
    if (expect_link && node.stat.type != FileType::kSymlink) return refuse(Code::kRace);
    return Opened{std::move(*fd), node};
}

// A name may be made here if it is the very last one, or if everything missing was written by the
// caller: a link's text never has directories made for it.
Outcome<std::optional<WalkEnd>> PathWalk::absent(std::string_view name) {
    const bool from_link = pending_.size() >= written_;
    if (!nothing_follows() && from_link) return Failure::from_errno(ENOENT);
    const std::size_t start = pending_.find_first_not_of('/');
    WalkEnd end{std::move(chain_), std::string(name), {}, {}, {}};
    if (start != std::string_view::npos) end.missing = pending_.substr(start);
    end.by_link = from_link;
    end.as_directory = start == std::string_view::npos && !pending_.empty();
    return end;
}

Done PathWalk::follow(const Opened& link) {
    if (++links_ > limits::kSymlinksMax) return Failure::from_errno(ELOOP);
    if (state_.links_protected && nothing_follows() &&
        is_planted(link.node.stat, chain_.top_node().stat)) {
        return Failure::from_errno(EACCES);
    }
    if (symlinks_ == Symlinks::kReject) {
        return refuse(Code::kPathEscape,
                      "goes through a symbolic link, which this workspace refuses");
    }
    PADDOCK_ASSIGN(magic, is_magic(link.fd.get(), chain_.top_node()));
    if (magic) return refuse(Code::kPathEscape, "goes through a magic link");
    PADDOCK_ASSIGN(target, sys::readlinkat(link.fd.get(), ""));
    std::string_view way = target;
    if (way.empty()) return Failure::from_errno(ENOENT);
    if (way.front() == '/') {
        PADDOCK_ASSIGN(below, strip_root(way, state_.rules));
        way = below;
        chain_.clear();
    }
    written_ = std::min(written_, pending_.size());
    text_ = std::string(way) + std::string(pending_);
    pending_ = text_;
    return {};
}

WalkEnd PathWalk::end(std::string_view name, Opened object) {
    return WalkEnd{std::move(chain_), std::string(name), object.node, std::move(object.fd), {}};
}

// The way ended in the root or, by a link's "..", in a directory already passed.
Outcome<WalkEnd> PathWalk::end_at_top() {
    if (chain_.depth() == 0) {
        PADDOCK_ASSIGN(root, sys::openat(state_.fd.get(), ".", flags_));
        return end({}, {std::move(root), state_.node});
    }
    PADDOCK_ASSIGN(top, chain_.pop());
    PADDOCK_ASSIGN(again, open_name(top.name, true));
    const bool same =
        again.node.stat.identity == top.node.stat.identity && again.node.mount == top.node.mount;
    if (!same) return refuse(Code::kRace);
    return end(top.name, std::move(again));
}

}  // namespace

std::string WalkEnd::path() const {
    std::string joined = directories.path();
    for (const std::string_view part : {std::string_view(name), std::string_view(missing)}) {
        if (part.empty()) continue;
        if (!joined.empty()) joined += '/';
        joined += part;
    }
    return joined;
}

bool gave_up(const Failure& failure) { return failure.reason == kTooManySteps; }

bool says_where(const Failure& failure) {
    switch (failure.os_error) {
        case 0: return failure.code != Code::kRace;
        case ENOENT:
        case ENOTDIR:
        case ENAMETOOLONG:
        case ELOOP: return true;
        default: return false;
    }
}

Outcome<WalkEnd> walk_path(const RootState& state, const RelPath& path, int flags,
                           Symlinks symlinks) {
    return PathWalk(state, path, flags, symlinks).run();
}

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
    for (int i = 0; i < kLinkCountRetriesMax && fd.error().os_error == ELOOP; ++i) {
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
    return followed ? refuse(Code::kNotADirectory, "is not a directory, but ends in '/'")
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
